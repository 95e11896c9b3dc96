"""What the trained methods share: Adam on the cross-entropy, selection by validation accuracy."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.data import Data

from goodie.data.observed import stored_and_observed, to_sparse
from goodie.data.validate import validate
from goodie.errors import InvalidGraphError
from goodie.evaluate import percent_right
from goodie.methods.base import Learnt, Method, check_width
from goodie.nn.gcn import TwoLayers
from goodie.nn.product import Constant, Propagated
from goodie.sparse import csr_to_scipy, csr_to_torch
from goodie.train import History, Training, train

Inputs = tuple[Constant | Propagated, Constant | None]


@dataclass(frozen=True)
class Settings(Training):
    """Settings of a network; the defaults are the paper's for all methods.

    Attributes:
        hidden: width of the hidden layer.
        dropout: after the hidden layer.
    """

    hidden: int = 64
    dropout: float = 0.5


C = TypeVar("C", bound=Training)
Two = TypeVar("Two", bound=Settings)


class NeuralMethod(Method[C]):
    """A method with a network, trained on `train_mask` and selected on `val_mask`."""

    selects = True
    model_: torch.nn.Module
    history_: History
    device_: torch.device | str

    def train(
        self,
        data: Data,
        *,
        loss: Callable[[], Float[Tensor, ""]],
        judged: Callable[[], Float[Tensor, "*ways judged classes"]],
        steady: bool = True,
    ) -> None:
        """Train `model_`, and leave it with its best weights.

        Args:
            data: for its validation labels.
            loss: of the model with its weights of the moment.
            judged: the logits that it then gives the validation nodes, in their order; where it
                gives them in several ways, the best of these counts.
            steady: as for `goodie.train.train`.
        """
        y = data.y[data.val_mask].to(self.device_)
        self.history_ = train(
            self.model_,
            loss=loss,
            score=lambda: percent_right(judged(), y).max(),
            settings=self.settings,
            steady=steady,
        )

    def details(self) -> dict[str, Any]:
        """Epochs, and the loss where it was best."""
        return self.history_.details()


class TwoLayerMethod(NeuralMethod[Two]):
    """A method that is a choice of inputs for a two-layer network.

    `prepare` makes what never changes during training, once. The network is then trained on what
    the training nodes' logits depend on, and judged on what the validation nodes' do.

    Attributes:
        hidden_bias: whether the hidden layer learns a bias.
    """

    hidden_bias: ClassVar[bool] = True

    version = 2
    model_: TwoLayers

    @abstractmethod
    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """The first layer's input, and the operator between the layers (None: there is none)."""

    def fit(
        self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu"
    ) -> "TwoLayerMethod[Two]":
        """Train on `train_mask`, select on `val_mask`."""
        data = to_train_on(data)
        self.device_ = device
        self.num_features_ = int(data.x.shape[1])
        self.num_classes_ = int(data.y[data.train_mask].max()) + 1
        inputs = self.prepare(data, device)
        self.model_ = model = self._network(torch.Generator().manual_seed(seed))
        taught, selecting = (rows_of(inputs, mask) for mask in (data.train_mask, data.val_mask))
        y = data.y[data.train_mask].to(device)
        self.train(
            data,
            loss=lambda: F.cross_entropy(model(*taught), y),
            judged=lambda: model(*selecting),
        )
        with torch.no_grad():
            self.proba_ = model(*inputs).softmax(dim=1).cpu()
        return self

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """Softmax of the network on this graph."""
        data = validate(data)
        check_width(data, self.num_features_)
        with torch.no_grad():
            logits: Tensor = self.model_(*self.prepare(data, self.device_))
        return logits.softmax(dim=1).cpu()

    def learnt(self) -> Learnt:
        """The weights, and the widths to build a network for them."""
        facts = {"num_features": self.num_features_, "num_classes": self.num_classes_}
        return Learnt(facts, self.model_.state_dict())

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Method.restore`."""
        self.device_ = device
        self.num_features_ = int(learnt.facts["num_features"])
        self.num_classes_ = int(learnt.facts["num_classes"])
        self.model_ = self._network(torch.Generator())
        self.model_.load_state_dict(learnt.tensors)
        self.model_.eval()

    def _network(self, generator: torch.Generator) -> TwoLayers:
        return TwoLayers(
            self.num_features_,
            self.settings.hidden,
            self.num_classes_,
            dropout=self.settings.dropout,
            hidden_bias=self.hidden_bias,
            generator=generator,
            device=self.device_,
        )


def rows_of(inputs: Inputs, chosen: Bool[Tensor, " nodes"]) -> Inputs:
    """What the network needs to see to give logits to some nodes: them and their neighbours."""
    X, S = inputs
    nodes = chosen.nonzero()[:, 0]
    if S is None:
        return X.rows(nodes), None
    S, read = S.reading(nodes)
    return X if read is None else X.rows(read), S


def to_train_on(data: Data) -> Data:
    """The graph, checked, with nodes to train on and nodes to select by."""
    data = validate(data, classify=True)
    if data.get("val_mask") is None or not data.val_mask.any():
        raise InvalidGraphError("val_mask marks no node, so there is nothing to select by")
    return data


def cross_entropy(data: Data, device: torch.device | str) -> Callable[[Tensor], Tensor]:
    """The mean cross-entropy over the training nodes, of logits of all nodes."""
    nodes = data.train_mask.nonzero()[:, 0]
    target, nodes = data.y[nodes].to(device), nodes.to(device)
    return lambda logits: F.cross_entropy(logits[nodes], target)


def zero_filled(data: Data) -> Float[Tensor, "nodes features"]:
    """Features with zeros in their holes, as CSR, which is what zeros are cheap in."""
    thin = to_sparse(data)
    x: Tensor = thin.x
    marked = thin.get("observed")
    if marked is None:
        return x
    shown = csr_to_scipy(x).copy()
    shown.data[~stored_and_observed(x, marked).numpy()] = 0.0
    shown.eliminate_zeros()
    return csr_to_torch(shown)
