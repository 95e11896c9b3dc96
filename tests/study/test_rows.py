"""Rows survive a file, bit for bit, and the same rows are the same file."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from goodie.errors import InputError
from goodie.study import rows
from goodie.study.store import COLUMNS, Row, Store


def row(number: int = 0, **changes: Any) -> Row:
    return {
        "key": f"ab{number:030x}",
        "dataset": "Cora",
        "task": "node",
        "method": "lp",
        "scenario": "uniform",
        "rate": 0.9999,
        "seed": number,
        "settings": {"alpha": 0.1 + 0.2, "form": "residual", "steps": 50},
        "status": "done",
        "metric": "accuracy",
        "val": 200 / 3 + number * 1e-13,
        "test": 1e-300 + number,
        "seconds": 1e-5 / (number + 1),
        "peak_memory": 2**40 + number,
        "details": {"epochs": 3, "loss": [1.0, 0.1, None], "word": 'a "b", c\né'},
        "error": None,
        "data_hash": "0123456789abcdef",
        "method_version": 1,
        "git_revision": "248a844ea6f0+",
        "versions": {"python": "3.11.7", "torch": "2.13.0+cpu"},
        "machine": "x86_64, 2 cores",
        "device": "cpu",
        "finished": 1795044252.1234567 + number,
        **changes,
    }


FAILED: Row = {
    "status": "failed",
    "error": 'Traceback:\n  File "x.py", line 1\nValueError: "no", never',
    **dict.fromkeys(("val", "test", "seconds", "peak_memory")),
    "details": {},
}

TABLES: dict[str, list[Row]] = {
    "none": [],
    "one": [row()],
    "some": [row(n) for n in range(3)],
    "failed": [row(0, **FAILED)],
    "mixed": [row(0, **FAILED), row(1), row(2, git_revision=None)],
    "failed at first": [*(row(n, **FAILED) for n in range(150)), row(150), row(151)],
    "revision in digits": [row(git_revision="001234567890", data_hash="1234567890123456")],
    "hash like a float": [row(data_hash="12345678901234e5", git_revision="1234567890e1")],
    "hash like infinity": [row(data_hash="1e99999999999999")],
    "named by a number": [row(dataset="007"), row(1, dataset="1")],
    "named by truth": [row(dataset="true")],
    "empty words": [row(machine="")],
}


@pytest.mark.parametrize("ending", rows.FORMATS)
@pytest.mark.parametrize("table", TABLES)
def test_rows_survive_a_file(table: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / "folder" / f"rows{ending}"
    rows.write(TABLES[table], path)
    got = rows.read(path)
    assert got == rows.ordered(TABLES[table])
    assert [[type(v) for v in r.values()] for r in got] == [
        [type(r[name]) for name in COLUMNS] for r in rows.ordered(TABLES[table])
    ]
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", rows.FORMATS)
def test_the_same_rows_are_the_same_file(ending: str, tmp_path: Path) -> None:
    table = [row(n, dataset=name, rate=rate) for n in (10, 2) for name in "ba" for rate in (0.5, 0)]
    turned = [dict(reversed(r.items())) for r in reversed(table)]
    for r in turned:
        r["settings"] = dict(reversed(r["settings"].items()))
        r["details"] = dict(reversed(r["details"].items()))
    one, two, again = (tmp_path / f"{name}{ending}" for name in ("one", "two", "again"))
    rows.write(table, one)
    rows.write(turned, two)
    rows.write(rows.read(one), again)
    assert one.read_bytes() == two.read_bytes() == again.read_bytes()


def test_the_order_is_by_what_a_row_is_of() -> None:
    table = [row(10), row(2), row(3, rate=0.5), row(4, method="fp"), row(5, dataset="Arxiv")]
    assert [r["seed"] for r in rows.ordered(table)] == [5, 4, 3, 2, 10]


def test_json_lines_hold_one_row_a_line(tmp_path: Path) -> None:
    rows.write(TABLES["mixed"], tmp_path / "rows.jsonl")
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert [list(json.loads(line)) for line in lines] == [list(COLUMNS)] * 3


@pytest.mark.parametrize("ending", rows.FORMATS)
def test_rows_go_through_a_store_unchanged(ending: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"a{ending}", tmp_path / f"b{ending}"
    rows.write(TABLES["mixed"], first)
    with Store(tmp_path / "rows.sqlite") as store:
        store.write(rows.read(first))
        rows.write(store.all(), second)
    assert first.read_bytes() == second.read_bytes()


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows.write([row(0)], path)
    with pytest.raises(TypeError):
        rows.write([row(1, details={"no": object()})], path)
    assert rows.read(path) == [row(0)]
    assert list(tmp_path.iterdir()) == [path]


# --- mistakes -------------------------------------------------------------------------------------

BAD: dict[str, tuple[str, bytes | None, str]] = {
    "nothing": ("x.jsonl", None, "there is no file"),
    "no table": ("x.csv", None, "there is no file"),
    "no parquet": ("x.parquet", None, "there is no file"),
    "another ending": ("x.txt", b"", r"ends in none of \.jsonl, \.csv, \.parquet"),
    "no ending": ("x", b"", "ends in none of"),
    "no JSON": ("x.jsonl", b"{", "does not hold rows"),
    "no UTF-8": ("x.jsonl", b'"\xff"', "does not hold rows"),
    "another value": ("x.jsonl", b"3\n", "row 1 .* does not have the columns"),
    "another row": ("x.jsonl", b'{"key": "a"}\n', "row 1 .* does not have the columns"),
    "another table": ("x.csv", b"a,b\n1,2\n", "row 1 .* does not have the columns"),
    "an empty file": ("x.csv", b"", "does not hold rows"),
    "not parquet": ("x.parquet", b"PAR0", "does not hold rows"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused(case: str, tmp_path: Path) -> None:
    name, content, message = BAD[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        rows.read(tmp_path / name)


WRONG: dict[str, dict[str, Any]] = {
    "settings": {"settings": None},
    "JSON": {"settings": "{"},
    "type of JSON": {"details": "[1]"},
    "status": {"status": "perhaps"},
    "number": {"val": "ninety"},
    "key": {"key": None},
}


@pytest.mark.parametrize("ending", rows.FORMATS)
@pytest.mark.parametrize("case", WRONG)
def test_a_row_with_a_wrong_value_is_refused(case: str, ending: str, tmp_path: Path) -> None:
    """Rows come from others: a wrong one is not to break `show` later on."""
    path = tmp_path / f"rows{ending}"
    flat = {k: json.dumps(v) if isinstance(v, dict) else v for k, v in row().items()}
    if ending == ".jsonl":
        path.write_text(json.dumps(row() | WRONG[case]))
    else:
        frame = pl.DataFrame([flat | WRONG[case]])
        frame.write_csv(path) if ending == ".csv" else frame.write_parquet(path)
    with pytest.raises(InputError, match="rows"):
        rows.read(path)


@pytest.mark.parametrize("name", ["file/rows.jsonl", "folder.csv"])
def test_a_place_that_cannot_be_written_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=Path(name).name):
        rows.write([row()], tmp_path / name)
