"""Correct and smooth: a linear model that never sees the graph, mended by it afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F
from torch_geometric.data import Data

from goodie import paper
from goodie.data.validate import validate
from goodie.graph import Normalisation, operator
from goodie.methods.base import Learnt, check_width, known_labels
from goodie.methods.neural import NeuralMethod, to_train_on, zero_filled
from goodie.nn.linear import Linear
from goodie.nn.product import Constant, constant
from goodie.propagate.smooth import correct, smooth
from goodie.train import Training

_PUBLISHED = paper.numbers()["correct_and_smooth"]
_OTHERS = _PUBLISHED["others"]


@dataclass(frozen=True)
class Settings(Training):
    """Settings of correct and smooth, and of the training of its base predictor.

    Attributes:
        correct_alpha: share that a node takes from its neighbours in each step of `correct`.
        correct_operator: how the adjacency is normalised there.
        smooth_alpha: the share in `smooth`.
        smooth_operator: the normalisation there.
        steps: of each.
    """

    correct_alpha: float = _OTHERS["correct_alpha"]
    correct_operator: Normalisation = _OTHERS["correct_operator"]
    smooth_alpha: float = _OTHERS["smooth_alpha"]
    smooth_operator: Normalisation = _OTHERS["smooth_operator"]
    steps: int = 50


class CorrectAndSmooth(NeuralMethod[Settings]):
    """A softmax regression; its errors on the training nodes, then its predictions, are spread.

    What is missing of the features counts as zero. Early stopping judges the regression.
    """

    name = "cs"
    family = "hybrid"
    paper = (
        "Huang et al., Combining Label Propagation and Simple Models Out-performs Graph Neural "
        "Networks, 2021"
    )
    uses = ("features", "structure", "labels")
    Settings = Settings
    model_: Linear

    @classmethod
    def paper_settings(
        cls, dataset: str, scenario: str, chosen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The published settings for the dataset."""
        row: Mapping[str, Any] = _PUBLISHED.get(dataset, {})
        return row

    def fit(
        self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu"
    ) -> "CorrectAndSmooth":
        """Train the regression on `train_mask`, select on `val_mask`, correct and smooth."""
        data = to_train_on(data)
        self.device_ = device
        self.num_features_ = int(data.x.shape[1])
        self.num_classes_ = int(data.y[data.train_mask].max()) + 1
        self.model_ = model = self._network(torch.Generator().manual_seed(seed))
        X = self._features(data)
        taught, selecting = (
            X.rows(mask.nonzero()[:, 0]) for mask in (data.train_mask, data.val_mask)
        )
        y = data.y[data.train_mask].to(device)
        self.train(
            data,
            loss=lambda: F.cross_entropy(model(taught), y),
            judged=lambda: model(selecting),
        )
        with torch.no_grad():
            self.proba_ = self._mend(model(X), data)
        return self

    @torch.no_grad()
    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """The regression on this graph, corrected and smoothed with the labels known in it."""
        data = validate(data)
        check_width(data, self.num_features_)
        return self._mend(self.model_(self._features(data)), data)

    def learnt(self) -> Learnt:
        """The weights, and the widths to build a regression for them."""
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

    def _mend(
        self, logits: Float[Tensor, "nodes classes"], data: Data
    ) -> Float[Tensor, "nodes classes"]:
        """Correct and smooth; rows are brought to sum to one."""
        chosen = self.settings
        known = known_labels(data)
        y = data.y if known.any() else torch.full(known.shape, -1)
        S = operator(
            data, normalisation=chosen.correct_operator, self_loops=False, device=self.device_
        )
        Z = logits.softmax(dim=1)
        Z = correct(Z, y, known, S, alpha=chosen.correct_alpha, steps=chosen.steps)
        if chosen.smooth_operator != chosen.correct_operator:
            S = operator(
                data, normalisation=chosen.smooth_operator, self_loops=False, device=self.device_
            )
        Y = smooth(Z, y, known, S, alpha=chosen.smooth_alpha, steps=chosen.steps).cpu()
        mass = Y.sum(dim=1, keepdim=True)
        return torch.where(mass > 0, Y / mass, 1.0 / self.num_classes_)

    def _features(self, data: Data) -> Constant:
        return constant(zero_filled(data).to(self.device_, torch.float32))

    def _network(self, generator: torch.Generator) -> Linear:
        return Linear(
            self.num_features_, self.num_classes_, generator=generator, device=self.device_
        )
