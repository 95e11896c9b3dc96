"""Initial weights and dropout from a generator, so that nothing depends on global state."""

import torch
from jaxtyping import Float
from torch import Tensor


def glorot(rows: int, columns: int, generator: torch.Generator) -> torch.nn.Parameter:
    """Weights uniform in ±√(6 / (rows + columns)) (Glorot and Bengio, 2010).

    Drawn on the CPU, so that a run on a GPU starts from the same ones.
    """
    bound = (6.0 / (rows + columns)) ** 0.5 if rows + columns else 0.0
    weights = torch.empty(rows, columns)
    return torch.nn.Parameter(weights.uniform_(-bound, bound, generator=generator))


class Dropout(torch.nn.Module):
    """Zero each entry with probability p in training, and scale the others by 1 / (1 − p)."""

    def __init__(self, p: float, generator: torch.Generator) -> None:
        super().__init__()
        self.p = p
        self.generator = generator

    def forward(self, h: Float[Tensor, "nodes width"]) -> Float[Tensor, "nodes width"]:
        """Drop entries; the identity in evaluation."""
        if not self.training or self.p == 0.0:
            return h
        keep = torch.empty_like(h).bernoulli_(1.0 - self.p, generator=self.generator)
        return h * keep / (1.0 - self.p)
