"""What GOODIE minimises: the paper's sum, or one in which the branches must also stand alone."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from goodie.nn.goodie import GoodieNetwork, Inputs

Objective = Callable[[], Float[Tensor, ""]]


class Lesson(NamedTuple):
    """What is learned from.

    Attributes:
        inputs: of the branches.
        nodes: the training nodes.
        y: their labels.
        contrast: λ times a contrastive loss of the embeddings of all nodes, if there is one.
    """

    inputs: Inputs
    nodes: Int[Tensor, " taught"]
    y: Int[Tensor, " taught"]
    contrast: Callable[[Float[Tensor, "nodes width"]], Float[Tensor, ""]] | None


class Turns(NamedTuple):
    """Label propagation without a part of the labels, one part after another.

    Attributes:
        structure: for each part, Â Ŷ of the other labels.
        share: for each part, how much each training node counts; they sum to one.
    """

    structure: Float[Tensor, "parts nodes classes"]
    share: Float[Tensor, "parts taught"]


def joint(model: GoodieNetwork, lesson: Lesson) -> Objective:
    """The cross-entropy of what the branches say together, and the contrast (Eq. 14)."""
    seen, _ = _seen(model, lesson)

    def loss() -> Tensor:
        out = model(seen)
        value = F.cross_entropy(out.logits, lesson.y)
        return value if lesson.contrast is None else value + lesson.contrast(out.z)

    return loss


def apart(
    model: GoodieNetwork, lesson: Lesson, turns: Turns, *, branch_weight: float, decay: float
) -> Objective:
    """As `joint`, with each branch judged alone too, and labels withheld from their fusion.

    Each time it is the next part's turn: what the branches say together is judged on nodes whose
    own labels are not in what they see. Structure alone is judged with all labels in place, as it
    will be asked; what is read off an own label then can do no harm to the features' branch.

    Args:
        model: whose branches.
        lesson: what is learned from.
        turns: for what they say together.
        branch_weight: of the two cross-entropies of the branches alone.
        decay: of ½ Σ w² over the branches' weights.
    """
    seen, read = _seen(model, lesson)
    withheld = turns.structure if read is None else turns.structure[:, read]
    # On the device, so that an epoch recorded there goes on from where the last one was.
    turn = torch.zeros(1, dtype=torch.long, device=lesson.y.device)

    def loss() -> Tensor:
        part = withheld.index_select(0, turn)[0]
        both, structure, features = model.voices(seen, part)
        each = F.cross_entropy(both.logits, lesson.y, reduction="none")
        value = (each * turns.share.index_select(0, turn)[0]).sum()
        for alone in (structure, features):
            value = value + branch_weight * F.cross_entropy(alone.logits, lesson.y)
        for weight in (model.weight_structure, model.weight_features):
            value = value + 0.5 * decay * weight.square().sum()
        turn.add_(1).remainder_(len(withheld))
        return value if lesson.contrast is None else value + lesson.contrast(both.z)

    return loss


def _seen(model: GoodieNetwork, lesson: Lesson) -> tuple[Inputs, Int[Tensor, " read"] | None]:
    """What the training nodes' logits depend on; all nodes where their embeddings are wanted."""
    whole = lesson.contrast is not None or not model.fusion.nodewise
    return lesson.inputs.reading(lesson.nodes, whole=whole)
