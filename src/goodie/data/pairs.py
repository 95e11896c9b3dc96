"""Pairs of nodes: the edges of a graph, each once, and pairs that are none."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from goodie.errors import InvalidGraphError

Keys = Int[np.ndarray, " pairs"]


class Told(NamedTuple):
    """Pairs of which it is known what they are, in columns.

    Attributes:
        edges: pairs that are edges.
        others: pairs that are not.
    """

    edges: Int[Tensor, "2 edges"]
    others: Int[Tensor, "2 others"]


def edge_pairs(edge_index: Int[Tensor, "2 edges"], num_nodes: int) -> Int[Tensor, "2 pairs"]:
    """Every edge once, the smaller node above, whichever ways it is there; loops are left out.

    Example:
        >>> edge_pairs(torch.tensor([[0, 1, 2, 2], [1, 0, 2, 1]]), 3).tolist()
        [[0, 1], [1, 2]]
    """
    return _pairs(_edge_keys(edge_index, num_nodes), num_nodes)


class NonEdges:
    """The pairs of two nodes that no edge joins, to draw from.

    Args:
        edge_index: the edges.
        num_nodes: N.
        also: further pairs that are not to be drawn.
    """

    def __init__(
        self,
        edge_index: Int[Tensor, "2 edges"],
        num_nodes: int,
        *,
        also: Int[Tensor, "2 pairs"] | None = None,
    ) -> None:
        self.num_nodes = num_nodes
        every = edge_index if also is None else torch.cat([edge_index, also], dim=1)
        self._taken = _edge_keys(every, num_nodes)
        self._free: Keys | None = None
        if 2 * len(self._taken) > self._num_pairs:
            # Few pairs are left, so that drawing blindly would mostly miss; listing all takes no
            # more than twice the memory of the edges.
            above, below = np.triu_indices(num_nodes, k=1)
            every_key = above.astype(np.int64) * num_nodes + below
            self._free = np.setdiff1d(every_key, self._taken, assume_unique=True)

    def __len__(self) -> int:
        return self._num_pairs - len(self._taken)

    @property
    def _num_pairs(self) -> int:
        return self.num_nodes * (self.num_nodes - 1) // 2

    def draw(self, count: int, generator: np.random.Generator) -> Int[Tensor, "2 drawn"]:
        """So many of them, all different, each as likely as any other."""
        if count > len(self):
            raise InvalidGraphError(
                f"{count} pairs without an edge were asked for, but of the {self._num_pairs} pairs "
                f"of {self.num_nodes} nodes only {len(self)} have none"
            )
        if self._free is not None:
            return _pairs(generator.choice(self._free, count, replace=False), self.num_nodes)
        drawn = np.empty(0, np.int64)
        while len(drawn) < count:
            # A few more than are missing, since some are edges, loops or there already.
            missing = count - len(drawn)
            ends = generator.integers(self.num_nodes, size=(2, missing + missing // 20 + 8))
            low, high = ends.min(axis=0), ends.max(axis=0)
            key = (low * self.num_nodes + high)[low != high]
            drawn = np.concatenate([drawn, key[~_among(key, self._taken)]])
            _, first = np.unique(drawn, return_index=True)
            drawn = drawn[np.sort(first)]
        return _pairs(drawn[:count], self.num_nodes)


class EdgeSet:
    """The edges of a graph, to ask whether a pair is among them.

    Args:
        edge_index: in whichever directions.
        num_nodes: N.
    """

    def __init__(self, edge_index: Int[Tensor, "2 edges"], num_nodes: int) -> None:
        self.num_nodes = num_nodes
        self._keys = _edge_keys(edge_index, num_nodes)

    def has(self, pairs: Int[Tensor, "2 pairs"]) -> Bool[np.ndarray, " pairs"]:
        """Which pairs an edge joins, in whichever direction."""
        low, high = pairs.amin(dim=0).numpy(), pairs.amax(dim=0).numpy()
        return _among(low * self.num_nodes + high, self._keys)


def _edge_keys(edge_index: Int[Tensor, "2 edges"], num_nodes: int) -> Keys:
    """Pairs as single numbers in ascending order, without loops and repetitions."""
    ends = edge_index.cpu().numpy().astype(np.int64)
    low, high = ends.min(axis=0), ends.max(axis=0)
    return np.unique((low * num_nodes + high)[low != high])


def _pairs(keys: Keys, num_nodes: int) -> Int[Tensor, "2 pairs"]:
    return torch.from_numpy(np.stack([keys // num_nodes, keys % num_nodes]))


def _among(
    keys: Int[np.ndarray, " pairs"], taken: Int[np.ndarray, " taken"]
) -> Bool[np.ndarray, " pairs"]:
    """Which keys are among others, which are in ascending order."""
    if len(taken) == 0:
        return np.zeros(len(keys), bool)
    place = np.searchsorted(taken, keys).clip(max=len(taken) - 1)
    found: np.ndarray = taken[place] == keys
    return found
