"""Small studies, and methods that do as a test needs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from goodie import synthetic
from goodie.methods import METHODS
from goodie.methods.base import Learnt, Method
from goodie.study.spec import parse
from goodie.study.store import COLUMNS, Row

# What two runs of the same cell need not agree in.
VOLATILE = ("seconds", "peak_memory", "finished")

GRAPH: dict[str, Any] = {
    "num_nodes": 60,
    "num_classes": 3,
    "average_degree": 4.0,
    "num_features": 12,
    "words_per_node": 3,
}
MINE = {"synthetic": GRAPH, "train": 0.2, "val": 0.2}


def table(**changes: Any) -> dict[str, Any]:
    """A study of three cells: label propagation on one small graph."""
    return {"data": {"mine": MINE}, "datasets": ["mine"], "methods": ["lp"], "seeds": 3} | changes


def cells(**changes: Any) -> Any:
    return parse(table(**changes)).cells


def lasting(rows: Any) -> list[Row]:
    """Rows by key, without what differs from run to run."""
    kept = [{name: row[name] for name in COLUMNS if name not in VOLATILE} for row in rows]
    return sorted(kept, key=lambda row: row["key"])


def toml(path: Path, **changes: Any) -> Path:
    """The same study as a file: whatever TOML and JSON write alike, as dotted lines."""
    import json

    lines: list[str] = []

    def say(name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                say(f"{name}.{key}" if name else key, inner)
        else:
            lines.append(f"{name} = {json.dumps(value)}")

    say("", table(**changes))
    path.write_text("\n".join(lines))
    return path


def with_masks(seed: int = 0) -> Data:
    """A graph with a split of its own: 20 nodes each to train, to select and to test."""
    data = synthetic(**GRAPH, random_state=seed)
    for part, name in enumerate(("train_mask", "val_mask", "test_mask")):
        data[name] = torch.arange(60) // 20 == part
    return data


def saved(data: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(data, path)
    return path


@dataclass(frozen=True)
class Settings:
    gain: float = 1.0
    width: int = 4


class Toy(Method[Settings]):
    """A seeded random reading of the features, plus the classes' training shares.

    It draws, looks at features, labels and holes, and says what it saw: all that a method may do.
    """

    name = "toy"
    family = "features"
    paper = "none"
    uses = ("features", "labels")
    Settings = Settings
    fitted: ClassVar[list[int]] = []

    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "Toy":
        self.fitted.append(seed)
        generator = torch.Generator().manual_seed(seed)
        labels = data.y[data.train_mask]
        self.shares = torch.bincount(labels, minlength=3) / len(labels)
        self.weights = torch.randn(data.x.shape[1], 3, generator=generator)
        self.seen = {
            "holes": int(data.x.isnan().sum()),
            "labels_to_test_on": int((data.y[data.test_mask] >= 0).sum()),
        }
        self.proba_ = self.predict_proba(data)
        return self

    def details(self) -> dict[str, Any]:
        return self.seen

    def predict_proba(self, data: Data) -> Tensor:
        read = data.x.nan_to_num() @ self.weights
        return (self.settings.gain * read + self.shares).softmax(dim=1)

    def learnt(self) -> Learnt:
        return Learnt({}, {"shares": self.shares, "weights": self.weights})

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        self.shares, self.weights = learnt.tensors["shares"], learnt.tensors["weights"]


class Unlucky(Toy):
    """Fails on the odd seeds."""

    name = "unlucky"

    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "Toy":
        super().fit(data, seed=seed, device=device)
        if seed % 2:
            raise RuntimeError(f"no luck with seed {seed}")
        return self


class Interrupted(Toy):
    """Someone presses ctrl-C at seed 2."""

    name = "interrupted"

    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "Toy":
        if seed == 2:
            raise KeyboardInterrupt
        return super().fit(data, seed=seed, device=device)


def register(patch: pytest.MonkeyPatch, *kinds: type[Toy]) -> None:
    """Make methods known for the length of a test."""
    for kind in kinds:
        patch.setitem(METHODS, kind.name, kind)
        patch.setattr(kind, "fitted", [])
