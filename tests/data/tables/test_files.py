"""CSV and Parquet, as they are read; tests/bad_inputs.py has those that are broken."""

from pathlib import Path

import polars as pl
import pytest

from goodie.data.tables.files import read_sheet
from goodie.errors import InputError


@pytest.fixture
def csv(tmp_path: Path):
    def write(content: str | bytes, name: str = "nodes.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_out(csv, separator: str) -> None:
    sheet = read_sheet(csv(separator.join("abc") + "\n" + separator.join("123") + "\n"))
    assert sheet.separator == separator
    assert sheet.frame.rows() == [("1", "2", "3")]


def test_cells_are_text_as_they_came(csv) -> None:
    sheet = read_sheet(csv('id,v\n007, 1.50\n"x, y","say ""no"""\n,\n'))
    assert sheet.frame.rows() == [("007", " 1.50"), ("x, y", 'say "no"'), (None, None)]
    assert not sheet.typed


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfid,v\na,1\nb,2\n",  # a byte-order mark
        b"id,v\r\na,1\r\nb,2\r\n",
        b"id,v\ra,1\rb,2\r",
        b"\n\nid,v\na,1\n\n\nb,2",
        b'id,v\n"a",1\n\nb,2\n\n',
    ],
)
def test_what_makes_no_difference(csv, content: bytes) -> None:
    frame = read_sheet(csv(content)).frame
    assert frame.columns == ["id", "v"]
    assert frame.rows() == [("a", "1"), ("b", "2")]


def test_rows_know_their_lines(csv) -> None:
    path = csv('id,v\n\na,"two\nlines"\n\nb,2\n')
    sheet = read_sheet(path)
    assert [sheet.place(row) for row in (0, 1)] == [f"line 3 of {path}", f"line 6 of {path}"]


def test_a_short_line_is_named_within_quotes_too(csv) -> None:
    with pytest.raises(InputError, match=r"line 4 of .* has 1 field, and its header 2 \(id, v\)"):
        read_sheet(csv('id,v\na,"two\nlines"\nb\n'))


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n", "€"])
def test_a_separator_is_one_plain_character(csv, separator: str) -> None:
    with pytest.raises(InputError, match="the separator is"):
        read_sheet(csv("id,v\n"), separator=separator)


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": [1, 2], "v": [1.5, None], "t": ["a", None]})
    frame.write_parquet(tmp_path / "nodes.parquet")
    sheet = read_sheet(tmp_path / "nodes.parquet")
    assert sheet.frame.equals(frame)
    assert sheet.typed
    assert sheet.place(1) == f"row 2 of {tmp_path / 'nodes.parquet'}"


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    (tmp_path / "a.parquet").mkdir()
    for name in ("a.csv", "a.parquet"):
        with pytest.raises(InputError, match="is a folder"):
            read_sheet(tmp_path / name)
