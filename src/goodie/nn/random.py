"""Initial weights and dropout from a generator, so that nothing depends on global state."""

import torch
from jaxtyping import Float
from torch import Tensor

from goodie.errors import InputError

_INT64, _INT16 = torch.iinfo(torch.int64), torch.iinfo(torch.int16)
_SPAN = _INT16.max - _INT16.min  # the largest p·_SPAN still is an int16 above its least


def glorot(rows: int, columns: int, generator: torch.Generator) -> torch.nn.Parameter:
    """Weights uniform in ±√(6 / (rows + columns)) (Glorot and Bengio, 2010).

    Drawn on the CPU, so that a run on a GPU starts from the same ones.
    """
    bound = (6.0 / (rows + columns)) ** 0.5 if rows + columns else 0.0
    weights = torch.empty(rows, columns)
    return torch.nn.Parameter(weights.uniform_(-bound, bound, generator=generator))


class Dropout(torch.nn.Module):
    """Zero each entry with probability p in training, and scale the others by 1 / (1 − p).

    A generator's numbers are drawn one after another and are what this costs on a CPU, so each
    serves four entries, 16 bits for one; p is met to 1 / 65,536.
    """

    def __init__(self, p: float, generator: torch.Generator) -> None:
        super().__init__()
        if not 0.0 <= p < 1.0:
            raise InputError(f"dropout={p}; it is a probability below 1")
        self.p = p
        self.generator = generator

    def forward(self, h: Float[Tensor, "nodes width"]) -> Float[Tensor, "nodes width"]:
        """Drop entries; the identity in evaluation."""
        if not self.training or self.p == 0.0:
            return h
        numbers = torch.empty(h.numel() // 4 + 1, dtype=torch.int64, device=h.device)
        numbers.random_(_INT64.min, None, generator=self.generator)
        bits = numbers.view(torch.int16)[: h.numel()].view(h.shape)
        kept = bits >= round(self.p * _SPAN) + _INT16.min
        return h * torch.where(kept, 1.0 / (1.0 - self.p), 0.0).to(h.dtype)
