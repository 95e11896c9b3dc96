"""Node2Vec's embedding as the features of a graph convolutional network."""

from copy import copy
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.validate import validate
from goodie.graph import operator
from goodie.methods import neural
from goodie.methods.base import Learnt
from goodie.methods.neural import Inputs, TwoLayerMethod, to_train_on
from goodie.methods.walked import BiasedWalks, check_same_graph
from goodie.nn.product import constant, propagated
from goodie.walks.embedding import embedding, graph_content


@dataclass(frozen=True)
class Settings(neural.Settings, BiasedWalks):
    """Settings of a network on an embedding: those of both."""


class Node2VecGNN(TwoLayerMethod[Settings]):
    """Two graph convolutions of the embedding; features are not looked at."""

    name = "node2vec-gnn"
    family = "hybrid"
    paper = (
        "Grover and Leskovec, node2vec: Scalable Feature Learning for Networks, 2016; Kipf and "
        "Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017"
    )
    uses = ("structure", "labels")
    transductive = True
    Settings = Settings

    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """Â times the embedding, and Â."""
        S = operator(data, device=device)
        return propagated(S, data.x.to(device, S.dtype)), constant(S.matrix)

    def fit(
        self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu"
    ) -> "Node2VecGNN":
        """Embed the graph, train on `train_mask`, select on `val_mask`."""
        data = to_train_on(data)
        self.graph_ = graph_content(data)
        self.embedding_ = embedding(data, self.settings.recipe())
        super().fit(self._embedded(data), seed=seed, device=device)
        return self

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """Softmax of the network, for the graph that was fitted on and no other."""
        data = validate(data)
        check_same_graph(data, self.graph_)
        return super().predict_proba(self._embedded(data))

    def learnt(self) -> Learnt:
        """The network's, and the embedding."""
        facts, tensors = super().learnt()
        return Learnt(facts | {"graph": self.graph_}, tensors | {"embedding": self.embedding_})

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Method.restore`."""
        facts, tensors = learnt
        self.graph_, self.embedding_ = str(facts["graph"]), tensors["embedding"]
        network = {name: t for name, t in tensors.items() if name != "embedding"}
        super().restore(Learnt(facts, network), device=device)

    def _embedded(self, data: Data) -> Data:
        """The graph with the embedding in the place of its features."""
        out = copy(data)
        out.x, out.observed = self.embedding_, None
        return out
