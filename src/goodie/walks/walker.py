"""Random walks on a graph, all walks taking each step at once."""

import numpy as np
import scipy.sparse as sp
from jaxtyping import Bool, Float, Int
from numpy.random import Generator

from goodie.errors import InputError

# Proposals that a second-order step may refuse before it weighs all neighbours instead. Either is
# exact; the second costs the sum of degrees, and is for p and q far from 1.
ROUNDS = 16


def random_walks(
    A: sp.csr_array,
    *,
    walks_per_node: int,
    length: int,
    p: float = 1.0,
    q: float = 1.0,
    generator: Generator,
) -> Int[np.ndarray, "walks length"]:
    """Walks from every node, plain (Perozzi et al., 2014) or biased (Grover and Leskovec, 2016).

    From v, having come from t, the next node is x with probability in proportion to

        A[v, x] · (1/p if x = t, 1 if x is a neighbour of t, 1/q otherwise)

    so that p = q = 1 is the plain walk. A small p turns back often, a small q goes far. A node
    without neighbours stays where it is.

    Args:
        A: an undirected graph, from `goodie.graph.adjacency`: positive weights, sorted columns.
        walks_per_node: how many start at each node.
        length: nodes in a walk, the first counted.
        p: return parameter, above zero.
        q: in-out parameter, above zero.
        generator: of all draws.

    Returns:
        Nodes, as int32: a pass over all nodes in random order after another.

    Example:
        >>> path = sp.csr_array(np.array([[0, 1.0, 0], [1, 0, 0], [0, 0, 0]]))
        >>> rng = np.random.default_rng(0)
        >>> walks = random_walks(path, walks_per_node=1, length=3, generator=rng)
        >>> sorted(walks.tolist())
        [[0, 1, 0], [1, 0, 1], [2, 2, 2]]
    """
    for name, value in (("p", p), ("q", q)):
        if not value > 0:
            raise InputError(f"{name}={value}; it must be above zero")
    streets = _Streets(A, 1.0 / p, 1.0 / q)
    n = A.shape[0]
    starts = np.concatenate([generator.permutation(n) for _ in range(walks_per_node)])
    walks = np.empty((len(starts), length), dtype=np.int32)
    walks[:] = starts[:, None]
    rows = np.flatnonzero(streets.degree[starts])
    for step in range(1, length):
        now = walks[rows, step - 1]
        if step == 1 or p == q == 1.0:
            walks[rows, step] = streets.neighbour(now, generator)
        else:
            walks[rows, step] = streets.onward(walks[rows, step - 2], now, generator)
    return walks


class _Streets:
    """A graph, ready to be walked on; weights to come back and to go far are 1/p and 1/q."""

    def __init__(self, A: sp.csr_array, back: float, far: float) -> None:
        self.begin = A.indptr.astype(np.int64)
        self.degree = np.diff(self.begin)
        self.ends = A.indices
        self.weight = A.data
        self.back, self.far, self.top = back, far, max(back, far, 1.0)
        self.plain = bool((A.data == A.data[:1]).all())
        self.mass = np.concatenate([[0.0], np.cumsum(A.data)])
        self.num_nodes = A.shape[0]
        rows = np.repeat(np.arange(self.num_nodes), self.degree)
        self.edges = rows * self.num_nodes + self.ends  # ascending

    def neighbour(
        self, now: Int[np.ndarray, " walks"], generator: Generator
    ) -> Int[np.ndarray, " walks"]:
        """One that each node leads to, by weight."""
        first, beyond = self.begin[now], self.begin[now + 1]
        share = generator.random(len(now))
        if self.plain:
            chosen = first + (share * self.degree[now]).astype(np.int64)
        else:
            low, high = self.mass[first], self.mass[beyond]
            chosen = np.searchsorted(self.mass, low + share * (high - low), side="right") - 1
        # Rounding may reach one too far.
        found: np.ndarray = self.ends[np.clip(chosen, first, beyond - 1)]
        return found

    def onward(
        self,
        before: Int[np.ndarray, " walks"],
        now: Int[np.ndarray, " walks"],
        generator: Generator,
    ) -> Int[np.ndarray, " walks"]:
        """The same by weight and bias: neighbours are proposed, and taken in proportion to bias."""
        after = np.empty_like(now)
        left = np.arange(len(now))
        for _ in range(ROUNDS):
            if not len(left):
                return after
            proposed = self.neighbour(now[left], generator)
            taken = generator.random(len(left)) * self.top < self._bias(before[left], proposed)
            after[left[taken]] = proposed[taken]
            left = left[~taken]
        after[left] = self._weighed(before[left], now[left], generator)
        return after

    def _bias(
        self, before: Int[np.ndarray, " pairs"], after: Int[np.ndarray, " pairs"]
    ) -> Float[np.ndarray, " pairs"]:
        bias = np.where(self._adjacent(before, after), 1.0, self.far)
        return np.where(after == before, self.back, bias)

    def _adjacent(
        self, one: Int[np.ndarray, " pairs"], other: Int[np.ndarray, " pairs"]
    ) -> Bool[np.ndarray, " pairs"]:
        edge = one.astype(np.int64) * self.num_nodes + other
        place = np.minimum(np.searchsorted(self.edges, edge), len(self.edges) - 1)
        met: np.ndarray = self.edges[place] == edge
        return met

    def _weighed(
        self,
        before: Int[np.ndarray, " walks"],
        now: Int[np.ndarray, " walks"],
        generator: Generator,
    ) -> Int[np.ndarray, " walks"]:
        """All neighbours of each node side by side, and a draw from their running sums."""
        count = self.degree[now]
        beyond = np.cumsum(count)
        first = beyond - count
        edge = np.arange(count.sum()) + np.repeat(self.begin[now] - first, count)
        weight = self.weight[edge] * self._bias(np.repeat(before, count), self.ends[edge])
        mass = np.concatenate([[0.0], np.cumsum(weight)])
        low, high = mass[first], mass[beyond]
        drawn = low + generator.random(len(now)) * (high - low)
        chosen = np.clip(np.searchsorted(mass, drawn, side="right") - 1, first, beyond - 1)
        found: np.ndarray = self.ends[edge[chosen]]
        return found
