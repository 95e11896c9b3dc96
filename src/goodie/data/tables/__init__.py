"""Graphs that come as two tables, one of nodes and one of edges."""

from goodie.data.tables.encoding import Encoding
from goodie.data.tables.graph import Problem, TableGraph, from_frames, read_graph
from goodie.data.tables.options import Options
from goodie.data.tables.writing import write_table

__all__ = [
    "Encoding",
    "Options",
    "Problem",
    "TableGraph",
    "from_frames",
    "read_graph",
    "write_table",
]
