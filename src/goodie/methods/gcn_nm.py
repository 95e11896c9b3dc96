"""The mean over the neighbours, then a graph convolutional network."""

import torch
from torch_geometric.data import Data

from goodie.graph import operator
from goodie.methods.neural import Inputs, Settings, TwoLayerMethod
from goodie.nn.product import constant, propagated
from goodie.propagate.neighbours import fill_with_neighbour_mean


class NeighbourMeanGCN(TwoLayerMethod[Settings]):
    """Holes become the mean of what the neighbours show, then two graph convolutions."""

    name = "gcn-nm"
    family = "gnn"
    paper = "Rossi et al., On the Unreasonable Effectiveness of Feature Propagation, 2022"
    uses = ("features", "structure", "labels")
    Settings = Settings

    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """Â X̂, and Â."""
        S = operator(data, device=device)
        x = data.x.to(device, S.dtype)
        filled = fill_with_neighbour_mean(x, S, observed=data.get("observed"))
        return propagated(S, filled), constant(S.matrix)
