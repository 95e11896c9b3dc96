"""A graph convolutional network whose first layer leaves out what is missing."""

import torch
from torch_geometric.data import Data

from goodie.data.observed import to_sparse
from goodie.graph import operator
from goodie.methods.neural import Inputs, Settings, TwoLayerMethod
from goodie.nn.pagnn import partially_propagated
from goodie.nn.product import constant


class PaGNN(TwoLayerMethod[Settings]):
    """Each entry is aggregated over the neighbours that show it, then a graph convolution."""

    name = "pagnn"
    family = "gnn"
    paper = (
        "Jiang and Zhang, Incomplete Graph Representation and Learning via Partial Graph Neural "
        "Networks, 2020"
    )
    uses = ("features", "structure", "labels")
    Settings = Settings

    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """`(Â 1) ∘ (Â (M ∘ X)) ⊘ (Â M)`, and Â."""
        S = operator(data, device=device)
        thin = to_sparse(data)
        x = thin.x.to(device, S.dtype)
        return partially_propagated(x, S, observed=thin.get("observed")), constant(S.matrix)
