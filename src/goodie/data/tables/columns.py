"""One column as numbers: scaled, or a column for each category."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Float

from goodie.data.tables.kinds import Column, Kind

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


def as_numbers(values: pl.Series, kind: Kind) -> Float[np.ndarray, " rows"]:
    """Numbers, days since 1970, or ones and zeros; NaN in the holes."""
    if kind == "date":
        values = values.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / MICROSECONDS
    numbers: np.ndarray = values.cast(pl.Float64).fill_null(float("nan")).to_numpy(writable=False)
    return numbers


def mean_and_scale(numbers: Float[np.ndarray, " rows"]) -> tuple[float, float]:
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


def write_one_hot(column: OneHot, given: Column, out: Float[np.ndarray, "rows categories"]) -> int:
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


def from_entry(entry: Any) -> Scaled | OneHot:
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
