"""The likeliest links that are not there, without a table of all pairs."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from goodie.errors import InputError

# Entries of a block of scores: 64 MB of them.
BLOCK = 1 << 24


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

    Rows of the table of all pairs are looked at in blocks, of which the k best are kept.

    Example:
        >>> z = torch.tensor([[1.0], [3.0], [2.0], [-1.0]])
        >>> best_pairs(z, torch.tensor([[1], [2]]), 2).pairs.tolist()
        [[0, 0], [1, 2]]
    """
    _check(k)
    n = len(z)
    rows = max(1, BLOCK // max(1, n))
    kept_pairs = torch.empty(2, 0, dtype=torch.long)
    kept = z.new_empty(0)
    for first in range(0, n, rows):
        some = torch.arange(first, min(first + rows, n))
        # Of each pair the half above the diagonal, which starts further right in every row.
        logits = z[some] @ z[first:].T
        upto = torch.ones(len(some), len(some), dtype=torch.bool).tril()
        logits[:, : len(some)].masked_fill_(upto, -torch.inf)
        _leave_out(logits, edge_index, first)
        flat = logits.flatten()
        # What is no better than the worst kept need not be sorted.
        better = (flat > (kept[-1] if len(kept) == k else -torch.inf)).nonzero()[:, 0]
        best = flat[better].topk(min(k, len(better)))
        place, columns = better[best.indices], logits.shape[1]
        found = torch.stack([place // columns, place % columns]) + first
        every = torch.cat([kept, best.values])
        order = every.argsort(descending=True, stable=True)[:k]
        kept, kept_pairs = every[order], torch.cat([kept_pairs, found], dim=1)[:, order]
    return Recommended(kept_pairs.numpy(), kept.sigmoid().numpy())


def _leave_out(
    logits: Float[Tensor, "rows columns"], edge_index: Int[Tensor, "2 edges"], first: int
) -> None:
    """Mark the pairs of a block that are joined; it begins at this node, both ways."""
    low, high = edge_index.min(dim=0).values, edge_index.max(dim=0).values
    here = (low >= first) & (low < first + len(logits))
    logits[low[here] - first, high[here] - first] = -torch.inf


def _check(k: int) -> None:
    if k < 1:
        raise InputError(f"k={k}; there must be one at least")
