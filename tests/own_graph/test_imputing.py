"""`impute`: tables without holes, in their own units, observed cells untouched."""

import json
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from goodie.data.tables import Options, from_frames, read_graph
from goodie.errors import InputError
from goodie.own_graph import impute
from goodie.own_graph.imputing import SUFFIX, Imputed
from own_graph.conftest import N, Written

FEATURES = ["age", "size", "city", "member", "noise", "since"]


@pytest.fixture(scope="module")
def done(written: Written) -> Imputed:
    return impute(written.read())


def test_every_hole_is_filled_and_nothing_else_is_touched(done: Imputed, written: Written) -> None:
    given = pl.read_csv(written.nodes, infer_schema=False)
    assert done.frame.columns[: len(given.columns)] == given.columns
    assert done.frame["class"].equals(given["class"])
    assert done.frame["name"].equals(given["name"])
    kinds = {"age": pl.Int64, "size": pl.Float64, "noise": pl.Float64, "city": pl.String}
    kinds |= {"member": pl.Boolean, "since": pl.Date}
    for name in FEATURES:
        column = done.frame[name]
        assert column.null_count() == 0
        assert column.dtype == kinds[name]
        observed = given[name].is_not_null()
        cells = given[name].filter(observed)
        if name == "member":
            assert (column.filter(observed) == (cells == "yes")).all()
        elif name == "since":
            assert column.filter(observed).cast(pl.String).equals(cells)
        else:
            assert column.filter(observed).equals(cells.cast(kinds[name]))
        confidence = done.frame[name + SUFFIX]
        assert (confidence.is_null() == observed).all()
        assert confidence.min() >= 0
        assert confidence.max() <= 1


def test_values_stay_within_what_was_observed(done: Imputed, written: Written) -> None:
    given = pl.read_csv(written.nodes, try_parse_dates=True)
    for name in ("age", "size", "noise", "since"):
        assert done.frame[name].min() == given[name].min()
        assert done.frame[name].max() == given[name].max()
    assert set(done.frame["city"]) == set(given["city"].drop_nulls())


def test_it_beats_plain_guesses_and_says_by_how_much(done: Imputed) -> None:
    rows = {row["name"]: row for row in done.columns}
    for name in ("age", "size", "city", "member", "since"):
        assert rows[name]["filled_by"] == "neighbours"
        assert rows[name]["gain"] > 0.1
        assert rows[name]["error"] < rows[name]["plain_error"]
        assert rows[name]["confidence"] > 0.1
    assert rows["noise"]["filled_by"] == "mean"
    assert rows["noise"]["gain"] == rows["noise"]["confidence"] == 0.0
    assert done.gain is not None
    assert done.gain > 0.2
    json.dumps(done.columns, allow_nan=False)


def test_errors_are_in_the_columns_units(done: Imputed, written: Written) -> None:
    """The plain error is the standard deviation: years, not multiples of them."""
    given = pl.read_csv(written.nodes, try_parse_dates=True)
    rows = {row["name"]: row for row in done.columns}
    for name in ("age", "size"):
        assert rows[name]["plain_error"] == pytest.approx(given[name].std(), rel=0.2)
    days = given["since"].drop_nulls().cast(pl.Int32).std()
    assert rows["since"]["plain_error"] == pytest.approx(days, rel=0.2)


def test_out_of_reach_gets_the_mean_and_no_confidence(done: Imputed, written: Written) -> None:
    """The first three nodes know nobody."""
    given = pl.read_csv(written.nodes)
    for name in ("age", "size", "noise"):
        for node in range(3):
            if given[name][node] is None:
                assert done.frame[name + SUFFIX][node] == 0.0
                expected = given[name].mean()
                tolerance = 0.5 if name == "age" else 1e-4
                assert done.frame[name][node] == pytest.approx(expected, abs=tolerance)
    rows = {row["name"]: row for row in done.columns}
    assert rows["age"]["out_of_reach"] >= sum(given["age"][:3].is_null())


