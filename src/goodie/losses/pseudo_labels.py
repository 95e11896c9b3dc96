"""What label propagation says of every node, and how far to believe it (Eqs. 9–10)."""

from typing import Literal, NamedTuple, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goodie.errors import InputError

Trust = Literal["pseudo", "strong", "weak", "manual"]

# Of a pseudo-label under `manual`; a pair of two then weighs its square (the paper's 1, ½, ¼).
MANUAL = 0.5


class PseudoLabels(NamedTuple):
    """A label for every node, and u: how much it counts.

    The weight of a pair in Eq. 10 is the product of its two nodes' u.

    Attributes:
        label: −1 where no training label reaches.
        confidence: u, between 0 and 1.
    """

    label: Int[Tensor, " nodes"]
    confidence: Float[Tensor, " nodes"]


def pseudo_labels(
    scores: Float[Tensor, "nodes classes"],
    y: Int[Tensor, " nodes"],
    train_mask: Bool[Tensor, " nodes"],
    *,
    temperature: float,
    trust: Trust = "pseudo",
) -> PseudoLabels:
    """Pseudo-labels from the raw scores of label propagation.

    A node's label is that of its largest score, and ỹ, its certainty, `max softmax(scores / τ)`.
    Training nodes keep the label they were given, which propagation may contradict.

    Args:
        scores: Ŷ, not normalised: rows that sum to one would all be near certain.
        y: labels; read at the training nodes only.
        train_mask: the training nodes.
        temperature: τ.
        trust: u of training nodes and of others: `pseudo` (the paper's) is 1 and ỹ, `strong` 1 and
            1, `weak` ỹ and ỹ, `manual` 1 and ½.

    Example:
        >>> scores = torch.tensor([[0.3, 0.0], [0.01, 0.02], [0.0, 0.0]])
        >>> train_mask = torch.tensor([True, False, False])
        >>> found = pseudo_labels(scores, torch.tensor([0, -1, -1]), train_mask, temperature=0.01)
        >>> found.label.tolist(), found.confidence.round(decimals=3).tolist()
        ([0, 1, -1], [1.0, 0.7310000061988831, 0.0])
    """
    if trust not in get_args(Trust):
        raise InputError(f"unknown trust {trust!r}; there are {', '.join(get_args(Trust))}")
    reached = (scores > 0).any(dim=1) | train_mask
    certainty = (scores / temperature).softmax(dim=1).amax(dim=1)
    of_others = {
        "pseudo": certainty,
        "strong": torch.ones_like(certainty),
        "weak": certainty,
        "manual": torch.full_like(certainty, MANUAL),
    }[trust]
    confidence = of_others if trust == "weak" else torch.where(train_mask, 1.0, of_others)
    label = torch.where(train_mask, y, scores.argmax(dim=1))
    return PseudoLabels(torch.where(reached, label, -1), torch.where(reached, confidence, 0.0))
