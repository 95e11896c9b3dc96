"""A model folder is the one that was saved, or refused; whatever happened to its files."""

import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goodie.errors import InputError
from goodie.methods.storage import MODEL, WEIGHTS
from goodie.own_graph import TableModel, fit, predict
from goodie.own_graph.model import NODES
from goodie.own_graph.reading import TABLES
from own_graph.conftest import Written

FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def saved(written: Written, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "model"
    fit(written.read(), settings={"max_epochs": 3}).save(folder)
    return folder


def spoiled(saved: Path, folder: Path, name: str, raw: bytes) -> Path:
    copy = folder / "model"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(saved, copy)
    (copy / name).write_bytes(raw)
    return copy


@FILES
@given(name=st.sampled_from([MODEL, WEIGHTS]), data=st.data())
def test_bytes_changed_or_cut_are_refused(
    saved: Path, tmp_path: Path, name: str, data: st.DataObject
) -> None:
    before = (saved / name).read_bytes()
    raw = bytearray(before)
    for place in data.draw(st.lists(st.integers(0, len(raw) - 1), max_size=4)):
        raw[place] = data.draw(st.integers(0, 255))
    raw = raw[: data.draw(st.integers(0, len(raw)) | st.just(len(raw)))]
    copy = spoiled(saved, tmp_path, name, bytes(raw))
    if _same(before, bytes(raw), name):
        TableModel.load(copy)
    else:
        with pytest.raises(InputError):
            TableModel.load(copy)


def _same(before: bytes, after: bytes, name: str) -> bool:
    """Whether nothing was changed, or, in JSON, nothing but how it is laid out."""
    if before == after or name == WEIGHTS:
        return before == after
    with suppress(ValueError):
        return bool(json.loads(before) == json.loads(after))
    return False


@FILES
@given(key=st.sampled_from(["encoding", "options", "classes", "facts", "estimator"]), value=JSON)
def test_any_value_in_the_tables(
    saved: Path, tmp_path: Path, written: Written, key: str, value: Any
) -> None:
    page = json.loads((saved / TABLES).read_text()) | {key: value}
    copy = spoiled(saved, tmp_path, TABLES, json.dumps(page).encode())
    with suppress(InputError):
        model = TableModel.load(copy)
        assert key == "facts"  # the rest is checked
        predict(model, model.read(written.nodes, written.edges))


@FILES
@given(name=st.sampled_from([TABLES, MODEL, NODES]), raw=st.binary(max_size=40))
def test_any_bytes_instead(saved: Path, tmp_path: Path, name: str, raw: bytes) -> None:
    with pytest.raises(InputError):
        TableModel.load(spoiled(saved, tmp_path, name, raw))


def test_a_pickle_is_not_run(saved: Path, tmp_path: Path) -> None:
    """A file that would say so if it were unpickled."""
    import pickle

    class Trap:
        def __reduce__(self) -> tuple:
            return (Path.touch, (tmp_path / "run",))

    for name in (MODEL, WEIGHTS, TABLES, NODES):
        with pytest.raises(InputError):
            TableModel.load(spoiled(saved, tmp_path, name, pickle.dumps(Trap())))
    assert not (tmp_path / "run").exists()
