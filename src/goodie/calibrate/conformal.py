"""Split-conformal label sets: sets that hold the true label as often as was asked.

For a node that is like the calibration nodes, the set at α holds its label with a probability of at
least 1 − α, whatever the model, and of at most 1 − α + 1/(n + 1) where scores do not tie (Vovk et
al., 2005). Which score: docs/decisions/0011.
"""

import math
from fractions import Fraction
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from goodie.errors import InputError

Score = Literal["lac", "aps", "raps"]

# Of RAPS: what each class beyond the first few costs (Angelopoulos et al., 2021).
RAPS_COST, RAPS_FREE = 0.01, 3


def strangeness(
    probability: Float[np.ndarray, "nodes classes"],
    score: Score = "lac",
    *,
    rng: np.random.Generator | None = None,
) -> Float[np.ndarray, "nodes classes"]:
    """How odd each class would be for each node; sets take the least odd.

    `lac` is −p (Sadinle et al., 2019). `aps` is the probability of the classes ranked before it
    (Romano et al., 2020), and `raps` adds a cost for ranks beyond the third.

    Args:
        probability: rows add up to one.
        score: which.
        rng: for `aps` and `raps`: adds a random part of the class's own probability, so that
            coverage is exact, rather than all of it.

    Example:
        >>> p = np.array([[0.5, 0.3, 0.2]])
        >>> strangeness(p).tolist(), strangeness(p, "aps").round(2).tolist()
        ([[-0.5, -0.3, -0.2]], [[0.5, 0.8, 1.0]])
    """
    p = probability.astype(np.float64)
    if score == "lac":
        return -p
    order = np.argsort(-p, axis=1, kind="stable")
    ranked = np.take_along_axis(p, order, axis=1)
    own = 1.0 if rng is None else rng.random((len(p), 1))
    summed = ranked.cumsum(axis=1) - (1.0 - own) * ranked
    if score == "raps":
        summed += RAPS_COST * np.maximum(np.arange(1, p.shape[1] + 1) - RAPS_FREE, 0)
    out = np.empty_like(p)
    np.put_along_axis(out, order, summed, axis=1)
    return out


def threshold(scores: Float[np.ndarray, " nodes"], alpha: float) -> float:
    """The ⌈(n + 1)(1 − α)⌉-th smallest score of the calibration nodes' own labels.

    Infinite, so that sets hold every label, where n is below 1/α − 1: so few nodes promise nothing
    narrower.

    Example:
        >>> threshold(np.arange(1.0, 10.0), 0.1), threshold(np.arange(1.0, 9.0), 0.1)
        (9.0, inf)
    """
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha is {alpha}; it must lie between 0 and 1, such as 0.1 for 90 %")
    n = len(scores)
    # In fractions, as 0.9 · 70 is a little more than 63 in floating point.
    rank = math.ceil((n + 1) * (1 - Fraction(str(float(alpha)))))
    return math.inf if rank > n else float(np.partition(scores, rank - 1)[rank - 1])


def label_sets(
    strange: Float[np.ndarray, "nodes classes"], limit: float, *, empty: bool = True
) -> Bool[np.ndarray, "nodes classes"]:
    """The classes that are no odder than the limit.

    Args:
        strange: from `strangeness`.
        limit: from `threshold`.
        empty: whether a set may be empty. A model that is right more often than 1 − α has to leave
            some sets empty, those of its oddest nodes, to be right no more often than asked; with
            False these hold the likeliest class, and coverage is above 1 − α.

    Example:
        >>> p = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5]])
        >>> label_sets(-p, -0.6).tolist()
        [[True, False], [True, False], [False, False]]
    """
    chosen = strange <= limit
    if not empty:
        bare = np.flatnonzero(~chosen.any(axis=1))
        chosen[bare, strange[bare].argmin(axis=1)] = True
    return chosen


def coverage(
    sets: Bool[np.ndarray, "nodes classes"], y: Int[np.ndarray, " nodes"]
) -> tuple[float, float]:
    """The share of sets that hold the label, and their mean size.

    Example:
        >>> coverage(np.array([[True, True], [True, False]]), np.array([1, 1]))
        (0.5, 1.5)
    """
    if len(y) == 0:
        raise InputError("no node is judged, so there is no coverage to tell")
    return float(sets[np.arange(len(y)), y].mean()), float(sets.sum(axis=1).mean())
