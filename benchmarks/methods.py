"""Every method of the registry: seconds an epoch, seconds beside its epochs, memory of a fit.

PyG's own GCN, LabelPropagation and CorrectAndSmooth (`benchmarks/peers/pyg.py`) run beside ours, on
the same graph in the same run.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from torch_geometric.data import Data

from benchmarks.measure import peak_memory, seconds
from benchmarks.peers import pyg
from goodie import config, datasets, methods, missing, splits, synthetic
from goodie.study import cell
from goodie.study.provenance import git_revision

DATASETS = ("Cora", "PubMed")
RATE = 0.9999

# Epochs are timed in as many as take about this long, so that they stand out of what is beside.
SECONDS = 2.0
AT_MOST = 500

# Peaks are reached within the first epochs; the others only take time.
EPOCHS_FOR_MEMORY = 3

# Those that PyG has too. LP's α is the paper's for the dataset, as for ours.
PEERS = {
    "gcn": ("GCNConv", pyg.gcn),
    "lp": ("LabelPropagation", pyg.label_propagation),
    "cs": ("CorrectAndSmooth", pyg.correct_and_smooth),
}

Call = Callable[[], object]


def run(only: str = "") -> list[dict[str, Any]]:
    """A row for each method on each dataset whose name begins with `only`."""
    return [
        measure(name, dataset)
        for dataset in DATASETS
        if dataset.startswith(only)
        for name in methods.METHODS
    ]


def measure(name: str, dataset: str) -> dict[str, Any]:
    """Ours and, where there is one, PyG's.

    A fit of no epochs is what a method does beside them: preparing, and, for `cs`, all but the
    regression. What a method keeps on disk, as walk embeddings are, is made in the first fit, whose
    time stands by itself.
    """
    data = holed(dataset)
    row: dict[str, Any] = {
        "case": f"{name} on {dataset}",
        "method": name,
        "dataset": dataset,
        "revision": git_revision(),
        "date": date.today().isoformat(),
        "first_fit_seconds": first_fit(fit(name, dataset, data, "goodie", 0)),
    }
    prefixes = {"goodie": ""}
    if name in PEERS:
        row["peer"] = PEERS[name][0]
        prefixes["PyG"] = "peer_"

    epochs = {who: enough(partial(fit, name, dataset, data, who)) for who in prefixes}
    spans = [
        (who, span) for who in prefixes for span in ((0, epochs[who]) if trains(name) else (0,))
    ]
    calls = [fit(name, dataset, data, who, span) for who, span in spans]
    taken = dict(zip(spans, seconds(*calls), strict=True))
    for who, prefix in prefixes.items():
        row[f"{prefix}fit_seconds"] = taken[who, 0]
        row[f"{prefix}memory"] = peak_memory(_for_memory, name, dataset, who)
        if trains(name):
            beyond = taken[who, epochs[who]] - taken[who, 0]
            row[f"{prefix}epoch_seconds"] = beyond / epochs[who]
            row[f"{prefix}epochs"] = epochs[who]
    return row


def enough(fit_of: Callable[[int], Call], few: int = 5) -> int:
    """How many epochs to time."""
    none, some = seconds(fit_of(0), fit_of(few), repeats=1)
    return min(AT_MOST, max(few, round(few * SECONDS / max(some - none, 1e-3))))


def trains(name: str) -> bool:
    """Whether a method has epochs."""
    return "max_epochs" in methods.get(name).Settings.__dataclass_fields__


def holed(dataset: str) -> Data:
    """A graph with its split and its holes."""
    data = datasets.load(dataset)
    return datasets.find(dataset).split(data, 0).apply(missing.uniform(data, RATE))


@contextmanager
def empty_cache() -> Iterator[Path]:
    """Nothing is kept from earlier fits, and nothing for later ones."""
    with TemporaryDirectory() as folder, patch.dict(os.environ, GOODIE_HOME=folder):
        yield Path(folder)


def first_fit(call: Call) -> float | None:
    """Seconds of a fit that finds nothing kept on disk; None if it keeps nothing."""
    with empty_cache() as folder:
        begin = time.perf_counter()
        call()
        taken = time.perf_counter() - begin
        return taken if any(folder.iterdir()) else None


def fit(name: str, dataset: str, data: Data, whose: str, epochs: int) -> Call:
    """A fit with the paper's settings for the dataset, of so many epochs if it has any."""
    limit = {"max_epochs": epochs, "patience": epochs + 1} if trains(name) else {}
    settings = cell.resolve(name, dataset, "uniform", limit)
    if whose == "goodie":
        kind = methods.get(name)
        return lambda: kind(config.build(kind.Settings, settings)).fit(data)
    _, peer = PEERS[name]
    return partial(peer, data, epochs if trains(name) else settings["alpha"])


def _for_memory(name: str, dataset: str, whose: str) -> Call:
    """A fit, in a process that has fitted before: what libraries set up is not the fit's."""
    toy = synthetic(300, 3)
    toy = splits.stratified(toy.y).apply(missing.uniform(toy, RATE))
    with empty_cache():
        fit(name, dataset, toy, whose, 1)()
    call = fit(name, dataset, holed(dataset), whose, EPOCHS_FOR_MEMORY)

    def uncached() -> None:
        with empty_cache():
            call()

    return uncached


def table(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as Markdown."""
    lines = [
        "| dataset | method | an epoch | beside epochs | peak memory "
        "| PyG | an epoch | beside epochs | peak memory |",
        "|---|---|--:|--:|--:|---|--:|--:|--:|",
    ]
    for row in rows:
        ours = _cells(row, "")
        theirs = [row["peer"], *_cells(row, "peer_", against=row)] if "peer" in row else ["–"] * 4
        lines.append(f"| {' | '.join([row['dataset'], row['method'], *ours, *theirs])} |")
    return [
        *lines,
        "",
        f"{RATE:.2%} of the features missing, uniformly; the paper's settings. In brackets: PyG's "
        "figure over ours. An epoch is a step and the evaluation that selects. Beside epochs: a "
        "fit of none, or the whole fit where there are none; (first: …) is one that makes what "
        f"later ones read from disk. Memory is what a first fit of {EPOCHS_FOR_MEMORY} epochs "
        "takes beyond its process and its graph.",
    ]


def _cells(row: dict[str, Any], prefix: str, against: dict[str, Any] | None = None) -> list[str]:
    cells = []
    for key, text in (("epoch_seconds", _span), ("fit_seconds", _span), ("memory", _size)):
        value = row.get(prefix + key)
        if value is None:
            cells.append("–")
        elif against is None:
            first = row["first_fit_seconds"] if key == "fit_seconds" else None
            cells.append(text(value) + (f" (first: {_span(first)})" if first else ""))
        else:
            cells.append(f"{text(value)} (**{value / against[key]:.1f}×**)")
    return cells


def _span(duration: float) -> str:
    return f"{duration * 1e3:.1f} ms" if duration < 1 else f"{duration:.1f} s"


def _size(memory: int) -> str:
    return f"{memory / 2**20:,.0f} MiB"
