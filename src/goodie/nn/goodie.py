"""GOODIE's network: two branches, their fusion, and a graph convolution that classifies."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from goodie.nn import fusion
from goodie.nn.fusion import FUSIONS
from goodie.nn.product import Constant, Propagated
from goodie.nn.random import Dropout, glorot


class Inputs(NamedTuple):
    """What the network sees of a graph; none of it changes in training.

    Attributes:
        structure: Â Ŷ, propagated labels propagated once more.
        features: Â X̂, likewise, with the columns that the network has weights for.
        S: Â.
    """

    structure: Propagated
    features: Propagated
    S: Constant

    def rows(self, chosen: Int[Tensor, " chosen"]) -> "Inputs":
        """What there is to see to give logits to some nodes: them and their neighbours."""
        S, read = self.S.reading(chosen)
        if read is None:
            return self._replace(S=S)
        return Inputs(self.structure.rows(read), self.features.rows(read), S)


class Embedded(NamedTuple):
    """What the network makes of every node.

    Attributes:
        logits: of the classes.
        z: its embedding, before dropout.
        structure: the share of it that came from the structure's branch.
    """

    logits: Float[Tensor, "nodes classes"]
    z: Float[Tensor, "nodes fused"]
    structure: Float[Tensor, " nodes"]


class GoodieNetwork(torch.nn.Module):
    """`H = ReLU(Â Ŷ W + b)`, `ReLU(Â X̂ W + b)`; Z their fusion; logits `Â Z W + b` (Eqs. 2, 4–7).

    Args:
        num_features: columns of X̂, those that are zero throughout counted.
        live: the other columns. Only they get weights, drawn as if all had some, so that leaving
            the dead ones out changes nothing.
        hidden: D, the width of a branch.
        num_classes: columns of Ŷ and of the logits.
        fuse: how the branches are joined.
        dropout: probability, on Z before the classifier.
        relu_logits: Eq. 7 to the letter, with a ReLU on the logits; it silences classes.
        biases: whether the b are learned; they stay zero otherwise.
        generator: initial weights; dropout draws from one of its own, seeded by it.
        device: where the network lives.
    """

    def __init__(
        self,
        num_features: int,
        live: Int[Tensor, " live"],
        hidden: int,
        num_classes: int,
        *,
        fuse: fusion.Name,
        dropout: float,
        relu_logits: bool,
        biases: bool = True,
        generator: torch.Generator,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        self.relu_logits = relu_logits
        self.weight_structure = glorot(num_classes, hidden, generator)
        self.bias_structure = torch.nn.Parameter(torch.zeros(hidden), requires_grad=biases)
        self.weight_features = torch.nn.Parameter(glorot(num_features, hidden, generator)[live])
        self.bias_features = torch.nn.Parameter(torch.zeros(hidden), requires_grad=biases)
        self.fusion = FUSIONS[fuse](hidden, generator)
        self.weight_classes = glorot(self.fusion.width_out, num_classes, generator)
        self.bias_classes = torch.nn.Parameter(torch.zeros(num_classes), requires_grad=biases)
        seed = int(torch.randint(2**31, (), generator=generator))
        self.dropout = Dropout(dropout, torch.Generator(device).manual_seed(seed))
        self.to(device)

    def forward(self, inputs: Inputs) -> Embedded:
        """Logits, embeddings and shares of all nodes."""
        structure = F.relu(inputs.structure @ self.weight_structure + self.bias_structure)
        features = F.relu(inputs.features @ self.weight_features + self.bias_features)
        z, share = self.fusion(structure, features)
        logits = inputs.S @ (self.dropout(z) @ self.weight_classes) + self.bias_classes
        return Embedded(F.relu(logits) if self.relu_logits else logits, z, share)
