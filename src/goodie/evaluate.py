"""Metrics: the only place that reads the labels of test nodes, or which test pairs are edges."""

import math
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import Tensor

from goodie.errors import InputError

# Within so many deviations lie 95 % of a normal distribution.
NORMAL_95 = 1.959963984540054


def accuracy(
    probability: Float[Tensor, "nodes classes"],
    y: Int[Tensor, " nodes"],
    judged: Bool[Tensor, " nodes"],
) -> float:
    """Percent of the judged nodes whose likeliest class is their label.

    Example:
        >>> import torch
        >>> p = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
        >>> accuracy(p, torch.tensor([0, 1, 1]), torch.tensor([True, True, False]))
        100.0
    """
    nodes = judged.nonzero()[:, 0]
    if len(nodes) == 0:
        raise InputError("no node is judged: the validation or the test part of the split is empty")
    return float(percent_right(probability[nodes], y[nodes]))


def percent_right(
    scores: Float[Tensor, "*ways judged classes"], y: Int[Tensor, " judged"]
) -> Float[Tensor, "*ways"]:
    """`accuracy` where all nodes are judged, left on its device: what training selects by."""
    return 100.0 * (scores.argmax(dim=-1) == y).double().mean(dim=-1)


class Ranking(NamedTuple):
    """How well scores tell edges from other pairs, in percent.

    Attributes:
        auc: area under the receiver operating characteristic.
        ap: average precision.
    """

    auc: float
    ap: float


def ranking(edges: Float[Tensor, " edges"], others: Float[Tensor, " others"]) -> Ranking:
    """By the scores of pairs that are edges, and of pairs that are not.

    Example:
        >>> import torch
        >>> ranking(torch.tensor([0.9, 0.4]), torch.tensor([0.5, 0.1])).auc
        75.0
    """
    if len(edges) == 0 or len(others) == 0:
        raise InputError(f"{len(edges)} edges and {len(others)} other pairs cannot be told apart")
    score = torch.cat([edges, others]).double().cpu().numpy()
    truth = np.repeat([1, 0], [len(edges), len(others)])
    return Ranking(
        100.0 * float(roc_auc_score(truth, score)),
        100.0 * float(average_precision_score(truth, score)),
    )


def percent_above(
    edges: Float[Tensor, " edges"], others: Float[Tensor, " others"]
) -> Float[Tensor, ""]:
    """The same area, left on its device: what training selects by.

    It is the share of pairs (edge, other) in which the edge scores higher; equal ones count half.
    """
    below, upto = (
        torch.searchsorted(others.sort().values, edges, right=right).double()
        for right in (False, True)
    )
    return 50.0 * (below + upto).mean() / len(others)


def separation(
    embedding: Float[Tensor, "judged width"], y: Int[Tensor, " judged"], *, seed: int = 0
) -> float:
    """How much nearer nodes are to their own class than to the next: the mean silhouette.

    Between −1 and 1. Of more than 5,000 nodes it is that of so many, drawn by the seed.
    """
    from sklearn.metrics import silhouette_score

    size = min(len(y), 5_000)
    return float(
        silhouette_score(embedding.numpy(), y.numpy(), sample_size=size, random_state=seed)
    )


def confusion(
    predicted: Int[np.ndarray, " judged"], y: Int[np.ndarray, " judged"], num_classes: int
) -> Int[np.ndarray, "classes classes"]:
    """How many nodes of each class (rows) are taken for each (columns).

    Nodes whose label is −1, a class that the model does not know, are left out.

    Example:
        >>> confusion(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
        [[1, 1], [0, 1]]
    """
    known = y >= 0
    counts = np.zeros((num_classes, num_classes), dtype=np.int64)
    np.add.at(counts, (y[known], predicted[known]), 1)
    return counts


def wilson(right: int, judged: int, *, z: float = NORMAL_95) -> tuple[float, float]:
    """The 95 % interval of a share that was counted on a sample (Wilson, 1927).

    Example:
        >>> low, high = wilson(8, 10)
        >>> round(low, 3), round(high, 3)
        (0.49, 0.943)
    """
    if judged == 0:
        return 0.0, 1.0
    share, extra = right / judged, z * z / judged
    middle = (share + extra / 2) / (1 + extra)
    half = z * math.sqrt(share * (1 - share) / judged + extra / (4 * judged)) / (1 + extra)
    # At 0 and 1 rounding would leave a little outside.
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))
