"""PCFI's imputation, dense and float64, written from PROTOCOL §2 entry by entry.

Obvious rather than fast: these functions judge the library's, so they share no code with it.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]


def distances(A: ArrayLike, X: ArrayLike) -> Matrix:
    """S [N, F]: hops from node i to the nearest node that shows channel d, ∞ where none does.

    A [N, N]: A[i, j] ≠ 0 where i and j are joined (both ways); X holds NaN where it is missing.
    One breadth-first search per channel.
    """
    A, X = np.asarray(A, np.float64), np.asarray(X, np.float64)
    S = np.full(X.shape, np.inf)
    for d in range(X.shape[1]):
        waiting = deque(np.flatnonzero(~np.isnan(X[:, d])))
        S[list(waiting), d] = 0.0
        while waiting:
            j = waiting.popleft()
            for i in np.flatnonzero(A[:, j]):
                if S[i, d] == np.inf:
                    S[i, d] = S[j, d] + 1.0
                    waiting.append(i)
    return S


def confidence(S: Matrix, a: float) -> Matrix:
    """a^S, and 0 at ∞ whatever a is."""
    return np.where(np.isinf(S), 0.0, a ** np.where(np.isinf(S), 0.0, S))


def diffusion(A: ArrayLike, X: ArrayLike, a: float, steps: int) -> Matrix:
    """x_id ← Σ_j a^{S_jd} x_jd / Σ_j a^{S_jd} over j = i and its neighbours; observed ones reset.

    Holes start at 0, and stay there where all confidences are 0.
    """
    A, X = np.asarray(A, np.float64), np.asarray(X, np.float64)
    trust = confidence(distances(A, X), a)
    known = ~np.isnan(X)
    now = np.where(known, X, 0.0)
    for _ in range(steps):
        then = np.zeros_like(now)
        for i in range(len(X)):
            j = np.union1d(np.flatnonzero(A[i]), [i])
            for d in range(X.shape[1]):
                if known[i, d]:
                    then[i, d] = X[i, d]
                elif trust[j, d].sum() > 0:
                    then[i, d] = (trust[j, d] * now[j, d]).sum() / trust[j, d].sum()
        now = then
    return now


def correlations(X: Matrix) -> Matrix:
    """R [F, F]: Pearson's r of the columns; 0 on the diagonal and for constant columns."""
    F = X.shape[1]
    R = np.zeros((F, F))
    deviation = X - X.mean(axis=0)
    # A column that is constant but for rounding is constant.
    varies = deviation.std(axis=0) > 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    for d in range(F):
        for e in range(F):
            if d != e and varies[d] and varies[e]:
                u, v = deviation[:, d], deviation[:, e]
                R[d, e] = (u @ v) / np.sqrt((u @ u) * (v @ v))
    return R


def impute(A: ArrayLike, X: ArrayLike, a: float = 0.9, b: float = 1.0, steps: int = 100) -> Matrix:
    """Both steps: the diffusion, then X += b (1 − a^S) ∘ [(a^S ∘ (X − mean)) R]."""
    trust = confidence(distances(A, X), a)
    filled = diffusion(A, X, a, steps)
    deviation = filled - filled.mean(axis=0)
    return filled + b * (1.0 - trust) * ((trust * deviation) @ correlations(filled))
