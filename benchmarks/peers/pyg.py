"""PyG's GCN, LabelPropagation and CorrectAndSmooth as its users write them; shares no code with us.

Each takes a graph with its holes and gives the probability of each class for every node.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import CorrectAndSmooth as Mend
from torch_geometric.nn import GCNConv, LabelPropagation
from torch_geometric.utils import add_remaining_self_loops


class GCN(torch.nn.Module):
    """Two GCNConv layers over `edge_index`, which keep the normalised edges once computed."""

    def __init__(self, num_features: int, hidden: int, num_classes: int) -> None:
        super().__init__()
        self.first = GCNConv(num_features, hidden, cached=True)
        self.second = GCNConv(hidden, num_classes, cached=True)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        h = F.dropout(self.first(x, edge_index).relu(), 0.5, self.training)
        return self.second(h, edge_index)


def gcn(data: Data, epochs: int) -> Tensor:
    """Trained and selected as the paper does."""
    x = data.x.nan_to_num(nan=0.0)
    model = GCN(x.shape[1], 64, _classes(data))
    return _train(model, lambda: model(x, data.edge_index), data, epochs)


def correct_and_smooth(data: Data, epochs: int, alpha: float = 0.8) -> Tensor:
    """A linear layer, trained likewise, and PyG's class on what it says."""
    x = data.x.nan_to_num(nan=0.0)
    model = torch.nn.Linear(x.shape[1], _classes(data))
    soft = _train(model, lambda: model(x), data, epochs)
    mend = Mend(50, alpha, 50, alpha)
    return mend(soft, data.y[data.train_mask], data.train_mask, data.edge_index)


def label_propagation(data: Data, alpha: float) -> Tensor:
    """Fifty steps on the graph with self-loops, which PyG's class does not add."""
    edges, _ = add_remaining_self_loops(data.edge_index, num_nodes=data.num_nodes)
    return LabelPropagation(50, alpha)(data.y, edges, mask=data.train_mask)


def _train(model: torch.nn.Module, logits: Callable[[], Tensor], data: Data, epochs: int) -> Tensor:
    """Adam on the training nodes; the output of the epoch that is best on the validation nodes."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    best, output = -1.0, None
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        F.cross_entropy(logits()[data.train_mask], data.y[data.train_mask]).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            out = logits()
        right = (out.argmax(dim=1) == data.y)[data.val_mask].float().mean().item()
        if right > best:
            best, output = right, out
    if output is None:
        model.eval()
        with torch.no_grad():
            output = logits()
    return output.softmax(dim=1)


def _classes(data: Data) -> int:
    return int(data.y.max()) + 1
