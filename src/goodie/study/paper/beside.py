"""A cell's figure, and how it stands beside the printed one."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Any, Literal

from goodie.study.store import Row

# Seeds behind a printed figure.
PRINTED_SEEDS = 10

NONE = "–"
NOT_RUN = "not run here"


@dataclass(frozen=True)
class Ours:
    """A mean over seeds, its population deviation, and how many seeds it is of."""

    mean: float
    deviation: float
    seeds: int

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.deviation:.2f}{few(self.seeds)}"


def ours(values: Sequence[float]) -> Ours:
    """Several seeds' answers as one."""
    return Ours(fmean(values), pstdev(values), len(values))


def of_rows(rows: Iterable[Row]) -> Ours | None:
    """Test scores of rows that differ in their seed alone; None if there is none."""
    values = [float(row["test"]) for row in rows]
    return ours(values) if values else None


def few(seeds: int) -> str:
    """How many seeds a figure is of, where that is not ten."""
    return "" if seeds == PRINTED_SEEDS else f" ({seeds})"


def difference(cell: Ours | None, printed: float | None, digits: int = 2) -> str:
    """Ours less the printed figure."""
    if cell is None or printed is None:
        return NONE
    return f"{cell.mean - printed:+.{digits}f}"


def shown(cell: Ours | None) -> str:
    """A figure, or a dash where there is none."""
    return NONE if cell is None else str(cell)


def name(method: str, settings: dict[str, Any]) -> str:
    """A method, with its preset if it has any."""
    preset = settings.get("preset")
    return method if preset is None else f"{method} {preset}"


Verdict = Literal["reproduced", "above", "below"]


def verdict(
    cell: Ours, printed: float, deviation: float | None = None, rounding: float = 0.005
) -> Verdict:
    """Whether two means may be the same: by two standard errors of their difference.

    Args:
        cell: ours.
        printed: the paper's mean.
        deviation: over its seeds; ours stands in where none is printed.
        rounding: half a unit of the last printed digit.

    Example:
        >>> verdict(Ours(75.0, 1.0, 10), 74.2, 1.0), verdict(Ours(76.0, 1.0, 10), 74.2, 1.0)
        ('reproduced', 'above')
    """
    theirs = cell.deviation if deviation is None else deviation
    # Population deviations, as the paper's are.
    variance = cell.deviation**2 / max(1, cell.seeds - 1) + theirs**2 / (PRINTED_SEEDS - 1)
    gain = cell.mean - printed
    if abs(gain) <= 2.0 * math.sqrt(variance) + rounding:
        return "reproduced"
    return "above" if gain > 0 else "below"
