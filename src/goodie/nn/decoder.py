"""From embeddings to links: the inner product, and the loss that trains it."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F


def pair_logits(
    z: Float[Tensor, "nodes width"], pairs: Int[Tensor, "2 pairs"]
) -> Float[Tensor, " pairs"]:
    """z_iᵀ z_j of each pair: the log-odds of an edge (Kipf and Welling, 2016)."""
    # Unlike that of indexing, the gradient of index_select is a plain addition of rows.
    ends = z.index_select(0, pairs[0]), z.index_select(0, pairs[1])
    logits: Tensor = (ends[0] * ends[1]).sum(dim=-1)
    return logits


def reconstruction(
    z: Float[Tensor, "nodes width"],
    edges: Int[Tensor, "2 edges"],
    drawn: Int[Tensor, "2 drawn"],
    counted: Bool[Tensor, " drawn"],
) -> Float[Tensor, ""]:
    """−mean log σ(z_iᵀ z_j) over edges − mean log(1 − σ(z_iᵀ z_j)) over drawn pairs that count."""
    apart = torch.where(counted, F.logsigmoid(-pair_logits(z, drawn)), 0.0)
    return -F.logsigmoid(pair_logits(z, edges)).mean() - apart.sum() / counted.sum().clamp(min=1)


class RandomPairs:
    """Pairs of nodes drawn on the device, and which of them no edge joins.

    Nothing is drawn again, so that each draw is the same work and waits for nobody: in a graph with
    few edges nearly all count.

    Args:
        edges: each once, the smaller node above.
        num_nodes: N.
        generator: of the draws, on the device of the edges.
    """

    def __init__(
        self, edges: Int[Tensor, "2 edges"], num_nodes: int, generator: torch.Generator
    ) -> None:
        self.num_nodes = num_nodes
        self.generator = generator
        self._taken = (edges[0] * num_nodes + edges[1]).sort().values

    def draw(self) -> tuple[Int[Tensor, "2 drawn"], Bool[Tensor, " drawn"]]:
        """As many as there are edges."""
        shape = 2, len(self._taken)
        ends = torch.randint(
            self.num_nodes, shape, generator=self.generator, device=self._taken.device
        )
        low, high = ends.amin(dim=0), ends.amax(dim=0)
        key = low * self.num_nodes + high
        place = torch.searchsorted(self._taken, key).clamp(max=len(self._taken) - 1)
        return ends, (low != high) & (self._taken[place] != key)
