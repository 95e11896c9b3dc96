"""How the two branches' embeddings become one (Eqs. 5–6, and the ablation's alternatives)."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from goodie.nn.random import glorot

Name = Literal["attention", "random", "sum", "mean", "concat"]

# Of the LeakyReLU in Eq. 6.
NEGATIVE_SLOPE = 0.3


class Fused(NamedTuple):
    """One embedding a node, and how much of it came from the structure's branch.

    The rest, `1 − structure`, came from the features'.
    """

    z: Float[Tensor, "nodes fused"]
    structure: Float[Tensor, " nodes"]


class Fusion(torch.nn.Module, ABC):
    """Joins H^LP and H^FP, both N×D.

    Attributes:
        nodewise: whether a node's embedding is the same in whatever company it is looked at.

    Args:
        width: D.
        generator: what it draws, it draws from here.
    """

    nodewise: ClassVar[bool] = True

    def __init__(self, width: int, generator: torch.Generator) -> None:
        super().__init__()
        self.width_out = width

    @abstractmethod
    def forward(
        self, structure: Float[Tensor, "nodes width"], features: Float[Tensor, "nodes width"]
    ) -> Fused:
        """Join them."""

    def weights(
        self, joined: Float[Tensor, "fused classes"]
    ) -> tuple[Float[Tensor, "width classes"], Float[Tensor, "width classes"]]:
        """Weights of a layer after the fusion, as they meet each branch when it is alone."""
        return joined, joined


class Attention(Fusion):
    """Node by node, the softmax over the branches of LeakyReLU(aᵀh), one a for both (Eqs. 5–6)."""

    def __init__(self, width: int, generator: torch.Generator) -> None:
        super().__init__(width, generator)
        self.a = glorot(width, 1, generator)

    def forward(
        self, structure: Float[Tensor, "nodes width"], features: Float[Tensor, "nodes width"]
    ) -> Fused:
        """See `Fusion`."""
        of_structure, of_features = (
            F.leaky_relu(h @ self.a, NEGATIVE_SLOPE) for h in (structure, features)
        )
        share = torch.sigmoid(of_structure - of_features)  # softmax of two
        return Fused(torch.lerp(features, structure, share), share[:, 0])


class RandomHalf(Fusion):
    """A random half of the nodes takes the one branch, the others the other."""

    nodewise = False

    def __init__(self, width: int, generator: torch.Generator) -> None:
        super().__init__(width, generator)
        seed = torch.randint(2**31, (), generator=generator)
        self.register_buffer("seed", seed)

    def forward(
        self, structure: Float[Tensor, "nodes width"], features: Float[Tensor, "nodes width"]
    ) -> Fused:
        """See `Fusion`; the same halves each time for the same number of nodes."""
        n = len(structure)
        generator = torch.Generator().manual_seed(int(self.get_buffer("seed")))
        half = (torch.randperm(n, generator=generator) < n // 2).to(structure.device)
        return Fused(torch.where(half[:, None], structure, features), half.to(structure.dtype))


class Sum(Fusion):
    """H^LP + H^FP."""

    def forward(
        self, structure: Float[Tensor, "nodes width"], features: Float[Tensor, "nodes width"]
    ) -> Fused:
        """See `Fusion`."""
        return Fused(structure + features, structure.new_full((len(structure),), 0.5))


class Mean(Fusion):
    """(H^LP + H^FP) / 2."""

    def forward(
        self, structure: Float[Tensor, "nodes width"], features: Float[Tensor, "nodes width"]
    ) -> Fused:
        """See `Fusion`."""
        return Fused((structure + features) / 2, structure.new_full((len(structure),), 0.5))


class Concat(Fusion):
    """H^LP beside H^FP."""

    def __init__(self, width: int, generator: torch.Generator) -> None:
        super().__init__(width, generator)
        self.width_out = 2 * width

    def forward(
        self, structure: Float[Tensor, "nodes width"], features: Float[Tensor, "nodes width"]
    ) -> Fused:
        """See `Fusion`."""
        both = torch.cat([structure, features], dim=1)
        return Fused(both, structure.new_full((len(structure),), 0.5))

    def weights(
        self, joined: Float[Tensor, "fused classes"]
    ) -> tuple[Float[Tensor, "width classes"], Float[Tensor, "width classes"]]:
        """See `Fusion.weights`."""
        of_structure, of_features = joined.chunk(2)
        return of_structure, of_features


FUSIONS: dict[Name, type[Fusion]] = {
    "attention": Attention,
    "random": RandomHalf,
    "sum": Sum,
    "mean": Mean,
    "concat": Concat,
}
