"""Spreading what is known along the graph: labels, features, neighbour means."""

from goodie.propagate.engine import Propagated
from goodie.propagate.features import propagate_features, solve_features
from goodie.propagate.labels import propagate_labels, solve_labels
from goodie.propagate.neighbours import fill_with_neighbour_mean
from goodie.propagate.transforms import FeaturePropagation, LabelPropagation

__all__ = [
    "FeaturePropagation",
    "LabelPropagation",
    "Propagated",
    "fill_with_neighbour_mean",
    "propagate_features",
    "propagate_labels",
    "solve_features",
    "solve_labels",
]
