"""What link predictors share: edges that select, pairs, recommendations, saved models."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.link_splits import split_links
from goodie.data.validate import validate
from goodie.errors import InputError
from goodie.estimators.base import RandomState, content_of, seed_of
from goodie.evaluate import Ranking, ranking
from goodie.methods import storage
from goodie.methods.links.base import LinkMethod
from goodie.nn.decoder import pair_logits
from goodie.recommend import Recommended, best_pairs, best_partners
from goodie.train import History

E = TypeVar("E", bound="GraphLinkPredictor")

# Two rows, a column for each pair; checked when they come, since they come from users.
Pairs = np.ndarray | Tensor | Sequence[Sequence[int]]


class Placed(NamedTuple):
    """Where nodes lie, and whence that comes.

    Attributes:
        embedding: of every node; the sigmoid of an inner product is the probability of a link.
        structure: how much of each came from the structure, the rest from features; None where the
            method does not tell.
    """

    embedding: Float[np.ndarray, "nodes width"]
    structure: Float[np.ndarray, " nodes"] | None


class GraphLinkPredictor(BaseEstimator, ABC):
    """What link predictors share; see `LinkPredictor` and `GoodieLinkPredictor`."""

    validation: float
    random_state: RandomState
    device: str

    method_: LinkMethod[Any]
    embedding_: Float[np.ndarray, "nodes width"] | None
    validation_: Ranking
    history_: History | None
    _edges: Int[Tensor, "2 edges"]

    @abstractmethod
    def _method(self) -> LinkMethod[Any]:
        """The method with the settings of this estimator, not fitted."""

    def fit(self: E, data: Data) -> E:
        """Learn which nodes of a graph are joined.

        A share of the edges is set aside to select by. Once the weights are found, nodes are
        embedded with all edges in place.

        Args:
            data: `edge_index`; `x`, in which NaN is a hole; if there are labels, `y`, of which −1
                is unknown. Where there are masks, only the labels under `train_mask` are an input;
                where there is none, all but those of other masks.
        """
        method = self._method()
        seed = self._seed = seed_of(self.random_state)
        data = validate(data)
        split = split_links(data, val=self.validation, test=0.0, random_state=seed)
        self.method_ = method.fit(split.data, split.val, seed=seed, device=self.device)
        assert method.embedded_ is not None
        self.validation_ = ranking(*(pair_logits(method.embedded_, pairs) for pairs in split.val))
        method.answer(data)
        self.embedding_ = method.embedded_.numpy()
        self.history_ = method.history_
        self._graph, self._edges = content_of(data), data.edge_index
        return self

    def predict_proba(self, pairs: Pairs, data: Data | None = None) -> Float[np.ndarray, " pairs"]:
        """How likely it is that the nodes of each pair are joined.

        A probability beside as many pairs that are not joined as pairs that are, which is what was
        learned from; among all pairs of a graph, where few are joined, it is a score to rank by.

        Args:
            pairs: two rows, a column for each pair.
            data: a graph with the same features; the one fitted on if None.
        """
        z = self._embedding(data)
        return pair_logits(z, _checked(pairs, len(z))).sigmoid().numpy()

    def recommend(self, node: int, k: int = 10, data: Data | None = None) -> Recommended:
        """The likeliest links of a node that are not there, best first.

        Args:
            node: its number.
            k: at most so many.
            data: as for `predict_proba`.
        """
        z = self._embedding(data)
        if not 0 <= node < len(z):
            raise InputError(f"there is no node {node}; the graph has {len(z)} (0 to {len(z) - 1})")
        return best_partners(z, self._known_edges(data), node, k)

    def missing(self, k: int = 100, data: Data | None = None) -> Recommended:
        """The likeliest links of the whole graph that are not there, best first.

        All pairs are looked at, a block of nodes at a time.

        Args:
            k: at most so many.
            data: as for `predict_proba`.
        """
        return best_pairs(self._embedding(data), self._known_edges(data), k)

    def explain(self, data: Data | None = None) -> Placed:
        """Embeddings with where they come from, in one go; `data` as for `predict_proba`."""
        return Placed(self._embedding(data).numpy(), None)

    def score(self, pairs: Pairs, joined: np.ndarray, data: Data | None = None) -> float:
        """The area under the ROC curve over some pairs, between 0 and 1.

        Args:
            pairs: two rows, a column for each pair.
            joined: which of them are.
            data: as for `predict_proba`.
        """
        z = self._embedding(data)
        logits = pair_logits(z, _checked(pairs, len(z)))
        truth = torch.as_tensor(joined).bool()
        if truth.shape != logits.shape:
            raise InputError(f"{len(truth)} answers for {len(logits)} pairs")
        return ranking(logits[truth], logits[~truth]).auc / 100

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
                "graph": self._graph,
                "history": None if self.history_ is None else asdict(self.history_),
                "parameters": self.get_params() | {"random_state": self._seed},
                "validation": self.validation_._asdict(),
            },
            beside=beside,
        )

    @classmethod
    def load(cls: type[E], folder: str | Path, *, device: str = "cpu") -> E:
        """A model that `save` wrote; it predicts the same, bit for bit.

        It does not hold the graph it was fitted on, so predictions need one.
        """
        method, extra, _ = storage.load(Path(folder), device=device)
        parameters = extra.get("parameters", {})
        if not isinstance(method, LinkMethod) or set(parameters) != set(cls().get_params()):
            raise InputError(f"{folder} was not saved by a {cls.__name__}")
        model = cls(**{**parameters, "device": device})
        model.method_, model.embedding_ = method, None
        model.history_ = None if extra["history"] is None else History(**extra["history"])
        model.validation_ = Ranking(**extra["validation"])
        model._graph, model._seed = extra["graph"], parameters["random_state"]
        return model

    def knows(self, data: Data) -> bool:
        """Whether this is the graph fitted on: the same edges and features."""
        check_is_fitted(self, "method_")
        return content_of(validate(data)) == self._graph

    def _embedding(self, data: Data | None) -> Float[Tensor, "nodes width"]:
        check_is_fitted(self, "method_")
        if data is not None:
            return self.method_.embed(validate(data))
        if self.embedding_ is None:
            raise InputError("a model from a file does not hold its graph: pass the graph")
        return torch.from_numpy(self.embedding_)

    def _known_edges(self, data: Data | None) -> Int[Tensor, "2 edges"]:
        if data is None:
            return self._edges
        edges: Tensor = validate(data).edge_index
        return edges


def _checked(pairs: Pairs, num_nodes: int) -> Int[Tensor, "2 pairs"]:
    """Pairs as a tensor, or what is wrong with them."""
    ends = torch.as_tensor(pairs)
    if ends.dim() != 2 or ends.shape[0] != 2:
        raise InputError(f"pairs have shape {tuple(ends.shape)}, expected (2, pairs)")
    if ends.is_floating_point() or ends.dtype == torch.bool:
        raise InputError(f"pairs have dtype {ends.dtype}, expected integers")
    if ends.numel() and not (int(ends.min()) >= 0 and int(ends.max()) < num_nodes):
        worst = ends[(ends < 0) | (ends >= num_nodes)]
        raise InputError(
            f"pairs name node {int(worst[0])}, but there are {num_nodes} nodes "
            f"(0 to {num_nodes - 1})"
        )
    return ends.long()
