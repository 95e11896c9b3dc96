"""Any link predictor of the package in scikit-learn's manner."""

from collections.abc import Mapping
from typing import Any

from goodie import config
from goodie.estimators.base import RandomState
from goodie.estimators.link_base import GraphLinkPredictor
from goodie.methods import links
from goodie.methods.links.base import LinkMethod


class LinkPredictor(GraphLinkPredictor):
    """Any link predictor of the package as an estimator.

    Args:
        method: its name, as `goodie run --task link --method` takes it.
        settings: those that are not to be its defaults.
        validation: the share of the edges that selects the epoch instead of training.
        random_state: of that share, of the initial weights and of the pairs drawn beside.
        device: `cpu` or `cuda`.

    Attributes:
        embedding_: of the nodes fitted on; the sigmoid of an inner product is the probability.
        validation_: area under the ROC curve and average precision on the edges set aside; they
            chose the epoch, so this is optimistic by a little.
        history_: losses and validation scores of every epoch.
        method_: what does the work.

    Example:
        >>> import goodie
        >>> data = goodie.synthetic(100, 3, random_state=0)
        >>> model = goodie.LinkPredictor(method="gcn", settings={"max_epochs": 20}).fit(data)
        >>> len(model.recommend(0, k=5).proba)
        5
    """

    def __init__(
        self,
        *,
        method: str = "goodie",
        settings: Mapping[str, Any] | None = None,
        validation: float = 0.05,
        random_state: RandomState = 0,
        device: str = "cpu",
    ) -> None:
        self.method = method
        self.settings = settings
        self.validation = validation
        self.random_state = random_state
        self.device = device

    def _method(self) -> LinkMethod[Any]:
        kind = links.get(self.method)
        return kind(config.build(kind.Settings, self.settings or {}))
