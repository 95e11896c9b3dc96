"""Any method of the package as a node classifier in scikit-learn's manner."""

from collections.abc import Mapping
from typing import Any

from goodie import config, methods
from goodie.estimators.base import GraphClassifier, RandomState
from goodie.methods.base import Method


class NodeClassifier(GraphClassifier):
    """Any method of the package as an estimator.

    Args:
        method: its name, as `goodie run --method` takes it.
        settings: those that are not to be its defaults.
        validation: where the graph has no `val_mask`, the share of each class's labelled nodes that
            selects the epoch instead of training, if the method selects one.
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
        history_: losses and validation scores of every epoch; None where nothing is trained.
        method_: what does the work.

    Example:
        >>> import goodie
        >>> data = goodie.synthetic(200, 3, random_state=0)
        >>> data.test_mask = data.y.new_ones(200).bool()
        >>> data.test_mask[:50] = False  # the first fifty are known
        >>> model = goodie.NodeClassifier(method="lp", settings={"alpha": 0.5}).fit(data)
        >>> model.predict().shape, model.score(data) > 0.5
        ((200,), True)
    """

    def __init__(
        self,
        *,
        method: str = "goodie",
        settings: Mapping[str, Any] | None = None,
        validation: float = 0.2,
        calibration: float = 0.25,
        random_state: RandomState = 0,
        device: str = "cpu",
    ) -> None:
        self.method = method
        self.settings = settings
        self.validation = validation
        self.calibration = calibration
        self.random_state = random_state
        self.device = device

    def _method(self) -> Method[Any]:
        kind = methods.get(self.method)
        return kind(config.build(kind.Settings, self.settings or {}))
