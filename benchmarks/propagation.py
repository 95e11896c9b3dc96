"""Label and feature propagation against PyG's, on the same inputs in the same run."""

import warnings
from collections.abc import Callable
from datetime import date
from typing import Any

import torch
from torch_geometric.data import Data
from torch_geometric.nn import LabelPropagation
from torch_geometric.transforms import FeaturePropagation
from torch_geometric.utils import add_remaining_self_loops, to_torch_csr_tensor

from benchmarks.measure import peak_memory, seconds
from goodie import datasets, missing, operator, paper, propagate_features, propagate_labels
from goodie.study.provenance import git_revision

Call = Callable[[], Any]

# (dataset, missing rate, repeats, least ratio against edge_index, most share of its memory)
FEATURES = [
    ("PubMed", 0.5, 5, 6.0, None),
    ("PubMed", 0.9999, 9, 15.0, None),
    ("Physics", 0.5, 1, 6.0, 0.5),
]


def features(dataset: str, rate: float, who: str, steps: int = 40) -> Call:
    """Feature propagation, from a graph and features with holes to filled ones."""
    data = _looped(dataset)
    data.x = missing.uniform(data, rate).x
    if who == "goodie":
        return lambda: propagate_features(data.x, operator(data), steps=steps).values
    transform = FeaturePropagation(data.x.isnan(), num_iterations=steps)
    if who == "PyG, CSR":
        data.adj_t = to_torch_csr_tensor(data.edge_index, size=(data.num_nodes, data.num_nodes))
        data.edge_index = None
    return lambda: transform(data).x


def labels(dataset: str, who: str) -> Call:
    """Fifty steps of label propagation, from a graph and labels to scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that Arxiv lacks its features is nothing to labels
        data = _looped(dataset)
    train = datasets.find(dataset).split(data, 0).train
    alpha = paper.hyperparameters(dataset)["alpha"]
    if who == "goodie":
        return lambda: propagate_labels(data.y, train, operator(data), alpha=alpha).values
    edges = data.edge_index
    if who == "PyG, CSR":
        edges = to_torch_csr_tensor(edges, size=(data.num_nodes, data.num_nodes))
    return lambda: LabelPropagation(50, alpha)(data.y, edges, mask=train)


WHO = ("goodie", "PyG, edge_index", "PyG, CSR")


def run(only: str = "") -> list[dict[str, Any]]:
    """One row for each case whose dataset's name begins with `only`."""
    rows = []
    for dataset, rate, repeats, bar, memory_bar in FEATURES:
        if not dataset.startswith(only):
            continue
        calls = [features(dataset, rate, who) for who in WHO]
        row = _compare(f"FP, {dataset}, {rate:.2%} missing", calls, repeats, bar)
        del calls
        if memory_bar is not None:
            # The peak is reached within the first steps; the others only take time.
            ours, theirs = (peak_memory(features, dataset, rate, who, 3) for who in WHO[:2])
            row |= {"memory": ours, "peer_memory": theirs, "memory_bar": memory_bar}
        rows.append(row)
    if "Arxiv".startswith(only):
        calls = [labels("Arxiv", who) for who in WHO]
        rows.append(_compare("LP, Arxiv", calls, 3, 8.0))
    return rows


def _compare(case: str, calls: list[Call], repeats: int, bar: float) -> dict[str, Any]:
    difference = float((calls[0]() - calls[1]()).abs().max()) if repeats > 1 else None
    ours, edge_index, csr = seconds(*calls, repeats=repeats)
    return {
        "case": case,
        "revision": git_revision(),
        "date": date.today().isoformat(),
        "seconds": ours,
        "edge_index_seconds": edge_index,
        "csr_seconds": csr,
        "ratio": edge_index / ours,
        "bar": bar,
        "csr_ratio": csr / ours,
        "largest_difference": difference,
    }


def _looped(dataset: str) -> Data:
    """The graph with self-loops, which PyG's classes do not add and the paper has."""
    data = datasets.load(dataset)
    edges, _ = add_remaining_self_loops(data.edge_index, num_nodes=data.num_nodes)
    return Data(x=data.x, y=data.y, edge_index=edges, **_masks(data))


def _masks(data: Data) -> dict[str, torch.Tensor]:
    return {name: mask for name, mask in data.items() if name.endswith("_mask")}


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as Markdown."""
    lines = [
        "| case | goodie | PyG, edge_index | ratio (bar) | PyG, CSR | ratio (bar) | peak memory |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        memory = "–"
        if "memory" in row:
            share = row["memory"] / row["peer_memory"]
            memory = (
                f"{row['memory'] / 2**30:.2f} against {row['peer_memory'] / 2**30:.2f} GiB: "
                f"{share:.2f} (≤ {row['memory_bar']})"
            )
        lines.append(
            f"| {row['case']} | {row['seconds']:.2f} s | {row['edge_index_seconds']:.2f} s | "
            f"**{row['ratio']:.1f}×** (≥ {row['bar']:g}) | {row['csr_seconds']:.2f} s | "
            f"{row['csr_ratio']:.1f}× (> 1) | {memory} |"
        )
    return lines
