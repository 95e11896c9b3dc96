"""Graphs that come as two tables, one of nodes and one of edges."""

from goodie.data.tables.arrays import (
    from_numpy,
    from_pyg,
    from_scipy,
    to_numpy,
    to_pyg,
    to_scipy,
)
from goodie.data.tables.encoding import Encoding
from goodie.data.tables.graph import Problem, TableGraph, from_frames, read_graph
from goodie.data.tables.libraries import from_networkx, from_pandas, to_networkx, to_pandas
from goodie.data.tables.options import Options
from goodie.data.tables.writing import write_table

__all__ = [
    "Encoding",
    "Options",
    "Problem",
    "TableGraph",
    "from_frames",
    "from_networkx",
    "from_numpy",
    "from_pandas",
    "from_pyg",
    "from_scipy",
    "read_graph",
    "to_networkx",
    "to_numpy",
    "to_pandas",
    "to_pyg",
    "to_scipy",
    "write_table",
]
