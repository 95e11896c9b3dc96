"""A user's own graph: what is there, models of it, predictions, holes filled, links it lacks."""

from goodie.own_graph.checking import check
from goodie.own_graph.fitting import fit
from goodie.own_graph.imputing import impute
from goodie.own_graph.link_model import LinkModel
from goodie.own_graph.linking import fit_links, likeliest_links
from goodie.own_graph.model import TableModel
from goodie.own_graph.predicting import predict

__all__ = [
    "LinkModel",
    "TableModel",
    "check",
    "fit",
    "fit_links",
    "impute",
    "likeliest_links",
    "predict",
]
