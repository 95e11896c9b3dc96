"""Outputs: whole or not at all, and never an input."""

import os
from pathlib import Path

import polars as pl
import pytest

from goodie.data.tables import write_table
from goodie.data.tables.files import read_sheet
from goodie.errors import InputError

FRAME = pl.DataFrame({"id": ["ü", "b"], "v": [0.1, None]})


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "jsonl", "CSV"])
def test_what_is_written_is_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "deep" / f"out.{ending}"
    write_table(FRAME, path)
    if ending == "parquet":
        assert read_sheet(path).frame.equals(FRAME)
    elif ending == "jsonl":
        assert pl.read_ndjson(path).equals(FRAME)
    else:
        assert read_sheet(path).frame.rows() == [("ü", "0.1"), ("b", None)]
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_an_input_is_not_written_over_by_any_name(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text("precious")
    (tmp_path / "link.csv").symlink_to(path)
    os.link(path, tmp_path / "hard.csv")
    monkeypatch.chdir(tmp_path)
    for name in ("nodes.csv", "link.csv", "hard.csv", "../" + tmp_path.name + "/nodes.csv"):
        with pytest.raises(InputError, match="is an input"):
            write_table(FRAME, name, inputs=[path])
    assert path.read_text() == "precious"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("disk full")])
def test_what_ends_midway_leaves_what_was_there(tmp_path: Path, monkeypatch, error) -> None:
    path = tmp_path / "out.csv"
    path.write_text("before")

    def stop(self: pl.DataFrame, file: Path) -> None:
        Path(file).write_text("half")
        raise error

    monkeypatch.setattr(pl.DataFrame, "write_csv", stop)
    with pytest.raises((KeyboardInterrupt, InputError)):
        write_table(FRAME, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
