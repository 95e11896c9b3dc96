"""GOODIE as a node classifier in scikit-learn's manner."""

from dataclasses import fields

import numpy as np
import torch
from jaxtyping import Float
from sklearn.utils.validation import check_is_fitted
from torch_geometric.data import Data

from goodie import config
from goodie.estimators.base import Answers, GraphClassifier, RandomState
from goodie.losses.pairwise_logsumexp import Backend
from goodie.methods.branches import Contrast, Preset
from goodie.methods.goodie import Goodie, Settings, Voice
from goodie.nn.fusion import Name as Fusion
from goodie.nn.goodie import Embedded


class GoodieClassifier(GraphClassifier):
    """GOODIE: structure and features, weighed node by node, whatever share of the features is gone.

    Args:
        preset: `balanced`; or `faithful`, the paper, or `letter`, the same with labels propagated
            as it prints.
        alpha: of label propagation, the share that a node takes from its neighbours in each step.
        tau: τ, of the pseudo-labels' certainty and of the contrast.
        contrast_weight: λ, of the contrastive loss; 0 leaves it out.
        contrast: which contrastive loss; `auto` chooses by the graph's size.
        fusion: how the branches are joined.
        label_steps: of label propagation.
        feature_steps: of feature propagation.
        relu_logits: a ReLU on the logits, as the paper prints; it silences classes.
        sample: nodes in a batch of `contrast="sampled"`.
        backend: how the contrast's log-sum-exps are computed.
        withheld_parts: of `balanced`: parts in which the training labels take turns to be withheld
            while structure and features learn to answer together.
        branch_weight: of `balanced`: how much it counts what each of the two says alone.
        branch_decay: of `balanced`: weight decay of the branches.
        hidden: width of a branch.
        dropout: before the classifier.
        lr: of Adam.
        weight_decay: of Adam.
        max_epochs: at most.
        patience: epochs without a better validation accuracy after which training ends.
        validation: where the graph has no `val_mask`, the share of each class's labelled nodes that
            selects the epoch instead of training.
        calibration: share of the nodes to select by that is set aside to calibrate by: for the
            temperature of the probabilities, and for `predict_set`.
        random_state: of that split, of the initial weights and of dropout.
        device: `cpu` or `cuda`.

    Attributes:
        classes_: the labels, in the order of the probabilities' columns.
        train_mask_, val_mask_, calibration_mask_: the nodes trained on, those that selected, and
            those that calibrated.
        temperature_: of the probabilities.
        abstains_: in the graph fitted on, the nodes that the model can but guess at.
        proba_: probabilities in the graph fitted on; None in a model from a file.
        attention_: there, how much of each node came from structure and from features; likewise.
        voice_: who answers, chosen on the validation nodes: `both` branches together, `structure`
            or `features` alone, or the `labels` that propagation spreads.
        history_: losses and validation scores of every epoch.
        method_: what does the work.

    Example:
        >>> import goodie
        >>> data = goodie.missing.uniform(goodie.synthetic(200, 3, random_state=0), 0.9)
        >>> data.test_mask = data.y.new_ones(200).bool()
        >>> data.test_mask[:60] = False
        >>> model = goodie.GoodieClassifier(max_epochs=30).fit(data)
        >>> model.embed().shape, model.attention_.shape
        ((200, 64), (200, 2))
    """

    method_: Goodie

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
        relu_logits: bool = Settings.relu_logits,
        sample: int = Settings.sample,
        backend: Backend = Settings.backend,
        withheld_parts: int = Settings.withheld_parts,
        branch_weight: float = Settings.branch_weight,
        branch_decay: float = Settings.branch_decay,
        hidden: int = Settings.hidden,
        dropout: float = Settings.dropout,
        lr: float = Settings.lr,
        weight_decay: float = Settings.weight_decay,
        max_epochs: int = Settings.max_epochs,
        patience: int = Settings.patience,
        validation: float = 0.2,
        calibration: float = 0.25,
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
        self.relu_logits = relu_logits
        self.sample = sample
        self.backend = backend
        self.withheld_parts = withheld_parts
        self.branch_weight = branch_weight
        self.branch_decay = branch_decay
        self.hidden = hidden
        self.dropout = dropout
        self.lr = lr
        self.weight_decay = weight_decay
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation = validation
        self.calibration = calibration
        self.random_state = random_state
        self.device = device

    def _method(self) -> Goodie:
        chosen = {field.name: getattr(self, field.name) for field in fields(Settings)}
        return Goodie(config.build(Settings, chosen))

    @property
    def voice_(self) -> Voice:
        """Who answers: both branches together, one of them, or label propagation itself."""
        check_is_fitted(self, "method_")
        return self.method_.voice_

    @property
    def attention_(self) -> Float[np.ndarray, "nodes 2"]:
        """Shares of structure and of features, in the graph fitted on."""
        return self.attention()

    def attention(self, data: Data | None = None) -> Float[np.ndarray, "nodes 2"]:
        """How much of each node's embedding came from structure, and how much from features.

        Args:
            data: a graph, as for `predict_proba`.
        """
        share = self._embedded(data).structure
        return torch.stack([share, 1 - share], dim=1).cpu().numpy()

    def explain(self, data: Data | None = None) -> Answers:
        """See `GraphClassifier.explain`; the structure's share is the attention's."""
        problem = self._problem(data)
        if problem is None:
            return super().explain()._replace(structure=self.attention_[:, 0])
        said = self.method_.embed(problem)
        return Answers(
            self._calibration.probability(said.logits.softmax(dim=1).cpu().numpy()),
            problem.train_mask.numpy(),
            said.structure.cpu().numpy(),
        )

    def embed(self, data: Data | None = None) -> Float[np.ndarray, "nodes width"]:
        """Z, the embedding of every node; `data` as for `predict_proba`."""
        return self._embedded(data).z.cpu().numpy()

    def _embedded(self, data: Data | None) -> Embedded:
        problem = self._problem(data)
        if problem is None:
            assert self.method_.embedded_ is not None
            return self.method_.embedded_
        return self.method_.embed(problem)
