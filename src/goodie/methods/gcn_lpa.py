"""GCN-LPA: edge weights that must serve label propagation as well as the network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.data import Data

from goodie import paper
from goodie.data.validate import validate
from goodie.errors import InputError
from goodie.graph import adjacency
from goodie.methods import neural
from goodie.methods.base import Learnt, check_width
from goodie.methods.neural import NeuralMethod, cross_entropy, to_train_on, zero_filled
from goodie.nn.gcn_lpa import GCNLPANetwork, Inputs, spread
from goodie.nn.pattern import pattern
from goodie.sparse import csr_to_torch

_PUBLISHED = paper.numbers()["gcn_lpa"]
_OTHERS = _PUBLISHED["CS"]


@dataclass(frozen=True)
class Settings(neural.Settings):
    """Settings of GCN-LPA; the defaults are the published ones for Coauthor CS.

    Attributes:
        layers: of the network.
        lpa_steps: K, of label propagation.
        lpa_weight: λ, of its loss.
        weight_decay: the weight of ½ Σ w², over the layers' weights and the edges'.
        dropout: before every layer, on the features too.
    """

    hidden: int = _OTHERS["hidden"]
    layers: int = _OTHERS["layers"]
    lpa_steps: int = _OTHERS["lpa_steps"]
    lpa_weight: float = _OTHERS["lpa_weight"]
    weight_decay: float = _OTHERS["weight_decay"]
    dropout: float = _OTHERS["dropout"]
    lr: float = _OTHERS["lr"]
    max_epochs: int = _OTHERS["max_epochs"]

    def __post_init__(self) -> None:
        if self.layers < 1:
            raise InputError(f"layers={self.layers}; a network has at least one")
        if self.lpa_steps < 0:
            raise InputError(f"lpa_steps={self.lpa_steps}; a propagation takes 0 steps or more")


class GCNLPA(NeuralMethod[Settings]):
    """A weight for each edge, learned by a graph network and by label propagation at once.

    The loss is the network's cross-entropy and λ times that of `softmax(A*ᴷ Y)`, both on the
    training nodes; what is missing of the features counts as zero. (The published code takes the
    second over all nodes, with the labels of the test nodes.) Edge weights that the graph brings
    multiply the learned ones. These belong to the edges of the graph fitted on: there is no
    answer for another.
    """

    name = "gcn-lpa"
    family = "hybrid"
    paper = (
        "Wang and Leskovec, Combining Graph Convolutional Neural Networks and Label Propagation, "
        "2021"
    )
    uses = ("features", "structure", "labels")
    transductive = True
    Settings = Settings
    model_: GCNLPANetwork
    edges_: Tensor

    @classmethod
    def paper_settings(
        cls, dataset: str, scenario: str, chosen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The published settings for the dataset."""
        row: Mapping[str, Any] = _PUBLISHED.get(dataset, {})
        return row

    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "GCNLPA":
        """Train on `train_mask`, select on `val_mask`."""
        data = to_train_on(data)
        self.device_ = device
        self.num_features_ = int(data.x.shape[1])
        self.num_classes_ = int(data.y[data.train_mask].max()) + 1
        inputs = self._inputs(data)
        self.edges_ = _edges(inputs)
        self.model_ = model = self._network(torch.Generator().manual_seed(seed))
        error = cross_entropy(data, device)
        Y = F.one_hot(data.y.where(data.train_mask, 0), self.num_classes_).to(torch.float32)
        Y = (Y * data.train_mask[:, None]).to(device)

        def loss() -> Tensor:
            edges = model.adjacency(inputs)
            told = spread(inputs, edges, Y, self.settings.lpa_steps)
            return error(model.classify(inputs, edges)) + self.settings.lpa_weight * error(told)

        selecting = data.val_mask.nonzero()[:, 0].to(device)
        self.train(data, loss=loss, judged=lambda: model(inputs)[selecting])
        with torch.no_grad():
            self.proba_ = model(inputs).softmax(dim=1).cpu()
        return self

    @torch.no_grad()
    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """Softmax of the network, on the graph it was fitted on; its features may be others."""
        data = validate(data)
        check_width(data, self.num_features_)
        inputs = self._inputs(data)
        if not _edges(inputs).equal(self.edges_):
            raise InputError(
                "the graph is not the one that was fitted on: gcn-lpa learns a weight for every "
                "edge, and this graph has other edges; fit it on this one"
            )
        logits: Tensor = self.model_(inputs)
        return logits.softmax(dim=1).cpu()

    def learnt(self) -> Learnt:
        """The weights, and the edges that they are for."""
        facts = {"num_features": self.num_features_, "num_classes": self.num_classes_}
        return Learnt(facts, self.model_.state_dict() | {"edges": self.edges_})

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Method.restore`."""
        facts, tensors = learnt
        self.device_ = device
        self.num_features_ = int(facts["num_features"])
        self.num_classes_ = int(facts["num_classes"])
        self.edges_ = tensors["edges"]
        self.model_ = self._network(torch.Generator())
        self.model_.load_state_dict({k: v for k, v in tensors.items() if k != "edges"})
        self.model_.eval()

    def _inputs(self, data: Data) -> Inputs:
        A = adjacency(data, self_loops=True, undirected=True)
        A.data = np.log(A.data)
        edges = csr_to_torch(A, dtype=torch.float32).to(self.device_)
        x = zero_filled(data).to(self.device_, torch.float32)
        return Inputs(pattern(x), x.values(), pattern(edges), edges.values())

    def _network(self, generator: torch.Generator) -> GCNLPANetwork:
        return GCNLPANetwork(
            self.edges_.shape[1],
            self.num_features_,
            self.settings.hidden,
            self.num_classes_,
            layers=self.settings.layers,
            dropout=self.settings.dropout,
            generator=generator,
            device=self.device_,
        )


def _edges(inputs: Inputs) -> Tensor:
    """Where A is not zero: the rows, then the columns, on the CPU."""
    columns = inputs.edges.gather.matrix.col_indices()
    return torch.stack([inputs.edges.row, columns.long()]).cpu()
