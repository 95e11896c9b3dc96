"""GOODIE: label propagation and feature propagation, weighed node by node (KDD 2025)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch_geometric.data import Data

from goodie import paper
from goodie.data.validate import validate
from goodie.evaluate import percent_right
from goodie.graph import Operator, operator
from goodie.losses import by_name
from goodie.losses.objective import Lesson, Turns, apart, joint
from goodie.losses.pairwise_logsumexp import Backend
from goodie.methods import neural
from goodie.methods.base import Learnt, check_width, known_labels
from goodie.methods.neural import NeuralMethod, to_train_on
from goodie.nn.balance import ROW_SIZE, size_of_a_full_row, to_unit_sums
from goodie.nn.fusion import Name as Fusion
from goodie.nn.goodie import Embedded, GoodieNetwork, Inputs
from goodie.nn.product import constant, propagated
from goodie.propagate.features import propagate_features
from goodie.propagate.labels import propagate_labels
from goodie.propagate.withheld import propagate_withheld
from goodie.sparse import live_columns, take_columns

Preset = Literal["balanced", "faithful", "letter"]
Contrast = Literal["auto", "none", by_name.Name]

Voice = Literal["both", "structure", "features", "labels"]

# Who may answer: the two branches together, each alone, and label propagation itself.
VOICES: tuple[Voice, ...] = get_args(Voice)

_OURS = paper.numbers()["default"]

# Up to so many nodes `auto` contrasts all pairs; beyond, their number is felt on a CPU.
PAIRS_UP_TO = 10_000


@dataclass(frozen=True)
class Settings(neural.Settings):
    """Settings of GOODIE.

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
        relu_logits: a ReLU on the logits, as Eq. 7 prints; it silences classes.
        sample: nodes in a batch of `contrast="sampled"`.
        backend: how log-sum-exps over pairs are computed.
        withheld_parts: of `balanced`: parts in which the training labels take turns to be withheld
            from label propagation, for what structure and features say together to be learned
            without them; with fewer than 2 none is.
        branch_weight: of `balanced`: the weight of the cross-entropies of what structure says
            alone and features say alone.
        branch_decay: of `balanced`: the weight of ½ Σ w² over the branches' weights.
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
    withheld_parts: int = _OURS["withheld_parts"]
    branch_weight: float = _OURS["branch_weight"]
    branch_decay: float = _OURS["branch_decay"]


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


