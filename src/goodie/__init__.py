"""Learning on graphs whose node features are mostly missing."""

from goodie.data import datasets, missing, splits
from goodie.data.observed import observed
from goodie.data.synthetic import synthetic
from goodie.estimators import (
    FeatureImputer,
    GoodieClassifier,
    GoodieLinkPredictor,
    LinkPredictor,
    NodeClassifier,
)
from goodie.graph import Operator, operator
from goodie.propagate import (
    FeaturePropagation,
    LabelPropagation,
    Propagated,
    fill_with_neighbour_mean,
    propagate_features,
    propagate_labels,
    solve_features,
    solve_labels,
)

__version__ = "0.1.0"

__all__ = [
    "FeatureImputer",
    "FeaturePropagation",
    "GoodieClassifier",
    "GoodieLinkPredictor",
    "LabelPropagation",
    "LinkPredictor",
    "NodeClassifier",
    "Operator",
    "Propagated",
    "datasets",
    "fill_with_neighbour_mean",
    "missing",
    "observed",
    "operator",
    "propagate_features",
    "propagate_labels",
    "solve_features",
    "solve_labels",
    "splits",
    "synthetic",
]
