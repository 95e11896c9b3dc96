"""A large table of one's own, through the four commands: seconds, memory, and where they go."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import psutil

from goodie import synthetic
from goodie.data.tables import from_numpy, to_scipy

NODES, EDGES, COLUMNS, HOLES, LABELLED = 200_000, 1_000_000, 100, 0.9, 0.05
CLASSES = 10
# Of a hundred columns.
KINDS = ["numeric"] * 60 + ["boolean"] * 10 + ["date"] * 10 + ["categorical"] * 20
CATEGORIES = 8

RUN = "from goodie.cli import main; main()"


def run(nodes: int = NODES, edges: int = EDGES, columns: int = COLUMNS) -> list[dict[str, Any]]:
    """One row a command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, nodes, edges, columns)
        tables = ["nodes.csv", "edges.csv"]
        commands = {
            "check": ["check", *tables, "--label", "class"],
            "fit": ["fit", *tables, "--label", "class", "--out", "model"],
            "predict": ["predict", "model", *tables, "--out", "predictions.parquet"],
            "impute": ["impute", *tables, "--label", "class", "--out", "filled.parquet"],
        }
        rows = []
        for command, words in commands.items():
            print(f"  goodie {' '.join(words)}", flush=True)
            rows.append({"command": command, **measured(folder, words)})
            print(
                f"    {rows[-1]['seconds']:.0f} s, {rows[-1]['peak'] / 2**30:.1f} GiB", flush=True
            )
        rows.append(
            {
                "command": "tables",
                "nodes": nodes,
                "edges": edges,
                "columns": columns,
                "bytes": sum((folder / one).stat().st_size for one in tables),
            }
        )
        return rows


