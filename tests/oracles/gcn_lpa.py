"""GCN-LPA, dense and float64, written from its paper (Wang and Leskovec, 2021) and PROTOCOL §2.

Obvious rather than fast: these functions judge the library's, so they share no code with it.
Nodes are rows. N nodes, C classes; A [N, N] has its self-loops, and is zero where there is no edge.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]


def normalised(A: ArrayLike, W: ArrayLike) -> Matrix:
    """A*: row i is the softmax of W_ij over the j with A_ij ≠ 0, each share weighed by A_ij.

    W [N, N] is read there only. Without edge weights (A_ij = 1) it is the paper's row-softmax.
    """
    A, W = np.asarray(A, dtype=np.float64), np.asarray(W, dtype=np.float64)
    out = np.zeros_like(A)
    for i in range(len(A)):
        neighbours = np.flatnonzero(A[i])
        largest = max(W[i, j] for j in neighbours)  # same shares, no overflow
        powers = {j: A[i, j] * math.exp(W[i, j] - largest) for j in neighbours}
        for j, power in powers.items():
            out[i, j] = power / sum(powers.values())
    return out


def network(
    A_star: ArrayLike, X: ArrayLike, weights: list[ArrayLike], biases: list[ArrayLike]
) -> Matrix:
    """H ← ReLU(A* H W + b) for every layer, the last without ReLU; logits [N, C]."""
    H = np.asarray(X, dtype=np.float64)
    for layer, (W, b) in enumerate(zip(weights, biases, strict=True)):
        H = np.asarray(A_star) @ H @ np.asarray(W, dtype=np.float64) + np.asarray(b)
        if layer < len(weights) - 1:
            H = np.maximum(H, 0.0)
    return H


def propagated(A_star: ArrayLike, Y: ArrayLike, steps: int) -> Matrix:
    """A*^K Y, no row ever set back; [N, C]."""
    out = np.asarray(Y, dtype=np.float64)
    for _ in range(steps):
        out = np.asarray(A_star) @ out
    return out


def cross_entropy(logits: ArrayLike, y: ArrayLike, nodes: ArrayLike) -> float:
    """Mean of −log softmax(logits)_y over some nodes."""
    logits, y = np.asarray(logits, dtype=np.float64), np.asarray(y)
    total = 0.0
    for v in np.asarray(nodes):
        largest = logits[v].max()
        total += largest + math.log(np.exp(logits[v] - largest).sum()) - logits[v, y[v]]
    return total / len(nodes)
