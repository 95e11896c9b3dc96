"""What a method is: something that learns from a graph with holes and predicts its labels."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

C = TypeVar("C")


class Method(ABC, Generic[C]):
    """A node classifier.

    `fit` reads the labels under `data.train_mask` to learn from and those under `data.val_mask` to
    select by, and no others; `predict_proba` takes that graph or another one.

    Attributes:
        name: what it is called on the command line.
        family: `structure`, `features`, `gnn` or `hybrid`.
        paper: where it comes from.
        uses: what it learns from, of `features`, `structure` and `labels`.
        version: raised by hand when a change alters its results, so that stored ones are not
            taken for its own.
        Settings: the frozen dataclass of its settings.
    """

    name: ClassVar[str]
    family: ClassVar[str]
    paper: ClassVar[str]
    uses: ClassVar[tuple[str, ...]]
    version: ClassVar[int] = 1
    Settings: ClassVar[type]

    def __init__(self, settings: C | None = None) -> None:
        self.settings: C = self.Settings() if settings is None else settings

    @classmethod
    def paper_settings(cls, dataset: str, scenario: str) -> Mapping[str, Any]:
        """The settings that the paper gives for a dataset and missing pattern, if it does."""
        del dataset, scenario
        return {}

    @abstractmethod
    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "Method[C]":
        """Learn from a graph; returns itself."""

    def details(self) -> dict[str, Any]:
        """What there is to say of the fit, in numbers: epochs, attention shares."""
        return {}

    @abstractmethod
    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """The probability of each class for every node, on the CPU."""
