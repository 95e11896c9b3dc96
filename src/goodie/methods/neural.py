"""What the trained methods share: Adam on the cross-entropy, selection by validation accuracy."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.data import Data

from goodie.data.observed import to_sparse
from goodie.data.validate import validate
from goodie.errors import InvalidGraphError
from goodie.evaluate import accuracy
from goodie.methods.base import Method
from goodie.nn.gcn import TwoLayers
from goodie.nn.product import Constant, Propagated
from goodie.train import History, Training, train

Inputs = tuple[Constant | Propagated, Constant | None]


@dataclass(frozen=True)
class Settings(Training):
    """Settings of a two-layer network; the defaults are the paper's for all methods.

    Attributes:
        hidden: width of the hidden layer.
        dropout: after the hidden layer.
    """

    hidden: int = 64
    dropout: float = 0.5


C = TypeVar("C", bound=Settings)


class TwoLayerMethod(Method[C]):
    """A method that is a choice of inputs for a two-layer network.

    `prepare` makes what never changes during training, once.
    """

    model_: TwoLayers
    history_: History

    @abstractmethod
    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """The first layer's input, and the operator between the layers (None: there is none)."""

    def fit(
        self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu"
    ) -> "TwoLayerMethod[C]":
        """Train on `train_mask`, select on `val_mask`."""
        data = validate(data, classify=True)
        if data.get("val_mask") is None or not data.val_mask.any():
            raise InvalidGraphError("val_mask marks no node, so there is nothing to select by")
        self.device_ = device
        inputs = self.prepare(data, device)
        y, train_nodes, val_mask = (
            t.to(device) for t in (data.y, data.train_mask.nonzero()[:, 0], data.val_mask)
        )
        model = TwoLayers(
            int(data.x.shape[1]),
            self.settings.hidden,
            int(data.y[data.train_mask].max()) + 1,
            dropout=self.settings.dropout,
            generator=torch.Generator().manual_seed(seed),
            device=device,
        )
        self.model_ = model
        self.history_ = train(
            model,
            loss=lambda: F.cross_entropy(model(*inputs)[train_nodes], y[train_nodes]),
            score=lambda: accuracy(model(*inputs), y, val_mask),
            settings=self.settings,
        )
        return self

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """Softmax of the network on this graph."""
        with torch.no_grad():
            logits: Tensor = self.model_(*self.prepare(validate(data), self.device_))
        return logits.softmax(dim=1).cpu()

    def details(self) -> dict[str, Any]:
        """Epochs, and the loss where it was best."""
        history = self.history_
        return {
            "epochs": history.epochs,
            "best_epoch": history.best_epoch,
            "best_loss": history.losses[history.best_epoch],
            "interrupted": history.interrupted,
        }


def zero_filled(data: Data) -> Float[Tensor, "nodes features"]:
    """Features with zeros in their holes, as CSR, which is what zeros are cheap in."""
    x: Tensor = to_sparse(data).x
    return x
