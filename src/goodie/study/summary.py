"""Several seeds of one cell, as one answer."""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from goodie.study.rows import ordered
from goodie.study.store import Row

# Rows that agree in these differ in their seed alone.
CELL = ("dataset", "task", "method", "scenario", "rate", "settings", "data_hash")


def summarise(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """For each cell the mean over its finished seeds, and their population deviation."""
    groups: dict[str, list[Row]] = {}
    for row in ordered(row for row in rows if row["status"] == "done"):
        groups.setdefault(json.dumps([row[name] for name in CELL], sort_keys=True), []).append(row)
    return [_one(group) for group in groups.values()]


def _one(rows: list[Row]) -> dict[str, Any]:
    first = rows[0]
    test = np.array([row["test"] for row in rows])
    return {
        "dataset": first["dataset"],
        "task": first["task"],
        "method": first["method"],
        "scenario": first["scenario"],
        "missing_rate": first["rate"],
        "seeds": [row["seed"] for row in rows],
        "metric": first["metric"],
        "test": test.tolist(),
        "test_mean": float(test.mean()),
        "test_std": float(test.std()),
        **_precision(rows),
        "val_mean": float(np.mean([row["val"] for row in rows])),
        "seconds": [row["seconds"] for row in rows],
        "config": first["settings"],
    }


def _precision(rows: list[Row]) -> dict[str, float]:
    """Average precision, where links are predicted."""
    if rows[0]["task"] != "link":
        return {}
    ap = np.array([row["details"]["ap"] for row in rows])
    return {"ap_mean": float(ap.mean()), "ap_std": float(ap.std())}
