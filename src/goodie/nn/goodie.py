"""GOODIE's network: two branches, their fusion, and a graph convolution that classifies."""

from collections.abc import Sequence
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

    def reading(
        self, chosen: Int[Tensor, " chosen"], *, whole: bool = False
    ) -> tuple["Inputs", Int[Tensor, " read"] | None]:
        """What there is to see to give logits to some nodes: them and their neighbours.

        Args:
            chosen: the nodes.
            whole: leave all rows of the branches' inputs.

        Returns:
            The inputs, and which rows of the branches' are left; None for all.
        """
        S, read = (self.S.rows(chosen), None) if whole else self.S.reading(chosen)
        if read is None:
            return self._replace(S=S), None
        return Inputs(self.structure.rows(read), self.features.rows(read), S), read


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


class Voices(NamedTuple):
    """What the network says of every node in three ways."""

    both: Embedded
    structure: Embedded
    features: Embedded


class GoodieNetwork(torch.nn.Module):
    """`H = ReLU(Â Ŷ W + b)`, `ReLU(Â X̂ W + b)`; Z their fusion; logits `Â Z W + b` (Eqs. 2, 4–7).

    Args:
        num_features: columns of X̂, those that are zero throughout counted.
        live: the other columns. Only they get weights, drawn as if all had some, so that leaving
            the dead ones out changes nothing.
        hidden: D, the width of a branch.
        num_classes: columns of Ŷ.
        width_out: columns of the logits, if not as many.
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
        width_out: int | None = None,
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
        width_out = num_classes if width_out is None else width_out
        self.weight_classes = glorot(self.fusion.width_out, width_out, generator)
        self.bias_classes = torch.nn.Parameter(torch.zeros(width_out), requires_grad=biases)
        seed = int(torch.randint(2**31, (), generator=generator))
        self.dropout = Dropout(dropout, torch.Generator(device).manual_seed(seed))
        self.to(device)

    def forward(self, inputs: Inputs) -> Embedded:
        """Logits, embeddings and shares of all nodes (Eqs. 2, 4–7)."""
        z, share = self.fusion(
            self.of_structure(inputs.structure), self.of_features(inputs.features)
        )
        (logits,) = self.classify(inputs.S, [(z, self.weight_classes)])
        return Embedded(logits, z, share)

    def voices(
        self, inputs: Inputs, withheld: Float[Tensor, "nodes classes"] | None = None
    ) -> Voices:
        """What the branches say together, and what each says alone, by the same classifier.

        Args:
            inputs: of the branches.
            withheld: Â Ŷ as the fusion is to see it instead of `inputs.structure`.
        """
        structure = self.of_structure(inputs.structure)
        features = self.of_features(inputs.features)
        joined = structure if withheld is None else self.of_structure(withheld)
        z, share = self.fusion(joined, features)
        alone = self.fusion.weights(self.weight_classes)
        both, first, second = self.classify(
            inputs.S, [(z, self.weight_classes), (structure, alone[0]), (features, alone[1])]
        )
        return Voices(
            Embedded(both, z, share),
            Embedded(first, structure, torch.ones_like(share)),
            Embedded(second, features, torch.zeros_like(share)),
        )

    def of_structure(
        self, x: Propagated | Float[Tensor, "nodes classes"]
    ) -> Float[Tensor, "nodes width"]:
        """H^LP."""
        return F.relu(x @ self.weight_structure + self.bias_structure)

    def of_features(self, x: Propagated) -> Float[Tensor, "nodes width"]:
        """H^FP."""
        return F.relu(x @ self.weight_features + self.bias_features)

    def classify(
        self, S: Constant, embedded: Sequence[tuple[Tensor, Tensor]]
    ) -> Sequence[Float[Tensor, "nodes classes"]]:
        """Logits of embeddings, each with its weights; one sparse product for all."""
        spread = S @ torch.cat([self.dropout(z) @ weight for z, weight in embedded], dim=1)
        logits = [part + self.bias_classes for part in spread.chunk(len(embedded), dim=1)]
        return [F.relu(part) for part in logits] if self.relu_logits else logits