def write(folder: Path, nodes: int, edges: int, columns: int) -> None:
    """Two CSV files of a graph with classes, whose columns of four kinds follow them and it."""
    graph = synthetic(nodes, CLASSES, average_degree=2 * edges / nodes, num_features=0)
    rng = np.random.default_rng(0)
    y = graph.y.numpy()
    A = to_scipy(from_numpy(np.zeros((nodes, 0)), graph.edge_index.numpy(), directed=True))
    degree = np.maximum(np.asarray(A.sum(axis=1)), 1)
    ids = np.array([f"node-{number:07}" for number in rng.permutation(nodes)])
    table = {"name": pl.Series(ids)}
    for place in range(columns):
        kind = KINDS[place * len(KINDS) // columns]
        noise = rng.standard_normal(nodes)
        # A third each: the class, what neighbours share, and the node's own.
        signal = rng.standard_normal(CLASSES)[y] + 3 * (A @ noise) / degree + noise
        column = _column(kind, signal)
        hidden = pl.Series(rng.random(nodes) < HOLES)
        table[f"{kind}_{place}"] = column.set(hidden, None)
    known = pl.Series(rng.random(nodes) < LABELLED)
    table["class"] = pl.Series(np.array([f"class {c}" for c in range(CLASSES)])[y]).set(
        ~known, None
    )
    pl.DataFrame(table).write_csv(folder / "nodes.csv")
    a, b = graph.edge_index.numpy()
    once = a < b
    pl.DataFrame({"from": ids[a[once]], "to": ids[b[once]]}).write_csv(folder / "edges.csv")


def _column(kind: str, signal: np.ndarray) -> pl.Series:
    if kind == "boolean":
        return pl.Series(signal > 0)
    if kind == "date":
        return pl.Series((18_000 + 100 * signal).astype(np.int32)).cast(pl.Date)
    if kind == "categorical":
        edges = np.quantile(signal, np.arange(1, CATEGORIES) / CATEGORIES)
        return pl.Series(np.array(list("abcdefgh"))[np.searchsorted(edges, signal)])
    return pl.Series(signal.round(4))


def measured(folder: Path, words: list[str]) -> dict[str, Any]:
    """Run a command in a process of its own: its seconds and memory, in all and stage by stage."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *words, "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Threads that wait do not spin, so that what else runs on the machine costs less.
        env={**os.environ, "COLUMNS": "200", "OMP_WAIT_POLICY": "passive"},
    )
    stages = [{"stage": "starting", "at": 0.0, "peak": 0}]
    done = threading.Event()

    def watch() -> None:
        """Memory in use, for the stage that is on."""
        own = psutil.Process(process.pid)
        while not done.wait(0.05):
            try:
                stages[-1]["peak"] = max(stages[-1]["peak"], own.memory_info().rss)
            except psutil.NoSuchProcess:
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert process.stdout is not None
    assert process.stderr is not None
    out: list[str] = []
    reader = threading.Thread(target=lambda: out.append(process.stdout.read()))
    reader.start()
    said = []
    for line in process.stderr:
        said.append(line)
        if line.rstrip().endswith("…"):
            at = time.perf_counter() - begin
            stages.append({"stage": line.strip().rstrip("… "), "at": at, "peak": 0})
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    done.set()
    watcher.join()
    reader.join()
    if status:
        raise RuntimeError(f"goodie {' '.join(words)} failed:\n{''.join(said)}")
    ends = [*(stage["at"] for stage in stages[1:]), seconds]
    return {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak": usage.ru_maxrss * 1024,
        "stages": [
            {"stage": stage["stage"], "seconds": end - stage["at"], "peak": stage["peak"]}
            for stage, end in zip(stages, ends, strict=True)
        ],
        "answer": _shortened(json.loads(out[0])),
    }


def _shortened(answer: dict[str, Any]) -> dict[str, Any]:
    """What a command said, without what it says of each column."""
    return {k: v for k, v in answer.items() if k not in ("columns", "notes", "labels", "out")}


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as Markdown."""
    (about,) = (row for row in rows if row["command"] == "tables")
    lines = [
        f"{about['nodes']:,} nodes × {about['columns']} columns ({HOLES:.0%} holes; numbers, yes "
        f"or no, dates, categories), {about['edges']:,} edges, {LABELLED:.0%} of the nodes "
        f"labelled; two CSV files of {about['bytes'] / 2**20:.0f} MiB. Each command in a "
        "process of its own, with threads that do not spin while they wait "
        "(`OMP_WAIT_POLICY=passive`). Seconds are those on the clock; where the processor's are "
        "not nearly twice as many, the machine had other work, or one thread had to do.",
        "",
        "| command | seconds | of the processor | peak memory |",
        "|---|--:|--:|--:|",
    ]
    commands = [row for row in rows if row["command"] != "tables"]
    lines += [
        f"| `goodie {row['command']}` | {row['seconds']:.0f} | {row['cpu_seconds']:.0f} | "
        f"{row['peak'] / 2**30:.1f} GiB |"
        for row in commands
    ]
    lines += [
        "",
        "Where it goes:",
        "",
        "| command | stage | seconds | peak memory |",
        "|---|---|--:|--:|",
    ]
    lines += [
        f"| `goodie {row['command']}` | {stage['stage']} | {stage['seconds']:.1f} | "
        f"{stage['peak'] / 2**30:.1f} GiB |"
        for row in commands
        for stage in row["stages"]
    ]
    stage = {one["stage"]: one["seconds"] for row in commands for one in row["stages"]}
    lines += [
        "",
        f"Propagation is most of what `predicting` does ({stage['predicting']:.0f} s); the rest of "
        f"`fitting goodie` ({stage['fitting goodie']:.0f} s) is its epochs.",
    ]
    told = {row["command"]: row["answer"] for row in commands}
    lines += ["", "What they found:", ""]
    accuracy = told["fit"]["accuracy"]
    lines.append(
        "- `goodie fit`: "
        + ", ".join(
            f"{name} {100 * one['accuracy']:.1f} % ({100 * one['low']:.1f}–{100 * one['high']:.1f})"
            for name, one in accuracy.items()
        )
        + f", judged by {told['fit']['parts']['judge']:,} nodes; "
        f"{told['fit']['details'].get('epochs', 0):,} epochs of the last fit"
    )
    lines.append(
        f"- `goodie impute`: {told['impute']['filled']:,} holes filled; "
        f"{100 * told['impute']['gain']:.1f} % of the error of plain guesses gone on hidden entries"
    )
    return lines
