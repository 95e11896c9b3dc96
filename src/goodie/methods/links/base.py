"""What link predictors share: a graph auto-encoder's training, and its answers."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.pairs import NonEdges, Told, edge_pairs
from goodie.data.validate import validate
from goodie.errors import InvalidGraphError
from goodie.evaluate import percent_above
from goodie.methods import neural
from goodie.methods.base import Learner
from goodie.nn.decoder import RandomPairs, pair_logits, reconstruction
from goodie.train import History, Training, train

# The paper's auto-encoder; like the one it builds on, it drops nothing out.
HIDDEN, WIDTH, DROPOUT = 32, 16, 0.0


@dataclass(frozen=True)
class Settings(neural.Settings):
    """Settings of an auto-encoder.

    Attributes:
        hidden: width of the hidden layer.
        width: of the embeddings whose inner products say how likely an edge is.
        dropout: after the hidden layer.
    """

    hidden: int = HIDDEN
    width: int = WIDTH
    dropout: float = DROPOUT


class Encoded(NamedTuple):
    """What an encoder makes of a graph in training.

    Attributes:
        ways: embeddings of all nodes; where there are several, each must tell the edges, and the
            best one counts.
        penalty: gives what its loss has beside reconstruction, if anything.
    """

    ways: tuple[Float[Tensor, "nodes width"], ...]
    penalty: Callable[[], Float[Tensor, ""]] | None = None


C = TypeVar("C", bound=Training)


class LinkMethod(Learner[C]):
    """A link predictor: embeddings of nodes, whose inner product is the log-odds of an edge.

    `fit` learns from the edges of the graph it is given, from features with holes and from the
    labels under `data.train_mask`, if there are any. It selects by pairs that it is told beside.

    Attributes:
        embedded_: once fitted, the embeddings in the graph it was fitted on, on the CPU.
    """

    task = "link"
    selects: ClassVar[bool] = True
    model_: torch.nn.Module
    history_: History
    device_: torch.device | str
    embedded_: Float[Tensor, "nodes width"] | None
    _steady: bool = True

    def fit(
        self, data: Data, selecting: Told, *, seed: int = 0, device: torch.device | str = "cpu"
    ) -> "LinkMethod[C]":
        """Learn from a graph's edges; returns itself.

        Each epoch draws as many other pairs as there are edges, and depends on no edge that is not
        in this graph.
        """
        data = validate(data)
        n = int(data.num_nodes)
        edges = edge_pairs(data.edge_index, n)
        if edges.shape[1] == 0:
            raise InvalidGraphError("the graph has no edges between different nodes to learn from")
        if len(NonEdges(edges, n)) == 0:
            raise InvalidGraphError("every two nodes are joined, so there is nothing to tell apart")
        self.device_ = device
        generator = torch.Generator().manual_seed(seed)
        encode = self._begin(data, generator)
        own = torch.Generator(device).manual_seed(
            int(torch.randint(2**31, (), generator=generator))
        )
        edges, right, wrong = (pairs.to(device) for pairs in (edges, *selecting))
        pairs = RandomPairs(edges, n, own)

        def loss() -> Tensor:
            drawn, counted = pairs.draw()
            ways, penalty = encode()
            value = torch.stack([reconstruction(z, edges, drawn, counted) for z in ways]).sum()
            return value if penalty is None else value + penalty()

        def areas() -> Tensor:
            ways = encode().ways
            return torch.stack(
                [percent_above(pair_logits(z, right), pair_logits(z, wrong)) for z in ways]
            )

        self.history_ = train(
            self.model_,
            loss=loss,
            score=lambda: areas().max(),
            settings=self.settings,
            steady=self._steady,
            generators=[own],
        )
        with torch.no_grad():
            self._choose(int(areas().argmax()))
        self.answer(data)
        return self

    @abstractmethod
    def embed(self, data: Data) -> Float[Tensor, "nodes width"]:
        """The embedding of every node of a graph, with the edges and labels known there."""

    @abstractmethod
    def _begin(self, data: Data, generator: torch.Generator) -> Callable[[], Encoded]:
        """Make `model_` for a graph, and give what encodes it with the weights of the moment."""

    def _choose(self, way: int) -> None:
        """Answer in this way from now on."""

    def answer(self, data: Data) -> None:
        """Keep what there is to say of a graph: of the one fitted on, or of it with more edges."""
        self.embedded_ = self.embed(data)

    def details(self) -> dict[str, Any]:
        """Epochs, and the loss where it was best."""
        return self.history_.details()
