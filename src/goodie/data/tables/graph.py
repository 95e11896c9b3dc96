"""Two tables as one graph: what every command starts from."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.tables.edges import EdgeTable, read_edges
from goodie.data.tables.encoding import MAX_CATEGORIES, Encoding
from goodie.data.tables.files import read_sheet
from goodie.data.tables.nodes import NodeTable, read_nodes
from goodie.data.tables.options import Options
from goodie.data.tables.sheet import Sheet


@dataclass(frozen=True, eq=False)
class TableGraph:
    """A graph that came as two tables.

    Attributes:
        nodes: ids, labels and features.
        edges: between them.
        options: how the tables were read, with the columns' names that were found out.
    """

    nodes: NodeTable
    edges: EdgeTable
    options: Options

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed while reading."""
        return self.nodes.notes + self.edges.notes

    def data(self, encoding: Encoding) -> Data:
        """The graph as PyG has it.

        Returns:
            x with NaN in the holes, edge_index, edge_weight if there are weights, and, where a
            column holds labels, y: their places among the sorted classes, −1 where unknown.
        """
        n = len(self.nodes)
        data = Data(
            x=encoding.apply(self.nodes.features, n),
            edge_index=self.edges.edge_index,
            num_nodes=n,
        )
        if self.edges.weight is not None:
            data.edge_weight = self.edges.edge_weight
        if self.nodes.labels is not None:
            data.y = self.nodes.labels.y
        return data

    def encode(
        self,
        training: Bool[Tensor, " nodes"] | None = None,
        *,
        max_categories: int = MAX_CATEGORIES,
    ) -> "Problem":
        """The graph with an encoding of its own.

        Args:
            training: the nodes whose observed values say how columns are encoded; None for all.
            max_categories: see `Encoding.fit`.
        """
        rows = np.ones(len(self.nodes), dtype=bool) if training is None else training.numpy()
        fitted = Encoding.fit(self.nodes.features, rows, max_categories=max_categories)
        return Problem(self, fitted.encoding, self.data(fitted.encoding), fitted.notes)

    @property
    def isolated(self) -> Bool[Tensor, " nodes"]:
        """The nodes that no edge joins to another."""
        a, b = self.edges.ends
        joined = np.zeros(len(self.nodes), dtype=bool)
        joined[self.edges.ends[:, a != b].ravel()] = True
        return torch.from_numpy(~joined)


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph from tables, as numbers.

    Attributes:
        graph: the tables.
        encoding: how their columns became those of x.
        data: the graph as PyG has it.
        notes: what was left out, as sentences.
    """

    graph: TableGraph
    encoding: Encoding
    data: Data
    notes: tuple[str, ...] = ()

    @property
    def x(self) -> Float[Tensor, "nodes features"]:
        """The encoded features."""
        x: Tensor = self.data.x
        return x


def read_graph(nodes: str | Path, edges: str | Path, options: Options | None = None) -> TableGraph:
    """A graph from two files, CSV or Parquet.

    Args:
        nodes: a row a node: an id, features, maybe a label.
        edges: a row an edge: two ids, maybe a weight.
        options: which columns are what.
    """
    options = options or Options()
    return from_sheets(
        read_sheet(nodes, separator=options.separator),
        read_sheet(edges, separator=options.separator),
        options,
    )


def from_frames(
    nodes: pl.DataFrame, edges: pl.DataFrame, options: Options | None = None
) -> TableGraph:
    """A graph from two tables in memory.

    Example:
        >>> nodes = pl.DataFrame({"id": ["a", "b"], "age": [31, None], "label": ["x", None]})
        >>> edges = pl.DataFrame({"source": ["a"], "target": ["b"]})
        >>> graph = from_frames(nodes, edges, Options(label="label"))
        >>> graph.encode().data
        Data(x=[2, 1], edge_index=[2, 2], num_nodes=2, y=[2])
    """
    return from_sheets(Sheet(nodes, "the nodes"), Sheet(edges, "the edges"), options or Options())


def from_sheets(nodes: Sheet, edges: Sheet, options: Options) -> TableGraph:
    """A graph from two tables, wherever they came from."""
    node_table = read_nodes(nodes, options)
    edge_table = read_edges(edges, node_table, options)
    found = replace(
        options,
        id=node_table.ids.name,
        source=edge_table.names[0],
        target=edge_table.names[1],
        weight=edge_table.names[2],
    )
    return TableGraph(node_table, edge_table, found)
