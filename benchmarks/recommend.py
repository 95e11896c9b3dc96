"""Recommending links in a graph of a million edges: seconds, and memory beside a table of pairs."""

import time
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from benchmarks.measure import seconds
from goodie import GoodieLinkPredictor
from goodie.memory import resident, watch_peak

NODES, EDGES, FEATURES, CLASSES = 200_000, 1_000_000, 20, 5
# Weights are not what is measured; ten epochs make some.
EPOCHS = 10
ASKED = 20


def graph(random_state: int = 0) -> Data:
    """Edges mostly within classes, features that lean on the class, nine in ten missing."""
    rng = np.random.default_rng(random_state)
    y = rng.integers(CLASSES, size=NODES)
    ends = rng.integers(NODES, size=(2, 2 * EDGES))
    kept = (y[ends[0]] == y[ends[1]]) | (rng.random(2 * EDGES) < 0.375)
    ends = ends[:, kept][:, :EDGES]
    x = rng.normal(size=(NODES, FEATURES)).astype(np.float32)
    x[:, :CLASSES] += np.eye(CLASSES, dtype=np.float32)[y]
    x[rng.random(x.shape) < 0.9] = np.nan
    known = np.where(rng.random(NODES) < 0.05, y, -1)
    return Data(x=torch.from_numpy(x), edge_index=torch.from_numpy(ends), y=torch.from_numpy(known))


def run() -> list[dict[str, Any]]:
    """Fit once, then ask: for one node's links, and for the best of the whole graph."""
    data = graph()
    before = resident() or 0
    with watch_peak() as peak:
        begin = time.perf_counter()
        model = GoodieLinkPredictor(max_epochs=EPOCHS).fit(data)
        fitting = time.perf_counter() - begin
    fit_peak = (peak() or 0) - before
    nodes = np.random.default_rng(1).integers(NODES, size=ASKED)
    (a_node,) = seconds(lambda: [model.recommend(int(node), k=10) for node in nodes])
    before = resident() or 0
    with watch_peak() as peak:
        begin = time.perf_counter()
        model.missing(100)
        whole = time.perf_counter() - begin
    return [
        {"what": f"fit, {EPOCHS} epochs", "seconds": fitting, "peak": fit_peak},
        {"what": "recommend(node, k=10)", "seconds": a_node / ASKED, "peak": None},
        {"what": "missing(100)", "seconds": whole, "peak": (peak() or 0) - before},
    ]


def table(rows: list[dict[str, Any]]) -> list[str]:
    """What was asked, and what it took."""
    every = NODES * NODES * 4 / 2**30
    return [
        f"{NODES:,} nodes, {EDGES:,} edges, {FEATURES} features of which 90 % are missing. A table "
        f"of all pairs would take {every:.0f} GiB.",
        "",
        "| | seconds | memory beyond what was held |",
        "|---|--:|--:|",
        *(
            f"| `{row['what']}` | {row['seconds']:.3g} | "
            + ("–" if row["peak"] is None else f"{row['peak'] / 2**20:.0f} MiB")
            + " |"
            for row in rows
        ),
    ]
