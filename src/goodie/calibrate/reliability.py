"""How far probabilities can be believed: are 80 % of the answers given with 80 % right?"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from goodie.errors import InputError


class Bin(NamedTuple):
    """The nodes whose likeliest class has a probability in (lower, upper].

    Attributes:
        lower: exclusive, but for the first bin.
        upper: inclusive.
        nodes: how many.
        confidence: the mean of those probabilities; 0 where there is no node.
        accuracy: the share of those classes that are right; likewise.
    """

    lower: float
    upper: float
    nodes: int
    confidence: float
    accuracy: float


class Reliability(NamedTuple):
    """A reliability table.

    Attributes:
        bins: of equal width, from 0 to 1.
        error: the expected calibration error, |accuracy − confidence| of the bins, weighted by
            their nodes; between 0 and 1.
    """

    bins: tuple[Bin, ...]
    error: float


def reliability(
    probability: Float[np.ndarray, "nodes classes"],
    y: Int[np.ndarray, " nodes"],
    *,
    bins: int = 15,
) -> Reliability:
    """The reliability table of the likeliest class, and the expected calibration error.

    Args:
        probability: rows add up to one.
        y: the column of each node's label.
        bins: how many of equal width (15, as Guo et al., 2017, and most since).

    Example:
        >>> p = np.array([[0.9, 0.1], [0.9, 0.1], [0.3, 0.7], [0.3, 0.7]])
        >>> done = reliability(p, np.array([0, 0, 1, 0]), bins=5)
        >>> round(done.error, 3), done.bins[4].nodes, done.bins[4].accuracy
        (0.15, 2, 1.0)
    """
    if bins < 1:
        raise InputError(f"bins is {bins}; there is at least one")
    if len(y) == 0:
        raise InputError("no node is judged, so there is no reliability to tell")
    confidence = probability.max(axis=1).astype(np.float64)
    right = probability.argmax(axis=1) == y
    edges = np.linspace(0.0, 1.0, bins + 1)
    place = np.searchsorted(edges[1:-1], confidence, side="left")
    count = np.bincount(place, minlength=bins)
    filled = np.maximum(count, 1)
    mean = np.bincount(place, confidence, minlength=bins) / filled
    accuracy = np.bincount(place, right, minlength=bins) / filled
    table = zip(edges, edges[1:], count, mean, accuracy, strict=False)
    return Reliability(
        tuple(Bin(float(a), float(b), int(n), float(c), float(r)) for a, b, n, c, r in table),
        float((count * np.abs(accuracy - mean)).sum() / len(y)),
    )
