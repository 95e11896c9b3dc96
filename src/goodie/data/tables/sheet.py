"""A table as it came: its cells, what it is called, and where its rows stand in the file."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from goodie.errors import InputError


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table, and how errors speak of it.

    Attributes:
        frame: the cells; of a CSV file all of them text.
        source: what the table is called: its file, or `the nodes`.
        typed: whether the cells came with types, as in Parquet, or as text, as in CSV.
        text: of a CSV file, to count lines in; None where rows are all there is.
        separator: of a CSV file.
        notes: what was noticed while reading.
    """

    frame: pl.DataFrame
    source: str
    typed: bool = True
    text: str | None = None
    separator: str = ","
    notes: tuple[str, ...] = ()

    def place(self, row: int) -> str:
        """Where a row stands: `line 18 of nodes.csv`, or `row 17 of nodes.parquet`.

        Example:
            >>> Sheet(pl.DataFrame({"id": [7]}), "nodes.parquet").place(0)
            'row 1 of nodes.parquet'
        """
        if self.text is None:
            return f"row {row + 1} of {self.source}"
        for number, record in enumerate(records(self.text, self.separator), start=-1):
            if number == row:
                return f"line {record.line} of {self.source}"
        return self.source

    def column(self, name: str) -> pl.Series:
        """A column by its name."""
        if name not in self.frame.columns:
            raise InputError(
                f"{self.source} has no column {name!r}; there are {listed(self.frame.columns)}"
            )
        return self.frame[name]


@dataclass(frozen=True)
class Record:
    """A record of a CSV file: the line it starts in, and its fields."""

    line: int
    fields: list[str]


def records(text: str, separator: str) -> Iterator[Record]:
    r"""The records of a CSV text, blank lines left out.

    Example:
        >>> [record.line for record in records("a,b\n\n1,2\n", ",")]
        [1, 3]
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    begin = 1
    for fields in reader:
        if fields:
            yield Record(begin, fields)
        begin = reader.line_num + 1


def listed(names: list[str], most: int = 12) -> str:
    """Names in a sentence, not all of them where there are many.

    Example:
        >>> listed(["a", "b", "c"], most=2)
        'a, b and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def counted(number: int, noun: str) -> str:
    """A number of things.

    Example:
        >>> counted(1, "edge"), counted(1200, "edge")
        ('1 edge', '1,200 edges')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
