"""How alike neighbours are, in their labels and in their features."""

from typing import Any

import numpy as np
from jaxtyping import Int

from goodie.data.tables.graph import Problem, TableGraph

Pairs = Int[np.ndarray, "2 pairs"]

# Fewer pairs of neighbours than this that show a column say nothing of it.
FEWEST_PAIRS = 30


def joined_pairs(graph: TableGraph) -> Pairs:
    """Every two nodes that an edge joins, once."""
    low, high = np.sort(graph.edges.ends, axis=0)
    number = np.unique((low * len(graph.nodes) + high)[low != high])
    return np.stack(np.divmod(number, len(graph.nodes)))


def label_homophily(y: Int[np.ndarray, " nodes"], pairs: Pairs) -> dict[str, Any] | None:
    """How often two labelled neighbours have the same label, and how often by chance."""
    ends = y[pairs]
    ends = ends[:, (ends >= 0).all(axis=0)]
    if ends.shape[1] == 0:
        return None
    share = float((ends[0] == ends[1]).mean())
    frequency = np.bincount(ends.ravel()) / ends.size
    chance = float((frequency**2).sum())
    adjusted = (share - chance) / (1 - chance) if chance < 1 else None
    return {"pairs": ends.shape[1], "share": share, "by_chance": chance, "adjusted": adjusted}


def alike_neighbours(problem: Problem, pairs: Pairs) -> dict[str, float]:
    """Of each column, the correlation of the values of neighbours that both show it.

    Categories are taken together, which makes it what is called assortativity.
    """
    x, at = problem.x.numpy(), 0
    found = {}
    for column in problem.encoding.columns:
        place = slice(at, at + len(column.names))
        at = place.stop
        shown = ~np.isnan(x[:, place.start])
        one, other = pairs[:, shown[pairs].all(axis=0)]
        if len(one) < FEWEST_PAIRS:
            continue
        shared = varied = 0.0
        for place_of_one in range(place.start, place.stop):
            a, b = x[one, place_of_one].astype(np.float64), x[other, place_of_one]
            middle = (a.sum() + b.sum(dtype=np.float64)) / (2 * len(a))
            a, b = a - middle, b - middle
            shared += 2 * float(a @ b)
            varied += float(a @ a + b @ b)
        if varied > 0:
            found[column.name] = shared / varied
    return found
