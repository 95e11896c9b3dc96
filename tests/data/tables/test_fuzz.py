"""Whatever stands in a file, it is read or refused in so many words; nothing else comes of it."""

import json
import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goodie.data.tables import Encoding, Options, from_frames, read_graph, write_table
from goodie.data.tables.files import read_sheet
from goodie.errors import InputError
from goodie.own_graph import impute
from goodie.own_graph.imputing import SUFFIX

FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)

# Letters that matter to CSV, and some that should not.
TEXT = st.text(st.sampled_from(list("ab01.,;\t|\"'\n -ü€\u2028\x0b\x85")), max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@FILES
@given(st.binary(max_size=60) | st.lists(TEXT).map(lambda lines: "\n".join(lines).encode()))
def test_any_bytes(tmp_path: Path, raw: bytes) -> None:
    for name in ("t.csv", "t.parquet"):
        (tmp_path / name).write_bytes(raw)
        with suppress(InputError):
            sheet = read_sheet(tmp_path / name)
            assert len(set(sheet.frame.columns)) == sheet.frame.width
    for header in (b"id,v\n", b"id;v\n"):
        (tmp_path / "n.csv").write_bytes(header + raw)
        (tmp_path / "e.csv").write_bytes(b"u,v\na,b\n" + raw)
        with suppress(InputError):
            graph = read_graph(tmp_path / "n.csv", tmp_path / "e.csv")
            graph.encode()


@FILES
@given(st.data())
def test_damaged_parquet(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"id": list(range(50)), "v": ["x", None] * 25}).write_parquet(path)
    raw = bytearray(path.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=5)):
        raw[place] = data.draw(st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    with suppress(InputError):
        read_sheet(path)


@FILES
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8))
def test_any_cells_come_back_as_they_were_written(tmp_path: Path, rows: list) -> None:
    frame = pl.DataFrame(rows, schema=["id", "v"], orient="row")
    write_table(frame, tmp_path / "t.csv")
    back = read_sheet(tmp_path / "t.csv", separator=",").frame
    assert [tuple(cell or "" for cell in row) for row in back.rows()] == rows


CELLS = st.one_of(
    st.lists(st.none() | st.floats(), min_size=6, max_size=6),
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=6, max_size=6),
    st.lists(st.none() | st.booleans(), min_size=6, max_size=6),
    st.lists(st.none() | st.sampled_from(["x", "y", "zz"]), min_size=6, max_size=6),
    st.lists(st.none() | st.dates(), min_size=6, max_size=6),
    st.lists(st.none() | st.datetimes(), min_size=6, max_size=6),
)
EDGES = pl.DataFrame({"u": [0, 1, 2, 3], "v": [1, 2, 3, 4]})


@settings(max_examples=150)
@given(st.lists(CELLS, max_size=3), st.lists(st.booleans(), min_size=6, max_size=6))
def test_any_columns_are_encoded_with_holes_where_they_were(columns: list, training: list) -> None:
    nodes = pl.DataFrame({"id": range(6)} | {f"c{i}": column for i, column in enumerate(columns)})
    graph = from_frames(nodes, EDGES)
    rows = np.array(training)
    encoding = Encoding.fit(graph.nodes.features, rows).encoding
    again = Encoding.from_json(json.loads(json.dumps(encoding.to_json())))
    assert again == encoding
    for column in encoding.columns:
        (given_,) = (one for one in graph.nodes.features if one.name == column.name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("warnings.warn", lambda *_, **__: None)  # of categories
            x = Encoding((column,)).apply([given_], 6).numpy()
        assert not np.isinf(x).any()
        holes = ~given_.observed.to_numpy()
        assert np.isnan(x[holes]).all()
        assert np.isfinite(x[~holes & rows]).all()


@settings(max_examples=80)
@given(st.lists(CELLS, min_size=1, max_size=3))
def test_any_columns_are_filled_and_observed_cells_are_as_they_were(columns: list) -> None:
    nodes = pl.DataFrame({"id": range(6)} | {f"c{i}": column for i, column in enumerate(columns)})
    graph = from_frames(nodes, EDGES)
    if not graph.nodes.features:
        return
    out = impute(graph).frame
    for column in graph.nodes.features:
        known = column.observed
        before, after = nodes[column.name], out[column.name]
        assert after.dtype == before.dtype
        assert after.filter(known).equals(before.filter(known))
        assert after.null_count() == 0
        assert not after.dtype.is_float() or after.is_finite().all()
        if not known.all():
            confidence = out[column.name + SUFFIX].filter(~known)
            assert confidence.is_between(0, 1).all()


@given(JSON)
def test_any_json_is_no_encoding_and_no_options(page: Any) -> None:
    for kind in (Encoding, Options):
        with pytest.raises(InputError):
            kind.from_json(page)


@given(st.sampled_from(["mean", "scale", "name", "kind", "categories"]), JSON)
def test_any_value_in_an_encoding(key: str, value: Any) -> None:
    page = {
        "format": 1,
        "columns": [
            {"name": "v", "kind": "numeric", "mean": 0.0, "scale": 1.0, "categories": ["a"]}
            | {key: value}
        ],
    }
    with suppress(InputError):
        (column,) = Encoding.from_json(page).columns
        assert isinstance(column.name, str)
        assert math.isfinite(getattr(column, "mean", 0.0))
