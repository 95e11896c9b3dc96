"""Graphs from arrays, matrices and PyG, and back."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
import torch
from jaxtyping import Float, Int
from torch_geometric.data import Data
from torch_geometric.utils import is_undirected

from goodie.data.edges import edge_weight
from goodie.data.observed import observed
from goodie.data.tables.encoding import MAX_CATEGORIES, Encoding
from goodie.data.tables.graph import TableGraph, from_frames
from goodie.data.tables.values import ID, LABEL, SOURCE, TARGET, WEIGHT, ids_and_labels, series
from goodie.errors import InputError


class Arrays(NamedTuple):
    """A graph as NumPy arrays.

    Attributes:
        x: features as they are, NaN in the holes; a category is a column for each of its values, a
            date is in days since 1970.
        edge_index: rows of x that edges join, each edge once.
        edge_weight: None where all edges count the same.
        y: place of each label in `classes`, −1 where unknown; None without labels.
        ids: of the nodes.
        names: of the columns of x.
        classes: the labels there are.
    """

    x: Float[np.ndarray, "nodes features"]
    edge_index: Int[np.ndarray, "2 edges"]
    edge_weight: Float[np.ndarray, " edges"] | None
    y: Int[np.ndarray, " nodes"] | None
    ids: list[Any]
    names: tuple[str, ...]
    classes: tuple[Any, ...]


def from_numpy(
    x: Float[np.ndarray, "nodes features"],
    edges: Int[np.ndarray, "2 edges"],
    *,
    y: np.ndarray | None = None,
    weight: Float[np.ndarray, " edges"] | None = None,
    ids: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    directed: bool = False,
) -> TableGraph:
    """A graph from arrays.

    Args:
        x: features, NaN in the holes.
        edges: rows of x that are joined, a column an edge.
        y: labels; integers of which −1 is unknown, or texts of which the empty one is.
        weight: of each edge.
        ids: of the nodes; 0, 1, 2, … if None.
        names: of the features; x0, x1, … if None.
        directed: whether edges have a direction.

    Example:
        >>> graph = from_numpy(np.array([[1.0], [np.nan]]), np.array([[0], [1]]), ids=["a", "b"])
        >>> graph.nodes.ids.to_list(), to_numpy(graph).x.tolist()
        (['a', 'b'], [[1.0], [nan]])
    """
    if x.ndim != 2:
        raise InputError(f"x has shape {x.shape}, expected (nodes, features)")
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise InputError(f"edges have shape {edges.shape}, expected (2, edges)")
    n = len(x)
    own = series(ID, range(n) if ids is None else ids)
    if len(own) != n:
        raise InputError(f"{len(own)} ids for {n} rows of x")
    if edges.size and not (edges.min() >= 0 and edges.max() < n):
        raise InputError(f"edges name row {int(edges.max())} of x, which has {n} (0 to {n - 1})")
    given = [f"x{place}" for place in range(x.shape[1])] if names is None else list(names)
    if len(given) != x.shape[1] or len({ID, LABEL, *given}) != len(given) + 2:
        raise InputError(f"{x.shape[1]} columns need as many different names, not id or label")
    columns = [own, *(pl.Series(name, x[:, place]) for place, name in enumerate(given))]
    columns = [column.fill_nan(None) if column.dtype.is_float() else column for column in columns]
    if y is not None:
        labels = series(LABEL, y.tolist())
        columns.append(labels.set(labels == -1, None) if labels.dtype.is_integer() else labels)
    ends = {SOURCE: own.gather(edges[0]), TARGET: own.gather(edges[1])}
    return from_frames(
        pl.DataFrame(columns),
        pl.DataFrame(ends if weight is None else {**ends, WEIGHT: pl.Series(weight)}),
        ids_and_labels(y is not None, directed),
    )


def to_numpy(graph: TableGraph, *, max_categories: int = MAX_CATEGORIES) -> Arrays:
    """The graph as arrays, its features as they are."""
    nodes, labels = graph.nodes, graph.nodes.labels
    everyone = np.ones(len(nodes), dtype=bool)
    encoding, _ = Encoding.fit(
        nodes.features, everyone, max_categories=max_categories, standardised=False
    )
    x = encoding.apply(nodes.features, len(nodes), farthest=np.inf, dtype=np.float64)
    return Arrays(
        x.numpy(),
        graph.edges.ends,
        graph.edges.weight,
        None if labels is None else labels.y.numpy(),
        nodes.ids.to_list(),
        encoding.names,
        () if labels is None else tuple(labels.classes.to_list()),
    )


def from_scipy(
    adjacency: sp.sparray | sp.spmatrix,
    x: np.ndarray,
    *,
    y: np.ndarray | None = None,
    ids: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
) -> TableGraph:
    """A graph from an adjacency matrix, A[i, j] the edge i → j; undirected where it is symmetric.

    Weights are taken for such where they are not all 1. The rest is as for `from_numpy`.
    """
    given: Any = adjacency
    A = sp.csr_array(given).tocoo()
    A.sum_duplicates()
    if A.shape[0] != A.shape[1]:
        raise InputError(f"the adjacency has shape {A.shape}; it is as wide as it is high")
    difference: Any = A.tocsr() != A.T.tocsr()
    directed = bool(difference.nnz)
    there = A.data != 0
    stays = there if directed else there & (A.row <= A.col)
    weight = A.data[stays]
    return from_numpy(
        x,
        np.stack([A.row[stays], A.col[stays]]).astype(np.int64),
        y=y,
        weight=None if (weight == 1).all() else weight.astype(np.float64),
        ids=ids,
        names=names,
        directed=directed,
    )


def to_scipy(graph: TableGraph) -> sp.csr_array:
    """The adjacency, a row and a column for each node in the table's order."""
    rows, columns = graph.edges.edge_index.numpy()
    weight = graph.edges.edge_weight
    values = np.ones(len(rows)) if weight is None else weight.numpy().astype(np.float64)
    A = sp.coo_array((values, (rows, columns)), shape=(len(graph.nodes),) * 2).tocsr()
    if weight is None:
        A.data[:] = 1.0
    return A


def from_pyg(
    data: Data, *, ids: Sequence[Any] | None = None, names: Sequence[str] | None = None
) -> TableGraph:
    """A graph from PyG's, whose edges are undirected where they all go both ways.

    Masks are not kept: labels that a model is not to see are −1.
    """
    x = data.x.to_dense().masked_fill(~observed(data), torch.nan).numpy()
    weight = edge_weight(data)
    directed = not is_undirected(data.edge_index, weight, num_nodes=len(x))
    edges = data.edge_index.numpy()
    stays = np.ones(edges.shape[1], dtype=bool) if directed else edges[0] <= edges[1]
    return from_numpy(
        x,
        edges[:, stays],
        y=None if data.get("y") is None else data.y.numpy(),
        weight=None if weight is None else weight.numpy()[stays].astype(np.float64),
        ids=ids,
        names=names,
        directed=directed,
    )


def to_pyg(graph: TableGraph, *, max_categories: int = MAX_CATEGORIES) -> Data:
    """The graph as PyG's, its features as they are (`TableGraph.encode` standardises them)."""
    arrays = to_numpy(graph, max_categories=max_categories)
    data = Data(
        x=torch.from_numpy(arrays.x).float(),
        edge_index=graph.edges.edge_index,
        num_nodes=len(graph.nodes),
    )
    if graph.edges.weight is not None:
        data.edge_weight = graph.edges.edge_weight
    if arrays.y is not None:
        data.y = torch.from_numpy(arrays.y)
    return data
