"""DeepWalk: plain random walks as sentences, embedded by hierarchical softmax."""

import numpy as np
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.methods.walked import WalkedMethod, Walks


class DeepWalk(WalkedMethod[Walks]):
    """Logistic regression on an embedding of plain walks; features are not looked at."""

    name = "deepwalk"
    family = "structure"
    paper = "Perozzi et al., DeepWalk: Online Learning of Social Representations, 2014"
    uses = ("structure", "labels")
    Settings = Walks

    def inputs(
        self, data: Data, embedded: Float[Tensor, "nodes dimensions"]
    ) -> Float[np.ndarray, "nodes dimensions"]:
        """The embedding."""
        return embedded.double().numpy()
