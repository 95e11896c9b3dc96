"""Propagation over a graph, dense and float64, written from the paper's equations.

Obvious rather than fast: these functions judge the library's, so they share no code with it.
Nodes are rows. `S` is a normalised adjacency, one product `S @ Y` is one round of messages.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]


def adjacency(
    edge_index: ArrayLike,
    num_nodes: int,
    edge_weight: ArrayLike | None = None,
    *,
    undirected: bool = False,
    self_loops: bool = False,
) -> Matrix:
    """A of the problem statement (section 3), and à = A + I of section 4.1; [N, N].

    Messages flow from `edge_index[0]` (source) to `edge_index[1]` (target), so the weight of
    j → i stands at A[i, j] and `A @ X` gathers what flows in. Duplicate edges add up.

    `undirected` takes the element-wise maximum of A and its transpose, after adding up.
    `self_loops` gives weight 1 to every node that has no loop in the edge list; a listed loop
    keeps its weight, even a weight of 0.
    """
    source, target = np.asarray(edge_index, dtype=np.int64).reshape(2, -1)
    weight = np.ones(len(source)) if edge_weight is None else np.asarray(edge_weight, np.float64)

    A = np.zeros((num_nodes, num_nodes))
    has_loop = np.zeros(num_nodes, dtype=bool)
    for j, i, w in zip(source, target, weight, strict=True):
        A[i, j] += w
        if i == j:
            has_loop[i] = True

    if undirected:
        A = np.maximum(A, A.T)
    if self_loops:
        for i in range(num_nodes):
            if not has_loop[i]:
                A[i, i] = 1.0
    return A


def normalise(A: Matrix, kind: str) -> Matrix:
    """Â of section 4.1: D^-1/2 A D^-1/2 ('symmetric'), or D^-1 A ('row'), or A D^-1 ('column').

    D is the diagonal of the row sums of A, on both sides for 'symmetric' even where A is directed;
    for 'column' it is that of the column sums. The inverse of a degree of 0 is 0.
    """
    A = np.asarray(A, dtype=np.float64)
    degree = A.sum(axis=0) if kind == "column" else A.sum(axis=1)
    if (degree < 0).any():
        raise ValueError("a negative degree has no square root")

    inverse = np.zeros(len(degree))
    for i, d in enumerate(degree):
        if d > 0:
            inverse[i] = 1.0 / d
    D_inverse = np.diag(inverse)
    D_inverse_root = np.diag(np.sqrt(inverse))

    if kind == "symmetric":
        return D_inverse_root @ A @ D_inverse_root
    if kind == "row":
        return D_inverse @ A
    if kind == "column":
        return A @ D_inverse
    raise ValueError(f"unknown kind: {kind!r}")


def label_propagation_residual(S: Matrix, Y0: Matrix, alpha: float, steps: int) -> Matrix:
    """PROTOCOL §1: Y ← clip(αSY + (1−α)Y₀, 0, 1), `steps` times, starting from Y₀."""
    Y0 = np.asarray(Y0, dtype=np.float64)
    Y = Y0.copy()
    for _ in range(steps):
        Y = np.clip(alpha * (S @ Y) + (1 - alpha) * Y0, 0.0, 1.0)
    return Y


def label_propagation_reset(S: Matrix, Y0: Matrix, labelled: ArrayLike, steps: int) -> Matrix:
    """Eq. 1 (eqn:lp_1): Y^(k+1) = S Y^(k), then y_i^(k+1) = y_i^(0) on the labelled nodes.

    `labelled` is a bool mask over the nodes (True: labelled) or their indices.
    """
    Y0 = np.asarray(Y0, dtype=np.float64)
    labelled = np.asarray(labelled)
    Y = Y0.copy()
    for _ in range(steps):
        Y = S @ Y
        Y[labelled] = Y0[labelled]
    return Y


def feature_propagation(S: Matrix, X: Matrix, steps: int) -> Matrix:
    """Eq. 3 (eqn:fp_1): X^(k+1) = S X^(k), then x_id^(k+1) = x_id^(0) where x_id is known.

    X holds NaN where a value is missing; X^(0) holds 0 there (PROTOCOL §1).
    """
    X = np.asarray(X, dtype=np.float64)
    known = ~np.isnan(X)
    X_k = np.where(known, X, 0.0)
    for _ in range(steps):
        X_k = S @ X_k
        X_k[known] = X[known]
    return X_k


def residual_limit(S: Matrix, Y0: Matrix, alpha: float) -> Matrix:
    """The fixed point of Y = αSY + (1−α)Y₀, which is (1−α)(I − αS)⁻¹ Y₀; no clipping.

    It is the limit of the residual form (PROTOCOL §1) where α times the spectral radius of S is
    below 1 and clipping never acts.
    """
    Y0 = np.asarray(Y0, dtype=np.float64)
    return np.linalg.solve(np.eye(len(S)) - alpha * S, (1 - alpha) * Y0)


def harmonic(S: Matrix, X: Matrix) -> tuple[Matrix, NDArray[np.bool_]]:
    """The fixed point of Eq. 3: per column (I − S_uu) x_u = S_uk x_k (DESIGN §3.1).

    u are the missing entries of the column, k the observed ones. Only those u are solved for
    whose connected component holds a k; the others are 0. Returns X̂ and `reached` [N, F]: True
    where the component of the node holds an observed entry of the column (so also at every k).

    Components are those of the nonzero pattern of S with directions ignored. On a directed graph
    a missing entry of such a component may still hear from no observed one; where that makes
    the system singular, `numpy.linalg.LinAlgError` is what to expect.
    """
    X = np.asarray(X, dtype=np.float64)
    component = _components(S)
    X_hat = np.zeros_like(X)
    reached = np.zeros(X.shape, dtype=bool)
    for d in range(X.shape[1]):
        observed = ~np.isnan(X[:, d])
        reached[:, d] = np.isin(component, component[observed])
        k = np.flatnonzero(observed)
        u = np.flatnonzero(reached[:, d] & ~observed)
        X_hat[k, d] = X[k, d]
        X_hat[u, d] = np.linalg.solve(
            np.eye(len(u)) - S[np.ix_(u, u)],
            S[np.ix_(u, k)] @ X[k, d],
        )
    return X_hat, reached


def _components(S: Matrix) -> NDArray[np.int64]:
    """Number of the connected component of every node, directions ignored; [N]."""
    linked = (S != 0) | (S.T != 0)
    component = np.full(len(S), -1)
    for start in range(len(S)):
        if component[start] >= 0:
            continue
        component[start] = start
        waiting = [start]
        while waiting:
            i = waiting.pop()
            for j in np.flatnonzero(linked[i]):
                if component[j] < 0:
                    component[j] = start
                    waiting.append(j)
    return component


def neighbour_mean(A: Matrix, X: Matrix) -> Matrix:
    """PROTOCOL §2, GCN-NM: a missing entry is the mean observed value around it, 0 if none.

    "Around it" is the node and its neighbours; as its own value is missing, the neighbours alone.
    Neighbours are the nonzeros of row i of A off the diagonal, those a message comes from; the
    mean ignores the weights. Only values observed in X count, never ones filled in here.
    """
    X = np.asarray(X, dtype=np.float64)
    filled = X.copy()
    for i, d in np.argwhere(np.isnan(X)):
        values = [X[j, d] for j in np.flatnonzero(A[i]) if j != i and not np.isnan(X[j, d])]
        filled[i, d] = sum(values) / len(values) if values else 0.0
    return filled


def pseudo_labels(Y_hat: Matrix, tau: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Pseudo-label argmax Ŷ_i and confidence ỹ_i = max softmax(Ŷ_i/τ), below Eq. 10 (eqn:weight).

    Returns (label [N], confidence [N]). A tie goes to the lowest class. The rules of PROTOCOL §3
    on top of it (training nodes: given label and 1; nodes no label reaches: 0 and no class) are
    not applied: a row of equal logits comes back as class 0 with confidence 1/C.
    """
    logits = np.asarray(Y_hat, dtype=np.float64) / tau
    logits = logits - logits.max(axis=1, keepdims=True)  # same softmax, no overflow
    softmax = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return np.argmax(Y_hat, axis=1), softmax.max(axis=1)
