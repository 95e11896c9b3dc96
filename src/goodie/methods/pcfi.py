"""Filling by confidence in what is near, then a graph convolutional network."""

from dataclasses import dataclass

import torch
from torch_geometric.data import Data

from goodie.graph import operator
from goodie.methods import neural
from goodie.methods.neural import Inputs, TwoLayerMethod
from goodie.nn.product import constant, propagated
from goodie.propagate.confidence import fill_by_confidence


@dataclass(frozen=True)
class Settings(neural.Settings):
    """Settings of PCFI with a GCN.

    Attributes:
        steps: of the diffusion.
        decay: a, the share of confidence that is left a hop further from what is observed.
        strength: b, of the correction of the channels by each other.
    """

    steps: int = 100
    decay: float = 0.9
    strength: float = 1.0


class PCFI(TwoLayerMethod[Settings]):
    """Holes are filled from near nodes and from like channels, then two graph convolutions."""

    name = "pcfi"
    family = "gnn"
    paper = (
        "Um et al., Confidence-Based Feature Imputation for Graphs with Partially Known Features, "
        "2023"
    )
    uses = ("features", "structure", "labels")
    Settings = Settings

    def prepare(self, data: Data, device: torch.device | str) -> Inputs:
        """Â X̂, and Â."""
        S = operator(data, device=device)
        filled = fill_by_confidence(
            data.x.to(device, S.dtype),
            S,
            observed=data.get("observed"),
            steps=self.settings.steps,
            decay=self.settings.decay,
            strength=self.settings.strength,
        )
        return propagated(S, filled), constant(S.matrix)
