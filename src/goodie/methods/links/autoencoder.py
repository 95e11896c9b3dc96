"""Graph auto-encoders: the inputs of a two-layer method, encoded to tell edges from other pairs."""

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.validate import validate
from goodie.methods.base import Learnt, check_width
from goodie.methods.links.base import Encoded, LinkMethod, Settings
from goodie.methods.neural import TwoLayerMethod
from goodie.nn.gcn import TwoLayers


class AutoEncoder(LinkMethod[Settings]):
    """The network of a two-layer node classifier, with embeddings where it has logits.

    What fills the holes is the classifier's, with its defaults.

    Attributes:
        classifier: whose inputs these are.
    """

    classifier: ClassVar[type[TwoLayerMethod[Any]]]
    family = "gnn"
    uses = ("features", "structure")
    Settings = Settings
    model_: TwoLayers

    def embed(self, data: Data) -> Float[Tensor, "nodes width"]:
        """See `LinkMethod.embed`."""
        data = validate(data)
        check_width(data, self.num_features_)
        with torch.no_grad():
            z: Tensor = self.model_(*self.classifier().prepare(data, self.device_))
        return z.cpu()

    def learnt(self) -> Learnt:
        """The weights, and the width to build a network for them."""
        return Learnt({"num_features": self.num_features_}, self.model_.state_dict())

    def restore(self, learnt: Learnt, *, device: torch.device | str = "cpu") -> None:
        """See `Learner.restore`."""
        self.device_ = device
        self.num_features_ = int(learnt.facts["num_features"])
        self.model_ = self._network(torch.Generator())
        self.model_.load_state_dict(learnt.tensors)
        self.model_.eval()
        self.embedded_ = None

    def _begin(self, data: Data, generator: torch.Generator) -> Callable[[], Encoded]:
        self.num_features_ = int(data.x.shape[1])
        inputs = self.classifier().prepare(data, self.device_)
        self.model_ = self._network(generator)
        return lambda: Encoded((self.model_(*inputs),))

    def _network(self, generator: torch.Generator) -> TwoLayers:
        return TwoLayers(
            self.num_features_,
            self.settings.hidden,
            self.settings.width,
            dropout=self.settings.dropout,
            generator=generator,
            device=self.device_,
        )


def auto_encoder(classifier: type[TwoLayerMethod[Any]]) -> type[AutoEncoder]:
    """The link predictor that has a node classifier's inputs and name."""
    return type(
        f"{classifier.__name__}AutoEncoder",
        (AutoEncoder,),
        {
            "__doc__": f"The auto-encoder on the inputs of `{classifier.name}`.",
            "name": classifier.name,
            "paper": classifier.paper,
            "classifier": classifier,
        },
    )
