"""What the methods on walk embeddings share: the embedding's settings, and logistic regression."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Float
from sklearn.linear_model import LogisticRegression
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.validate import validate
from goodie.errors import InputError
from goodie.methods.base import Learnt, Method
from goodie.methods.neural import to_train_on
from goodie.walks.embedding import Recipe, embedding, graph_content

# Of the regression's C, the inverse of its regularisation; validation accuracy chooses.
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
# Of its solver: probabilities are then right to five digits.
TOLERANCE, MAX_ITERATIONS = 1e-8, 10_000


@dataclass(frozen=True)
class Walks:
    """Settings of an embedding from plain walks.

    The embedding has a seed of its own and not the run's: it takes most of the time, and what the
    paper's seeds vary is the split, what is missing and the initial weights. So it is made once
    for a graph, and all runs share it.

    Attributes:
        dimensions: of the embedding.
        walks_per_node: walks that start at each node.
        walk_length: nodes in a walk.
        window: how far apart in a walk two nodes still count as met.
        walk_epochs: passes over the walks.
        walk_seed: of the walks and the embedding.
    """

    dimensions: int = 128
    walks_per_node: int = 10
    walk_length: int = 80
    window: int = 10
    walk_epochs: int = 1
    walk_seed: int = 0

    def recipe(self) -> Recipe:
        """The same for the embedding: by hierarchical softmax."""
        return self._recipe(p=1.0, q=1.0, negative=0)

    def _recipe(self, *, p: float, q: float, negative: int) -> Recipe:
        return Recipe(
            dimensions=self.dimensions,
            walks_per_node=self.walks_per_node,
            walk_length=self.walk_length,
            window=self.window,
            p=p,
            q=q,
            negative=negative,
            epochs=self.walk_epochs,
            seed=self.walk_seed,
        )


@dataclass(frozen=True)
class BiasedWalks(Walks):
    """Settings of an embedding from walks with a bias.

    Attributes:
        p: return parameter: below 1 walks turn back more often.
        q: in-out parameter: below 1 they go further away.
        negative: nodes drawn for each that a walk meets.
    """

    p: float = 1.0
    q: float = 1.0
    negative: int = 5

    def __post_init__(self) -> None:
        if self.negative < 1:
            raise InputError(f"negative={self.negative}; there must be one at least")

    def recipe(self) -> Recipe:
        """The same for the embedding: by negative sampling."""
        return self._recipe(p=self.p, q=self.q, negative=self.negative)


C = TypeVar("C", bound=Walks)


class WalkedMethod(Method[C]):
    """Multinomial logistic regression on a walk embedding.

    Its regularisation is the one of `STRENGTHS` with the best validation accuracy, the strongest
    of equals. An embedding says nothing of any graph but its own: no other is answered for.
    """

    selects = True
    transductive = True

    @abstractmethod
    def inputs(
        self, data: Data, embedded: Float[Tensor, "nodes dimensions"]
    ) -> Float[np.ndarray, "nodes columns"] | sp.csr_array:
        """What the regression sees."""

    def fit(
        self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu"
    ) -> "WalkedMethod[C]":
        """Embed the graph, regress on `train_mask`, select on `val_mask`; nothing is random."""
        data = to_train_on(data)
        self.graph_ = graph_content(data)
        self.embedding_ = embedding(data, self.settings.recipe())
        x = self.inputs(data, self.embedding_)
        y = data.y.numpy()
        train, val = (data[mask].numpy().nonzero()[0] for mask in ("train_mask", "val_mask"))
        self.num_classes_ = int(y[train].max()) + 1
        self.accuracy_ = -1.0
        for strength in STRENGTHS:
            weights, bias = _regress(x[train], y[train], strength)
            right = _probability(x[val], weights, bias).argmax(axis=1) == y[val]
            if right.mean() > self.accuracy_:
                self.accuracy_, self.strength_ = float(right.mean()), strength
                self.weights_, self.bias_ = weights, bias
        self.proba_ = self._answer(x)
        return self

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """The regression's probabilities, for the graph that was fitted on and no other."""
        data = validate(data)
        check_same_graph(data, self.graph_)
        return self._answer(self.inputs(data, self.embedding_))

    def learnt(self) -> Learnt:
        """The weights, and the embedding that they are for."""
        facts = {
            "graph": self.graph_,
            "num_classes": self.num_classes_,
            "strength": self.strength_,
            "accuracy": self.accuracy_,
        }
        return Learnt(
            facts,
            {
                "weights": torch.from_numpy(self.weights_),
                "bias": torch.from_numpy(self.bias_),
                "embedding": self.embedding_,
            },
        )

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Method.restore`."""
        facts, tensors = learnt
        self.graph_ = str(facts["graph"])
        self.num_classes_ = int(facts["num_classes"])
        self.strength_, self.accuracy_ = float(facts["strength"]), float(facts["accuracy"])
        self.weights_, self.bias_ = tensors["weights"].numpy(), tensors["bias"].numpy()
        self.embedding_ = tensors["embedding"]

    def details(self) -> dict[str, Any]:
        """The strength that validation chose."""
        return {"strength": self.strength_}

    def _answer(
        self, x: Float[np.ndarray, "nodes columns"] | sp.csr_array
    ) -> Float[Tensor, "nodes classes"]:
        return torch.from_numpy(_probability(x, self.weights_, self.bias_)).float()


def check_same_graph(data: Data, graph: str) -> None:
    """Refuse a graph whose edges are not those that an embedding was made from."""
    if graph_content(data) != graph:
        raise InputError(
            "the graph is not the one that was fitted on: a walk embedding says nothing of other "
            "nodes and edges. Fit again on this graph"
        )


def _regress(
    x: Float[np.ndarray, "train columns"] | sp.csr_array,
    y: np.ndarray,
    strength: float,
) -> tuple[Float[np.ndarray, "classes columns"], Float[np.ndarray, " classes"]]:
    """Weights and biases, a row for each class."""
    if y.max() == 0:  # scikit-learn refuses what has only one answer
        return np.zeros((1, x.shape[1])), np.zeros(1)
    fitted = LogisticRegression(C=strength, tol=TOLERANCE, max_iter=MAX_ITERATIONS).fit(x, y)
    weights, bias = fitted.coef_, fitted.intercept_
    if len(weights) == 1:  # of two classes it keeps the second's, against zero
        weights = np.concatenate([np.zeros_like(weights), weights])
        bias = np.concatenate([np.zeros_like(bias), bias])
    return weights, bias


def _probability(
    x: Float[np.ndarray, "nodes columns"] | sp.csr_array,
    weights: Float[np.ndarray, "classes columns"],
    bias: Float[np.ndarray, " classes"],
) -> Float[np.ndarray, "nodes classes"]:
    logits: np.ndarray = x @ weights.T + bias
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    probability: np.ndarray = odds / odds.sum(axis=1, keepdims=True)
    return probability
