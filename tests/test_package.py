"""What a user gets: the wheel, installed away from the source tree."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import goodie

ROOT = Path(__file__).parents[1]

LOOK = """
import importlib.metadata, json, sys
sys.path.insert(0, sys.argv[1])
import goodie, goodie.cli, goodie.paper
print(json.dumps({
    "file": goodie.__file__,
    "lacks": [name for name in goodie.__all__ if not hasattr(goodie, name)],
    "names": goodie.__all__,
    "version": importlib.metadata.version("goodie-graph"),
    "commands": [
        entry.value
        for entry in importlib.metadata.distribution("goodie-graph").entry_points
        if entry.group == "console_scripts" and entry.name == "goodie"
    ],
    "nodes": goodie.paper.statistics("Cora")["nodes"],
}))
"""


def pip(*words: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "goodie").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"goodie/paper.toml", "goodie/py.typed", "goodie/data/datasets.py"} <= expected
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_installed_wheel_has_every_public_name(wheel: Path, tmp_path: Path) -> None:
    pip("install", "--no-deps", "--no-index", "--target", tmp_path / "site", wheel)
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", LOOK, tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=clean,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert Path(seen["file"]).is_relative_to(tmp_path)
    assert seen["names"] == goodie.__all__
    assert seen["lacks"] == []
    assert seen["version"] == goodie.__version__
    assert seen["commands"] == ["goodie.cli:main"]
    assert seen["nodes"] == 2485
