"""What the study runner costs, what two workers gain, and seeds trained one by one or together."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional as F

from benchmarks.measure import seconds
from goodie import datasets, missing, operator
from goodie._toml import tomllib
from goodie.nn.gcn import TwoLayers
from goodie.nn.product import constant
from goodie.study import cell, runner, spec
from goodie.study.store import Store

SEEDS = 10

# Cells of a few milliseconds, so that what remains is the runner.
TINY = {
    "datasets": ["tiny"],
    "methods": ["lp"],
    "rates": [0.0],
    "seeds": 200,
    "data": {"tiny": {"synthetic": {"num_nodes": 60, "num_features": 0}}},
}

TRAINING = """
name = "training"
datasets = ["Cora"]
methods = ["gcn"]
rates = [0.5, 0.99]
seeds = 16
[settings.gcn]
max_epochs = 300
"""


def run() -> list[dict[str, Any]]:
    """One row for each of the three questions."""
    return [_overhead(), _workers(), _batched_seeds()]


def _overhead() -> dict[str, Any]:
    """Time of a study beyond that of its cells, for each cell."""
    cells = spec.parse(TINY).cells
    cell.run(cells[0])
    alone = []
    for one in cells:
        begin = time.perf_counter()
        cell.run(one)
        alone.append(time.perf_counter() - begin)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "rows.sqlite") as store:
        begin = time.perf_counter()
        runner.run_cells(cells, store, jobs=1)
        study = time.perf_counter() - begin
    own = statistics.mean(alone)
    return {
        "question": "overhead of the runner per cell",
        "cells": len(cells),
        "cell_ms": 1e3 * own,
        "overhead_ms": 1e3 * (study / len(cells) - own),
        "bar_ms": 10.0,
    }


def _workers() -> dict[str, Any]:
    """The same training study through the command line, with one worker and with two."""
    cells = spec.parse(tomllib.loads(TRAINING)).cells
    whole = [_command(jobs) for jobs in (1, 2)]
    with tempfile.TemporaryDirectory() as folder:
        started = []
        # The first study makes joblib's processes import torch; they are there for the others.
        for name, some, jobs in (("start", cells[:2], 2), ("two", cells, 2), ("one", cells, 1)):
            with Store(Path(folder) / f"{name}.sqlite") as store:
                begin = time.perf_counter()
                runner.run_cells(some, store, jobs=jobs)
                started.append(time.perf_counter() - begin)
    return {
        "question": "a training study with one worker and with two",
        "cells": len(cells),
        "one_seconds": started[2],
        "two_seconds": started[1],
        "ratio": started[2] / started[1],
        "bar": 1.6,
        "one_command_seconds": whole[0],
        "two_command_seconds": whole[1],
        "command_ratio": whole[0] / whole[1],
    }


def _command(jobs: int) -> float:
    """Seconds of `goodie study run`, its start included.

    One worker has all cores to itself, as torch spreads over them; two have one each.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "training.toml"
        path.write_text(TRAINING)
        words = ["study", "run", str(path), "--jobs", str(jobs), "--store", f"{folder}/rows.sqlite"]
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", "from goodie.cli import main; main()", *words],
            check=True,
            capture_output=True,
        )
        return time.perf_counter() - begin


def _batched_seeds() -> dict[str, Any]:
    """An epoch of ten seeds of GCN on Cora, one after another and as one batched product."""
    data = datasets.load("Cora")
    S = operator(data)
    holed = [
        missing.uniform(data, 0.99, random_state=s).x.nan_to_num(nan=0.0) for s in range(SEEDS)
    ]
    dense = [S.matrix @ x for x in holed]
    inner, outer = [constant(x) for x in dense], constant(S.matrix)
    models = [
        TwoLayers(1433, 64, 7, dropout=0.5, generator=torch.Generator().manual_seed(s))
        for s in range(SEEDS)
    ]
    y, train = data.y, torch.arange(140)

    def one_by_one() -> None:
        for model, X in zip(models, inner, strict=True):
            F.cross_entropy(model(X, outer)[train], y[train]).backward()

    stacked = torch.stack(dense)
    weights = [
        torch.stack([getattr(model, name).detach() for model in models]).requires_grad_()
        for name in ("weight_1", "bias_1", "weight_2", "bias_2")
    ]
    generator = torch.Generator().manual_seed(0)

    def together() -> None:
        w1, b1, w2, b2 = weights
        h = F.relu(torch.baddbmm(b1[:, None], stacked, w1))  # (seeds, nodes, hidden)
        h = h * torch.empty_like(h).bernoulli_(0.5, generator=generator) * 2.0
        out = (h @ w2).transpose(0, 1).reshape(len(y), -1)  # (nodes, seeds · classes)
        logits = (outer @ out).view(len(y), SEEDS, -1) + b2
        target = y[train][:, None].expand(-1, SEEDS)
        F.cross_entropy(logits[train].flatten(0, 1), target.flatten(), reduction="sum").backward()

    alone, batched = seconds(one_by_one, together, repeats=7)
    return {
        "question": "an epoch of ten seeds of GCN on Cora, one by one and in a batch",
        "one_by_one_ms": 1e3 * alone,
        "batched_ms": 1e3 * batched,
        "ratio": alone / batched,
    }


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The answers as a list."""
    overhead, workers, batch = rows
    return [
        f"- **{overhead['question']}**: {overhead['overhead_ms']:.1f} ms (bar: at most "
        f"{overhead['bar_ms']:g}), over {overhead['cells']} cells that take "
        f"{overhead['cell_ms']:.1f} ms each",
        f"- **{workers['question']}** of {workers['cells']} cells (one has both cores, two have "
        "one each): "
        f"{workers['one_seconds']:.1f} s and {workers['two_seconds']:.1f} s, "
        f"**{workers['ratio']:.2f}×** (bar: at least {workers['bar']}); as whole commands, in "
        f"which every process first imports torch, {workers['one_command_seconds']:.1f} s and "
        f"{workers['two_command_seconds']:.1f} s, {workers['command_ratio']:.2f}×",
        f"- **{batch['question']}**: {batch['one_by_one_ms']:.0f} ms and "
        f"{batch['batched_ms']:.0f} ms, {batch['ratio']:.2f}×",
    ]
