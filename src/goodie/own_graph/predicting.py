"""What a model says of the nodes of a graph, as a table."""

import warnings
from typing import Any

import numpy as np
import polars as pl
import torch
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.tables.graph import TableGraph
from goodie.data.tables.sheet import counted
from goodie.estimators.base import Answers
from goodie.graph import operator
from goodie.own_graph.model import TableModel
from goodie.propagate.labels import reached_nodes


def predict(model: TableModel, graph: TableGraph) -> pl.DataFrame:
    """A row for each node, in the order of its table.

    On the graph that the model was fitted on, the labels that it was fitted with are an input. On
    another graph, or this one with other edges or features, the labels in its table are.

    Returns:
        Columns `id`; `label`, the likeliest class; `p_CLASS`, the probability of each class;
        `structure_share` and `feature_share`, where the answer comes from (null for methods that do
        not tell); `label_within_reach`, False where no labelled node is in the same connected
        component, so that features alone answer; `known`, the label in the table.
    """
    data = model.data(graph)
    answers = model.classifier.explain(data)
    frame = answers_table(model, graph, answers, data)
    used = answers.known
    if model.classifier.knows(data):
        used = used | model.classifier.val_mask_ | model.classifier.calibration_mask_
    _warn(graph, data.y, torch.from_numpy(used))
    return frame


def answers_table(
    model: TableModel, graph: TableGraph, answers: Answers, data: Data
) -> pl.DataFrame:
    """The table that `predict` describes."""
    classes, proba = model.classes, answers.proba
    structure = pl.Series(
        "structure_share",
        [None] * len(proba) if answers.structure is None else answers.structure.astype(np.float64),
        dtype=pl.Float64,
    )
    known = torch.from_numpy(answers.known)
    within = reached_nodes(operator(data), known) if known.any() else torch.zeros(len(known)).bool()
    given = pl.Series("known", [None] * len(proba), dtype=classes.dtype)
    labels = graph.nodes.labels
    if labels is not None and len(labels.classes):
        y = labels.y.numpy()
        given = labels.classes.gather(np.maximum(y, 0)).set(pl.Series(y < 0), None).alias("known")
    return pl.DataFrame(
        [
            graph.nodes.ids.alias("id"),
            classes.gather(proba.argmax(axis=1)).alias("label"),
            *(
                pl.Series(f"p_{name}", proba[:, place].astype(np.float64))
                for place, name in enumerate(classes.to_list())
            ),
            structure,
            (1 - structure).alias("feature_share"),
            pl.Series("label_within_reach", within.numpy()),
            given,
        ]
    )


def summarise(frame: pl.DataFrame) -> dict[str, Any]:
    """What a table that `predict` gave comes to, as JSON has it."""
    counts = (
        frame["label"].value_counts(name="count").sort("count", "label", descending=[True, False])
    )
    probabilities = [name for name in frame.columns if name.startswith("p_")]
    return {
        "nodes": frame.height,
        "labels": {str(label): count for label, count in counts.iter_rows()},
        "mean_probability": frame.select(pl.max_horizontal(probabilities)).to_series().mean(),
        "mean_structure_share": frame["structure_share"].mean(),
        "no_label_within_reach": int((~frame["label_within_reach"]).sum()),
    }


def _warn(graph: TableGraph, y: Tensor, used: Tensor) -> None:
    """Say which labels of the table were not used."""
    labels = graph.nodes.labels
    if labels is None:
        return
    strangers = int(((labels.y >= 0) & (y < 0)).sum())
    if strangers:
        warnings.warn(
            f"taken for unknown: {counted(strangers, 'label')} that the model has not seen",
            stacklevel=3,
        )
    unused = int(((y >= 0) & ~used).sum())
    if unused:
        warnings.warn(
            "no input, as this is the graph that the model was fitted on: "
            f"{counted(unused, 'label')} that it was not fitted with; fit again to learn from them",
            stacklevel=3,
        )
