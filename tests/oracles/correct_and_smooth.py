"""Correct and smooth, dense and float64, written from its paper (Huang et al., 2021), PROTOCOL §2.

Obvious rather than fast: these functions judge the library's, so they share no code with it.
Nodes are rows. N nodes, C classes; S [N, N] is a normalised adjacency without self-loops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]


def correct(
    Z: ArrayLike, y: ArrayLike, train: ArrayLike, S: ArrayLike, alpha: float, steps: int
) -> Matrix:
    """Z + the spread residual of the training nodes, autoscaled; [N, C].

    Z [N, C] probabilities; y int [N], read on training nodes; train bool [N]. The scale of a node
    is the training nodes' mean ‖residual‖₁ over its own; 1 where it is above 1000 or undefined.
    """
    Z, S, train = np.asarray(Z, np.float64), np.asarray(S, np.float64), np.asarray(train)
    E0 = np.zeros_like(Z)
    for i in np.flatnonzero(train):
        E0[i] = -Z[i]
        E0[i, y[i]] += 1.0
    E = E0.copy()
    for _ in range(steps):
        E = np.clip(alpha * (S @ E) + (1 - alpha) * E0, -1.0, 1.0)
    out = Z.copy()
    if train.any():
        sigma = np.abs(E0[train]).sum() / train.sum()
        for i in range(len(Z)):
            size = np.abs(E[i]).sum()
            scale = sigma / size if size > 0 else 1.0
            out[i] += (scale if scale <= 1000 else 1.0) * E[i]
    return out


def smooth(
    Z: ArrayLike, y: ArrayLike, train: ArrayLike, S: ArrayLike, alpha: float, steps: int
) -> Matrix:
    """Y ← clip(αSY + (1−α)Y₀, 0, 1) from Y₀ = Z with the training rows one-hot; [N, C]."""
    Y0 = np.asarray(Z, dtype=np.float64).copy()
    for i in np.flatnonzero(np.asarray(train)):
        Y0[i] = 0.0
        Y0[i, y[i]] = 1.0
    Y = Y0.copy()
    for _ in range(steps):
        Y = np.clip(alpha * (np.asarray(S) @ Y) + (1 - alpha) * Y0, 0.0, 1.0)
    return Y
