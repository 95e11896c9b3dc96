"""Where answers come from: structure's share by degree, and by what is observed of a node."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from goodie.report.account import Group, Shares

# Nodes with so many features observed are told apart by quantiles, into so many groups.
GROUPS = 5

# Nodes with more neighbours are one group.
MANY = 64


def shares(
    structure: Float[np.ndarray, " nodes"],
    degree: Int[np.ndarray, " nodes"],
    observed: Float[np.ndarray, " nodes"],
) -> Shares:
    """Means and quartiles of structure's share.

    Args:
        structure: its share in each node's embedding.
        degree: neighbours of each node.
        observed: share of each node's features that is observed.
    """
    return Shares(
        mean=float(structure.mean()),
        by_degree=tuple(_groups(structure, _by_degree(degree))),
        by_observed=tuple(_groups(structure, _by_observed(observed))),
    )


def _by_degree(degree: Int[np.ndarray, " nodes"]) -> list[tuple[str, Bool[np.ndarray, " nodes"]]]:
    """0, 1, 2, 3–4, 5–8 and so on."""
    out = [(str(few), degree == few) for few in (0, 1, 2)]
    low = 3
    while low < MANY:
        high = 2 * (low - 1)
        out.append((f"{low}–{high}", (degree >= low) & (degree <= high)))
        low = high + 1
    return [*out, (f"{low} or more", degree >= low)]


def _by_observed(
    observed: Float[np.ndarray, " nodes"],
) -> list[tuple[str, Bool[np.ndarray, " nodes"]]]:
    """None, all, and between them groups of about the same size."""
    out = [("none", observed == 0)]
    between = (observed > 0) & (observed < 1)
    if between.any():
        values = observed[between]
        edges = np.unique(np.quantile(values, np.linspace(0, 1, GROUPS + 1), method="lower"))
        tops = edges[1:] if len(edges) > 1 else edges
        place = np.searchsorted(tops, observed)
        for i, top in enumerate(tops):
            members = between & (place == i)
            low = observed[members].min() if members.any() else top
            out.append((_span(float(low), float(top)), members))
    out.append(("all", observed == 1))
    return out


def _span(low: float, high: float) -> str:
    first, last = (f"{100 * share:.3g}" for share in (low, high))
    return f"{first} %" if first == last else f"{first}–{last} %"


def _groups(
    structure: Float[np.ndarray, " nodes"],
    members: Sequence[tuple[str, Bool[np.ndarray, " nodes"]]],
) -> list[Group]:
    out = []
    for label, chosen in members:
        if chosen.any():
            values = structure[chosen]
            low, high = np.quantile(values, [0.25, 0.75])
            group = Group(label, len(values), float(values.mean()), float(low), float(high))
            out.append(group)
    return out
