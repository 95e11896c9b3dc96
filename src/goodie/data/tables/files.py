"""Tables in files: CSV and Parquet, read with errors that name the line, written whole or not."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from goodie.data.tables.sheet import Record, Sheet, listed, records
from goodie.errors import InputError

TEXT, PARQUET = (".csv", ".tsv", ".txt"), (".parquet", ".pq")
SEPARATORS = (",", ";", "\t", "|")

# The first bytes of files that are often given the wrong name.
SIGNATURES = {
    b"PAR1": "a Parquet file: let its name end in .parquet",
    b"PK\x03\x04": "a zip archive or a spreadsheet: save the sheet as CSV",
    b"\x1f\x8b": "compressed: unpack it first",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}


def read_sheet(path: str | Path, *, separator: str | None = None) -> Sheet:
    """Read a table.

    Args:
        path: `.csv`, `.tsv`, `.txt` (text, its first line the names of the columns) or `.parquet`.
        separator: between the fields of a text; by default the one of comma, semicolon, tab and bar
            that the first line has most of.
    """
    path = Path(path)
    if path.suffix.lower() not in TEXT + PARQUET:
        raise InputError(
            f"{path} ends in {path.suffix or 'nothing'!r}; tables are {', '.join(TEXT + PARQUET)}"
        )
    try:
        if path.suffix.lower() in PARQUET:
            return _read_parquet(path)
        return _read_text(path, path.read_bytes(), separator)
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a table") from None
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def _read_parquet(path: Path) -> Sheet:
    with path.open("rb") as file:  # says what polars would say otherwise: no file, no permission
        if file.read(4) != b"PAR1":
            raise InputError(f"{path} is not a Parquet file, or was cut short")
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"{path} is not a whole Parquet file: {_first_line(error)}") from error
    return Sheet(frame, str(path))


def _read_text(path: Path, raw: bytes, separator: str | None) -> Sheet:
    text = _decoded(path, raw)
    if not text.strip():
        raise InputError(f"{path} is empty; its first line names its columns")
    if separator is not None and (len(separator.encode()) != 1 or separator in '"\r\n'):
        raise InputError(f"the separator is {separator!r}; it is a single character such as ';'")
    first = text.lstrip("\n").split("\n", 1)[0]
    chosen = separator or max(SEPARATORS, key=first.count)
    try:
        header, blank = _check_records(path, text, chosen)
    except csv.Error as error:
        raise InputError(f"{path} cannot be read as CSV: {error}") from error
    names, notes = _names(path, header.fields)
    try:
        frame = pl.read_csv(
            text.lstrip("\n").encode(),
            separator=chosen,
            has_header=False,
            infer_schema=False,
            glob=False,
            new_columns=names,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"{path} cannot be read as CSV: {_first_line(error)}") from error
    # A blank line comes as a record of its own.
    leading = len(text) - len(text.lstrip("\n"))
    stays = np.ones(frame.height + leading, dtype=bool)
    stays[[number for number in blank if number < len(stays)]] = False
    frame = frame.filter(pl.Series(stays[leading:]))[1:]
    return Sheet(frame, str(path), typed=False, text=text, separator=chosen, notes=notes)


def _decoded(path: Path, raw: bytes) -> str:
    """The text, its lines ended by newlines alone and without a byte-order mark."""
    for start, what in SIGNATURES.items():
        if raw.startswith(start):
            raise InputError(f"{path} is {what}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(
            f"line {line} of {path} is not UTF-8 (byte 0x{raw[error.start]:02x}): save the table "
            "as UTF-8"
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(f"line {line} of {path} holds a NUL byte, so the file is no text")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _check_records(path: Path, text: str, separator: str) -> tuple[Record, list[int]]:
    """The header, and which records are blank lines; one of another width than it is refused."""
    header = next(records(text, separator))
    width = len(header.fields)
    blank = []
    if '"' not in text:  # a line is a record, and counting is much quicker than parsing
        for number, line in enumerate(text.split("\n")):
            if not line:
                blank.append(number)
            elif line.count(separator) != width - 1:
                raise _ragged(path, number + 1, line.count(separator) + 1, header)
        return header, blank
    if text.count('"') % 2:
        raise InputError(f"{path} has a quotation mark that is not closed")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    begin = 1
    for number, fields in enumerate(reader):
        if not fields:
            blank.append(number)
        elif len(fields) != width:
            raise _ragged(path, begin, len(fields), header)
        begin = reader.line_num + 1
    return header, blank


def _ragged(path: Path, line: int, got: int, header: Record) -> InputError:
    return InputError(
        f"line {line} of {path} has {got} {'field' if got == 1 else 'fields'}, and its header "
        f"{len(header.fields)} ({listed(header.fields, 4)}): is the separator right, or the file "
        "cut short?"
    )


def _names(path: Path, header: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The columns' names; those without one are numbered."""
    names, notes = [], []
    for place, word in enumerate(header, start=1):
        name = word.strip()
        if not name:
            name = f"column_{place}"
            notes.append(f"column {place} of {path} has no name and is called {name}")
        if name in names:
            raise InputError(f"{path} has two columns called {name!r}: rename one")
        names.append(name)
    return names, tuple(notes)


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0]
