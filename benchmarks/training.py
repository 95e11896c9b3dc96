"""GOODIE's epochs, its exact contrastive loss and whole fits, against a plain PyG implementation.

The peer (`benchmarks/peers/goodie_pyg.py`) is what a PyG user would write from the paper: GCNConv
layers over `edge_index`, similarities and weights as dense N×N matrices. It was written by someone
who had not seen this package.
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch
from torch_geometric.data import Data

from benchmarks.measure import peak_memory, seconds
from benchmarks.peers import goodie_pyg as peer
from goodie import GoodieClassifier, datasets, missing, paper
from goodie.losses.contrastive import contrastive_loss, positives

RATE = 0.9999
WIDTH = 64
EPOCHS = 40


def problem(dataset: str) -> tuple[Data, dict[str, float]]:
    """A graph with its split and its holes, and the paper's α and τ for it."""
    data = datasets.load(dataset)
    holed = datasets.find(dataset).split(data, 0).apply(missing.uniform(data, RATE))
    row = paper.hyperparameters(dataset)
    return holed, {"alpha": row["alpha"], "tau": row["tau"]}


def run() -> list[dict[str, Any]]:
    """One row a measurement."""
    limits = machine_limits()
    return [
        epoch("Cora", 1.0, limits),
        epoch("Cora", 0.0, limits),
        whole_fit("Cora", 1.0),
        loss_memory("PubMed"),
        exact_loss("PubMed", limits),
    ]


def epoch(dataset: str, weight: float, limits: dict[str, float]) -> dict[str, Any]:
    """A training epoch, the evaluation it selects by included."""
    data, settings = problem(dataset)
    inputs = peer.inputs(data, **settings)
    model = peer.Goodie(data.x.shape[1], WIDTH, inputs.y_hat.shape[1], 0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)

    def ours(epochs: int) -> Callable[[], object]:
        model = _ours(settings, weight, max_epochs=epochs, patience=10 * EPOCHS)
        return lambda: model.fit(data)

    def theirs() -> None:
        for _ in range(EPOCHS):
            peer.epoch(model, optimizer, inputs, weight)

    # A fit prepares before its epochs; what a fit of none takes is that.
    prepared, fitted, peers = seconds(ours(0), ours(EPOCHS), theirs, repeats=5)
    n = data.num_nodes
    return {
        "case": f"an epoch on {dataset} at {RATE:.2%} missing, λ = {weight:g}",
        "seconds": (fitted - prepared) / EPOCHS,
        "peer_seconds": peers / EPOCHS,
        "bar": 4.0 if weight else 3.0,
        "floor_seconds": pairs_floor(n, limits) if weight else None,
    }


def whole_fit(dataset: str, weight: float) -> dict[str, Any]:
    """From a graph with holes to a trained model, by the paper's early stopping."""
    data, settings = problem(dataset)
    epochs: dict[str, int] = {}

    def ours() -> None:
        epochs["ours"] = _ours(settings, weight).fit(data).history_.epochs

    def theirs() -> None:
        epochs["peer"] = peer.fit(data, **settings, lambda_=weight)[1]

    mine, peers = seconds(ours, theirs, repeats=1)
    return {
        "case": f"a whole fit on {dataset} at {RATE:.2%} missing, λ = {weight:g}",
        "seconds": mine,
        "peer_seconds": peers,
        "bar": None,
        "epochs": epochs["ours"],
        "peer_epochs": epochs["peer"],
    }


def loss_memory(dataset: str) -> dict[str, Any]:
    """Peak memory of the contrastive loss and its gradient, beyond embeddings and labels."""
    ours, theirs = (peak_memory(_loss, dataset, who) for who in ("goodie", "PyG"))
    return {
        "case": f"memory of the contrastive loss on {dataset}, forward and backward",
        "memory": ours,
        "peer_memory": theirs,
        "bar": 0.1,
    }


def exact_loss(dataset: str, limits: dict[str, float]) -> dict[str, Any]:
    """The exact loss on a graph where the dense one needs many gigabytes: its time alone."""
    call = _loss(dataset, "goodie")
    call()
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    n = paper.statistics(dataset)["nodes"]
    return {
        "case": f"the exact contrastive loss on {dataset}, forward and backward",
        "seconds": median(times),
        "pairs": n * n,
        "products_per_second": pair_products(n) / median(times),
        "matrix_rate": limits["matrix_rate"],
        "floor_seconds": pairs_floor(n, limits),
    }


