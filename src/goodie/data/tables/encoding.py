"""Columns as numbers: standardised or one-hot, by what was observed where the model was fitted."""

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goodie.data.tables.columns import (
    OneHot,
    Scaled,
    as_numbers,
    from_entry,
    mean_and_scale,
    write_one_hot,
)
from goodie.data.tables.kinds import Column, Kind
from goodie.data.tables.sheet import counted, listed
from goodie.errors import InputError

FORMAT = 1

# A column of more categories than this is a text, or an id: it is left out, and said to be.
MAX_CATEGORIES = 100

# Where a spread is known from a few values only, others may lie absurdly far out.
FARTHEST = 10.0

# Bytes of x beyond which a table is refused rather than the machine brought to its knees.
LARGEST = 16 << 30


class Fitted(NamedTuple):
    """An encoding, and what was left out of it, as sentences."""

    encoding: "Encoding"
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Encoding:
    """How the columns of a table become the columns of x.

    Example:
        >>> age = Column("age", "numeric", pl.Series("age", [20.0, 40.0, None]))
        >>> city = Column("city", "categorical", pl.Series("city", ["Rome", None, "Oslo"]))
        >>> encoding = Encoding.fit([age, city], np.array([True, True, True])).encoding
        >>> encoding.names
        ('age', 'city=Oslo', 'city=Rome')
        >>> encoding.columns_of_x
        ('age', 'city', 'city')
        >>> encoding.apply([age, city], 3)
        tensor([[-1.,  0.,  1.],
                [ 1., nan, nan],
                [nan,  1.,  0.]])
    """

    columns: tuple[Scaled | OneHot, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of x."""
        return tuple(name for column in self.columns for name in column.names)

    @property
    def columns_of_x(self) -> tuple[str, ...]:
        """Of each column of x, the name of the table's column that it comes from."""
        return tuple(column.name for column in self.columns for _ in column.names)

    @property
    def width(self) -> int:
        """Columns of x."""
        return sum(len(column.names) for column in self.columns)

    @property
    def kinds(self) -> dict[str, Kind]:
        """Of the table's columns, to read another table by."""
        return {column.name: column.kind for column in self.columns}

    @classmethod
    def fit(
        cls,
        columns: Sequence[Column],
        training: Bool[np.ndarray, " nodes"],
        *,
        max_categories: int = MAX_CATEGORIES,
        standardised: bool = True,
    ) -> Fitted:
        """The encoding by what the training rows show; the other rows are not looked at.

        Args:
            columns: of the table.
            training: the rows.
            max_categories: a column that shows more is left out.
            standardised: whether numbers are; else they are taken as they are.
        """
        chosen = pl.Series(training)
        found: list[Scaled | OneHot] = []
        unseen, constant, notes = [], [], []
        for column in columns:
            if column.kind == "ignored":
                continue
            known = column.values.filter(chosen).drop_nulls()
            if len(known) == 0:
                unseen.append(repr(column.name))
            elif column.kind == "categorical":
                categories = sorted(known.unique().to_list())
                if len(categories) > max_categories:
                    notes.append(
                        f"{column.name!r} shows {len(categories)} different values, more than "
                        f"{max_categories}, and is left out as a text (--max-categories says how "
                        "many there may be)"
                    )
                else:
                    found.append(OneHot(column.name, tuple(categories)))
            elif not standardised:
                found.append(Scaled(column.name, column.kind, 0.0, 1.0))
            else:
                numbers = as_numbers(known, column.kind)
                mean, scale = mean_and_scale(numbers)
                found.append(Scaled(column.name, column.kind, mean, scale))
                if scale == 0.0:
                    constant.append(repr(column.name))
        if unseen:
            notes.append(
                f"left out, as no training node shows it: {counted(len(unseen), 'column')} "
                f"({listed(unseen, 5)})"
            )
        if constant:
            notes.append(
                f"telling nothing, as a single value is shown: {counted(len(constant), 'column')} "
                f"({listed(constant, 5)})"
            )
        return Fitted(cls(tuple(found)), tuple(notes))

    def apply(
        self,
        columns: Sequence[Column],
        num_nodes: int,
        *,
        farthest: float = FARTHEST,
        dtype: type[np.floating] = np.float32,
    ) -> Float[Tensor, "nodes width"]:
        """x, with NaN in the holes.

        A category that was not seen in fitting is a hole, and so is a column that the table lacks;
        both are warned of.

        Args:
            columns: of a table, read by `kinds`.
            num_nodes: rows of the table.
            farthest: standard deviations from the mean beyond which a number is cut.
            dtype: precision of x.
        """
        size = num_nodes * self.width * np.dtype(dtype).itemsize
        if size > LARGEST:
            raise InputError(
                f"{num_nodes:,} nodes by {self.width:,} encoded columns take {size / 2**30:.0f} "
                "GiB: leave some columns out with --type COLUMN=ignored"
            )
        there = {column.name: column for column in columns}
        x = np.full((num_nodes, self.width), np.nan, dtype=dtype)
        absent: list[str] = []
        strangers: dict[str, int] = {}
        at = 0
        for column in self.columns:
            given = there.get(column.name)
            if given is None or given.kind == "ignored":
                absent.append(repr(column.name))
            elif isinstance(column, OneHot):
                strangers[column.name] = write_one_hot(
                    column, given, x[:, at : at + len(column.names)]
                )
            else:
                numbers = as_numbers(given.values, column.kind)
                x[:, at] = np.clip(column.scaled(numbers), -farthest, farthest)
            at += len(column.names)
        if absent:
            warnings.warn(
                f"taken for holes throughout: {counted(len(absent), 'column')} that the model was "
                f"fitted on and this table lacks ({listed(absent, 5)})",
                stacklevel=2,
            )
        for name, count in strangers.items():
            if count:
                warnings.warn(
                    f"taken for holes: {counted(count, 'value')} of {name!r}, a category that the "
                    "model has not seen",
                    stacklevel=2,
                )
        return torch.from_numpy(x)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it, exact to the bit."""
        columns: list[dict[str, Any]] = []
        for one in self.columns:
            entry: dict[str, Any] = {"name": one.name, "kind": one.kind}
            if isinstance(one, OneHot):
                entry["categories"] = list(one.categories)
            else:
                entry |= {"mean": one.mean, "scale": one.scale}
            columns.append(entry)
        return {"format": FORMAT, "columns": columns}

    @classmethod
    def from_json(cls, page: Any) -> "Encoding":
        """What `to_json` gave; anything else is refused."""
        if not isinstance(page, Mapping) or "format" not in page:
            raise InputError("this is no encoding of tables")
        if page["format"] != FORMAT:
            raise InputError(
                f"the encoding has format {page['format']}; this version reads {FORMAT}"
            )
        try:
            return cls(tuple(from_entry(entry) for entry in page["columns"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the encoding is damaged: {error}") from error


def dumps(page: Mapping[str, Any]) -> str:
    """JSON as files hold it."""
    return json.dumps(page, indent=1, ensure_ascii=False) + "\n"
