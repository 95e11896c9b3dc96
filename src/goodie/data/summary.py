"""Sizes of the datasets, measured where they are at hand and beside the paper's Table 1."""

import warnings
from dataclasses import dataclass
from pathlib import Path

from torch_geometric.data import Data
from torch_geometric.utils import remove_self_loops

from goodie import paper
from goodie.data.datasets import DATASETS, Dataset, load
from goodie.data.files import cache_folder


@dataclass(frozen=True)
class Summary:
    """A dataset's row; sizes are None where its files are not at hand.

    `edges` is counted as the paper counts: without loops, and once per pair of nodes, except on
    Arxiv, whose published figure counts directed edges.
    """

    name: str
    nodes: int | None
    edges: int | None
    edges_undirected: int | None
    features: int | None
    classes: int | None
    cached: bool
    source: str
    folder: str | None
    paper: dict[str, int] | None


def summarise(root: Path | None = None) -> list[Summary]:
    """One row for every dataset.

    Those in the mirror are brought into the cache; none is fetched from the network.
    """
    root = cache_folder() if root is None else root
    return [_row(dataset, root) for dataset in DATASETS.values()]


def _row(dataset: Dataset, root: Path) -> Summary:
    data = None
    if dataset.is_cached(root) or dataset.mirror() is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that Arxiv lacks its features is not news here
            data = load(dataset.name, root, sparse=dataset.name != "Arxiv")
    undirected = None if data is None else _undirected_edges(data)
    return Summary(
        name=dataset.name,
        nodes=None if data is None else int(data.num_nodes),
        edges=undirected if data is None else data.get("num_directed_edges", undirected),
        edges_undirected=undirected,
        features=None if data is None else int(data.x.shape[1]),
        classes=None if data is None else int(data.y.max()) + 1,
        cached=dataset.is_cached(root),
        source=dataset.source,
        folder=str(dataset.folder(root)) if dataset.files else None,
        paper=paper.statistics(dataset.name),
    )


def _undirected_edges(data: Data) -> int:
    """Pairs of different nodes that an edge joins; the graph stores each in both directions."""
    edges, _ = remove_self_loops(data.edge_index)
    return int(edges.shape[1]) // 2
