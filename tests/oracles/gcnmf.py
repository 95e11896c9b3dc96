"""GCNMF's network, dense and float64, written from PROTOCOL §2 component by component.

Obvious rather than fast: these functions judge the library's, so they share no code with it.
Dropout is no part of any function here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf

Matrix = NDArray[np.float64]


def expected_relu(m: ArrayLike, s: ArrayLike) -> Matrix:
    """√s [φ(w) + (w/2)(1 + erf(w/√2))] with w = m/√s; ReLU where s is 0. m, s of one shape."""
    m, s = np.asarray(m, np.float64), np.asarray(s, np.float64)
    root = np.sqrt(np.where(s > 0, s, 1.0))
    w = m / root
    phi = np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi)
    return np.where(s > 0, root * (phi + w / 2 * (1 + erf(w / np.sqrt(2)))), np.maximum(m, 0.0))


def responsibilities(
    X: ArrayLike, weights: ArrayLike, means: ArrayLike, variances: ArrayLike
) -> Matrix:
    """p(k | observed entries of row i), [N, K].

    X [N, F] with NaN in the holes; weights [K] sum to one; means, variances [K, F].
    """
    X, weights, means, variances = (
        np.asarray(m, np.float64) for m in (X, weights, means, variances)
    )
    log_p = np.zeros((len(X), len(weights)))
    for i in range(len(X)):
        o = np.flatnonzero(~np.isnan(X[i]))
        for k in range(len(weights)):
            density = -((X[i, o] - means[k, o]) ** 2) / (2 * variances[k, o])
            density -= np.log(2 * np.pi * variances[k, o]) / 2
            log_p[i, k] = np.log(weights[k]) + density.sum()
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def first_layer(
    A: ArrayLike,
    X: ArrayLike,
    W: ArrayLike,
    b: ArrayLike,
    weights: ArrayLike,
    means: ArrayLike,
    variances: ArrayLike,
) -> Matrix:
    """Σ_k p(k | observed) E_k, [N, H].

    m = Â(M W + b) and s = (Â∘Â)(S (W∘W)), where M holds component k's means in the holes of X, and
    S its variances there and 0 elsewhere. A [N, N] is Â; W [F, H]; b [H].
    """
    A, X, W, b, means, variances = (
        np.asarray(m, np.float64) for m in (A, X, W, b, means, variances)
    )
    share = responsibilities(X, weights, means, variances)
    out = np.zeros((len(X), W.shape[1]))
    for k in range(len(means)):
        M = np.where(np.isnan(X), means[k], X)
        S = np.where(np.isnan(X), variances[k], 0.0)
        m = A @ (M @ W + b)
        s = (A * A) @ (S @ (W * W))
        out += share[:, [k]] * expected_relu(m, s)
    return out
