"""The table of edges: ids looked up among the nodes, weights checked."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import torch
from jaxtyping import Float, Int
from torch import Tensor

from goodie.data.tables.nodes import NodeTable, keys, missing_key, named
from goodie.data.tables.options import Options
from goodie.data.tables.sheet import Sheet, counted, listed
from goodie.errors import InputError

SOURCES = ("source", "src", "from", "u", "node1", "id1")
TARGETS = ("target", "dst", "to", "v", "node2", "id2")


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """The edges, as the table has them.

    Attributes:
        sheet: the table as it came.
        ends: the rows of the nodes at both ends of each row of the table.
        weight: of each row; None where all count the same.
        directed: whether an edge is kept in its direction only.
        names: of the columns of the ends and of the weight.
        notes: what was noticed while reading.
    """

    sheet: Sheet
    ends: Int[np.ndarray, "2 rows"]
    weight: Float[np.ndarray, " rows"] | None
    directed: bool
    names: tuple[str, str, str | None]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return int(self.ends.shape[1])

    @property
    def edge_index(self) -> Int[Tensor, "2 entries"]:
        """As PyG has it; both ways, unless directed. A loop has one way."""
        return torch.from_numpy(self._both_ways(self.ends, self.ends[::-1]))

    @property
    def edge_weight(self) -> Float[Tensor, " entries"] | None:
        """Of each column of `edge_index`."""
        if self.weight is None:
            return None
        return torch.from_numpy(self._both_ways(self.weight, self.weight).astype(np.float32))

    def _both_ways(self, there: np.ndarray, back: np.ndarray) -> np.ndarray:
        if self.directed:
            return np.ascontiguousarray(there)
        returns = self.ends[0] != self.ends[1]
        return np.concatenate([there, back[..., returns]], axis=-1)


def read_edges(sheet: Sheet, nodes: NodeTable, options: Options) -> EdgeTable:
    """Make sense of a table of edges.

    Args:
        sheet: the table.
        nodes: those that it may name.
        options: which columns are what.
    """
    columns = sheet.frame.columns
    source = options.source or named(sheet, SOURCES, 0)
    others = [name for name in columns if name != source]
    rest = Sheet(sheet.frame.select(others), sheet.source)
    if options.target is None and not others:
        raise InputError(
            f"{sheet.source} has 1 column ({source}), and an edge needs two ids: is the separator "
            "right?"
        )
    target = options.target or named(rest, TARGETS, 0)
    if source == target:
        raise InputError(f"{source!r} cannot be both ends of the edges")
    key = {name: keys(sheet.column(name)) for name in (source, target)}
    for name in (source, target):
        absent = missing_key(key[name])
        if absent.any():
            place = sheet.place(int(absent.arg_true()[0]))
            raise InputError(
                f"an id is lacking in column {name!r} of {counted(int(absent.sum()), 'edge')}, "
                f"e.g. in {place}"
            )
    node_keys = keys(nodes.ids)
    ends = np.stack([_places(key[name], node_keys) for name in (source, target)])
    known = (ends >= 0).all(axis=0)
    notes = list(sheet.notes)
    if not known.all():
        said = _unknown(sheet, key[source], key[target], ends, nodes)
        if options.unknown == "error":
            raise InputError(
                f"{said}: add these nodes to the table, or leave the edges out with --unknown drop"
            )
        notes.append(f"{said}; they are left out")
    weight_name = options.weight
    if weight_name is None and (named_weight := [n for n in others if n.lower() == "weight"]):
        weight_name = named_weight[0]
    weight = None if weight_name is None else _weights(sheet, weight_name)[known]
    unused = [name for name in others if name not in (target, weight_name)]
    if unused:
        notes.append(f"columns of the edges that are not used: {listed(unused)}")
    names = (source, target, weight_name)
    return EdgeTable(sheet, ends[:, known], weight, options.directed, names, tuple(notes))


def _places(key: pl.Series, nodes: pl.Series) -> Int[np.ndarray, " edges"]:
    """The row of each id in the table of nodes, −1 where it is not there."""
    look_up = pl.DataFrame({"key": nodes, "row": np.arange(len(nodes))})
    found = key.to_frame("key").join(look_up, on="key", how="left", maintain_order="left")
    places: np.ndarray = found["row"].fill_null(-1).cast(pl.Int64).to_numpy(writable=True)
    return places


def _unknown(
    sheet: Sheet,
    source: pl.Series,
    target: pl.Series,
    ends: Int[np.ndarray, "2 rows"],
    nodes: NodeTable,
) -> str:
    """How many edges name nodes that are not there, with one of them."""
    bad = np.flatnonzero((ends < 0).any(axis=0))
    row = int(bad[0])
    said = (
        f"unknown nodes are named by {counted(len(bad), 'edge')}, e.g. {source[row]!r} → "
        f"{target[row]!r} in {sheet.place(row)}"
    )
    stranger = source[row] if ends[0, row] < 0 else target[row]
    if (keys(nodes.ids).str.strip_chars() == str(stranger).strip()).any():
        return f"{said} (ids differ in the blanks around them)"
    if len(bad) == len(source):
        ids = listed([repr(one) for one in nodes.ids[:3].to_list()])
        return (
            f"{said}; no edge names two nodes whose ids are those of {nodes.ids.name!r}, {ids}, …"
        )
    return said


def _weights(sheet: Sheet, name: str) -> Float[np.ndarray, " rows"]:
    raw = sheet.column(name)
    if raw.dtype == pl.String:
        raw = raw.str.strip_chars()
    values = raw.cast(pl.Float64, strict=False)
    bad = ~(values.is_finite() & (values >= 0)).fill_null(False)
    if bad.any():
        row = int(bad.arg_true()[0])
        raise InputError(
            f"a weight is a number from 0 up; column {name!r} holds "
            f"{counted(int(bad.sum()), 'other value')}, e.g. {raw[row]!r} in {sheet.place(row)}"
        )
    weights: np.ndarray = values.to_numpy()
    return weights
