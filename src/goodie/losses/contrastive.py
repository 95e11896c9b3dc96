"""Supervised contrast whose pairs count by how far their labels are believed (Eqs. 8–10)."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from goodie.losses.class_sums import class_sums
from goodie.losses.pairwise_logsumexp import Backend, pairwise_logsumexp
from goodie.nn.product import Constant


@dataclass(frozen=True, eq=False)
class Positives:
    """Who attracts whom and how strongly; what of the loss never changes while z does.

    With w_ip = u_i u_p and v_i = u_i / (n |P(i)|), n the number of labelled nodes, Eq. 9 is

        Σ_i v_i (Σ_{p∈P(i)} u_p) lse_i − (1/τ) Σ_c ⟨Σ_{i∈c} v_i z_i, Σ_{p∈c} u_p z_p⟩
                                        + (1/τ) Σ_i v_i u_i |z_i|²,

    so that pairs are needed for the log-sum-exps alone.

    Attributes:
        sums: 2C×N, gives Σ_{i∈c} v_i z_i for every class, and below it Σ_{p∈c} u_p z_p.
        push: v_i Σ_{p∈P(i)} u_p, what lse_i is multiplied by.
        itself: v_i u_i, what |z_i|² is multiplied by.
    """

    sums: Constant
    push: Float[Tensor, " nodes"]
    itself: Float[Tensor, " nodes"]


def positives(
    label: Int[Tensor, " nodes"], confidence: Float[Tensor, " nodes"], num_classes: int
) -> Positives:
    """The positives of labelled nodes.

    Args:
        label: class of every node; −1 joins none, and is only pushed away from.
        confidence: u, how much a node counts.
        num_classes: more than the largest label.
    """
    # Nodes of no class go to one more, in which nothing has any weight.
    labelled = label >= 0
    group = torch.where(labelled, label, num_classes)
    u = torch.where(labelled, confidence, 0.0)
    size = torch.bincount(group, minlength=num_classes + 1).to(u)
    mass = (class_sums(group, u[:, None], num_classes + 1) @ torch.ones_like(u)[:, None])[:, 0]
    others = torch.where(labelled, size[group] - 1.0, 0.0)
    v = torch.where(others > 0, u / (others * labelled.sum()), 0.0)
    sums = class_sums(group, torch.stack([v, u], dim=1), num_classes + 1)
    return Positives(sums, v * (mass[group] - u), v * u)


def contrastive_loss(
    z: Float[Tensor, "nodes width"],
    of: Positives,
    *,
    temperature: float,
    backend: Backend = "auto",
) -> Float[Tensor, ""]:
    """The mean over labelled nodes of how far each is from its own, against all others (Eq. 9).

    With u = 1 everywhere it is supervised contrast (Khosla et al., 2020; Eq. 8). Rows of z are
    brought to unit length first. A node without another of its class adds nothing. Exact, in
    memory that grows with the nodes, not with the pairs.

    Example:
        >>> z = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        >>> of = positives(torch.tensor([0, 0, 1]), torch.ones(3), 2)
        >>> contrastive_loss(z, of, temperature=1.0)
        tensor(0.2088)
    """
    z = F.normalize(z, dim=1)
    # An empty sum, of a node alone in the world, is −∞ and has no weight.
    away = pairwise_logsumexp(z, temperature, backend=backend)
    pushed = torch.where(of.push > 0, of.push * away, 0.0).sum()
    drawn, drawing = (of.sums @ z).chunk(2)
    pulled = (drawn * drawing).sum() - (of.itself * z.square().sum(dim=1)).sum()
    return pushed - pulled / temperature
