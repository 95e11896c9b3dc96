"""Temperature scaling: one number that makes probabilities bolder or more modest."""

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import brentq
from scipy.special import log_softmax, softmax

from goodie.errors import InputError

# A temperature outside these says that there is nothing to learn from, not that it is so.
COLDEST, HOTTEST = 0.01, 100.0

# Probabilities below it count as it: what float32 cannot add to one says nothing of the odds, and a
# single "impossible" answer that came true would decide the temperature of all.
FLOOR = float(np.finfo(np.float32).eps)

# Of fewer nodes than this a temperature has to prove itself, see `fit_temperature`.
FEW = 30


def fit_temperature(
    probability: Float[np.ndarray, "nodes classes"], y: Int[np.ndarray, " nodes"]
) -> float:
    """The T that makes `tempered(probability, T)` most likely to have given these labels.

    Minimises the mean negative log-likelihood over 1/T, in which it is convex (Guo et al., 2017).
    Targets are softened by one part in n + 1, as Platt's (1999) are, so that a handful of right
    answers is not taken for certainty; of many nodes it is not felt.

    Of fewer than 30 nodes that temperature may be chance. There it has to prove itself: where each
    node's label is less likely at the temperature that the other nodes give than at 1, taken
    together, T is 1.

    Args:
        probability: rows add up to one.
        y: the column of each node's label.

    Returns:
        T between 0.01 and 100; 1 where there are no nodes, no second class, or nothing but even
        odds.

    Example:
        >>> bold = np.array([[0.99, 0.01], [0.99, 0.01], [0.01, 0.99], [0.01, 0.99]] * 5)
        >>> fit_temperature(bold, np.array([0, 1, 1, 1] * 5)) > 1
        True
    """
    n, classes = probability.shape
    if n == 0 or classes < 2:
        return 1.0
    _check_labels(y, classes)
    if n < FEW and not _proves_itself(probability, y):
        return 1.0
    return likeliest_temperature(probability, y)


def likeliest_temperature(
    probability: Float[np.ndarray, "nodes classes"], y: Int[np.ndarray, " nodes"]
) -> float:
    """The temperature of `fit_temperature` without the proof, for one node or more."""
    n = len(y)
    z = _logits(probability)
    wanted = (n * z[np.arange(n), y] + z.mean(axis=1)) / (n + 1)

    def slope(sharpness: float) -> float:
        return float(((softmax(sharpness * z, axis=1) * z).sum(axis=1) - wanted).mean())

    low, high = 1.0 / HOTTEST, 1.0 / COLDEST
    if np.ptp(z, axis=1).max() == 0.0:
        return 1.0  # even odds are even at any temperature
    if slope(low) >= 0.0:
        return HOTTEST
    if slope(high) <= 0.0:
        return COLDEST
    return 1.0 / float(brentq(slope, low, high))


def tempered(
    probability: Float[np.ndarray, "nodes classes"], temperature: float
) -> Float[np.ndarray, "nodes classes"]:
    """Probabilities proportional to p^(1/T): T above 1 evens them out, below 1 sharpens them.

    Which class is likeliest does not change. T = 1 gives the input itself.

    Example:
        >>> tempered(np.array([[0.8, 0.2]]), 2.0).round(3)
        array([[0.667, 0.333]])
    """
    if not (np.isfinite(temperature) and temperature > 0):
        raise InputError(f"temperature is {temperature}; it must be a positive number")
    if temperature == 1.0:
        return probability
    scaled: np.ndarray = softmax(_logits(probability) / temperature, axis=1)
    return scaled.astype(probability.dtype)


def negative_log_likelihood(
    probability: Float[np.ndarray, "nodes classes"], y: Int[np.ndarray, " nodes"]
) -> float:
    """The mean of −log p of the labels, with p taken as `FLOOR` below it.

    Example:
        >>> round(negative_log_likelihood(np.array([[0.5, 0.5]]), np.array([0])), 3)
        0.693
    """
    _check_labels(y, probability.shape[1])
    right = log_softmax(_logits(probability), axis=1)[np.arange(len(y)), y]
    return float(-right.mean())


def _proves_itself(
    probability: Float[np.ndarray, "nodes classes"], y: Int[np.ndarray, " nodes"]
) -> bool:
    """Whether labels are likelier at the temperatures that the other nodes give than at 1."""
    if len(y) < 2:
        return False
    at_others = 0.0
    for node in range(len(y)):
        own, others = [node], np.delete(np.arange(len(y)), node)
        temperature = likeliest_temperature(probability[others], y[others])
        at_others += negative_log_likelihood(tempered(probability[own], temperature), y[own])
    return at_others / len(y) < negative_log_likelihood(probability, y)


def _logits(probability: Float[np.ndarray, "nodes classes"]) -> Float[np.ndarray, "nodes classes"]:
    logits: np.ndarray = np.log(probability.astype(np.float64).clip(min=FLOOR))
    return logits


def _check_labels(y: Int[np.ndarray, " nodes"], classes: int) -> None:
    if len(y) and not (y.min() >= 0 and y.max() < classes):
        raise InputError(f"labels go from {y.min()} to {y.max()}; there are {classes} classes")
