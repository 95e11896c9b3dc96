"""Table 3 on three graphs from nothing, as a user makes it: how long, and where the time goes."""

import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from goodie.study import cell, spec
from goodie.study.store import Row, Store

GRAPHS = ("Cora", "CiteSeer", "PubMed")
JOBS = 2

# Functions that a profile names.
DEEP = 8


def run(only: str = "", seeds: int = 10) -> list[dict[str, Any]]:
    """One row for the whole, one for each method, and the profile of the costliest cell.

    Args:
        only: this graph alone; one that Table 3 does not have takes the methods it has for Cora.
        seeds: seeds below this.
    """
    graphs = [only] if only else list(GRAPHS)
    with tempfile.TemporaryDirectory() as folder:
        wall, rows = _from_nothing(graphs, seeds, Path(folder))
        profile = _profile(max(rows, key=lambda row: float(row["seconds"])), Path(folder))
    spent: dict[str, float] = {}
    for row in rows:
        name = _name(row)
        spent[name] = spent.get(name, 0.0) + row["seconds"]
    whole = {
        "case": "Table 3 from nothing",
        "graphs": graphs,
        "seeds": seeds,
        "jobs": JOBS,
        "cells": len(rows),
        "wall_seconds": wall,
        "cell_seconds": sum(spent.values()),
    }
    ranked = sorted(spent, key=lambda name: -spent[name])
    methods = [{"case": name, "seconds": spent[name]} for name in ranked]
    return [whole, *methods, profile]


def _from_nothing(graphs: list[str], seeds: int, folder: Path) -> tuple[float, list[Row]]:
    """Seconds of the whole command, with an empty cache and no rows, and the rows it made."""
    store = folder / "rows.sqlite"
    (folder / "rows").mkdir()
    words: list[str]
    if set(graphs) <= set(GRAPHS):
        chosen = [word for graph in graphs for word in ("--dataset", graph)]
        words = ["paper", "table3", *chosen, "--seeds", str(seeds), "--rows", str(folder / "rows")]
        words += ["--out", str(folder / "out")]
    else:  # to try this script
        words = ["study", "run", str(_study(graphs, seeds, folder))]
    words += ["--store", str(store), "--jobs", str(JOBS)]
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", "from goodie.cli import main; main()", *words],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "GOODIE_HOME": str(folder / "home")},
    )
    wall = time.perf_counter() - begin
    with Store(store) as held:
        return wall, [row for row in held.all() if row["status"] == "done"]


def _study(graphs: list[str], seeds: int, folder: Path) -> Path:
    """Table 3's methods on other graphs."""
    methods = list(dict.fromkeys(one.method for one in spec.find("table3").cells))
    lines = {"datasets": graphs, "methods": methods, "rates": [0.9999], "seeds": seeds}
    path = folder / "study.toml"
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items()))
    return path


def _profile(row: Row, folder: Path) -> dict[str, Any]:
    """The functions in which a cell spends its time, their callees aside, with an empty cache."""
    os.environ["GOODIE_HOME"] = str(folder / "again")
    again = cell.Cell(
        *(row[name] for name in ("dataset", "method", "scenario", "rate", "seed", "settings"))
    )
    cell.load(again)
    profile = cProfile.Profile()
    profile.runcall(cell.run, again)
    stats: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(own for _, _, own, _, _ in stats.values())
    costly = sorted(stats.items(), key=lambda item: -item[1][2])[:DEEP]
    return {
        "case": "profile",
        "cell": f"{_name(row)} on {row['dataset']}",
        "seconds": row["seconds"],
        "functions": [
            {"function": _function(*where), "share": own / whole, "calls": calls}
            for where, (_, calls, own, _, _) in costly
        ],
    }


def _function(file: str, line: int, name: str) -> str:
    return name if file == "~" else f"{Path(file).parent.name}/{Path(file).name}:{line} {name}"


def _name(row: Row) -> str:
    preset = row["settings"].get("preset")
    return str(row["method"]) if preset is None else f"{row['method']} {preset}"


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The whole in a sentence, methods by their share, functions by theirs."""
    whole, *methods, profile = rows
    lines = [
        f"`goodie paper table3` on {', '.join(whole['graphs'])}, {whole['seeds']} seeds, from an "
        f"empty cache, {whole['jobs']} processes: **{whole['wall_seconds'] / 60:.1f} min** for "
        f"{whole['cells']} cells, which took {whole['cell_seconds'] / 60:.1f} min one by one. The "
        "rest is importing torch, reading and hashing graphs, and writing the tables; the "
        "embeddings of walks are made within the first cells that ask for them.",
        "",
        "| method | minutes | share |",
        "|---|--:|--:|",
    ]
    for row in methods:
        share = row["seconds"] / whole["cell_seconds"]
        lines.append(f"| `{row['case']}` | {row['seconds'] / 60:.2f} | {share:.1%} |")
    lines += [
        "",
        f"The costliest cell, {profile['cell']} ({profile['seconds']:.1f} s), by functions, their "
        "callees aside:",
        "",
        "| function | share | calls |",
        "|---|--:|--:|",
    ]
    for one in profile["functions"]:
        lines.append(f"| `{one['function']}` | {one['share']:.1%} | {one['calls']:,} |")
    return lines
