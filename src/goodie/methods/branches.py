"""What GOODIE's two branches see of a graph, and the contrast of what they make of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch_geometric.data import Data

from goodie import paper
from goodie.graph import Operator, operator
from goodie.losses import by_name
from goodie.losses.pairwise_logsumexp import Backend
from goodie.methods import neural
from goodie.nn.balance import ROW_SIZE, size_of_a_full_row, to_unit_sums
from goodie.nn.fusion import Name as Fusion
from goodie.nn.goodie import Inputs
from goodie.nn.product import constant, propagated
from goodie.propagate.features import propagate_features
from goodie.propagate.labels import propagate_labels
from goodie.sparse import live_columns, take_columns

Preset = Literal["balanced", "faithful", "letter"]
Contrast = Literal["auto", "none", by_name.Name]

OURS = paper.numbers()["default"]

# Up to so many nodes `auto` contrasts all pairs; beyond, their number is felt on a CPU.
PAIRS_UP_TO = 10_000


@dataclass(frozen=True)
class Branches(neural.Settings):
    """Settings of the branches and their contrast, whatever is predicted from them.

    Attributes:
        preset: `balanced` is the default described in docs/decisions/0009; `faithful` is the paper,
            as its numbers have it; `letter` is its equations as they are printed: no layer has a
            bias, and labels are propagated by resetting (Eq. 1), in which α has no part. For the
            paper's datasets it also chooses the other settings' defaults.
        alpha: of label propagation.
        tau: τ, of the pseudo-labels' confidence and of the contrast.
        contrast_weight: λ of the contrastive loss; 0 leaves it out.
        contrast: which: `pseudo` (the paper's), `prototype` (its version for large graphs), their
            variants (see `goodie.losses.by_name`), `none`; `auto` is `none` in `balanced`, and
            elsewhere `pseudo` up to 10,000 nodes and `prototype` beyond.
        fusion: `attention` (the paper's), `random`, `sum`, `mean` or `concat`.
        label_steps: of label propagation.
        feature_steps: of feature propagation.
        sample: nodes in a batch of `contrast="sampled"`.
        backend: how log-sum-exps over pairs are computed.
        branch_weight: of `balanced`: the weight of the losses of what structure says alone and
            features say alone.
        branch_decay: of `balanced`: the weight of ½ Σ w² over the branches' weights.
    """

    preset: Preset = "balanced"
    alpha: float = OURS["alpha"]
    tau: float = OURS["tau"]
    contrast_weight: float = OURS["lambda"]
    contrast: Contrast = "auto"
    fusion: Fusion = "attention"
    label_steps: int = 50
    feature_steps: int = 40
    sample: int = 4096
    backend: Backend = "auto"
    branch_weight: float = OURS["branch_weight"]
    branch_decay: float = OURS["branch_decay"]

    @property
    def balanced(self) -> bool:
        """Whether the branches' inputs come at one scale, and each must stand alone."""
        return self.preset == "balanced"

    @property
    def biases(self) -> bool:
        """Whether the layers have any."""
        return self.preset != "letter"


class Spread(NamedTuple):
    """What propagation makes of a graph.

    Attributes:
        S: Â.
        scores: Ŷ, raw.
        features: X̂.
    """

    S: Operator
    scores: Float[Tensor, "nodes classes"]
    features: Float[Tensor, "nodes features"]


class Intake(NamedTuple):
    """What of a graph enters the network, and at which scale; found when fitting.

    Attributes:
        num_features: columns of X.
        live: those that are not zero throughout; on another graph the others count as zero.
        scale: of the features; None where nothing is scaled.
    """

    num_features: int
    live: Int[Tensor, " live"]
    scale: float | None


def paper_settings(dataset: str, scenario: str, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row of Table 5; λ and the loss not for `balanced`, which has its own."""
    row = paper.hyperparameters(dataset)
    if row is None:
        return {}
    settings = {"alpha": row["alpha"], "tau": row["tau"]}
    if chosen.get("preset", Branches.preset) != "balanced":
        which = "structural" if scenario == "structural" else "uniform"
        settings["contrast_weight"] = row[f"lambda_{which}"]
        settings["contrast"] = "prototype" if row["scaled"] else "pseudo"
    return settings


def spread(
    data: Data,
    seeds: Bool[Tensor, " nodes"],
    settings: Branches,
    *,
    num_classes: int,
    device: torch.device | str,
) -> Spread:
    """Propagate the seeds' labels and the observed features."""
    S = operator(data, device=device)
    scores = torch.zeros(S.num_nodes, num_classes, device=S.device)
    if seeds.any():
        scores = propagate_labels(
            data.y,
            seeds,
            S,
            alpha=settings.alpha,
            form="reset" if settings.preset == "letter" else "residual",
            steps=settings.label_steps,
            num_classes=num_classes,
        ).values
    x = data.x.to(S.device, S.dtype)
    features = propagate_features(
        x, S, observed=data.get("observed"), steps=settings.feature_steps
    ).values
    return Spread(S, scores, features)


def intake(data: Data, features: Float[Tensor, "nodes features"], *, balanced: bool) -> Intake:
    """The columns that carry anything, and the scale at which the branches learn alike."""
    scale = None
    if balanced:
        size = size_of_a_full_row(data)
        scale = ROW_SIZE / size if size > 0 else 1.0
    return Intake(int(features.shape[1]), live_columns(features), scale)


def inputs(found: Spread, of: Intake) -> Inputs:
    """What the network sees: live columns, at the scale found when fitting."""
    features = take_columns(found.features, of.live)
    if of.scale is not None:
        features = of.scale * features
    return Inputs(
        propagated(found.S, scaled(found.scores, balanced=of.scale is not None)),
        propagated(found.S, features),
        constant(found.S.matrix),
    )


def scaled(
    scores: Float[Tensor, "nodes classes"], *, balanced: bool
) -> Float[Tensor, "nodes classes"]:
    """Ŷ as the branch takes it."""
    return ROW_SIZE * to_unit_sums(scores) if balanced else scores


def contrast(
    data: Data,
    scores: Float[Tensor, "nodes classes"],
    settings: Branches,
    *,
    width: int,
    generator: torch.Generator,
) -> by_name.Contrast | None:
    """λ times the contrastive loss that the settings ask for, if they ask for one."""
    name = settings.contrast
    if name == "auto":
        if settings.balanced:
            return None
        name = "pseudo" if len(scores) <= PAIRS_UP_TO else "prototype"
    if name == "none" or settings.contrast_weight == 0.0:
        return None
    plain = by_name.contrast(
        name,
        scores,
        data.y.to(scores.device),
        data.train_mask.to(scores.device),
        width=width,
        temperature=settings.tau,
        generator=generator,
        sample=settings.sample,
        backend=settings.backend,
    )
    return plain._replace(loss=lambda z: settings.contrast_weight * plain.loss(z))
