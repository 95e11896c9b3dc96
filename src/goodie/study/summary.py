"""Several seeds of one cell, as one answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from goodie.study.cell import Cell, Result
from goodie.tasks import node


def summarise(cells: Sequence[Cell], results: Sequence[Result]) -> dict[str, Any]:
    """Cells that differ in their seed alone, with the mean and population deviation over seeds."""
    first = cells[0]
    test = np.array([result.test for result in results])
    return {
        "dataset": first.dataset,
        "task": first.task,
        "method": first.method,
        "scenario": first.scenario,
        "missing_rate": first.rate,
        "seeds": [cell.seed for cell in cells],
        "metric": node.METRIC,
        "test": test.tolist(),
        "test_mean": float(test.mean()),
        "test_std": float(test.std()),
        "val_mean": float(np.mean([result.val for result in results])),
        "seconds": [result.seconds for result in results],
        "config": dict(first.settings or {}),
    }
