"""Random walks and skip-grams, dense and float64, written from the papers' formulas.

Obvious rather than fast: these functions judge the library's, so they share no code with it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def second_order(A: ArrayLike, before: int, now: int, p: float, q: float) -> Vector:
    """node2vec, section 3.2.2: P(next = x) ∝ α_pq(before, x) · A[now, x]; [N].

    α is 1/p at distance 0 from `before`, 1 at distance 1, 1/q at distance 2.
    """
    A = np.asarray(A, dtype=np.float64)
    mass = np.zeros(len(A))
    for x in range(len(A)):
        if x == before:
            mass[x] = A[now, x] / p
        elif A[before, x] > 0:
            mass[x] = A[now, x]
        else:
            mass[x] = A[now, x] / q
    return mass / mass.sum()


def pair_weight(i: int, j: int, window: int) -> float:
    """How often word2vec pairs places i ≠ j on average, its reach drawn evenly from 1..window."""
    reaches = [reach for reach in range(1, window + 1) if 0 < abs(i - j) <= reach]
    return len(reaches) / window


def negative_sampling(
    walk: list[int],
    drawn: list[int],
    vectors: ArrayLike,
    others: ArrayLike,
    *,
    window: int,
    negative: int,
) -> float:
    """Mikolov et al. (2013), Eq. 4, summed over the pairs of a walk.

    The expectation over negatives is a mean over `drawn`, for every pair the same ones.
    """
    e, o = np.asarray(vectors, np.float64), np.asarray(others, np.float64)
    loss = 0.0
    for i, v in enumerate(walk):
        for j, u in enumerate(walk):
            told = -_log_sigmoid(e[v] @ o[u])
            told -= negative * np.mean([_log_sigmoid(-e[v] @ o[m]) for m in drawn])
            loss += pair_weight(i, j, window) * told
    return loss


def hierarchical_softmax(
    walk: list[int], place: list[int], vectors: ArrayLike, others: ArrayLike, *, window: int
) -> float:
    """DeepWalk, Eq. 5, summed over the pairs of a walk.

    place[v] is where node v stands among the leaves of the complete tree of N leaves that a heap
    makes: the root is 1, children of a are 2a and 2a + 1, and the leaves are N, …, 2N − 1.
    """
    e = np.asarray(vectors, np.float64)
    loss = 0.0
    for i, v in enumerate(walk):
        for j, u in enumerate(walk):
            likely = leaf_probabilities(e[u], others)[place[v]]
            loss -= pair_weight(i, j, window) * math.log(likely)
    return loss


def leaf_probabilities(vector: ArrayLike, others: ArrayLike) -> Vector:
    """The chance to end at each leaf, going right at inner node a with σ(o_a · vector); [N]."""
    o, e = np.asarray(others, np.float64), np.asarray(vector, np.float64)
    n = len(o)
    chance = np.zeros(2 * n)
    chance[1] = 1.0
    for a in range(1, n):
        right = math.exp(_log_sigmoid(o[a] @ e))
        chance[2 * a] = chance[a] * (1.0 - right)
        chance[2 * a + 1] = chance[a] * right
    return chance[n:]


def gradient(loss, at: ArrayLike, step: float = 1e-6) -> Matrix:
    """Central differences of a function of a matrix."""
    at = np.array(at, dtype=np.float64)
    out = np.zeros_like(at)
    for index in np.ndindex(*at.shape):
        ahead, behind = at.copy(), at.copy()
        ahead[index] += step
        behind[index] -= step
        out[index] = (loss(ahead) - loss(behind)) / (2 * step)
    return out


def _log_sigmoid(z: float) -> float:
    return -math.log1p(math.exp(-z)) if z > 0 else z - math.log1p(math.exp(z))
