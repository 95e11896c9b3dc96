"""Which rows answer for which cells."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goodie import methods
from goodie.errors import InputError
from goodie.study.cell import Cell, learner
from goodie.study.store import Row


@dataclass(frozen=True)
class Gathered:
    """What there is of some cells.

    Attributes:
        rows: one for each answer that is there, as that of the cell it answers.
        missing: cells that no row answers, none of the same answer twice.
        wanted: how many answers the cells have.
    """

    rows: list[Row]
    missing: list[Cell]
    wanted: int


def gather(
    cells: Iterable[Cell], rows: Iterable[Row], *, hashes: Mapping[str, str] | None = None
) -> Gathered:
    """Share cells out into those that a row answers, and the others.

    A row answers a cell if it must have the same result, see `answer`, and its method has not
    changed since; of several the latest does.

    Args:
        cells: of a study.
        rows: done or failed, of whatever.
        hashes: the content of each dataset, where it is to be the rows'; of a dataset that is not
            in it, any row is taken.
    """
    hashes = hashes or {}
    found: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: float(row["finished"])):
        same_data = hashes.get(row["dataset"], row["data_hash"]) == row["data_hash"]
        if row["status"] == "done" and same_data and _current(row):
            found[answer_of_row(row)] = row
    wanted = {answer(cell): cell for cell in cells}
    return Gathered(
        [_as(cell, found[name]) for name, cell in wanted.items() if name in found],
        [cell for name, cell in wanted.items() if name not in found],
        len(wanted),
    )


def _as(cell: Cell, row: Row) -> Row:
    return row | {"scenario": cell.scenario, "rate": cell.rate, "settings": dict(cell.settings)}


def answer(cell: Cell) -> str:
    """Equal for cells on the same data that must have the same result.

    What looks at no feature does not mind which are missing; with nothing or everything missing the
    patterns are one; and the weight of no contrast is not felt.

    Example:
        >>> answer(Cell("Cora", "lp", "uniform", 0.5)) == answer(Cell("Cora", "lp", "structural"))
        True
        >>> answer(Cell("Cora", "fp", "uniform", 0.5)) == answer(Cell("Cora", "fp", "uniform"))
        False
    """
    return _answer(
        cell.task,
        cell.dataset,
        cell.method,
        cell.scenario,
        cell.rate,
        cell.seed,
        cell.settings,
    )


def answer_of_row(row: Row) -> str:
    """The same of a row."""
    names = ("task", "dataset", "method", "scenario", "rate", "seed", "settings")
    return _answer(*(row[name] for name in names))


def constant(method: str) -> bool:
    """Whether a method looks at no feature, and so is the same whatever is missing."""
    return "features" not in methods.get(method).uses


def _answer(
    task: str,
    dataset: str,
    method: str,
    scenario: str,
    rate: float,
    seed: int,
    settings: Mapping[str, Any],
) -> str:
    missing: Sequence[Any] = (scenario, rate)
    if task != "link" and constant(method):
        missing = ()
    elif rate in (0.0, 1.0):
        missing = (rate,)
    felt = dict(settings)
    if felt.get("contrast") == "none":
        felt.pop("contrast_weight", None)
    return json.dumps([task, dataset, method, missing, seed, felt], sort_keys=True)


def _current(row: Row) -> bool:
    try:
        kind = learner(row["method"], row["task"])
    except InputError:
        return False
    return bool(row["method_version"] == kind.version_of(row["settings"]))
