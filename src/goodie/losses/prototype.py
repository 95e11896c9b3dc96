"""Contrast between classes instead of nodes: the paper's version for large graphs (Eqs. 12–13)."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from goodie.losses.class_sums import class_sums
from goodie.losses.pairwise_logsumexp import pairwise_logsumexp
from goodie.nn.product import Constant


class Classes(NamedTuple):
    """What of the prototypes never changes while z does.

    Attributes:
        sums: gives `Σ_{i∈c} u_i z_i` for each class that has a node, and a row that is not used.
        size: how many classes have a node.
    """

    sums: Constant
    size: int


def classes(label: Int[Tensor, " nodes"], confidence: Float[Tensor, " nodes"]) -> Classes:
    """The classes of labelled nodes.

    Args:
        label: class of every node; −1 joins none.
        confidence: u, how much a node counts.
    """
    labelled = label >= 0
    present = label[labelled].unique()
    group = torch.where(labelled, torch.searchsorted(present, label), len(present))
    u = torch.where(labelled, confidence, 0.0)
    return Classes(class_sums(group, u[:, None], len(present) + 1), len(present))


def prototype_loss(
    z: Float[Tensor, "nodes width"],
    of: Classes,
    *,
    temperature: float,
    printed: bool = False,
) -> Float[Tensor, ""]:
    """How alike the classes' prototypes are, summed over classes.

    A prototype is the direction of Σ_{i∈c} u_i z_i (Eq. 12), rows of z at unit length. The loss is
    `−Σ_c log(exp(z^c·z^c/τ) / Σ_b exp(z^c·z^b/τ))`, b over all classes.

    Args:
        z: embeddings.
        of: from `classes`.
        temperature: τ.
        printed: Eq. 13 as the paper prints it, without the own class above and below the line: it
            only pushes, and a model trained with it collapses.

    Example:
        >>> of = classes(torch.tensor([0, 0, 1]), torch.ones(3))
        >>> prototype_loss(torch.tensor([[1.0, 0], [1, 0], [0, 1]]), of, temperature=1.0)
        tensor(0.6265)
    """
    prototype = F.normalize((of.sums @ F.normalize(z, dim=1))[: of.size], dim=1)
    if printed:
        if of.size < 2:
            return 0.0 * prototype.sum()
        return pairwise_logsumexp(prototype, temperature, backend="reference").sum()
    alike = prototype @ prototype.T / temperature
    return (alike.logsumexp(dim=1) - alike.diagonal()).sum()
