"""The contrastive losses by name: the paper's, its version for large graphs, and its ablation's."""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goodie.errors import InputError
from goodie.losses.contrastive import contrastive_loss, positives
from goodie.losses.pairwise_logsumexp import Backend, chosen
from goodie.losses.prototype import classes, prototype_loss
from goodie.losses.pseudo_labels import Trust, pseudo_labels

Name = Literal[
    "pseudo", "strong", "weak", "manual", "train", "sampled", "prototype", "prototype-printed"
]


class Contrast(NamedTuple):
    """A contrastive loss of the embeddings.

    Attributes:
        loss: of the embeddings of all nodes.
        steady: it is the same work on the device each time, which never waits for the host.
    """

    loss: Callable[[Float[Tensor, "nodes width"]], Float[Tensor, ""]]
    steady: bool


def contrast(
    name: Name,
    scores: Float[Tensor, "nodes classes"],
    y: Int[Tensor, " nodes"],
    train_mask: Bool[Tensor, " nodes"],
    *,
    width: int,
    temperature: float,
    generator: torch.Generator,
    sample: int = 4096,
    backend: Backend = "auto",
) -> Contrast:
    """A contrastive loss of the embeddings, with all that never changes made here.

    Args:
        name: `pseudo` is PseudoCon (Eqs. 9–10); `strong`, `weak` and `manual` weigh its pairs
            otherwise (see `pseudo_labels`); `train` is supervised contrast among the training nodes
            alone (Eq. 8); `sampled` is PseudoCon within a random sample of nodes, a new one each
            time; `prototype` and `prototype-printed` contrast classes (Eqs. 12–13; see
            `prototype_loss`).
        scores: Ŷ, raw.
        y: labels; read at the training nodes only.
        train_mask: the training nodes.
        width: columns of the embeddings.
        temperature: τ.
        generator: of samples, on the CPU.
        sample: nodes in one.
        backend: of the log-sum-exp over pairs.
    """
    if name not in get_args(Name):
        raise InputError(f"unknown contrast {name!r}; there are {', '.join(get_args(Name))}")
    num_classes = scores.shape[1]
    # The blocked way looks on the host whether a row underflowed.
    steady = chosen(backend, scores.new_empty(0, width)) != "blocked"
    if name == "train":
        nodes = train_mask.nonzero()[:, 0]
        own = positives(y[nodes], torch.ones_like(scores[nodes, 0]), num_classes)
        return Contrast(
            lambda z: contrastive_loss(z[nodes], own, temperature=temperature, backend=backend),
            steady,
        )

    trust: Trust = "pseudo"
    if name == "strong" or name == "weak" or name == "manual":
        trust = name
    label, confidence = pseudo_labels(scores, y, train_mask, temperature=temperature, trust=trust)
    if name in ("prototype", "prototype-printed"):
        some = classes(label, confidence)
        printed = name == "prototype-printed"
        return Contrast(
            lambda z: prototype_loss(z, some, temperature=temperature, printed=printed), steady=True
        )
    if name == "sampled" and sample < len(label):

        def of_a_sample(z: Tensor) -> Tensor:
            nodes = torch.randperm(len(label), generator=generator)[:sample].to(z.device)
            own = positives(label[nodes], confidence[nodes], num_classes)
            return contrastive_loss(z[nodes], own, temperature=temperature, backend=backend)

        return Contrast(of_a_sample, steady=False)
    every = positives(label, confidence, num_classes)
    return Contrast(
        lambda z: contrastive_loss(z, every, temperature=temperature, backend=backend), steady
    )
