"""What a method is: it learns from a graph with holes and predicts what is not there."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.errors import InputError, InvalidGraphError

C = TypeVar("C")


class Learnt(NamedTuple):
    """What fitting found, in a form that files can hold.

    Attributes:
        facts: numbers and names, as JSON has them.
        tensors: by name.
    """

    facts: dict[str, Any]
    tensors: dict[str, Tensor]


class Learner(ABC, Generic[C]):
    """What node classifiers and link predictors share: settings, and what fitting found.

    Attributes:
        name: what it is called on the command line.
        task: what it is for, `node` or `link`.
        family: `structure`, `features`, `gnn` or `hybrid`.
        paper: where it comes from.
        uses: what it learns from, of `features`, `structure` and `labels`.
        version: raised by hand when a change alters its results, so that stored ones are not
            taken for its own.
        Settings: the frozen dataclass of its settings.
    """

    name: ClassVar[str]
    task: ClassVar[str]
    family: ClassVar[str]
    paper: ClassVar[str]
    uses: ClassVar[tuple[str, ...]]
    version: ClassVar[int] = 1
    Settings: ClassVar[type]

    def __init__(self, settings: C | None = None) -> None:
        self.settings: C = self.Settings() if settings is None else settings

    @classmethod
    def paper_settings(
        cls, dataset: str, scenario: str, chosen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The settings that the paper gives for a dataset and missing pattern, if it does.

        Args:
            dataset: its name.
            scenario: the missing pattern.
            chosen: the settings that the user chose, which go before these.
        """
        del dataset, scenario, chosen
        return {}

    @classmethod
    def version_of(cls, settings: Mapping[str, Any]) -> int:
        """The version that results of these settings are of.

        A change that alters the results of some settings alone need not cost the others theirs.
        """
        del settings
        return cls.version

    @abstractmethod
    def learnt(self) -> Learnt:
        """What fitting found, for a file."""

    @abstractmethod
    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """Be what was fitted, but for its answers there; predictions are the same to the bit."""

    def details(self) -> dict[str, Any]:
        """What there is to say of the fit, in numbers: epochs, attention shares."""
        return {}


class Method(Learner[C]):
    """A node classifier.

    `fit` reads the labels under `data.train_mask` to learn from and those under `data.val_mask` to
    select by, and no others; `predict_proba` takes that graph or another one.

    Attributes:
        selects: whether it needs `val_mask`.
        transductive: whether it can answer for the graph it was fitted on alone.
        proba_: once fitted, the probability of each class for every node of the graph it was fitted
            on, on the CPU.
    """

    task = "node"
    selects: ClassVar[bool] = False
    transductive: ClassVar[bool] = False
    proba_: Float[Tensor, "nodes classes"]

    @abstractmethod
    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "Method[C]":
        """Learn from a graph; returns itself."""

    @abstractmethod
    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """The probability of each class for every node, on the CPU.

        Labels that are known in the graph are used, see `known_labels`.
        """


def known_labels(data: Data) -> Bool[Tensor, " nodes"]:
    """The nodes whose labels are an input: those of `train_mask`.

    Without one they are all labelled nodes but those that are marked to select by or to judge.

    Example:
        >>> data = Data(y=torch.tensor([1, -1, 0]), num_nodes=3)
        >>> known_labels(data).tolist()
        [True, False, True]
    """
    if data.get("y") is None:
        return torch.zeros(int(data.num_nodes), dtype=torch.bool)
    if data.get("train_mask") is None:
        known: Tensor = data.y >= 0
        for kept_back in (data.get("val_mask"), data.get("test_mask")):
            if kept_back is not None:
                known = known & ~kept_back
        return known
    if data.train_mask.dim() != 1:
        raise InvalidGraphError(
            f"train_mask has shape {tuple(data.train_mask.shape)}: choose one of its splits"
        )
    chosen: Tensor = data.train_mask
    return chosen


def check_width(data: Data, num_features: int) -> None:
    """Refuse a graph whose features are not those that a model was fitted on."""
    if data.x.shape[1] != num_features:
        raise InputError(
            f"the graph has {data.x.shape[1]} features; the model was fitted on {num_features}"
        )
