"""Label propagation as parts of the training labels see it without themselves.

A training node's own label comes back to it from its neighbours. What learns from propagated labels
would learn to read that off, and nothing else; so the labels take turns to be withheld, and are
learned from what the others say.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goodie.graph import Operator
from goodie.propagate.labels import propagate_labels


class Withheld(NamedTuple):
    """Scores, and who was told by them.

    Attributes:
        scores: for each part, Ŷ of the labels that are not in it.
        share: for each part and each seed, in the seeds' order, how much the seed counts there: the
            same for the seeds that are told without their own label, zero for the others; one in
            all.
    """

    scores: Float[Tensor, "parts nodes classes"]
    share: Float[Tensor, "parts seeds"]


def propagate_withheld(
    y: Int[Tensor, " nodes"],
    seeds: Bool[Tensor, " nodes"],
    S: Operator,
    *,
    parts: int,
    alpha: float,
    steps: int,
    num_classes: int,
    generator: torch.Generator,
) -> Withheld:
    """Propagate the labels of the seeds, each time without a part of them.

    Args:
        y: labels; read at the seeds only.
        seeds: the nodes whose labels are known.
        S: from `goodie.operator`.
        parts: how many, or as many as there are seeds to withhold; with fewer than two, nothing is
            withheld.
        alpha: as for `propagate_labels`, and the rest too.
        steps: see there.
        num_classes: see there.
        generator: deals the seeds out.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> path = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), num_nodes=4)
        >>> seeds = torch.ones(4, dtype=torch.bool)
        >>> done = propagate_withheld(
        ...     torch.tensor([0, 0, 1, 1]), seeds, operator(path), parts=2,
        ...     alpha=0.9, steps=50, num_classes=2, generator=torch.Generator().manual_seed(0),
        ... )
        >>> done.scores.shape, done.share.tolist()
        (torch.Size([2, 4, 2]), [[0.5, 0.0, 0.0, 0.5], [0.0, 0.5, 0.5, 0.0]])
    """
    nodes = seeds.nonzero()[:, 0]
    part = deal(y[nodes], parts, generator)
    scores, shares = [], []
    for number in range(max(1, int(part.max()) + 1)):
        kept = seeds.clone()
        kept[nodes[part == number]] = False
        done = propagate_labels(y, kept, S, alpha=alpha, steps=steps, num_classes=num_classes)
        scores.append(done.values)
        told = ((part == number) | (part < 0)).to(S.dtype)
        shares.append(told / told.sum())
    return Withheld(torch.stack(scores), torch.stack(shares).to(S.device))


def deal(
    labels: Int[Tensor, " seeds"], parts: int, generator: torch.Generator
) -> Int[Tensor, " seeds"]:
    """The part of each seed, from 0; −1 for those that are in none.

    Each class goes round the parts in random order, so that no part has all of a class of two or
    more. The only seed of a class is never withheld: without it the class would be unheard of.
    """
    part = torch.full_like(labels, -1)
    if parts < 2:
        return part
    dealt = 0
    for label in labels.unique():
        members = (labels == label).nonzero()[:, 0]
        if len(members) < 2:
            continue
        order = torch.randperm(len(members), generator=generator)
        part[members[order]] = (dealt + torch.arange(len(members))) % parts
        dealt += len(members)
    return part
