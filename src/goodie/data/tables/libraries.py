"""Graphs from NetworkX and pandas, and back.

Neither is needed unless it is used: what is given to a function here is one of their objects
already, and they are imported only to make one.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from goodie.data.tables.graph import TableGraph, from_frames
from goodie.data.tables.options import Options
from goodie.data.tables.values import ID, SOURCE, TARGET, WEIGHT, ids_and_labels, series
from goodie.errors import InputError


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
    options = replace(ids_and_labels(False, bool(graph.is_directed())), label=label)
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


def _from_pandas(frame: Any) -> pl.DataFrame:
    columns: Mapping[str, pl.Series] = {
        str(name): series(str(name), frame[name].tolist()) for name in frame.columns
    }
    return pl.DataFrame(columns)
