"""What many tests share: the datasets' raw files, caches that are not the user's, the command."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from torch_geometric.data import Data

from goodie.cli import main
from goodie.data import datasets

BESIDE = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no mirror."""
    folder = tmp_path / "home"
    monkeypatch.setenv("GOODIE_HOME", str(folder))
    monkeypatch.delenv("GOODIE_MIRROR", raising=False)
    return folder


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The raw files of real datasets; skips where there are none."""
    folder = Path(os.environ.get("GOODIE_MIRROR") or BESIDE).expanduser()
    if not folder.is_dir():
        pytest.skip(
            f"no raw files of real datasets: {folder} is not a folder. Set GOODIE_MIRROR to one "
            "with Cora/raw/ind.cora.x and so on, as PyG and OGB unpack them"
        )
    return folder


@pytest.fixture(scope="session")
def processed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the whole session, so that a real dataset is processed once."""
    return tmp_path_factory.mktemp("processed")


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


@pytest.fixture
def real(mirror: Path, processed: Path, monkeypatch: pytest.MonkeyPatch) -> Real:
    monkeypatch.setenv("GOODIE_MIRROR", str(mirror))
    monkeypatch.setenv("GOODIE_HOME", str(processed))
    return Real(mirror, processed)


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """`goodie` with some words, in this process."""

    def call(*words: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["goodie", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        return Ran(int(stop.value.code or 0), *capsys.readouterr())

    return call
