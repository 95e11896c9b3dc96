"""What node classifiers share: who trains, selects and calibrates, known labels, saved models."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch_geometric.data import Data

from goodie.calibrate import Calibration, informed_nodes
from goodie.data.fingerprint import fingerprint
from goodie.data.splits import set_aside, stratified
from goodie.data.validate import validate
from goodie.errors import InputError, InvalidGraphError
from goodie.evaluate import accuracy
from goodie.methods import storage
from goodie.methods.base import Method, known_labels
from goodie.methods.neural import NeuralMethod
from goodie.train import History

RandomState = int | np.random.RandomState | None

E = TypeVar("E", bound="GraphClassifier")


class Answers(NamedTuple):
    """What a classifier says of every node, and from what.

    Attributes:
        proba: of each class.
        known: the nodes whose labels were an input.
        structure: the share of the answer that came from the structure, the rest being the
            features'; None of methods that do not tell.
    """

    proba: Float[np.ndarray, "nodes classes"]
    known: Bool[np.ndarray, " nodes"]
    structure: Float[np.ndarray, " nodes"] | None


class GraphClassifier(BaseEstimator, ABC):
    """What node classifiers share; see `NodeClassifier` and `GoodieClassifier`."""

    validation: float
    calibration: float
    random_state: RandomState
    device: str

    method_: Method[Any]
    classes_: Int[np.ndarray, " classes"]
    train_mask_: Bool[np.ndarray, " nodes"]
    val_mask_: Bool[np.ndarray, " nodes"]
    calibration_mask_: Bool[np.ndarray, " nodes"]
    abstains_: Bool[np.ndarray, " nodes"]
    proba_: Float[np.ndarray, "nodes classes"] | None
    history_: History | None

    @abstractmethod
    def _method(self) -> Method[Any]:
        """The method with the settings of this estimator, not fitted."""

    def fit(self: E, data: Data) -> E:
        """Learn from a graph.

        Args:
            data: `edge_index`; `x`, in which NaN is a hole; `y`, integers of which −1 is unknown.
                Nodes under `train_mask` train and those under `val_mask` select. Where a mask is
                absent, the labelled nodes that no other mask marks are meant, and part of them
                select if the method needs it. Of those that select, a share is set aside to
                calibrate; of a method that selects nothing, all of `val_mask` calibrates.
        """
        method = self._method()
        seed = self._seed = seed_of(self.random_state)
        data = validate(data)
        train, val = self._split(data, seed, selects=method.selects)
        aside = self._set_aside(data, val, seed, selects=method.selects)
        val = val & ~aside
        self.classes_ = data.y[train].unique().numpy()
        problem = copy(data)
        problem.train_mask, problem.val_mask, problem.test_mask = train, val, ~(train | val)
        problem.y = self._numbers(data.y, train | val)
        answers = self._numbers(data.y, aside).numpy()
        self.method_ = method.fit(problem, seed=seed, device=self.device)
        self.history_ = method.history_ if isinstance(method, NeuralMethod) else None
        self.train_mask_, self.val_mask_ = train.numpy(), val.numpy()
        self.calibration_mask_ = aside.numpy()
        self.abstains_ = ~informed_nodes(problem, train, method.uses).numpy()
        # Their labels were neither learned from nor selected by, nor are they an input.
        asked = self.calibration_mask_ & ~self.abstains_
        self._calibration = Calibration.fit(method.proba_.numpy()[asked], answers[asked])
        self.proba_ = self._calibration.probability(method.proba_.numpy())
        self._known = torch.where(train, problem.y, -1)
        self._graph = content_of(data)
        return self

    def predict_proba(
        self, data: Data | None = None, *, calibrated: bool = True
    ) -> Float[np.ndarray, "nodes classes"]:
        """The probability of each class, a column each in the order of `classes_`.

        Args:
            data: a graph; the one fitted on if None. There the training labels alone are known.
                On another graph, those under its `train_mask` are, or all that `val_mask` and
                `test_mask` do not mark.
            calibrated: at the temperature at which the method's probabilities suit the calibration
                nodes best; or else as the method gives them.
        """
        problem = self._problem(data)
        if problem is not None:
            raw = self.method_.predict_proba(problem).numpy()
            return self._calibration.probability(raw) if calibrated else raw
        assert self.proba_ is not None
        return self.proba_ if calibrated else self.method_.proba_.numpy()

    def predict_set(
        self, data: Data | None = None, alpha: float = 0.1, *, empty: bool = True
    ) -> Bool[np.ndarray, "nodes classes"]:
        """For each node the classes that its label is among, in all but `alpha` of the cases.

        Split-conformal: whatever the model's probabilities are worth, a node that is like the
        calibration nodes has its label in its set with a probability of 1 − α. Nodes of another
        graph need not be like them.

        Args:
            data: a graph, as for `predict_proba`.
            alpha: how often a set may miss. Below 1 / (calibration nodes + 1) nothing but all
                classes keeps the promise, and these are what sets hold.
            empty: whether a set may be empty. A model that is right more often than 1 − α leaves
                sets empty where it is least sure; with False they hold the likeliest class, and
                cover more than was asked.

        Returns:
            True for a class that is in the node's set. Sets of nodes that abstain hold every class.
        """
        raw = self.predict_proba(data, calibrated=False)
        if not self.calibration_mask_.any():
            raise InputError(
                "no node was set aside to calibrate by: fit with calibration above 0 and two or "
                "more nodes to select by, or mark some with val_mask"
            )
        return self._calibration.sets(raw, alpha=alpha, abstains=self.abstains(data), empty=empty)

    def abstains(self, data: Data | None = None) -> Bool[np.ndarray, " nodes"]:
        """The nodes that no known label reaches and no feature tells of: the model can but guess.

        Args:
            data: a graph, as for `predict_proba`.
        """
        problem = self._problem(data)
        return self.abstains_ if problem is None else self._abstains(problem)

    @property
    def temperature_(self) -> float:
        """What the logarithms of the method's probabilities are divided by; 1 if uncalibrated."""
        check_is_fitted(self, "method_")
        return self._calibration.temperature

    def explain(self, data: Data | None = None) -> Answers:
        """Probabilities with where they come from, in one go; `data` as for `predict_proba`."""
        problem = self._problem(data)
        if problem is None:
            assert self.proba_ is not None
            return Answers(self.proba_, self.train_mask_, None)
        known: np.ndarray = problem.train_mask.numpy()
        raw = self.method_.predict_proba(problem).numpy()
        return Answers(self._calibration.probability(raw), known, None)

    def knows(self, data: Data) -> bool:
        """Whether this is the graph fitted on: the same edges and features."""
        check_is_fitted(self, "method_")
        return content_of(validate(data)) == self._graph

    def predict(self, data: Data | None = None) -> Int[np.ndarray, " nodes"]:
        """The likeliest class of every node; `data` as for `predict_proba`."""
        likeliest = self.predict_proba(data).argmax(axis=1)
        best: np.ndarray = self.classes_[likeliest]
        return best

    def score(self, data: Data, judged: Bool[Tensor, " nodes"] | None = None) -> float:
        """The share of nodes whose label is predicted, between 0 and 1.

        Args:
            data: a graph with their labels; those of judged nodes are no input.
            judged: which nodes; by default those under `test_mask`, or else the labelled ones that
                are neither an input nor trained on, selected by or calibrated by.
        """
        check_is_fitted(self, "method_")
        data = validate(data)
        if judged is None:
            judged = self.to_judge(data)
        if not judged.any():
            raise InputError("no node is judged: mark some with test_mask, or pass `judged`")
        problem = copy(data)
        problem.y = torch.where(judged, -1, data.y)
        if problem.get("train_mask") is not None:
            problem.train_mask = problem.train_mask & ~judged
        probability = torch.from_numpy(self.predict_proba(problem))
        return accuracy(probability, self._numbers(data.y, judged, strangers=True), judged) / 100

    def to_judge(self, data: Data) -> Bool[Tensor, " nodes"]:
        """The labelled nodes that fitting left alone: `test_mask`, or those in no other part."""
        judged: Tensor = data.y >= 0
        if data.get("test_mask") is not None:
            judged = judged & data.test_mask
        elif self.knows(data):
            used = self.train_mask_ | self.val_mask_ | self.calibration_mask_
            judged = judged & ~torch.from_numpy(used)
        else:
            judged = judged & ~known_labels(data)
        return judged

    def save(
        self, folder: str | Path, *, beside: Mapping[str, storage.Writer] | None = None
    ) -> None:
        """Write the fitted model as a folder of JSON and safetensors.

        Args:
            folder: where to; replaced if it holds a model.
            beside: other files of the folder, by name, each a function that writes it.
        """
        check_is_fitted(self, "method_")
        storage.save(
            self.method_,
            Path(folder),
            extra={
                "classes": self.classes_.tolist(),
                "graph": self._graph,
                "history": None if self.history_ is None else asdict(self.history_),
                "parameters": self.get_params() | {"random_state": self._seed},
                "temperature": self._calibration.temperature,
            },
            tensors={
                "known": self._known,
                "train_mask": torch.from_numpy(self.train_mask_),
                "val_mask": torch.from_numpy(self.val_mask_),
                "calibration_mask": torch.from_numpy(self.calibration_mask_),
                "abstains": torch.from_numpy(self.abstains_),
                "strange": torch.from_numpy(self._calibration.strange),
            },
            beside=beside,
        )

    @classmethod
    def load(cls: type[E], folder: str | Path, *, device: str = "cpu") -> E:
        """A model that `save` wrote; it predicts the same, bit for bit.

        It does not hold the graph it was fitted on, so `predict` needs one; it knows it again.
        """
        method, extra, tensors = storage.load(Path(folder), device=device)
        parameters = extra.get("parameters", {})
        if not isinstance(method, Method) or set(parameters) != set(cls().get_params()):
            raise InputError(f"{folder} was not saved by a {cls.__name__}")
        model = cls(**{**parameters, "device": device})
        model.method_ = method
        model.classes_ = np.array(extra["classes"])
        model.proba_ = None
        model.history_ = None if extra["history"] is None else History(**extra["history"])
        model.train_mask_ = tensors["train_mask"].numpy()
        model.val_mask_ = tensors["val_mask"].numpy()
        model.calibration_mask_ = tensors["calibration_mask"].numpy()
        model.abstains_ = tensors["abstains"].numpy()
        model._calibration = Calibration(extra["temperature"], tensors["strange"].numpy())
        model._known, model._graph = tensors["known"], extra["graph"]
        model._seed = parameters["random_state"]
        return model

    def _split(
        self, data: Data, seed: int, *, selects: bool
    ) -> tuple[Bool[Tensor, " nodes"], Bool[Tensor, " nodes"]]:
        """Who trains and who selects: as the masks say, or drawn from the labelled nodes."""
        if data.get("y") is None:
            raise InvalidGraphError("the graph has no y, so there is nothing to learn to predict")
        nobody = torch.zeros(len(data.y), dtype=torch.bool)
        train, val, test = (data.get(f"{part}_mask") for part in ("train", "val", "test"))
        taken = [mask for mask in (val, test) if mask is not None]
        if train is None:
            train = data.y >= 0
            for mask in taken:
                train = train & ~mask
        if val is not None or not selects:
            return train, nobody if val is None else val
        labels = torch.where(train, data.y, -1)
        drawn = stratified(
            labels, train=1 - self.validation, val=self.validation, random_state=seed
        )
        if not drawn.val.any():
            raise InvalidGraphError(
                f"{int(train.sum())} labelled nodes are too few to set {self.validation:.0%} of "
                "each class aside to select by: label more, or mark some with val_mask"
            )
        return drawn.train, drawn.val

    def _set_aside(
        self, data: Data, val: Bool[Tensor, " nodes"], seed: int, *, selects: bool
    ) -> Bool[Tensor, " nodes"]:
        """Who calibrates, of the nodes that could select."""
        if not 0.0 <= self.calibration < 1.0:
            raise InputError(
                f"calibration is {self.calibration}; it is a share, at least 0 and less than 1"
            )
        known: Tensor = val & (data.y >= 0)
        if self.calibration > 0 and not selects:
            return known
        return set_aside(data.y, known, self.calibration, random_state=seed)

    def _abstains(self, problem: Data) -> Bool[np.ndarray, " nodes"]:
        return ~informed_nodes(problem, known_labels(problem), self.method_.uses).numpy()

    def _problem(self, data: Data | None) -> Data | None:
        """The graph with the labels that are an input; None: fitting has answered for it already.

        Labels are the method's, positions in `classes_`.
        """
        check_is_fitted(self, "method_")
        if data is None:
            if self.proba_ is None:
                raise InputError("a model from a file does not hold its graph: pass the graph")
            return None
        out = validate(data)
        if content_of(out) != self._graph:
            labels = out.y if out.get("y") is not None else torch.full((out.num_nodes,), -1)
            out.y = self._numbers(labels, known_labels(out))
        elif self.proba_ is not None:
            return None
        else:
            out.y = self._known
        out.train_mask, out.val_mask, out.test_mask = out.y >= 0, None, None
        return out

    def _numbers(
        self, y: Int[Tensor, " nodes"], of: Bool[Tensor, " nodes"], *, strangers: bool = False
    ) -> Int[Tensor, " nodes"]:
        """The labels of some nodes as positions in `classes_`, −1 for the others.

        A label that no training node had is refused, or −1 where `strangers` may come.
        """
        classes = torch.from_numpy(self.classes_)
        place = torch.searchsorted(classes, y).clamp(max=len(classes) - 1)
        found = (classes[place] == y) & of
        odd = of & (y >= 0) & ~found
        if odd.any() and not strangers:
            raise InvalidGraphError(
                f"{int(odd.sum())} nodes have labels that no training node has, "
                f"e.g. {int(y[odd][0])}; trained on were {', '.join(map(str, self.classes_))}"
            )
        return torch.where(found, place, -1)


def seed_of(random_state: RandomState) -> int:
    """A number is a seed itself; None is a new one each time, from the system."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    return int(check_random_state(random_state).randint(2**31 - 1))


def content_of(data: Data) -> str:
    """A graph's edges and features as one short string, by which it is known again."""
    names = ("x", "observed", "edge_index", "edge_weight")
    return fingerprint(Data(**{name: data[name] for name in names if data.get(name) is not None}))
