"""GOODIE as a PyG user would write it from the paper; shares no code with the package."""

import copy
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv, LabelPropagation
from torch_geometric.transforms import FeaturePropagation
from torch_geometric.utils import add_remaining_self_loops


class Goodie(torch.nn.Module):
    """Two branches, attention between them and a GCN classifier (Eqs. 2, 4-7).

    `edge_index` has its self-loops and is always the same graph: the layers cache its norm.
    """

    def __init__(self, num_features: int, hidden: int, num_classes: int, dropout: float):
        super().__init__()
        graph = {"cached": True, "add_self_loops": False}
        self.lp = GCNConv(num_classes, hidden, **graph)
        self.fp = GCNConv(num_features, hidden, **graph)
        self.attention = torch.nn.Linear(hidden, 1, bias=False)
        self.classifier = GCNConv(hidden, num_classes, **graph)
        self.dropout = dropout

    def forward(self, x_hat: Tensor, y_hat: Tensor, edge_index: Tensor) -> tuple[Tensor, Tensor]:
        """The class logits, and the embeddings z before dropout."""
        h_lp = self.lp(y_hat, edge_index).relu()
        h_fp = self.fp(x_hat, edge_index).relu()
        scores = torch.cat([self.attention(h_lp), self.attention(h_fp)], dim=1)
        share = F.leaky_relu(scores, 0.3).softmax(dim=1)
        z = share[:, :1] * h_lp + share[:, 1:] * h_fp
        return self.classifier(F.dropout(z, self.dropout, self.training), edge_index), z


def pair_weights(train_mask: Tensor, confidence: Tensor) -> Tensor:
    """w_ip of Eq. 10, N x N: with 1 for a training node, its four cases are one product."""
    certainty = confidence.masked_fill(train_mask, 1.0)
    return torch.outer(certainty, certainty)


def pseudocon(z: Tensor, labels: Tensor, weights: Tensor, tau: float) -> Tensor:
    """PseudoCon (Eq. 9) of normalised z, as a mean over nodes; label -1 is of no class."""
    positive = (labels[:, None] == labels) & (labels >= 0)
    positive.fill_diagonal_(False)
    z = F.normalize(z)
    similarity = ((z / tau) @ z.T).fill_diagonal_(-1e9)
    log_prob = similarity.log_softmax(dim=1)
    total = (weights.masked_fill(~positive, 0.0) * log_prob).sum(dim=1)
    return -(total / positive.sum(dim=1).clamp(min=1)).mean()


@dataclass(frozen=True)
class Inputs:
    """What training needs of a graph."""

    x_hat: Tensor
    y_hat: Tensor
    edge_index: Tensor
    y: Tensor
    train_mask: Tensor
    val_mask: Tensor
    labels: Tensor
    confidence: Tensor
    tau: float

    @cached_property
    def weights(self) -> Tensor:
        """The pairs' weights: made once, and only if the contrastive loss is used."""
        return pair_weights(self.train_mask, self.confidence)


def inputs(data: Data, alpha: float, tau: float) -> Inputs:
    """Labels and features propagated (Eqs. 1 and 3), pseudo-labels and their confidences."""
    edge_index, _ = add_remaining_self_loops(data.edge_index, num_nodes=data.num_nodes)
    y_hat = LabelPropagation(50, alpha)(data.y, edge_index, mask=data.train_mask)
    x_hat = FeaturePropagation(data.x.isnan(), 40)(Data(x=data.x, edge_index=edge_index)).x
    unreached = y_hat.sum(dim=1) == 0
    confidence = (y_hat / tau).softmax(dim=1).amax(dim=1).masked_fill(unreached, 0.0)
    labels = y_hat.argmax(dim=1).masked_fill(unreached, -1)
    return Inputs(
        x_hat=x_hat,
        y_hat=y_hat,
        edge_index=edge_index,
        y=data.y,
        train_mask=data.train_mask,
        val_mask=data.val_mask,
        labels=torch.where(data.train_mask, data.y, labels),
        confidence=confidence.masked_fill(data.train_mask, 1.0),
        tau=tau,
    )


def epoch(
    model: Goodie, optimizer: torch.optim.Optimizer, inputs: Inputs, lambda_: float
) -> tuple[float, float]:
    """One step on the loss of Eq. 14, then the validation accuracy: (loss, accuracy)."""
    model.train()
    optimizer.zero_grad()
    logits, z = model(inputs.x_hat, inputs.y_hat, inputs.edge_index)
    loss = F.cross_entropy(logits[inputs.train_mask], inputs.y[inputs.train_mask])
    if lambda_ > 0:
        loss = loss + lambda_ * pseudocon(z, inputs.labels, inputs.weights, inputs.tau)
    loss.backward()
    optimizer.step()

    model.eval()
    with torch.no_grad():
        logits, _ = model(inputs.x_hat, inputs.y_hat, inputs.edge_index)
    right = logits[inputs.val_mask].argmax(dim=1) == inputs.y[inputs.val_mask]
    return loss.item(), right.float().mean().item()


def fit(
    data: Data,
    *,
    alpha: float,
    tau: float,
    lambda_: float,
    hidden: int = 64,
    dropout: float = 0.5,
    lr: float = 0.005,
    patience: int = 200,
    max_epochs: int = 10_000,
    seed: int = 0,
) -> tuple[Goodie, int]:
    """The model of the first best validation accuracy, and how many epochs were run."""
    torch.manual_seed(seed)
    prepared = inputs(data, alpha, tau)
    model = Goodie(prepared.x_hat.size(1), hidden, prepared.y_hat.size(1), dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    best, best_epoch, state = -1.0, 0, model.state_dict()
    for number in range(1, max_epochs + 1):
        _, accuracy = epoch(model, optimizer, prepared, lambda_)
        if accuracy > best:
            best, best_epoch, state = accuracy, number, copy.deepcopy(model.state_dict())
        elif number - best_epoch >= patience:
            break
    model.load_state_dict(state)
    return model, number
