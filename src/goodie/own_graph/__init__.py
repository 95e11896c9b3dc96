"""A user's own graph: what is there, a model of it, predictions, and holes filled."""

from goodie.own_graph.checking import check
from goodie.own_graph.fitting import fit
from goodie.own_graph.imputing import impute
from goodie.own_graph.model import TableModel
from goodie.own_graph.predicting import predict

__all__ = ["TableModel", "check", "fit", "impute", "predict"]