class Goodie(NeuralMethod[Settings]):
    """A branch on propagated labels and one on propagated features, joined by attention."""

    name = "goodie"
    family = "hybrid"
    paper = (
        "Yun et al., Oldie but Goodie: Re-illuminating Label Propagation on Graphs with Partially "
        "Observed Features, 2025"
    )
    uses = ("features", "structure", "labels")
    version = 2
    Settings = Settings
    model_: GoodieNetwork
    voice_: Voice
    embedded_: Embedded | None

    @classmethod
    def paper_settings(
        cls, dataset: str, scenario: str, chosen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The row of Table 5; λ and the loss not for `balanced`, which has its own."""
        row = paper.hyperparameters(dataset)
        if row is None:
            return {}
        settings = {"alpha": row["alpha"], "tau": row["tau"]}
        if chosen.get("preset", Settings.preset) != "balanced":
            which = "structural" if scenario == "structural" else "uniform"
            settings["contrast_weight"] = row[f"lambda_{which}"]
            settings["contrast"] = "prototype" if row["scaled"] else "pseudo"
        return settings

    @classmethod
    def version_of(cls, settings: Mapping[str, Any]) -> int:
        """In version 2 `faithful` had no biases."""
        return 3 if settings["preset"] == "faithful" else cls.version

    def fit(self, data: Data, *, seed: int = 0, device: torch.device | str = "cpu") -> "Goodie":
        """Train on `train_mask`, select on `val_mask`."""
        data = to_train_on(data)
        self.device_ = device
        self.num_classes_ = int(data.y[data.train_mask].max()) + 1
        generator = torch.Generator().manual_seed(seed)
        spread = self._spread(data, known_labels(data))
        self.intake_ = self._intake(data, spread.features)
        self.model_ = model = self._network(generator)
        inputs = self._inputs(spread)
        contrast = self._contrast(data, spread.scores, generator)
        lesson = Lesson(
            inputs,
            data.train_mask.nonzero()[:, 0].to(device),
            data.y[data.train_mask].to(device),
            None if contrast is None else self._weighed(contrast),
        )
        selecting = data.val_mask.nonzero()[:, 0].to(device)
        seen, _ = inputs.reading(selecting, whole=not model.fusion.nodewise)
        if self._balanced:
            settings = self.settings
            loss = apart(
                model,
                lesson,
                self._turns(data, spread.S, generator),
                branch_weight=settings.branch_weight,
                decay=settings.branch_decay,
            )
        else:
            loss = joint(model, lesson)
        self.train(
            data,
            loss=loss,
            judged=lambda: torch.stack([said.logits for said in self._voices(seen)]),
            # A random half is drawn on the host.
            steady=model.fusion.nodewise and (contrast is None or contrast.steady),
        )
        self.voice_ = self._choose(data, seen, spread.scores[selecting])
        self.embedded_ = self._said(spread, inputs)
        self.proba_ = self.embedded_.logits.softmax(dim=1).cpu()
        return self

    def predict_proba(self, data: Data) -> Float[Tensor, "nodes classes"]:
        """Softmax of the network, on this graph with the labels known in it."""
        return self.embed(data).logits.softmax(dim=1).cpu()

    def embed(self, data: Data) -> Embedded:
        """Logits, embedding and structure's share of every node."""
        data = validate(data)
        check_width(data, self.intake_.num_features)
        spread = self._spread(data, known_labels(data))
        return self._said(spread, self._inputs(spread))

    def learnt(self) -> Learnt:
        """The weights, what of a graph they are for, and who answers."""
        width, live, scale = self.intake_
        facts = {
            "num_features": width,
            "num_classes": self.num_classes_,
            "scale": scale,
            "voice": self.voice_,
        }
        return Learnt(facts, self.model_.state_dict() | {"live": live})

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Method.restore`."""
        facts, tensors = learnt
        self.device_ = device
        self.num_classes_ = int(facts["num_classes"])
        self.voice_ = facts["voice"]
        self.intake_ = Intake(
            int(facts["num_features"]), tensors["live"].to(device), facts["scale"]
        )
        self.model_ = self._network(torch.Generator())
        self.model_.load_state_dict({k: v for k, v in tensors.items() if k != "live"})
        self.model_.eval()
        self.embedded_ = None

    def details(self) -> dict[str, Any]:
        """Epochs, who answers, and how much came from the structure, over nodes."""
        assert self.embedded_ is not None
        share = self.embedded_.structure.double()
        return super().details() | {
            "voice": self.voice_,
            "structure_share": float(share.mean()),
            "structure_share_std": float(share.std(correction=0)),
            "live_columns": len(self.intake_.live),
        }

    @property
    def _balanced(self) -> bool:
        return self.settings.preset == "balanced"

    def _spread(self, data: Data, seeds: Bool[Tensor, " nodes"]) -> Spread:
        """Propagate the seeds' labels and the observed features."""
        settings = self.settings
        S = operator(data, device=self.device_)
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

    def _intake(self, data: Data, features: Float[Tensor, "nodes features"]) -> Intake:
        """The columns that carry anything, and the scale at which the branches learn alike."""
        scale = None
        if self._balanced:
            size = size_of_a_full_row(data)
            scale = ROW_SIZE / size if size > 0 else 1.0
        return Intake(int(features.shape[1]), live_columns(features), scale)

    def _inputs(self, spread: Spread) -> Inputs:
        """What the network sees: live columns, at the scale found when fitting."""
        S = spread.S
        features = take_columns(spread.features, self.intake_.live)
        if self.intake_.scale is not None:
            features = self.intake_.scale * features
        return Inputs(
            propagated(S, self._scaled(spread.scores)),
            propagated(S, features),
            constant(S.matrix),
        )

    def _scaled(self, scores: Float[Tensor, "nodes classes"]) -> Float[Tensor, "nodes classes"]:
        """Ŷ as the branch takes it."""
        return ROW_SIZE * to_unit_sums(scores) if self._balanced else scores

    def _turns(self, data: Data, S: Operator, generator: torch.Generator) -> Turns:
        """Â Ŷ without each part of the labels."""
        settings = self.settings
        withheld = propagate_withheld(
            data.y,
            data.train_mask,
            S,
            parts=settings.withheld_parts,
            alpha=settings.alpha,
            steps=settings.label_steps,
            num_classes=self.num_classes_,
            generator=generator,
        )
        structure = [S @ self._scaled(scores) for scores in withheld.scores]
        return Turns(torch.stack(structure), withheld.share)

    def _voices(self, inputs: Inputs) -> Sequence[Embedded]:
        """What is said of some nodes, in every way that may be chosen."""
        return self.model_.voices(inputs) if self._balanced else [self.model_(inputs)]

    @torch.no_grad()
    def _choose(self, data: Data, seen: Inputs, scores: Float[Tensor, "judged classes"]) -> Voice:
        """Who is right most often on the validation nodes; of equals, the first named."""
        y = data.y[data.val_mask].to(scores.device)
        said = [one.logits for one in self._voices(seen)]
        if self._balanced:
            said.append(scores)
        right = [float(percent_right(logits, y)) for logits in said]
        return VOICES[right.index(max(right))]

    @torch.no_grad()
    def _said(self, spread: Spread, inputs: Inputs) -> Embedded:
        """What the chosen voice says of every node; of those that no label reaches, features."""
        if not self._balanced:
            (only,) = self._voices(inputs)
            return only
        voices = self.model_.voices(inputs)
        if self.voice_ == "labels":
            # Label propagation itself; the least there is stands for a zero, whose log is not.
            told = to_unit_sums(spread.scores).clamp(min=torch.finfo(spread.scores.dtype).tiny)
            chosen = voices.structure._replace(logits=told.log())
        else:
            chosen = voices[VOICES.index(self.voice_)]
        reached = (spread.scores > 0).any(dim=1)
        return chosen._replace(
            logits=torch.where(reached[:, None], chosen.logits, voices.features.logits),
            structure=torch.where(reached, chosen.structure, voices.features.structure),
        )

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
            if self._balanced:
                return None
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

    def _weighed(self, contrast: by_name.Contrast) -> Callable[[Tensor], Tensor]:
        return lambda z: self.settings.contrast_weight * contrast.loss(z)
