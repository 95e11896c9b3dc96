"""From embeddings to links: the inner product, and the loss that trains it."""

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F


def pair_logits(
    z: Float[Tensor, "nodes width"], pairs: Int[Tensor, "2 pairs"]
) -> Float[Tensor, " pairs"]:
    """z_iᵀ z_j of each pair: the log-odds of an edge (Kipf and Welling, 2016)."""
    ends = z.index_select(0, pairs[0]), z.index_select(0, pairs[1])
    logits: Tensor = (ends[0] * ends[1]).sum(dim=-1)
    return logits


def reconstruction(
    z: Float[Tensor, "nodes width"],
    edges: Int[Tensor, "2 edges"],
    others: Int[Tensor, "2 others"],
) -> Float[Tensor, ""]:
    """−mean log σ(z_iᵀ z_j) over edges − mean log(1 − σ(z_iᵀ z_j)) over other pairs."""
    return (
        -F.logsigmoid(pair_logits(z, edges)).mean() - F.logsigmoid(-pair_logits(z, others)).mean()
    )
