"""The two-layer networks that most compared methods end in."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from goodie.nn.product import Constant, Propagated
from goodie.nn.random import Dropout, glorot


class TwoLayers(torch.nn.Module):
    """`S ReLU(X W₁ + b₁) W₂ + b₂`, with dropout after the hidden layer.

    With X already propagated this is the graph convolutional network of Kipf and Welling (2017);
    without S and with plain X, a multilayer perceptron.

    Args:
        width_in: columns of X.
        hidden: columns of the hidden layer.
        num_classes: columns of the result.
        dropout: probability.
        hidden_bias: whether b₁ is learned; it stays zero otherwise.
        generator: initial weights; dropout draws from one of its own, seeded by it.
        device: where the network lives.
    """

    def __init__(
        self,
        width_in: int,
        hidden: int,
        num_classes: int,
        *,
        dropout: float,
        hidden_bias: bool = True,
        generator: torch.Generator,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        self.weight_1 = glorot(width_in, hidden, generator)
        self.weight_2 = glorot(hidden, num_classes, generator)
        self.bias_1 = torch.nn.Parameter(torch.zeros(hidden), requires_grad=hidden_bias)
        self.bias_2 = torch.nn.Parameter(torch.zeros(num_classes))
        seed = int(torch.randint(2**31, (), generator=generator))
        self.dropout = Dropout(dropout, torch.Generator(device).manual_seed(seed))
        self.to(device)

    def forward(
        self, X: Constant | Propagated, S: Constant | None
    ) -> Float[Tensor, "nodes classes"]:
        """Logits."""
        h = F.relu(X @ self.weight_1 + self.bias_1)
        out: Tensor = self.dropout(h) @ self.weight_2
        return (out if S is None else S @ out) + self.bias_2
