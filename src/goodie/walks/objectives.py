"""What a skip-gram minimises over a window: negative sampling, or a hierarchical softmax.

Both are logistic regressions of bits on products of a node's vector with others, and both take the
whole window of a walk at once: a co-occurrence at distance k ≤ K counts (K + 1 − k) / K, which is
how often word2vec, which draws each window's reach from 1 to K, would meet it on average.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

# Negatives that all nodes of a walk share. Each stands for many, with the weight of those.
SHARED = 64
# Nodes of a walk whose paths to the root are gone through together with the window around them.
STRETCH = 16


class Tables(NamedTuple):
    """What a skip-gram learns, or the gradients of it.

    Attributes:
        vectors: of the nodes: the embedding.
        others: those that they are multiplied with.
    """

    vectors: Float[Tensor, "nodes width"]
    others: Float[Tensor, "nodes width"]


class Objective(ABC):
    """A loss of two tables."""

    @abstractmethod
    def add_gradients(
        self,
        walks: Int[Tensor, "walks length"],
        tables: Tables,
        gradients: Tables,
        generator: torch.Generator,
    ) -> None:
        """Add the gradients of the loss over some walks to `gradients`."""


class NegativeSampling(Objective):
    """Tell the nodes met in a window from nodes drawn at random (Mikolov et al., 2013).

    With c_ij what a walk's places i and j count for one another, and e, o the two tables,

        −Σ_ij c_ij [log σ(e_i · o_j) + (negative / M) Σ_m log σ(−e_i · o_m)]

    where m runs over M = 64 nodes drawn in proportion to the ¾ power of how often walks meet
    them. word2vec draws `negative` nodes for each pair, and none that is the pair's own; sharing
    makes it products of small matrices, with the same expectation but for that.

    Args:
        frequency: how often the walks meet each node.
        length: of a walk.
        window: K.
        negative: how many a pair is told from.
    """

    def __init__(
        self, frequency: Int[Tensor, " nodes"], *, length: int, window: int, negative: int
    ) -> None:
        share = frequency.double() ** 0.75
        self.mass = (share / share.sum()).cumsum(0)
        self.near = window_weights(length, window)
        self.far = self.near.sum(dim=1, keepdim=True) * negative / SHARED

    def add_gradients(
        self,
        walks: Int[Tensor, "walks length"],
        tables: Tables,
        gradients: Tables,
        generator: torch.Generator,
    ) -> None:
        """See `Objective.add_gradients`."""
        length = walks.shape[1]
        draws = torch.rand(len(walks), SHARED, dtype=torch.float64, generator=generator)
        drawn = torch.searchsorted(self.mass, draws).clamp_(max=len(self.mass) - 1)
        partners = torch.cat([walks, drawn], dim=1)
        e = tables.vectors[walks]  # (walks, length, width)
        o = tables.others[partners]  # (walks, length + M, width)
        error = torch.bmm(e, o.mT).sigmoid_()
        error[:, :, :length].sub_(1.0).mul_(self.near)
        error[:, :, length:].mul_(self.far)
        _add(gradients.vectors, walks, torch.bmm(error, o))
        _add(gradients.others, partners, torch.bmm(error.mT, e))


class HierarchicalSoftmax(Objective):
    """Find the nodes met in a window among the leaves of a tree (Perozzi et al., 2014, Eq. 5).

    The nodes are leaves, in random order, of a complete binary tree with one vector o_a for each
    inner node a. With e_j a node's vector, the probability of node i beside j is
    Π_a σ(±o_a · e_j) over the path to the leaf of i, plus where it turns right. In a heap the
    children of a are 2a and 2a + 1, so that a leaf's number holds its whole path: shifted right by
    k it is the ancestor k levels up, and its bits are the turns. Deviation: word2vec shortens
    paths to frequent nodes by Huffman's code.

    Args:
        num_nodes: N.
        length: of a walk.
        window: K.
        generator: of the leaves' order.
    """

    def __init__(
        self, num_nodes: int, *, length: int, window: int, generator: torch.Generator
    ) -> None:
        self.leaf = num_nodes + torch.randperm(num_nodes, generator=generator)
        depth = (2 * num_nodes - 1).bit_length() - 1
        self.up = torch.arange(1, depth + 1)
        self.stretches: list[tuple[slice, slice, Tensor]] = []
        near = window_weights(length, window)
        for begin in range(0, length, STRETCH):
            inside = slice(begin, min(begin + STRETCH, length))
            around = slice(max(0, begin - window), min(inside.stop + window, length))
            weights = near[around, inside].repeat_interleave(depth, dim=1)
            self.stretches.append((inside, around, weights))

    def add_gradients(
        self,
        walks: Int[Tensor, "walks length"],
        tables: Tables,
        gradients: Tables,
        generator: torch.Generator,
    ) -> None:
        """See `Objective.add_gradients`; row a of `others` is the inner node a."""
        del generator
        leaf = self.leaf[walks][:, :, None]
        path, turn = leaf >> self.up, (leaf >> (self.up - 1)) & 1
        # Where a path is one shorter its last entry is row 0, which is no node: kept at zero, it
        # says ½ and is told ½, so that its error is none.
        target = torch.where(path > 0, turn.to(tables.vectors), 0.5)
        e = tables.vectors[walks]
        of_e = torch.zeros_like(e)
        for inside, around, weights in self.stretches:
            nodes = path[:, inside].flatten(1)
            o = tables.others[nodes].masked_fill_((nodes == 0)[:, :, None], 0.0)
            error = torch.bmm(e[:, around], o.mT).sigmoid_()
            error.sub_(target[:, inside].flatten(1)[:, None]).mul_(weights)
            of_e[:, around] += torch.bmm(error, o)
            _add(gradients.others, nodes, torch.bmm(error.mT, e[:, around]))
        _add(gradients.vectors, walks, of_e)


def window_weights(length: int, window: int) -> Float[Tensor, "length length"]:
    """What two places of a walk count for one another, by their distance.

    Example:
        >>> window_weights(4, 2)[0].tolist()
        [0.0, 1.0, 0.5, 0.0]
    """
    place = torch.arange(length)
    distance = (place[:, None] - place).abs()
    weights = (window + 1 - distance).clamp(min=0) / window
    return weights.fill_diagonal_(0.0)


def _add(table: Tensor, rows: Tensor, values: Tensor) -> None:
    table.index_add_(0, rows.flatten(), values.flatten(0, 1))
