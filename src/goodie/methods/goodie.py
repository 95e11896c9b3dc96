"""GOODIE: label propagation and feature propagation, weighed node by node (KDD 2025)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.validate import validate
from goodie.evaluate import percent_right
from goodie.graph import Operator
from goodie.losses.objective import Lesson, Turns, apart, joint
from goodie.methods import branches
from goodie.methods.base import Learnt, check_width, known_labels
from goodie.methods.branches import OURS, Branches, Intake, Spread
from goodie.methods.neural import NeuralMethod, to_train_on
from goodie.nn.balance import to_unit_sums
from goodie.nn.goodie import Embedded, GoodieNetwork, Inputs
from goodie.propagate.withheld import propagate_withheld

Voice = Literal["both", "structure", "features", "labels"]

# Who may answer: the two branches together, each alone, and label propagation itself.
VOICES: tuple[Voice, ...] = get_args(Voice)


@dataclass(frozen=True)
class Settings(Branches):
    """Settings of GOODIE.

    Attributes:
        relu_logits: a ReLU on the logits, as Eq. 7 prints; it silences classes.
        withheld_parts: of `balanced`: parts in which the training labels take turns to be withheld
            from label propagation, for what structure and features say together to be learned
            without them; with fewer than 2 none is.
    """

    relu_logits: bool = False
    withheld_parts: int = OURS["withheld_parts"]


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
        return branches.paper_settings(dataset, scenario, chosen)

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
        self.intake_ = branches.intake(data, spread.features, balanced=self.settings.balanced)
        self.model_ = model = self._network(generator)
        inputs = branches.inputs(spread, self.intake_)
        contrast = branches.contrast(
            data,
            spread.scores,
            self.settings,
            width=model.fusion.width_out,
            generator=generator,
        )
        lesson = Lesson(
            inputs,
            data.train_mask.nonzero()[:, 0].to(device),
            data.y[data.train_mask].to(device),
            None if contrast is None else contrast.loss,
        )
        selecting = data.val_mask.nonzero()[:, 0].to(device)
        seen, _ = inputs.reading(selecting, whole=not model.fusion.nodewise)
        if self.settings.balanced:
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
        return self._said(spread, branches.inputs(spread, self.intake_))

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

    def _spread(self, data: Data, seeds: Bool[Tensor, " nodes"]) -> Spread:
        return branches.spread(
            data, seeds, self.settings, num_classes=self.num_classes_, device=self.device_
        )

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
        structure = [S @ branches.scaled(scores, balanced=True) for scores in withheld.scores]
        return Turns(torch.stack(structure), withheld.share)

    def _voices(self, inputs: Inputs) -> Sequence[Embedded]:
        """What is said of some nodes, in every way that may be chosen."""
        return self.model_.voices(inputs) if self.settings.balanced else [self.model_(inputs)]

    @torch.no_grad()
    def _choose(self, data: Data, seen: Inputs, scores: Float[Tensor, "judged classes"]) -> Voice:
        """Who is right most often on the validation nodes; of equals, the first named."""
        y = data.y[data.val_mask].to(scores.device)
        said = [one.logits for one in self._voices(seen)]
        if self.settings.balanced:
            said.append(scores)
        right = [float(percent_right(logits, y)) for logits in said]
        return VOICES[right.index(max(right))]

    @torch.no_grad()
    def _said(self, spread: Spread, inputs: Inputs) -> Embedded:
        """What the chosen voice says of every node; of those that no label reaches, features."""
        if not self.settings.balanced:
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
            biases=self.settings.biases,
            generator=generator,
            device=self.device_,
        )
