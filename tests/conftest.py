"""What many tests share: the datasets' raw files, caches that are not the user's, the command."""

import os
import sys
from pathlib import Path

import pytest

from goodie.cli import main
from helpers import Cli, Ran, Real

BESIDE = Path(__file__).parents[2] / "shared" / "data"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What asks for the fixture `on_gpu` belongs to the GPU suite, `pytest -m gpu`."""
    for item in items:
        if "on_gpu" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.gpu)


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


@pytest.fixture
def real(mirror: Path, processed: Path, monkeypatch: pytest.MonkeyPatch) -> Real:
    monkeypatch.setenv("GOODIE_MIRROR", str(mirror))
    monkeypatch.setenv("GOODIE_HOME", str(processed))
    return Real(mirror, processed)


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
