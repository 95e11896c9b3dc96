"""A user's own graph: what is there, a model of it, predictions, and holes filled."""

from goodie.own_graph.check import check
from goodie.own_graph.fit import fit
from goodie.own_graph.impute import impute
from goodie.own_graph.model import TableModel
from goodie.own_graph.predict import predict

__all__ = ["TableModel", "check", "fit", "impute", "predict"]
