"""GOODIE's model and losses, dense and float64, written from the paper's equations.

Obvious rather than fast: these functions judge the library's, so they share no code with it.
Nodes are rows. N nodes, C classes, D hidden dimensions; `S` [N, N] is the Â_sym of section 4.1.

Equations are counted as LaTeX numbers them in goodie.tex, from 1 (eqn:lp_1) to 14
(eqn:training_final). Dropout is no part of any function here.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


# the model, sections 4.1 and 4.2


def branch(S: ArrayLike, inputs: ArrayLike, weight: ArrayLike, bias: ArrayLike) -> Matrix:
    """Eqs. 2 and 4 (eqn:lp_embedding, eqn:fp_embedding): H = ReLU(S·inputs·W + b); [N, D].

    S [N, N]; inputs [N, F] is Ŷ (F = C) or X̂; weight [F, D]; bias [D], which PROTOCOL §3 adds.
    """
    S, inputs, weight, bias = _floats(S, inputs, weight, bias)
    return np.maximum(S @ inputs @ weight + bias, 0.0)


def attention(H_lp: ArrayLike, H_fp: ArrayLike, a: ArrayLike) -> tuple[Matrix, Vector]:
    """Eqs. 5 and 6 (eqn:attn_1, eqn:attn_2): returns (Z [N, D], share_lp [N]).

    H_lp, H_fp [N, D]; a [D], shared by both branches; LeakyReLU's slope is 0.3. share_lp is
    α_LP, and α_FP = 1 − α_LP.
    """
    H_lp, H_fp, a = _floats(H_lp, H_fp, a)
    Z = np.zeros_like(H_lp)
    share_lp = np.zeros(len(H_lp))
    for i in range(len(H_lp)):
        e_lp = _leaky_relu(a @ H_lp[i])
        e_fp = _leaky_relu(a @ H_fp[i])
        largest = max(e_lp, e_fp)  # same shares, no overflow
        lp, fp = math.exp(e_lp - largest), math.exp(e_fp - largest)
        share_lp[i] = lp / (lp + fp)
        Z[i] = lp / (lp + fp) * H_lp[i] + fp / (lp + fp) * H_fp[i]
    return Z, share_lp


def fuse(
    H_lp: ArrayLike,
    H_fp: ArrayLike,
    how: str,
    a: ArrayLike | None = None,
    lp_half: ArrayLike | None = None,
) -> Matrix:
    """Eq. 5 (eqn:attn_1) and what the ablation puts in its place (PROTOCOL §3); Z [N, D].

    H_lp, H_fp [N, D]. `how`: 'attention' (Eqs. 5 and 6, with a [D]), 'sum', 'mean', 'concat'
    (Z is [N, 2D], LP first), 'random' (lp_half bool [N]: rows where it is True are those of H_lp,
    the others those of H_fp).
    """
    H_lp, H_fp = _floats(H_lp, H_fp)
    if how == "attention":
        return attention(H_lp, H_fp, a)[0]
    if how == "sum":
        return H_lp + H_fp
    if how == "mean":
        return (H_lp + H_fp) / 2
    if how == "concat":
        return np.concatenate([H_lp, H_fp], axis=1)
    if how == "random":
        lp_half = np.asarray(lp_half)
        return np.array([H_lp[i] if lp_half[i] else H_fp[i] for i in range(len(H_lp))])
    raise ValueError(f"unknown fusion: {how!r}")


def classify(
    S: ArrayLike, Z: ArrayLike, weight: ArrayLike, bias: ArrayLike, relu: bool = False
) -> Matrix:
    """Eq. 7 (eqn:training_ce), the argument of its softmax: logits S·Z·W + b; [N, C].

    S [N, N]; Z [N, D]; weight [D, C]; bias [C], which PROTOCOL §3 adds. `relu` applies the σ
    printed there, which DESIGN §3.7 leaves out.
    """
    S, Z, weight, bias = _floats(S, Z, weight, bias)
    logits = S @ Z @ weight + bias
    return np.maximum(logits, 0.0) if relu else logits


def cross_entropy(logits: ArrayLike, y: ArrayLike, train: ArrayLike) -> float:
    """Eq. 7 (eqn:training_ce), its sum divided by the number of training nodes (DESIGN §3.8).

    logits [N, C]; y int [N]; train: indices of the training nodes (or their bool mask [N]).
    """
    (logits,) = _floats(logits)
    y, train = np.asarray(y), _indices(train)
    total = 0.0
    for v in train:
        total += _logsumexp(logits[v]) - logits[v, y[v]]
    return float(total / len(train))


# pseudo-labels and their weights, section 4.3


def raw_confidence(scores: ArrayLike, tau: float) -> Vector:
    """ỹ = max softmax(Ŷ/τ) of every node, below Eq. 10 (eqn:weight); [N].

    scores [N, C] are LP's. A row of zeros has 1/C, a training node its own score's.
    """
    (scores,) = _floats(scores)
    confidence = np.zeros(len(scores))
    for i in range(len(scores)):
        logits = scores[i] / tau
        confidence[i] = math.exp(max(logits) - _logsumexp(logits))
    return confidence


def pseudo_labels(
    scores: ArrayLike, y: ArrayLike, train_mask: ArrayLike, tau: float
) -> tuple[NDArray[np.int64], Vector]:
    """Labels and u of Eqs. 9 to 12, with the rules of PROTOCOL §3: (label [N], confidence [N]).

    scores [N, C] are LP's; y int [N], read on training nodes only; train_mask bool [N]. A training
    node has its given label and 1; any other the argmax of its scores (a tie: the lowest class)
    and max softmax(scores/τ); one with nothing but zeros, which no label reaches, −1 and 0.
    """
    (scores,) = _floats(scores)
    y, train_mask = np.asarray(y), np.asarray(train_mask)
    raw = raw_confidence(scores, tau)
    label = np.full(len(scores), -1, dtype=np.int64)
    confidence = np.zeros(len(scores))
    for i in range(len(scores)):
        if train_mask[i]:
            label[i], confidence[i] = y[i], 1.0
        elif (scores[i] != 0).any():
            label[i], confidence[i] = np.argmax(scores[i]), raw[i]
    return label, confidence


def pair_weights(train_mask: ArrayLike, confidence: ArrayLike, how: str) -> Matrix:
    """Eq. 10 (eqn:weight) and the ablation's other weights (PROTOCOL §3): w_ip; [N, N].

    train_mask bool [N]; confidence [N] is ỹ of every node, training nodes included
    (`raw_confidence`). `how`:

    'pseudo'  Eq. 10: 1, ỹ_p, ỹ_i or ỹ_i·ỹ_p, so ỹ of a training node is never read
    'strong'  1 for every pair
    'weak'    ỹ_i·ỹ_p for every pair, the only one to read ỹ of training nodes
    'manual'  1, 0.5 or 0.25 for two, one or no training node

    The diagonal follows the same cases; no loss reads it. A node of no class is the loss's affair.
    """
    train_mask = np.asarray(train_mask)
    (y_tilde,) = _floats(confidence)
    N = len(y_tilde)
    W = np.zeros((N, N))
    for i in range(N):
        for p in range(N):
            if how == "strong":
                W[i, p] = 1.0
            elif how == "weak":
                W[i, p] = y_tilde[i] * y_tilde[p]
            elif how == "manual":
                W[i, p] = {2: 1.0, 1: 0.5, 0: 0.25}[int(train_mask[i]) + int(train_mask[p])]
            elif how != "pseudo":
                raise ValueError(f"unknown weights: {how!r}")
            elif train_mask[i] and train_mask[p]:
                W[i, p] = 1.0
            elif train_mask[i]:
                W[i, p] = y_tilde[p]
            elif train_mask[p]:
                W[i, p] = y_tilde[i]
            else:
                W[i, p] = y_tilde[i] * y_tilde[p]
    return W


# the contrastive losses, section 4.3


def pairwise_logsumexp(Z: ArrayLike, tau: float) -> Vector:
    """Log of the denominator of Eqs. 8 and 9: log Σ_{a≠i} exp(z_i·z_a/τ); [N].

    Z [N, D] as given, not normalised. A single node has an empty sum: −inf.
    """
    (Z,) = _floats(Z)
    result = np.zeros(len(Z))
    for i in range(len(Z)):
        result[i] = _logsumexp([Z[i] @ Z[a] / tau for a in range(len(Z)) if a != i])
    return result


def contrastive(Z: ArrayLike, label: ArrayLike, W: ArrayLike, tau: float) -> float:
    """Eq. 9 (eqn:pseudocon), a mean over the nodes of a class (DESIGN §3.8); Eq. 8 where W is 1.

    Z [N, D], its rows normalised here (a zero row stays zero); label int [N], −1: of no class;
    W [N, N] (`pair_weights`). I: the nodes of a class; P(i): the other nodes of i's class; A(i):
    all other nodes, those of no class too. A node with empty P(i) adds 0 and counts in the mean.
    0 if no node has a class.
    """
    Z, W = _floats(Z, W)
    Z, label = _unit_rows(Z), np.asarray(label)
    N = len(Z)
    log_denominator = pairwise_logsumexp(Z, tau)
    per_node = []
    for i in range(N):
        if label[i] < 0:
            continue
        positives = [p for p in range(N) if p != i and label[p] == label[i]]
        total = 0.0
        for p in positives:
            total += W[i, p] * (Z[i] @ Z[p] / tau - log_denominator[i])
        per_node.append(-total / len(positives) if positives else 0.0)
    return float(sum(per_node) / len(per_node)) if per_node else 0.0


def supcon_on_training(Z: ArrayLike, y: ArrayLike, train: ArrayLike, tau: float) -> float:
    """Eq. 8 (eqn:supcon) on the training nodes alone, a mean over them (DESIGN §3.8).

    Z [N, D], rows normalised here; y int [N]; train: indices of the training nodes (or their bool
    mask [N]). I, P(i) and A(i) hold training nodes only.
    """
    (Z,) = _floats(Z)
    train = _indices(train)
    return contrastive(Z[train], np.asarray(y)[train], np.ones((len(train), len(train))), tau)


# the loss between prototypes, section 4.3


def prototypes(Z: ArrayLike, label: ArrayLike, u: ArrayLike) -> tuple[Matrix, NDArray[np.int64]]:
    """Eq. 12 (eq:proto), then unit length (DESIGN §3.9): (P [K, D], classes [K] ascending).

    Z [N, D], rows normalised here; label int [N], −1: of no class; u [N]: 1 on training nodes, ỹ
    elsewhere. z^c = Σ_{i in c} u_i z_i / |c|. A class without nodes is left out; a prototype that
    is zero stays zero.
    """
    Z, u = _floats(Z, u)
    Z, label = _unit_rows(Z), np.asarray(label)
    classes = np.array(sorted({int(c) for c in label if c >= 0}), dtype=np.int64)
    P = np.zeros((len(classes), Z.shape[1]))
    for k, c in enumerate(classes):
        members = np.flatnonzero(label == c)
        for i in members:
            P[k] += u[i] * Z[i]
        P[k] /= len(members)
    return _unit_rows(P), classes


def prototype_loss(
    Z: ArrayLike, label: ArrayLike, u: ArrayLike, tau: float, printed: bool = False
) -> float:
    """Eq. 13 (eqn:pseudocon_large) in the form of DESIGN §3.9, or as printed; a sum over classes.

    Z [N, D], label int [N] and u [N] as in `prototypes`, whose unit-length z^c both forms take:

    default   −Σ_c log( exp(z^c·z^c/τ) / Σ_b exp(z^c·z^b/τ) ), b over all classes, c too
    printed   −Σ_c log( 1 / Σ_{b≠c} exp(z^c·z^b/τ) )

    Both are 0 with fewer than two classes (the printed form's sum over b would be empty).
    """
    P, _ = prototypes(Z, label, u)
    K = len(P)
    if K < 2:
        return 0.0
    total = 0.0
    for c in range(K):
        to_others = [P[c] @ P[b] / tau for b in range(K) if b != c]
        to_itself = P[c] @ P[c] / tau
        if printed:
            total += _logsumexp(to_others)
        else:
            total += _logsumexp([to_itself, *to_others]) - to_itself
    return float(total)


# shared by the above


def _floats(*arrays: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    return tuple(np.asarray(array, dtype=np.float64) for array in arrays)


def _indices(nodes: ArrayLike) -> NDArray[np.int64]:
    """Indices from indices or from a bool mask."""
    nodes = np.asarray(nodes)
    return np.flatnonzero(nodes) if nodes.dtype == bool else nodes.astype(np.int64)


def _leaky_relu(x: float) -> float:
    return x if x >= 0 else 0.3 * x


def _logsumexp(values: ArrayLike) -> float:
    """log Σ exp(values), the largest taken out first; −inf for no values."""
    (values,) = _floats(values)
    if len(values) == 0:
        return -math.inf
    largest = values.max()
    return float(largest + np.log(np.exp(values - largest).sum()))


def _unit_rows(Z: Matrix) -> Matrix:
    """Every row divided by its length; a zero row stays zero."""
    unit = Z.copy()
    for i in range(len(Z)):
        length = np.sqrt(Z[i] @ Z[i])
        if length > 0:
            unit[i] = Z[i] / length
    return unit
