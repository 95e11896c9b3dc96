"""GOODIE as a link predictor: its two branches, encoded to tell edges from other pairs."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.validate import validate
from goodie.errors import InvalidGraphError
from goodie.methods import branches
from goodie.methods.base import Learnt, check_width, known_labels
from goodie.methods.branches import Branches, Intake
from goodie.methods.goodie import Goodie
from goodie.methods.links.base import DROPOUT, HIDDEN, WIDTH, Encoded, LinkMethod
from goodie.nn.goodie import Embedded, GoodieNetwork, Inputs

Voice = Literal["both", "structure", "features"]
VOICES: tuple[Voice, ...] = get_args(Voice)


@dataclass(frozen=True)
class Settings(Branches):
    """Settings of GOODIE as a link predictor.

    Attributes:
        hidden: width of a branch.
        width: of the embeddings whose inner products say how likely an edge is.
        dropout: on the joined embeddings.
    """

    hidden: int = HIDDEN
    width: int = WIDTH
    dropout: float = DROPOUT


class GoodieLinks(LinkMethod[Settings]):
    """A branch on propagated labels and one on propagated features, joined by attention.

    Labels are an input and no target. Where none is known, or no feature is left, the branch that
    would carry nothing is off.
    """

    name = Goodie.name
    family = Goodie.family
    paper = Goodie.paper
    uses = Goodie.uses
    Settings = Settings
    model_: GoodieNetwork
    voice_: Voice
    explained_: Embedded | None

    @classmethod
    def paper_settings(
        cls, dataset: str, scenario: str, chosen: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The row of Table 5, as for node classification."""
        return branches.paper_settings(dataset, scenario, chosen)

    def embed(self, data: Data) -> Float[Tensor, "nodes width"]:
        """See `LinkMethod.embed`."""
        return self.explain(data).logits.cpu()

    @torch.no_grad()
    def explain(self, data: Data) -> Embedded:
        """Embeddings, and how much of each came from the structure's branch."""
        data = validate(data)
        check_width(data, self.intake_.num_features)
        return self._voices(branches.inputs(self._spread(data), self.intake_))[self.voice_]

    def learnt(self) -> Learnt:
        """The weights, what of a graph they are for, and who answers."""
        facts = {
            "num_features": self.intake_.num_features,
            "num_classes": self.num_classes_,
            "scale": self.intake_.scale,
            "voices": list(self.voices_),
            "voice": self.voice_,
        }
        return Learnt(facts, self.model_.state_dict() | {"live": self.intake_.live})

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Learner.restore`."""
        facts, tensors = learnt
        self.device_ = device
        self.num_classes_ = int(facts["num_classes"])
        self.voices_, self.voice_ = tuple(facts["voices"]), facts["voice"]
        self.intake_ = Intake(
            int(facts["num_features"]), tensors["live"].to(device), facts["scale"]
        )
        self.model_ = self._network(torch.Generator())
        self.model_.load_state_dict({k: v for k, v in tensors.items() if k != "live"})
        self.model_.eval()
        self.embedded_ = self.explained_ = None

    def details(self) -> dict[str, Any]:
        """Epochs, who answers, and how much came from the structure, over nodes."""
        assert self.explained_ is not None
        share = self.explained_.structure.double()
        return super().details() | {
            "voice": self.voice_,
            "structure_share": float(share.mean()),
            "structure_share_std": float(share.std(correction=0)),
            "live_columns": len(self.intake_.live),
        }

    def _begin(self, data: Data, generator: torch.Generator) -> Callable[[], Encoded]:
        settings = self.settings
        seeds = known_labels(data)
        self.num_classes_ = int(data.y[seeds].max()) + 1 if seeds.any() else 0
        spread = self._spread(data)
        self.intake_ = branches.intake(data, spread.features, balanced=settings.balanced)
        self.voices_ = self._able()
        self.model_ = model = self._network(generator)
        inputs = branches.inputs(spread, self.intake_)
        contrast = None
        if self.num_classes_:
            known = data.clone()
            known.train_mask = seeds
            contrast = branches.contrast(
                known, spread.scores, settings, width=model.fusion.width_out, generator=generator
            )
        # A random half is drawn on the host.
        self._steady = model.fusion.nodewise and (contrast is None or contrast.steady)

        def encode() -> Encoded:
            said = self._voices(inputs)
            first = said[self.voices_[0]]

            def penalty() -> Tensor:
                value = first.z.new_zeros(())
                if contrast is not None:
                    value = value + contrast.loss(first.z)
                if settings.balanced:
                    for weight in (model.weight_structure, model.weight_features):
                        value = value + 0.5 * settings.branch_decay * weight.square().sum()
                return value

            return Encoded(tuple(one.logits for one in said.values()), penalty)

        return encode

    def _able(self) -> tuple[Voice, ...]:
        """Who has something to say of the graph fitted on."""
        labels, features = self.num_classes_ > 0, len(self.intake_.live) > 0
        if not labels and not features:
            raise InvalidGraphError(
                "the graph has neither labels nor features that are not zero, so there is nothing "
                "to tell its nodes apart by: label some nodes, or give features"
            )
        if not labels:
            warnings.warn("no label is known, so links are told by features alone", stacklevel=5)
            return ("features",)
        if not features:
            return ("structure",)
        return VOICES if self.settings.balanced else ("both",)

    def _voices(self, inputs: Inputs) -> dict[Voice, Embedded]:
        """What those who are able say; the first is whose embeddings are contrasted."""
        if self.voices_ == ("both",):
            return {"both": self.model_(inputs)}
        said = dict(zip(VOICES, self.model_.voices(inputs), strict=True))
        return {voice: said[voice] for voice in self.voices_}

    def _choose(self, way: int) -> None:
        self.voice_ = self.voices_[way]

    def answer(self, data: Data) -> None:
        """See `LinkMethod.answer`."""
        self.explained_ = self.explain(data)
        self.embedded_ = self.explained_.logits.cpu()

    def _spread(self, data: Data) -> branches.Spread:
        seeds = known_labels(data)
        if seeds.any():  # on another graph there may be labels that mean nothing here
            seeds = seeds & (data.y < self.num_classes_)
        return branches.spread(
            data, seeds, self.settings, num_classes=self.num_classes_, device=self.device_
        )

    def _network(self, generator: torch.Generator) -> GoodieNetwork:
        return GoodieNetwork(
            self.intake_.num_features,
            self.intake_.live.cpu(),
            self.settings.hidden,
            self.num_classes_,
            width_out=self.settings.width,
            fuse=self.settings.fusion,
            dropout=self.settings.dropout,
            relu_logits=False,
            biases=self.settings.biases,
            generator=generator,
            device=self.device_,
        )
