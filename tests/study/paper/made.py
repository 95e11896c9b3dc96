"""Made rows: what a study would give, without running it."""

import math
import random
from collections.abc import Iterable
from typing import Any

from goodie import config, methods
from goodie.methods.goodie import Settings
from goodie.study import spec
from goodie.study.cell import Cell, learner
from goodie.study.store import COLUMNS, Row


def row(method: str, dataset: str, rate: float, seed: int, test: float, **changed: Any) -> Row:
    """A finished row; what is no column is a setting."""
    what: dict[str, Any] = {"task": "node", "scenario": "uniform", "details": {}, "finished": 1.0}
    what |= {name: changed.pop(name) for name in what if name in changed}
    settings = config.as_dict(Settings()) | changed if method == "goodie" else changed
    blank = {name: kind() for name, kind in COLUMNS.items()}
    return blank | what | {
        "key": repr((method, dataset, rate, seed, changed, what)),
        "method": method,
        "dataset": dataset,
        "rate": rate,
        "seed": seed,
        "test": test,
        "val": test,
        "seconds": 2.0,
        "settings": settings,
        "status": "done",
        "data_hash": "0",
        "method_version": methods.get(method).version_of({"preset": "balanced"} | settings),
    }  # fmt: skip


def of_cell(cell: Cell, test: float, **changed: Any) -> Row:
    """A finished row of a cell."""
    made = row(cell.method, cell.dataset, cell.rate, cell.seed, test)
    return made | {
        "key": repr(cell),
        "scenario": cell.scenario,
        "task": cell.task,
        "settings": dict(cell.settings),
        "method_version": learner(cell.method, cell.task).version_of(cell.settings),
        **changed,
    }


def of_study(name: str, seeds: int = 2) -> list[Row]:
    """Rows of all cells of a shipped study with a seed below `seeds`."""
    return [plausible(cell) for cell in spec.find(name).cells if cell.seed < seeds]


def plausible(cell: Cell) -> Row:
    """A row that says something a method might."""
    draw = random.Random(repr(cell))
    seen = max(0.0, 1.0 + math.log10(1.0 - cell.rate + 1e-4) / 4.0)
    details = {"structure_share": 0.9 - 0.6 * seen, "structure_share_std": 0.1}
    return of_cell(cell, 70.0 + 10.0 * seen + draw.gauss(0, 1), details=details)


def cells(line: str) -> list[str]:
    """A line of a Markdown table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def lines(markdown: str) -> Iterable[list[str]]:
    """A Markdown table without its head."""
    return map(cells, markdown.splitlines()[2:])
