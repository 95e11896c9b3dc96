"""Node2Vec: biased random walks, embedded by negative sampling."""

import numpy as np
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.methods.walked import BiasedWalks, WalkedMethod


class Node2Vec(WalkedMethod[BiasedWalks]):
    """Logistic regression on an embedding of walks with p and q; features are not looked at."""

    name = "node2vec"
    family = "structure"
    paper = "Grover and Leskovec, node2vec: Scalable Feature Learning for Networks, 2016"
    uses = ("structure", "labels")
    Settings = BiasedWalks

    def inputs(
        self, data: Data, embedded: Float[Tensor, "nodes dimensions"]
    ) -> Float[np.ndarray, "nodes dimensions"]:
        """The embedding."""
        return embedded.double().numpy()
