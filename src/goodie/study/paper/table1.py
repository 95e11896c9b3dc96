"""Table 1: how large the graphs are, counted here and as printed."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from goodie import paper
from goodie.appearing import appearing
from goodie.study.paper.beside import NONE
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.paper.table import Table

FILE = "statistics.json"
SIZES = ("nodes", "edges", "features", "classes")


def prepare(folder: Path, progress: Callable[[str], None]) -> None:
    """Count the graphs that are at hand, and keep the counts in a file of `folder`."""
    from goodie.data.summary import summarise

    progress("counting nodes and edges")
    counted = {
        row.name: {size: asdict(row)[size] for size in (*SIZES, "edges_undirected")}
        for row in summarise()
        if row.paper is not None and row.nodes is not None
    }
    with appearing(folder / FILE) as temporary:
        temporary.write_text(json.dumps(counted, indent=1) + "\n", encoding="utf-8")


def lacking(folder: Path) -> list[str]:
    """What has not been counted."""
    counted = _counted(folder)
    return [f"the size of {name}" for name in paper.numbers()["statistics"] if name not in counted]


def make(evidence: Evidence) -> Made:
    """Each size as counted, and as printed in brackets where it is another."""
    counted = _counted(evidence.folder)
    rows = [
        [name, *(_beside(counted.get(name, {}).get(size), row[size]) for size in SIZES)]
        for name, row in paper.numbers()["statistics"].items()
    ]
    return Made(
        [
            Table(
                "Statistics of the graphs; printed, where another, in brackets.",
                ("dataset", *SIZES),
                rows,
            )
        ]
    )


def _counted(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / FILE
    found: dict[str, dict[str, Any]] = {}
    if path.is_file():
        found = json.loads(path.read_text(encoding="utf-8"))
    return found


def _beside(counted: int | None, printed: int) -> str:
    if counted == printed:
        return f"{counted:,}"
    return f"{NONE if counted is None else format(counted, ',')} ({printed:,})"
