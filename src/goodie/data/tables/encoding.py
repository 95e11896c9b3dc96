"""Columns as numbers: standardised or one-hot, by what was observed where the model was fitted."""

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goodie.data.tables.kinds import Column, Kind
from goodie.data.tables.sheet import counted, listed
from goodie.errors import InputError

FORMAT = 1

# A column of more categories than this is a text, or an id: it is left out, and said to be.
MAX_CATEGORIES = 100

# Where a spread is known from a few values only, others may lie absurdly far out.
FARTHEST = 10.0

MICROSECONDS = 86_400_000_000  # of a day


@dataclass(frozen=True)
class Scaled:
    """A number, a date (in days) or a yes (1) or no (0): `(value − mean) / scale`.

    Attributes:
        name: of the column.
        kind: what it holds.
        mean: of the observed values.
        scale: their standard deviation; 0 where they are all the same, and the column then says
            nothing: 0 wherever it is observed.
    """

    name: str
    kind: Kind
    mean: float
    scale: float

    @property
    def names(self) -> tuple[str, ...]:
        """Of the encoded columns."""
        return (self.name,)

    def scaled(self, numbers: Float[np.ndarray, " rows"]) -> Float[np.ndarray, " rows"]:
        """`(number − mean) / scale`, 0 for a constant; NaN stays."""
        if self.scale == 0.0:
            return 0.0 * numbers
        with np.errstate(over="ignore"):  # halves, as differences of numbers may be too large
            halves: np.ndarray = (numbers / 2 - self.mean / 2) / self.scale
            return 2.0 * halves


@dataclass(frozen=True)
class OneHot:
    """Categories, a column each.

    Attributes:
        name: of the column.
        categories: in alphabetical order.
    """

    name: str
    categories: tuple[str, ...]
    kind: Kind = "categorical"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the encoded columns."""
        return tuple(f"{self.name}={category}" for category in self.categories)


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
        unseen, notes = [], []
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
                found.append(Scaled(column.name, column.kind, *_mean_and_scale(numbers)))
        if unseen:
            notes.append(
                f"left out, as no training node shows it: {counted(len(unseen), 'column')} "
                f"({listed(unseen, 5)})"
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
                strangers[column.name] = _one_hot(column, given, x[:, at : at + len(column.names)])
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
            return cls(tuple(_column(entry) for entry in page["columns"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the encoding is damaged: {error}") from error


def as_numbers(values: pl.Series, kind: Kind) -> Float[np.ndarray, " rows"]:
    """Numbers, days since 1970, or ones and zeros; NaN in the holes."""
    if kind == "date":
        values = values.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / MICROSECONDS
    numbers: np.ndarray = values.cast(pl.Float64).fill_null(float("nan")).to_numpy(writable=False)
    return numbers


def _mean_and_scale(numbers: Float[np.ndarray, " rows"]) -> tuple[float, float]:
    """Mean and standard deviation, the latter 0 for a constant."""
    largest = float(np.abs(numbers).max())
    if largest == 0.0:
        return 0.0, 0.0
    # Sums of the numbers themselves may be too large; a power of two rounds nothing.
    power = 2.0 ** (math.frexp(largest)[1] - 1)
    shares = numbers / power
    mean, scale = float(shares.mean()), float(shares.std())
    # Beyond rounding: a constant's deviation may come out as 1e-17 of it.
    return mean * power, (scale * power if scale > 1e-12 else 0.0)


def _one_hot(column: OneHot, given: Column, out: Float[np.ndarray, "rows categories"]) -> int:
    """Write the columns of the categories; returns how many entries are of none of them."""
    place = pl.Series(given.values).replace_strict(
        list(column.categories),
        list(range(len(column.categories))),
        default=-1,
        return_dtype=pl.Int32,
    )
    at = place.fill_null(-1).to_numpy()
    known = np.flatnonzero((at >= 0) & given.observed.to_numpy())
    out[known] = 0.0
    out[known, at[known]] = 1.0
    return int(given.observed.sum()) - len(known)


def _column(entry: Any) -> Scaled | OneHot:
    name, kind = entry["name"], entry["kind"]
    if not isinstance(name, str):
        raise ValueError(f"a column is called {name!r}")
    if kind == "categorical":
        categories = entry["categories"]
        if not isinstance(categories, list) or not all(isinstance(c, str) for c in categories):
            raise ValueError(f"the categories of {name!r} are no list of texts")
        if len(set(categories)) != len(categories):
            raise ValueError(f"{name!r} has a category twice")
        return OneHot(name, tuple(categories))
    if kind not in ("numeric", "date", "boolean"):
        raise ValueError(f"{name!r} is of kind {kind!r}")
    mean, scale = float(entry["mean"]), float(entry["scale"])
    if not (math.isfinite(mean) and math.isfinite(scale) and scale >= 0):
        raise ValueError(f"mean {mean} and scale {scale} of {name!r}")
    return Scaled(name, kind, mean, scale)


def dumps(page: Mapping[str, Any]) -> str:
    """JSON as files hold it."""
    return json.dumps(page, indent=1, ensure_ascii=False) + "\n"
