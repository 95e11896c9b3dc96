"""A graph convolutional network on zero-filled features."""

import torch
from torch_geometric.data import Data

from goodie.graph import operator
from goodie.methods.neural import Inputs, Settings, TwoLayerMethod, zero_filled
from goodie.nn.product import constant, propagated


class GCN(TwoLayerMethod[Settings]):
    """Two graph convolutions; what is missing counts as zero."""

    name = "gcn"
    family = "gnn"
    paper = (
        "Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017"
    )
    uses = ("features", "structure", "labels")
    Settings = Settings

    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """Â X with zeros for holes, and Â."""
        S = operator(data, device=device)
        x = zero_filled(data).to(device, S.dtype)
        return propagated(S, x), constant(S.matrix)
