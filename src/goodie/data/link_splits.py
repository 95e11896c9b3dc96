"""Which edges are learned from, which select and which are judged."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.edges import edge_weight
from goodie.data.pairs import EdgeSet, NonEdges, Told, edge_pairs
from goodie.errors import InputError, InvalidGraphError


class LinkSplit(NamedTuple):
    """A graph without some of its edges, and those.

    Beside as many edges, `val` and `test` have pairs that are edges of no part; no pair is in two
    parts. Pairs to learn from that are no edges are for training to draw, of which see
    docs/decisions/0010.

    Attributes:
        data: the graph with the edges that are learned from, in the directions they had.
        val: pairs to select by.
        test: pairs to judge by.
    """

    data: Data
    val: Told
    test: Told


def split_links(
    data: Data, *, val: float = 0.05, test: float = 0.1, random_state: int = 0
) -> LinkSplit:
    """Set shares of a graph's edges aside at random; an edge goes with its reverse.

    Args:
        data: validated.
        val: share to select by.
        test: share to judge by.
        random_state: seed.

    Example:
        >>> ring = torch.arange(20)
        >>> data = Data(edge_index=torch.stack([ring, (ring + 1) % 20]), num_nodes=20)
        >>> split = split_links(data, val=0.1, test=0.2)
        >>> [part.shape[1] for part in (split.data.edge_index, split.val.edges, split.test.others)]
        [14, 2, 4]
    """
    if not (val >= 0 and test >= 0 and val + test < 1):
        raise InputError(f"val={val} and test={test} must be shares that add up to less than 1")
    n = int(data.num_nodes)
    pairs = edge_pairs(data.edge_index, n)
    count = pairs.shape[1]
    num_val, num_test = round(val * count), round(test * count)
    if count - num_val - num_test < 1 or (val > 0 and not num_val) or (test > 0 and not num_test):
        raise InvalidGraphError(
            f"{count} edges are too few to set {val:.0%} and {test:.0%} of them aside"
        )
    rng = np.random.default_rng(random_state)
    order = torch.from_numpy(rng.permutation(count))
    aside = pairs[:, order[: num_val + num_test]]
    others = NonEdges(data.edge_index, n).draw(num_val + num_test, rng)
    return LinkSplit(
        without_edges(data, aside),
        Told(aside[:, :num_val], others[:, :num_val]),
        Told(aside[:, num_val:], others[:, num_val:]),
    )


def without_edges(data: Data, pairs: Int[Tensor, "2 pairs"]) -> Data:
    """A copy of a graph without some edges, in both directions."""
    weight = edge_weight(data)
    keep = torch.from_numpy(~EdgeSet(pairs, int(data.num_nodes)).has(data.edge_index))
    out = Data(**{k: v for k, v in data.items() if k not in ("edge_attr", "edge_weight")})
    out.num_nodes = int(data.num_nodes)
    out.edge_index = data.edge_index[:, keep]
    if weight is not None:
        out.edge_weight = weight[keep]
    return out
