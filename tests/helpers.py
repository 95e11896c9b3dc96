"""The types of the shared fixtures, for tests to name."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from torch_geometric.data import Data

from goodie.data import datasets


class Real(NamedTuple):
    """Real datasets: where their raw files and their cache are, and how to ask for one."""

    mirror: Path
    home: Path

    def need(self, name: str) -> None:
        """Skip a test whose dataset is neither cached nor in the mirror."""
        dataset = datasets.find(name)
        if not dataset.is_cached(self.home) and dataset.mirror() is None:
            pytest.skip(f"{self.mirror} lacks raw files of {name}; see shared/data/README.md")

    def load(self, name: str, *, sparse: bool = False) -> Data:
        self.need(name)
        return datasets.load(name, sparse=sparse)


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Ran]
