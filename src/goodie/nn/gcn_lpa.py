"""GCN-LPA: a graph convolutional network whose edge weights label propagation teaches."""

from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from goodie.nn.pattern import Pattern
from goodie.nn.random import Dropout, glorot


class Inputs(NamedTuple):
    """What the network sees of a graph.

    Attributes:
        features: where X is not zero.
        values: what it is there.
        edges: where A, its loops counted, is not zero.
        strengths: the logarithm of what it is there; zeros where edges have no weights.
    """

    features: Pattern
    values: Float[Tensor, " stored"]
    edges: Pattern
    strengths: Float[Tensor, " edges"]


class GCNLPANetwork(torch.nn.Module):
    """`H ← ReLU(A* H W + b)`, layer after layer, the last without ReLU (Wang and Leskovec, 2021).

    `A*ᵢⱼ ∝ Aᵢⱼ exp(wᵢⱼ)` with a learned w for each edge and loop, and rows that sum to one. Dropout
    goes before every layer, on X too. The published network has no b: nodes that no feature reaches
    then get no answer, and where few are reached (Cora at 99.99 % missing) weight decay takes the
    others' logits below what a probability can tell apart.

    Args:
        num_edges: entries of A, loops counted.
        width_in: columns of X.
        hidden: columns of the hidden layers.
        num_classes: columns of the result.
        layers: how many.
        dropout: probability.
        generator: initial weights; dropout draws from one of its own, seeded by it.
        device: where the network lives.
    """

    def __init__(
        self,
        num_edges: int,
        width_in: int,
        hidden: int,
        num_classes: int,
        *,
        layers: int,
        dropout: float,
        generator: torch.Generator,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        widths = [width_in, *[hidden] * (layers - 1), num_classes]
        self.edge_weight = glorot(1, num_edges, generator)
        self.weights = torch.nn.ParameterList(
            glorot(*between, generator) for between in pairwise(widths)
        )
        self.biases = torch.nn.ParameterList(torch.zeros(width) for width in widths[1:])
        seed = int(torch.randint(2**31, (), generator=generator))
        self.dropout = Dropout(dropout, torch.Generator(device).manual_seed(seed))
        self.to(device)

    def forward(self, inputs: Inputs) -> Float[Tensor, "nodes classes"]:
        """Logits."""
        return self.classify(inputs, self.adjacency(inputs))

    def adjacency(self, inputs: Inputs) -> Float[Tensor, " edges"]:
        """The entries of A*."""
        return inputs.edges.softmax(inputs.strengths + self.edge_weight[0])

    def classify(
        self, inputs: Inputs, adjacency: Float[Tensor, " edges"]
    ) -> Float[Tensor, "nodes classes"]:
        """Logits, with A* at hand."""
        h = inputs.features.product(self.dropout(inputs.values[None])[0], self.weights[0])
        out: Tensor = inputs.edges.product(adjacency, h) + self.biases[0]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            h = self.dropout(F.relu(out)) @ weight
            out = inputs.edges.product(adjacency, h) + bias
        return out


def spread(
    inputs: Inputs,
    adjacency: Float[Tensor, " edges"],
    Y: Float[Tensor, "nodes classes"],
    steps: int,
) -> Float[Tensor, "nodes classes"]:
    """`A*^K Y`: label propagation without setting anything back, with a gradient for A*.

    A labelled node hears itself too, by its loop and by way of its neighbours.
    """
    for _ in range(steps):
        Y = inputs.edges.product(adjacency, Y)
    return Y
