"""Estimators in scikit-learn's manner: keyword hyperparameters, `fit`, `predict`, `score`."""

from goodie.estimators.goodie import GoodieClassifier
from goodie.estimators.goodie_link import GoodieLinkPredictor
from goodie.estimators.imputer import FeatureImputer
from goodie.estimators.link import LinkPredictor
from goodie.estimators.node import NodeClassifier

__all__ = [
    "FeatureImputer",
    "GoodieClassifier",
    "GoodieLinkPredictor",
    "LinkPredictor",
    "NodeClassifier",
]
