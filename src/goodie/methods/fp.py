"""Feature propagation, then a graph convolutional network."""

from dataclasses import dataclass

import torch
from torch_geometric.data import Data

from goodie.graph import operator
from goodie.methods import neural
from goodie.methods.neural import Inputs, TwoLayerMethod
from goodie.nn.product import constant, propagated
from goodie.propagate.features import propagate_features


@dataclass(frozen=True)
class Settings(neural.Settings):
    """Settings of feature propagation with a GCN.

    Attributes:
        steps: of the propagation.
    """

    steps: int = 40


class FeaturePropagationGCN(TwoLayerMethod[Settings]):
    """Holes are filled from the neighbours, then two graph convolutions.

    The hidden layer has no bias, as the paper prints its layers. At 99.99 % missing propagated
    features are of order 10⁻³, a bias learns at order 1, and with one validation often finds
    nothing to wait for before patience ends (docs/methods.md).
    """

    name = "fp"
    family = "gnn"
    paper = "Rossi et al., On the Unreasonable Effectiveness of Feature Propagation, 2022"
    uses = ("features", "structure", "labels")
    version = 3
    hidden_bias = False
    Settings = Settings

    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """Â X̂, and Â."""
        S = operator(data, device=device)
        x = data.x.to(device, S.dtype)
        filled = propagate_features(
            x, S, observed=data.get("observed"), steps=self.settings.steps
        ).values
        return propagated(S, filled), constant(S.matrix)
