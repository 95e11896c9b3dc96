"""How the time and memory of feature propagation grow, and one graph that is large."""

import math
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from benchmarks.measure import peak_memory, seconds
from goodie import missing, operator, propagate_features, synthetic
from goodie.graph import Operator
from goodie.propagate.engine import block_width

STEPS = 40

# What each row of the table varies, and the base that the others stay at.
BASE = {"nodes": 20_000, "edges": 100_000, "columns": 128, "rate": 0.9}
SWEEPS: dict[str, list[float]] = {
    "nodes": [10_000, 20_000, 40_000, 80_000, 160_000],
    "edges": [50_000, 100_000, 200_000, 400_000, 800_000],
    "columns": [32, 64, 128, 256, 512],
    "rate": [0.1, 0.5, 0.9, 0.99, 0.9999],
}
LARGE = {"nodes": 1_000_000, "edges": 10_000_000, "columns": 128, "rate": 0.9}


def problem(nodes: int, edges: int, columns: int, rate: float) -> tuple[Data, Operator]:
    """A synthetic graph and sparse random features with holes."""
    data = synthetic(int(nodes), average_degree=2.0 * edges / nodes, num_features=0)
    rng = np.random.default_rng(0)
    x = rng.random((int(nodes), int(columns)), dtype=np.float32)
    data.x = torch.from_numpy(x * (x > 0.9))  # a tenth is not zero, as in a bag of words
    data.x = missing.uniform(data, rate).x
    return data, operator(data)


def propagation(
    nodes: int, edges: int, columns: int, rate: float, budget: int | None = None
) -> Callable[[], Any]:
    """The call that is measured; making the operator is not in it."""
    data, S = problem(nodes, edges, columns, rate)
    return lambda: propagate_features(data.x, S, steps=STEPS, memory_budget=budget)


def run() -> list[dict[str, Any]]:
    """One row for each point of each sweep."""
    rows = []
    for axis, values in SWEEPS.items():
        for value in values:
            size = {**BASE, axis: value}
            (time,) = seconds(propagation(**size))
            memory = peak_memory(propagation, *size.values())
            rows.append({"axis": axis, **size, "seconds": time, "memory": memory})
    return rows


def run_large(budget: int | None, bandwidth: float) -> dict[str, Any]:
    """Ten million edges by 128 columns, within a budget of working memory."""
    data, S = problem(**LARGE)
    begin = perf_counter()
    filled = propagate_features(data.x, S, steps=STEPS, memory_budget=budget)
    time = perf_counter() - begin
    result = sum(t.untyped_storage().nbytes() for t in (filled.values, filled.reached))
    # Each step reads the matrix once a block, and reads and writes the block's arrays.
    width = min(LARGE["columns"], block_width(S, budget))
    blocks = math.ceil(LARGE["columns"] / width)
    matrix = S.matrix.values().numel() * 8 + S.num_nodes * 4
    moved = STEPS * (blocks * matrix + LARGE["columns"] * S.num_nodes * 4 * 7)
    gathered = STEPS * S.matrix.values().numel() * 4 * LARGE["columns"]
    block, product = filled.values[:, :width].contiguous(), torch.empty(S.num_nodes, width)
    (one_product,) = seconds(lambda: torch.mm(S.matrix, block, out=product), repeats=5)
    return {
        **LARGE,
        "budget": budget,
        "block_width": width,
        "seconds": time,
        "memory": peak_memory(propagation, *LARGE.values(), budget),
        "result": result,
        "streamed_seconds_at_copy_bandwidth": moved / bandwidth,
        "gathered_seconds_at_copy_bandwidth": (moved + gathered) / bandwidth,
        "sparse_products_alone_seconds": one_product * blocks * STEPS,
    }


def slope(rows: list[dict[str, Any]], axis: str, what: str) -> float:
    """The exponent with which `what` grows along an axis: least squares in logarithms."""
    own = [row for row in rows if row["axis"] == axis]
    values, results = ([math.log(row[key]) for row in own] for key in (axis, what))
    return float(np.polyfit(values, results, 1)[0])


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The sweeps as Markdown, with the exponents."""
    lines = ["| varied | nodes | edges | columns | missing | seconds | peak memory |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    for axis in SWEEPS:
        own = [row for row in rows if row["axis"] == axis]
        lines += [
            f"| {axis} | {row['nodes']:,} | {row['edges']:,} | {row['columns']} | "
            f"{row['rate']:.2%} | {row['seconds']:.3f} | {row['memory'] / 2**20:.0f} MiB |"
            for row in own
        ]
        if axis != "rate":
            lines.append(
                f"| **slope** | | | | | {slope(rows, axis, 'seconds'):.2f} | "
                f"{slope(rows, axis, 'memory'):.2f} |"
            )
    return lines


def large_table(row: dict[str, Any]) -> list[str]:
    """The large graph as Markdown."""
    budget = "none" if row["budget"] is None else f"{row['budget'] / 2**20:,.0f} MiB"
    return [
        f"{row['nodes']:,} nodes, {row['edges']:,} edges, {row['columns']} columns, "
        f"{row['rate']:.0%} missing, {STEPS} steps; budget for working memory: {budget}.",
        "",
        f"- {row['seconds']:.1f} s",
        f"- {row['memory'] / 2**20:,.0f} MiB at the peak beyond the input, of which "
        f"{row['result'] / 2**20:,.0f} MiB are the result (values, and what was reached) and "
        f"{(row['memory'] - row['result']) / 2**20:,.0f} MiB working memory",
        f"- at the measured copy bandwidth, streaming the matrix and the blocks alone would take "
        f"{row['streamed_seconds_at_copy_bandwidth']:.1f} s; with every gathered row counted as if "
        f"it came from memory {row['gathered_seconds_at_copy_bandwidth']:.1f} s",
        f"- what limits it: torch's sparse product alone, timed on one block of "
        f"{row['block_width']} columns, would take {row['sparse_products_alone_seconds']:.1f} s "
        f"for all of them; on a random graph every gathered row is a miss in the cache",
    ]
