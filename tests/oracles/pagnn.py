"""PaGNN, dense and float64, written from PROTOCOL §2 entry by entry.

Obvious rather than fast: these functions judge the library's, so they share no code with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]


def partial_aggregation(S: ArrayLike, X: ArrayLike) -> Matrix:
    """(S1) ∘ (S(M∘X)) ⊘ (SM), 0/0 = 0; [N, F].

    S [N, N] with weights ≥ 0; X [N, F] holds NaN where it is missing, M is 1 where it is not.
    """
    S, X = np.asarray(S, np.float64), np.asarray(X, np.float64)
    out = np.zeros_like(X)
    for i in range(X.shape[0]):
        for d in range(X.shape[1]):
            shown = np.flatnonzero(~np.isnan(X[:, d]) & (S[i] > 0))
            if len(shown):
                out[i, d] = S[i].sum() * (S[i, shown] @ X[shown, d]) / S[i, shown].sum()
    return out


def network(
    S: ArrayLike, X: ArrayLike, W_1: ArrayLike, b_1: ArrayLike, W_2: ArrayLike, b_2: ArrayLike
) -> Matrix:
    """Logits: S ReLU(partial W₁ + b₁) W₂ + b₂, without dropout; [N, C]."""
    S, W_1, b_1, W_2, b_2 = (np.asarray(m, np.float64) for m in (S, W_1, b_1, W_2, b_2))
    hidden = np.maximum(partial_aggregation(S, X) @ W_1 + b_1, 0.0)
    return S @ hidden @ W_2 + b_2
