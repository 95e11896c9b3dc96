"""GOODIE: label propagation and feature propagation, weighed node by node (KDD 2025)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch_geometric.data import Data

from goodie import paper
from goodie.data.validate import validate
from goodie.graph import Operator, operator
from goodie.losses import by_name
from goodie.losses.pairwise_logsumexp import Backend
from goodie.methods import neural
from goodie.methods.base import Learnt, check_width, known_labels
from goodie.methods.neural import NeuralMethod, cross_entropy, to_train_on
from goodie.nn.balance import to_unit_sums, unit_scale
from goodie.nn.fusion import Name as Fusion
from goodie.nn.goodie import Embedded, GoodieNetwork, Inputs
from goodie.nn.product import constant, propagated
from goodie.propagate.features import propagate_features
from goodie.propagate.labels import propagate_labels
from goodie.sparse import live_columns, take_columns

Preset = Literal["balanced", "faithful", "letter"]
Contrast = Literal["auto", "none", by_name.Name]

_OURS = paper.numbers()["default"]

# Up to so many nodes `auto` contrasts all pairs; beyond, their number is felt on a CPU.
PAIRS_UP_TO = 10_000


@dataclass(frozen=True)
class Settings(neural.Settings):
    """Settings of GOODIE.

    Attributes:
        preset: `balanced` brings what enters the branches to one scale; `faithful` feeds them as
            the paper's results were most likely made, and `letter` as its equations are printed:
            label propagation by resetting (Eq. 1), in which α has no part, and layers without
            biases. For the paper's datasets it also chooses the other settings' defaults.
        alpha: of label propagation.
        tau: τ, of the pseudo-labels' confidence and of the contrast.
        contrast_weight: λ of the contrastive loss; 0 leaves it out.
        contrast: which: `pseudo` (the paper's), `prototype` (its version for large graphs), their
            variants (see `goodie.losses.by_name`), `none`; `auto` is `pseudo` up to 10,000 nodes
            and `prototype` beyond.
        fusion: `attention` (the paper's), `random`, `sum`, `mean` or `concat`.
        label_steps: of label propagation.
        feature_steps: of feature propagation.
        relu_logits: a ReLU on the logits, as Eq. 7 prints; it silences classes.
        sample: nodes in a batch of `contrast="sampled"`.
        backend: how log-sum-exps over pairs are computed.
    """

    preset: Preset = "balanced"
    alpha: float = _OURS["alpha"]
    tau: float = _OURS["tau"]
    contrast_weight: float = _OURS["lambda"]
    contrast: Contrast = "auto"
    fusion: Fusion = "attention"
    label_steps: int = 50
    feature_steps: int = 40
    relu_logits: bool = False
    sample: int = 4096
    backend: Backend = "auto"


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
        scales: of the labels and of the features.
    """

    num_features: int
    live: Int[Tensor, " live"]
    scales: tuple[float, float] | None


class Goodie(NeuralMethod[Settings]):
    """A branch on propagated labels and one on propagated features, joined by attention."""

    name = "goodie"
    family = "hybrid"
    paper = (
        "Yun et al., Oldie but Goodie: Re-illuminating Label Propagation on Graphs with Partially "
        "Observed Features, 2025"
    )
    uses = ("features", "structure", "labels")
    Settings = Settings
    model_: GoodieNetwork

    embedded_: Embedded | None

    @classmethod
    def paper_settings(
        cls, dataset: str, scenario: str, chosen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The row of Table 5; λ and the loss not for `balanced`, whose scale is another."""
        row = paper.hyperparameters(dataset)
        if row is None:
            return {}
        settings = {"alpha": row["alpha"], "tau": row["tau"]}
        if chosen.get("preset", Settings.preset) != "balanced":
            which = "structural" if scenario == "structural" else "uniform"
            settings["contrast_weight"] = row[f"lambda_{which}"]
            settings["contrast"] = "prototype" if row["scaled"] else "pseudo"
        return settings

    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "Goodie":
        """Train on `train_mask`, select on `val_mask`."""
        data = to_train_on(data)
        self.device_ = device
        self.num_classes_ = int(data.y[data.train_mask].max()) + 1
        generator = torch.Generator().manual_seed(seed)
        spread = self._spread(data)
        self.intake_ = _intake(spread, self.settings)
        self.model_ = model = self._network(generator)
        inputs = self._inputs(spread)
        error = cross_entropy(data, device)
        contrast = self._contrast(data, spread.scores, generator)
        weight = self.settings.contrast_weight

        def loss() -> Tensor:
            out: Embedded = model(inputs)
            value = error(out.logits)
            return value if contrast is None else value + weight * contrast.loss(out.z)

        selecting = data.val_mask.nonzero()[:, 0].to(device)
        if model.fusion.nodewise:
            seen = inputs.rows(selecting)
            judged = lambda: model(seen).logits  # noqa: E731
        else:
            judged = lambda: model(inputs).logits[selecting]  # noqa: E731
        self.train(
            data,
            loss=loss,
            judged=judged,
            steady=contrast is None or contrast.steady,
        )
        with torch.no_grad():
            self.embedded_ = out = model(inputs)
        self.proba_ = out.logits.softmax(dim=1).cpu()
        return self

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """Softmax of the network, on this graph with the labels known in it."""
        return self.embed(data).logits.softmax(dim=1).cpu()

    @torch.no_grad()
    def embed(self, data: Data) -> Embedded:
        """Logits, embedding and structure's share of every node."""
        data = validate(data)
        check_width(data, self.intake_.num_features)
        out: Embedded = self.model_(self._inputs(self._spread(data)))
        return out

    def learnt(self) -> Learnt:
        """The weights, and what of a graph they are for."""
        width, live, scales = self.intake_
        facts = {"num_features": width, "num_classes": self.num_classes_, "scales": scales}
        return Learnt(facts, self.model_.state_dict() | {"live": live})

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Method.restore`."""
        facts, tensors = learnt
        self.device_ = device
        self.num_classes_ = int(facts["num_classes"])
        scales = facts["scales"]
        self.intake_ = Intake(
            int(facts["num_features"]),
            tensors["live"].to(device),
            None if scales is None else (float(scales[0]), float(scales[1])),
        )
        self.model_ = self._network(torch.Generator())
        self.model_.load_state_dict({k: v for k, v in tensors.items() if k != "live"})
        self.model_.eval()
        self.embedded_ = None

    def details(self) -> dict[str, Any]:
        """Epochs, and how much of the embedding came from the structure, over nodes."""
        assert self.embedded_ is not None
        share = self.embedded_.structure.double()
        return super().details() | {
            "structure_share": float(share.mean()),
            "structure_share_std": float(share.std(correction=0)),
            "live_columns": len(self.intake_.live),
        }

    def _spread(self, data: Data) -> Spread:
        """Propagate the known labels and the observed features."""
        settings = self.settings
        S = operator(data, device=self.device_)
        seeds = known_labels(data)
        scores = torch.zeros(S.num_nodes, self.num_classes_, device=S.device)
        if seeds.any():
            scores = propagate_labels(
                data.y,
                seeds,
                S,
                alpha=settings.alpha,
                form="reset" if settings.preset == "letter" else "residual",
                steps=settings.label_steps,
                num_classes=self.num_classes_,
            ).values
        x = data.x.to(S.device, S.dtype)
        features = propagate_features(
            x, S, observed=data.get("observed"), steps=settings.feature_steps
        ).values
        return Spread(S, scores, features)

    def _inputs(self, spread: Spread) -> Inputs:
        """What the network sees: live columns, at the scales found when fitting."""
        S, labels, features = spread
        features = take_columns(features, self.intake_.live)
        if self.intake_.scales is not None:
            of_labels, of_features = self.intake_.scales
            labels, features = of_labels * to_unit_sums(labels), of_features * features
        return Inputs(propagated(S, labels), propagated(S, features), constant(S.matrix))

    def _network(self, generator: torch.Generator) -> GoodieNetwork:
        return GoodieNetwork(
            self.intake_.num_features,
            self.intake_.live.cpu(),
            self.settings.hidden,
            self.num_classes_,
            fuse=self.settings.fusion,
            dropout=self.settings.dropout,
            relu_logits=self.settings.relu_logits,
            biases=self.settings.preset != "letter",
            generator=generator,
            device=self.device_,
        )

    def _contrast(
        self, data: Data, scores: Tensor, generator: torch.Generator
    ) -> by_name.Contrast | None:
        """The contrastive loss that the settings ask for, if they ask for one."""
        settings, name = self.settings, self.settings.contrast
        if name == "auto":
            name = "pseudo" if len(scores) <= PAIRS_UP_TO else "prototype"
        if name == "none" or settings.contrast_weight == 0.0:
            return None
        return by_name.contrast(
            name,
            scores,
            data.y.to(scores.device),
            data.train_mask.to(scores.device),
            width=self.model_.fusion.width_out,
            temperature=settings.tau,
            generator=generator,
            sample=settings.sample,
            backend=settings.backend,
        )


def _intake(spread: Spread, settings: Settings) -> Intake:
    """The columns that carry anything, and the scales that make the branches equals."""
    x = spread.features
    live = live_columns(x)
    scales = None
    if settings.preset == "balanced":
        labels = to_unit_sums(spread.scores)
        scales = (
            unit_scale(labels, labels.shape[1], settings.hidden),
            unit_scale(x, x.shape[1], settings.hidden),
        )
    return Intake(int(x.shape[1]), live, scales)