def test_a_csv_stays_the_text_it_was(written: Written, tmp_path: Path) -> None:
    frame = pl.read_csv(written.nodes, infer_schema=False).with_columns(
        pl.col("size") + "00",  # more digits than a number has
        pl.col("since").str.replace(r"(\d+)-(\d+)-(\d+)", "$3.$2.$1"),
        pl.col("member").str.to_uppercase(),
    )
    frame.write_csv(tmp_path / "nodes.csv")
    graph = read_graph(tmp_path / "nodes.csv", written.edges, Options(label="class"))
    out = impute(graph, text=True).frame
    for name in frame.columns:
        observed = frame[name].is_not_null()
        assert out[name].filter(observed).equals(frame[name].filter(observed))
    holes = frame["member"].is_null()
    assert set(out["member"].filter(holes)) <= {"YES", "NO"}
    assert out["since"].str.contains(r"^\d\d\.\d\d\.\d{4}$").all()
    assert out["age"].str.contains(r"^-?\d+$").all()
    out.write_csv(tmp_path / "filled.csv")
    again = read_graph(tmp_path / "filled.csv", written.edges, Options(label="class"))
    assert {c.name: c.kind for c in again.nodes.columns if c.name in FEATURES} == {
        c.name: c.kind for c in graph.nodes.columns
    }


def test_types_of_parquet_stay(tmp_path: Path) -> None:
    n = 60
    rng = np.random.default_rng(0)
    moments = [datetime(2020, 1, 1 + i % 20, 12) for i in range(n)]
    columns = {
        "small": pl.Series(rng.integers(0, 9, n)).cast(pl.UInt8),
        "half": pl.Series(rng.normal(size=n)).cast(pl.Float32),
        "kind": pl.Series(["x", "y"] * (n // 2), dtype=pl.Enum(["x", "y", "z"])),
        "fine": pl.Series([True, False] * (n // 2)),
        "day": pl.Series([date(2020, 1, 1 + i % 28) for i in range(n)]),
        "at": pl.Series(moments, dtype=pl.Datetime("ms", "Europe/Rome")),
    }
    columns = {
        name: column.set(pl.Series(rng.random(n) < 0.3), None) for name, column in columns.items()
    }
    nodes = pl.DataFrame({"id": range(n), **columns, "nothing": [None] * n})
    edges = pl.DataFrame({"u": range(n - 1), "v": range(1, n)})
    done = impute(from_frames(nodes, edges))
    assert done.frame.select(nodes.columns).schema == nodes.schema
    for name in columns:
        observed = nodes[name].is_not_null()
        assert done.frame[name].null_count() == 0
        assert done.frame[name].filter(observed).equals(nodes[name].filter(observed))
    assert done.frame["nothing"].null_count() == n
    assert any("'nothing' holds nothing" in note for note in done.notes)


def test_texts_get_the_most_frequent_one(written: Written) -> None:
    graph = written.read()
    done = impute(graph, max_categories=2)
    (row,) = (one for one in done.columns if one["name"] == "city")
    assert row["filled_by"] == "most frequent"
    assert row["confidence"] == 0.0
    holes = graph.nodes.sheet.frame["city"].is_null()
    mode = graph.nodes.sheet.frame["city"].drop_nulls().mode()
    assert set(done.frame["city"].filter(holes)) <= set(mode)
    assert done.frame.height == N


def test_refusals() -> None:
    edges = pl.DataFrame({"u": [0], "v": [1]})
    with pytest.raises(InputError, match="no feature column"):
        impute(from_frames(pl.DataFrame({"id": [0, 1]}), edges))
    clash = pl.DataFrame({"id": [0, 1], "a": [1, None], "a_confidence": [1, 2]})
    with pytest.raises(InputError, match="has a column 'a_confidence'"):
        impute(from_frames(clash, edges))
