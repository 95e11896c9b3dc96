"""A multilayer perceptron on zero-filled features: the graph is not looked at."""

import torch
from torch_geometric.data import Data

from goodie.methods.neural import Inputs, Settings, TwoLayerMethod, zero_filled
from goodie.nn.product import constant


class MLP(TwoLayerMethod[Settings]):
    """Two linear layers; what is missing counts as zero."""

    name = "mlp"
    family = "features"
    paper = "Rumelhart et al., Learning Representations by Back-Propagating Errors, 1986"
    uses = ("features", "labels")
    Settings = Settings

    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """X with zeros for holes."""
        return constant(zero_filled(data).to(device, torch.float32)), None
