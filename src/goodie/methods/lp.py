"""Label propagation, the old method that beats graph networks when features run out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie import paper
from goodie.data.validate import validate
from goodie.graph import operator
from goodie.methods.base import Learnt, Method, known_labels
from goodie.propagate.labels import Form, propagate_labels


@dataclass(frozen=True)
class Settings:
    """Settings of label propagation.

    Attributes:
        alpha: share that a node takes from its neighbours in each step.
        steps: how many.
        form: `residual`, or `reset` as Eq. 1 of the paper prints it.
    """

    alpha: float = 0.9
    steps: int = 50
    form: Form = "residual"


class LabelPropagation(Method[Settings]):
    """The training labels, spread over the graph; features are not looked at.

    A node that no training label reaches gets the same probability for every class.
    """

    name = "lp"
    family = "structure"
    paper = "Zhou et al., Learning with Local and Global Consistency, 2004"
    uses = ("structure", "labels")
    Settings = Settings

    @classmethod
    def paper_settings(
        cls, dataset: str, scenario: str, chosen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """α of Table 5."""
        row = paper.hyperparameters(dataset)
        return {} if row is None else {"alpha": row["alpha"]}

    def fit(
        self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu"
    ) -> "LabelPropagation":
        """Spread the labels under `train_mask`, and remember how many classes there are."""
        data = validate(data, classify=True)
        self.num_classes_ = int(data.y[data.train_mask].max()) + 1
        self.device_ = device
        self.proba_ = self.predict_proba(data)
        return self

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """Spread the labels that are known in this graph."""
        data = validate(data)
        seeds = known_labels(data)
        even = torch.full((len(seeds), self.num_classes_), 1.0 / self.num_classes_)
        if not seeds.any():
            return even
        S = operator(data, device=self.device_)
        spread = propagate_labels(
            data.y,
            seeds,
            S,
            alpha=self.settings.alpha,
            form=self.settings.form,
            steps=self.settings.steps,
            num_classes=self.num_classes_,
        ).values.cpu()
        mass = spread.sum(dim=1, keepdim=True)
        return torch.where(mass > 0, spread / mass, even)

    def learnt(self) -> Learnt:
        """How many classes there are."""
        return Learnt({"num_classes": self.num_classes_}, {})

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Method.restore`."""
        self.num_classes_ = int(learnt.facts["num_classes"])
        self.device_ = device
