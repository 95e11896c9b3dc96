"""Node2Vec's embedding beside the features."""

import scipy.sparse as sp
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.validate import validate
from goodie.methods.base import check_width
from goodie.methods.neural import zero_filled
from goodie.methods.walked import BiasedWalks, WalkedMethod
from goodie.sparse import csr_to_scipy


class Node2VecFeats(WalkedMethod[BiasedWalks]):
    """Logistic regression on the embedding and the features, of which the missing count as zero."""

    name = "node2vec-feats"
    family = "structure"
    paper = "Grover and Leskovec, node2vec: Scalable Feature Learning for Networks, 2016"
    uses = ("features", "structure", "labels")
    Settings = BiasedWalks

    def inputs(self, data: Data, embedded: Float[Tensor, "nodes dimensions"]) -> sp.csr_array:
        """The embedding's columns, then those of X; both as they are, on their own scales."""
        x = csr_to_scipy(zero_filled(data)).astype("float64")
        beside: sp.csr_array = sp.hstack([sp.csr_array(embedded.double().numpy()), x], format="csr")
        return beside

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """See `WalkedMethod.predict_proba`; the features may be others, as many."""
        data = validate(data)
        check_width(data, self.weights_.shape[1] - self.settings.dimensions)
        return super().predict_proba(data)
