"""The likeliest links that are not there, without a table of all pairs."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from goodie.data.pairs import EdgeSet
from goodie.errors import InputError

# Entries of a block of scores. Of the first block all may come in, with their places.
BLOCK = 1 << 22


class Recommended(NamedTuple):
    """Pairs that are not joined, the likeliest first.

    Attributes:
        pairs: two rows, a column for each.
        proba: how likely each is, see `predict_proba`.
    """

    pairs: Int[np.ndarray, "2 pairs"]
    proba: Float[np.ndarray, " pairs"]


def best_partners(
    z: Float[Tensor, "nodes width"], edge_index: Int[Tensor, "2 edges"], node: int, k: int
) -> Recommended:
    """The likeliest k nodes to be joined to one, which is the first of each pair.

    Example:
        >>> z = torch.tensor([[1.0], [3.0], [2.0], [-1.0]])
        >>> best_partners(z, torch.tensor([[0], [1]]), 0, 2).pairs.tolist()
        [[0, 0], [2, 3]]
    """
    _check(k)
    logits = z @ z[node]
    logits[node] = -torch.inf
    logits[edge_index[1, edge_index[0] == node]] = -torch.inf
    logits[edge_index[0, edge_index[1] == node]] = -torch.inf
    best = logits.topk(min(k, len(logits)))
    free = best.values > -torch.inf
    partners = best.indices[free].numpy()
    return Recommended(
        np.stack([np.full(len(partners), node), partners]), best.values[free].sigmoid().numpy()
    )


def best_pairs(
    z: Float[Tensor, "nodes width"], edge_index: Int[Tensor, "2 edges"], k: int
) -> Recommended:
    """The likeliest k pairs of all, the smaller node first.

    Nodes are taken in the order of their lengths, a block of rows of the table of all pairs at a
    time. Since z_iᵀ z_j ≤ |z_i| |z_j|, a block ends where no pair could be among the k best any
    more, and the last blocks are not looked at.

    Example:
        >>> z = torch.tensor([[1.0], [3.0], [2.0], [-1.0]])
        >>> best_pairs(z, torch.tensor([[1], [2]]), 2).pairs.tolist()
        [[0, 0], [1, 2]]
    """
    _check(k)
    n = len(z)
    length, order = z.norm(dim=1).sort(descending=True, stable=True)
    z = z[order]
    place = torch.empty_like(order)
    place[order] = torch.arange(n)
    joined = EdgeSet(place[edge_index], n)
    best = _Best(k)
    rows = max(1, BLOCK // max(1, n))
    for first in range(0, n, rows):
        within = n
        if best.worst > 0:
            # Rounding must not cost a pair.
            within = first + int((length[first] * length[first:] * 1.0001 > best.worst).sum())
            if within <= first + 1:
                break
        logits = z[first : first + rows] @ z[first:within].T
        low, high = (logits > best.worst).nonzero().T
        values = logits[low, high]
        above = high > low
        pairs = torch.stack([low, high])[:, above] + first
        free = torch.from_numpy(~joined.has(pairs))
        best.add(pairs[:, free], values[above][free])
    pairs = order[best.pairs].sort(dim=0).values
    return Recommended(pairs.numpy(), best.logits.sigmoid().numpy())


class _Best:
    """The k best pairs so far, best first."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.pairs = torch.empty(2, 0, dtype=torch.long)
        self.logits = torch.empty(0)

    @property
    def worst(self) -> float:
        """What a pair must be better than to come in."""
        return float(self.logits[-1]) if len(self.logits) == self.k else -torch.inf

    def add(self, pairs: Int[Tensor, "2 pairs"], logits: Float[Tensor, " pairs"]) -> None:
        every = torch.cat([self.logits, logits])
        found = every.topk(min(self.k, len(every)))
        self.logits = found.values
        self.pairs = torch.cat([self.pairs, pairs], dim=1)[:, found.indices]


def _check(k: int) -> None:
    if k < 1:
        raise InputError(f"k={k}; there must be one at least")