def machine_limits() -> dict[str, float]:
    """Operations a second of a large matrix product, and exponentials a second, in float32."""
    a, x = torch.rand(3000, 3000), torch.rand(1 << 19)
    product, exponentials = (
        min(_time(call) for _ in range(5)) for call in (lambda: a @ a, lambda: x.exp())
    )
    return {"matrix_rate": 2 * 3000**3 / product, "exponential_rate": len(x) / exponentials}


def pair_products(n: int) -> float:
    """Operations of forward and backward over pairs, each pair of nodes computed once a pass.

    The forward pass multiplies N²/2 pairs, the backward pass again, and then two ways.
    """
    return 2.0 * WIDTH * (n * n / 2 + n * n / 2 + n * n)


def pairs_floor(n: int, limits: dict[str, float]) -> float:
    """Seconds below which no version comes that computes pairs twice."""
    return pair_products(n) / limits["matrix_rate"] + n * n / limits["exponential_rate"]


def _ours(settings: dict[str, float], weight: float, **training: int) -> GoodieClassifier:
    return GoodieClassifier(
        preset="faithful", contrast="pseudo", contrast_weight=weight, **settings, **training
    )


def _loss(dataset: str, who: str) -> Callable[[], object]:
    """Forward and backward through the contrastive loss on embeddings of a graph's size."""
    n, classes = (paper.statistics(dataset)[key] for key in ("nodes", "classes"))
    generator = torch.Generator().manual_seed(0)
    z = torch.rand(n, WIDTH, generator=generator).requires_grad_()
    label = torch.randint(classes, (n,), generator=generator)
    confidence = torch.rand(n, generator=generator)
    if who == "goodie":
        of = positives(label, confidence, classes)
        return lambda: contrastive_loss(z, of, temperature=0.01).backward()
    nobody = torch.zeros(n, dtype=torch.bool)
    return lambda: peer.pseudocon(z, label, peer.pair_weights(nobody, confidence), 0.01).backward()


def _time(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as Markdown."""
    lines = ["| case | goodie | plain PyG | ratio (bar) | floor |", "|---|--:|--:|--:|--:|"]
    notes = []
    for row in rows:
        floor = row.get("floor_seconds")
        share = "–" if floor is None else f"{_span(floor)}, {floor / row['seconds']:.0%} of it"
        if "memory" in row:
            lines.append(
                f"| {row['case']} | {row['memory'] / 2**20:.0f} MiB | "
                f"{row['peer_memory'] / 2**20:,.0f} MiB | "
                f"**{row['memory'] / row['peer_memory']:.4f}** (≤ {row['bar']:g}) | – |"
            )
        elif "peer_seconds" in row:
            bar = "" if row["bar"] is None else f" (≥ {row['bar']:g})"
            lines.append(
                f"| {row['case']} | {_span(row['seconds'])} | {_span(row['peer_seconds'])} | "
                f"**{row['peer_seconds'] / row['seconds']:.1f}×**{bar} | {share} |"
            )
        else:
            lines.append(f"| {row['case']} | {_span(row['seconds'])} | – | – | {share} |")
            notes.append(
                f"The exact loss multiplies at {row['products_per_second'] / 1e9:.0f} GFLOP/s, "
                f"{row['products_per_second'] / row['matrix_rate']:.0%} of the "
                f"{row['matrix_rate'] / 1e9:.0f} GFLOP/s that a large matrix product reaches here, "
                "exponentials and sums in the same time."
            )
        if "epochs" in row:
            notes.append(
                f"The whole fits took {row['epochs']} and {row['peer_epochs']} epochs: both stop "
                "200 epochs after their best, and their random numbers differ."
            )
    floor_is = (
        "The floor is that of the pairs alone: products at the rate of a large matrix product, and "
        "exponentials at torch's."
    )
    return [*lines, "", *notes, floor_is]


def _span(duration: float) -> str:
    return f"{duration * 1e3:.1f} ms" if duration < 1 else f"{duration:.1f} s"
