"""What is missing: of each node, of each column, of all."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from torch_geometric.data import Data

from goodie.data.observed import observed
from goodie.report.account import Column, Count, Holes
from goodie.sparse import is_sparse

# Columns listed in a report.
LISTED = 200

TENTHS = 10


class Seen(NamedTuple):
    """The share that is observed of each node's columns, and of each column; 0 without any."""

    nodes: Float[np.ndarray, " nodes"]
    columns: Float[np.ndarray, " columns"]


def seen(data: Data, places: Int[np.ndarray, " columns"] | None = None) -> Seen:
    """What is observed; a sparse graph without marks is not made dense for it.

    Args:
        data: validated.
        places: the features that count, one for each column of a table that several encode; all if
            None.
    """
    n = len(data.x)
    width = data.x.shape[1] if places is None else len(places)
    if width == 0:
        return Seen(np.zeros(n), np.zeros(0))
    marked = data.get("observed")
    if is_sparse(data.x) and (marked is None or marked.dim() == 1):
        rows = np.ones(n) if marked is None else marked.numpy().astype(np.float64)
        return Seen(rows, np.full(width, rows.mean()))
    known = observed(data).numpy()
    known = known if places is None else known[:, places]
    return Seen(known.mean(axis=1), known.mean(axis=0))


def holes(shown: Seen, names: Sequence[str] | None = None) -> Holes:
    """The account of what is missing.

    Args:
        shown: from `seen`.
        names: of the columns; their numbers if None.

    Example:
        >>> holes(Seen(np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.0]))).bare
        1
    """
    place = np.minimum((shown.nodes * TENTHS).astype(int), TENTHS - 1)
    some = (shown.nodes > 0) & (shown.nodes < 1)
    tenths = np.bincount(place[some], minlength=TENTHS)
    bars = [Count("none", int((shown.nodes == 0).sum()))]
    bars += [Count(f"{10 * i}–{10 * i + 10} %", int(count)) for i, count in enumerate(tenths)]
    bars += [Count("all", int((shown.nodes == 1).sum()))]
    order = np.argsort(shown.columns, kind="stable")[:LISTED]
    return Holes(
        missing=1.0 - float(shown.nodes.mean()),
        bare=bars[0].nodes,
        by_node=tuple(bars),
        columns=tuple(
            Column(str(i) if names is None else names[i], float(shown.columns[i])) for i in order
        ),
    )
