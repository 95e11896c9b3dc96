"""Softmax regression: one linear layer."""

import torch
from jaxtyping import Float
from torch import Tensor

from goodie.nn.product import Constant
from goodie.nn.random import glorot


class Linear(torch.nn.Module):
    """`X W + b`.

    Args:
        width_in: columns of X.
        num_classes: columns of the result.
        generator: initial weights.
        device: where the layer lives.
    """

    def __init__(
        self,
        width_in: int,
        num_classes: int,
        *,
        generator: torch.Generator,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        self.weight = glorot(width_in, num_classes, generator)
        self.bias = torch.nn.Parameter(torch.zeros(num_classes))
        self.to(device)

    def forward(self, X: Constant) -> Float[Tensor, "nodes classes"]:
        """Logits."""
        return X @ self.weight + self.bias
