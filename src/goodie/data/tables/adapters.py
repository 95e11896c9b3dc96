"""Graphs from what other libraries hold them in, and back.

NetworkX and pandas are not needed unless they are used: what is given to a function here is one of
their objects already, and they are imported only to make one.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
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
from goodie.data.tables.options import Options
from goodie.errors import InputError

ID, LABEL, SOURCE, TARGET, WEIGHT = "id", "label", "source", "target", "weight"


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
        _options(y is not None, directed),
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


def from_networkx(graph: Any, *, label: str | None = None, weight: str = WEIGHT) -> TableGraph:
    """A graph from NetworkX, the attributes of whose nodes are the features.

    Ids that are neither all numbers nor all texts are taken for the texts they print as.

    Args:
        graph: directed or not.
        label: the attribute that is to be predicted.
        weight: the edges' attribute that is their weight, if they have it.
    """
    attributes = {name: None for _, own in graph.nodes(data=True) for name in own}
    if ID in attributes:
        raise InputError(
            "an attribute of the nodes is called id, which is for their names: rename it"
        )
    columns = [series(ID, graph.nodes)]
    for name in attributes:
        columns.append(series(str(name), (own.get(name) for _, own in graph.nodes(data=True))))
    place = {node: number for number, node in enumerate(graph.nodes)}
    ends = list(graph.edges(data=weight, default=None))
    rows = {SOURCE: [place[u] for u, _, _ in ends], TARGET: [place[v] for _, v, _ in ends]}
    own_ids = columns[0]
    edges = pl.DataFrame(
        {name: own_ids.gather(pl.Series(one, dtype=pl.Int64)) for name, one in rows.items()}
    )
    weights = [1.0 if one is None else one for *_, one in ends]
    if any(one is not None for *_, one in ends):
        edges = edges.with_columns(pl.Series(WEIGHT, weights, dtype=pl.Float64))
    options = replace(_options(False, bool(graph.is_directed())), label=label)
    return from_frames(pl.DataFrame(columns), edges, options)


def to_networkx(graph: TableGraph) -> Any:
    """The graph as NetworkX has it, with the columns of the nodes that are not holes."""
    import networkx as nx

    out = nx.DiGraph() if graph.edges.directed else nx.Graph()
    frame, ids = graph.nodes.sheet.frame, graph.nodes.ids.to_list()
    for node, own in zip(ids, frame.drop(graph.nodes.ids.name).iter_rows(named=True), strict=True):
        out.add_node(node, **{name: value for name, value in own.items() if value is not None})
    weight = graph.edges.weight
    for number, (u, v) in enumerate(graph.edges.ends.T):
        own = {} if weight is None else {WEIGHT: float(weight[number])}
        out.add_edge(ids[u], ids[v], **own)
    return out


def from_pandas(nodes: Any, edges: Any, options: Options | None = None) -> TableGraph:
    """A graph from two pandas data frames; an index is left behind unless it is a column."""
    return from_frames(_from_pandas(nodes), _from_pandas(edges), options)


def to_pandas(graph: TableGraph) -> tuple[Any, Any]:
    """The tables of nodes and edges as pandas data frames."""
    import pandas as pd

    frames = (graph.nodes.sheet.frame, graph.edges.sheet.frame)
    nodes, edges = (pd.DataFrame({c.name: c.to_list() for c in frame}) for frame in frames)
    return nodes, edges


def series(name: str, values: Iterable[Hashable]) -> pl.Series:
    """Values of any one type as a column; of several types as text.

    Example:
        >>> series("id", ["a", 1, None]).to_list()
        ['a', '1', None]
    """
    held = [None if _is_nothing(value) else value for value in values]
    kinds = {type(value) for value in held if value is not None}
    if kinds <= {int, float} or len(kinds) <= 1:
        try:
            return pl.Series(name, held, strict=kinds != {int, float})
        except (TypeError, OverflowError, pl.exceptions.PolarsError):
            pass
    return pl.Series(name, [None if value is None else str(value) for value in held])


def _from_pandas(frame: Any) -> pl.DataFrame:
    columns: Mapping[str, pl.Series] = {
        str(name): series(str(name), frame[name].tolist()) for name in frame.columns
    }
    return pl.DataFrame(columns)


def _is_nothing(value: Any) -> bool:
    """None, NaN, and pandas' NaT and NA."""
    return (
        value is None
        or type(value).__name__ in ("NaTType", "NAType")
        or (isinstance(value, float) and value != value)
    )


def _options(labelled: bool, directed: bool) -> Options:
    return Options(
        id=ID,
        label=LABEL if labelled else None,
        source=SOURCE,
        target=TARGET,
        directed=directed,
    )
