"""GOODIE as a link predictor in scikit-learn's manner."""

from dataclasses import fields

import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import check_is_fitted
from torch_geometric.data import Data

from goodie import config
from goodie.data.validate import validate
from goodie.errors import InputError
from goodie.estimators.base import RandomState
from goodie.estimators.link_base import GraphLinkPredictor, Placed
from goodie.losses.pairwise_logsumexp import Backend
from goodie.methods.branches import Contrast, Preset
from goodie.methods.links.goodie import GoodieLinks, Settings
from goodie.nn.fusion import Name as Fusion


class GoodieLinkPredictor(GraphLinkPredictor):
    """GOODIE for links: labels and features spread over the graph, weighed node by node.

    Labels are optional. With none at all, features alone tell links, and a warning says so; with no
    feature left, labels alone do.

    Args:
        preset: `balanced`; or `faithful`, the paper, or `letter`.
        alpha: of label propagation, the share that a node takes from its neighbours in each step.
        tau: τ, of the pseudo-labels' certainty and of the contrast.
        contrast_weight: λ, of the contrastive loss; 0 leaves it out.
        contrast: which contrastive loss; `auto` chooses.
        fusion: how the branches are joined.
        label_steps: of label propagation.
        feature_steps: of feature propagation.
        sample: nodes in a batch of `contrast="sampled"`.
        backend: how the contrast's log-sum-exps are computed.
        branch_weight: of `balanced`: how much it counts what each branch says alone.
        branch_decay: of `balanced`: weight decay of the branches.
        hidden: width of a branch.
        width: of the embeddings.
        dropout: on the joined embeddings.
        lr: of Adam.
        weight_decay: of Adam.
        max_epochs: at most.
        patience: epochs without a better validation score after which training ends.
        validation: the share of the edges that selects the epoch instead of training.
        random_state: of that share, of the initial weights and of the pairs drawn beside.
        device: `cpu` or `cuda`.

    Attributes:
        embedding_: of the nodes fitted on; the sigmoid of an inner product is the probability.
        validation_: area under the ROC curve and average precision on the edges set aside; they
            chose the epoch, so this is optimistic by a little.
        voice_: who answers: `both` branches together, `structure` or `features` alone.
        history_: losses and validation scores of every epoch.
        method_: what does the work.

    Example:
        >>> import goodie
        >>> data = goodie.missing.uniform(goodie.synthetic(100, 3, random_state=0), 0.9)
        >>> model = goodie.GoodieLinkPredictor(max_epochs=20).fit(data)
        >>> model.predict_proba([[0, 1], [2, 3]]).shape
        (2,)
    """

    method_: GoodieLinks

    def __init__(
        self,
        *,
        preset: Preset = Settings.preset,
        alpha: float = Settings.alpha,
        tau: float = Settings.tau,
        contrast_weight: float = Settings.contrast_weight,
        contrast: Contrast = Settings.contrast,
        fusion: Fusion = Settings.fusion,
        label_steps: int = Settings.label_steps,
        feature_steps: int = Settings.feature_steps,
        sample: int = Settings.sample,
        backend: Backend = Settings.backend,
        branch_weight: float = Settings.branch_weight,
        branch_decay: float = Settings.branch_decay,
        hidden: int = Settings.hidden,
        width: int = Settings.width,
        dropout: float = Settings.dropout,
        lr: float = Settings.lr,
        weight_decay: float = Settings.weight_decay,
        max_epochs: int = Settings.max_epochs,
        patience: int = Settings.patience,
        validation: float = 0.05,
        random_state: RandomState = 0,
        device: str = "cpu",
    ) -> None:
        self.preset = preset
        self.alpha = alpha
        self.tau = tau
        self.contrast_weight = contrast_weight
        self.contrast = contrast
        self.fusion = fusion
        self.label_steps = label_steps
        self.feature_steps = feature_steps
        self.sample = sample
        self.backend = backend
        self.branch_weight = branch_weight
        self.branch_decay = branch_decay
        self.hidden = hidden
        self.width = width
        self.dropout = dropout
        self.lr = lr
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation = validation
        self.random_state = random_state
        self.device = device

    @property
    def voice_(self) -> str:
        """Who answers: both branches together, or one of them."""
        check_is_fitted(self, "method_")
        return self.method_.voice_

    def attention(self, data: Data | None = None) -> Float[np.ndarray, "nodes 2"]:
        """How much of each embedding came from structure, and how much from features.

        Args:
            data: as for `predict_proba`.
        """
        structure = self.explain(data).structure
        assert structure is not None
        return np.stack([structure, 1 - structure], axis=1)

    def explain(self, data: Data | None = None) -> Placed:
        """See `GraphLinkPredictor.explain`."""
        check_is_fitted(self, "method_")
        told = self.method_.explained_ if data is None else self.method_.explain(validate(data))
        if told is None:
            raise InputError("a model from a file does not hold its graph: pass the graph")
        return Placed(told.logits.cpu().numpy(), told.structure.cpu().numpy())

    def _method(self) -> GoodieLinks:
        chosen = {field.name: getattr(self, field.name) for field in fields(Settings)}
        return GoodieLinks(config.build(Settings, chosen))
