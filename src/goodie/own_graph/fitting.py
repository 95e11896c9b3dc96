"""A model of a user's own graph, and how good it is."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
import torch
from torch import Tensor

from goodie import report
from goodie.data.tables.encoding import MAX_CATEGORIES
from goodie.data.tables.graph import Problem, TableGraph
from goodie.errors import InputError
from goodie.estimators.base import GraphClassifier
from goodie.methods import get
from goodie.own_graph.judging import (
    MAJORITY,
    Accuracy,
    Parts,
    baselines,
    classifier,
    deal_parts,
    go_on,
    judged,
    learners,
    masked,
    plain,
)
from goodie.own_graph.model import TableModel
from goodie.own_graph.predicting import answers_table
from goodie.own_graph.reading import with_types

Say = Callable[[str], None]


def fit(
    graph: TableGraph,
    *,
    method: str = "goodie",
    settings: dict[str, Any] | None = None,
    refit: bool = True,
    max_categories: int = MAX_CATEGORIES,
    random_state: int = 0,
    device: str = "cpu",
    say: Say = lambda _: None,
) -> TableModel:
    """Learn to predict the labels of a graph, and find out how well that goes.

    A fifth of the labelled nodes judge: a model that has not seen their labels says what they are,
    and so do label propagation, feature propagation and the most frequent class. Then, with
    `refit`, the model is fitted again with the judges' labels among those it learns from: the
    accuracy is the first model's, and what is given back has had more to learn from. Where labels
    are too few to spare judges, the nodes that selected the epoch judge, which is optimistic.

    Columns are encoded by what training nodes show.

    Args:
        graph: two tables, with labels.
        method: by name.
        settings: those of the method that are not to be its defaults.
        refit: whether the judges are learned from once they have judged.
        max_categories: a categorical column that shows more is left out.
        random_state: deals the labelled nodes out; of initial weights too.
        device: `cpu` or `cuda`.
        say: is told what is going on.

    Returns:
        The model. Its facts hold `method`, `settings`, `sizes`, `parts` (how many train, select and
        judge), `optimistic`, `refitted`, `accuracy` (by method), `details` of the fit, `seconds`
        and `notes`. Its `nodes` is a table of every node: `id`, `known` (its label), `part` (what
        it did), what `predict` says of it, `judged_prediction` and `judged_confidence` (what the
        model that was judged said of the judges), `degree` and `observed_share`.
    """
    if graph.nodes.labels is None:
        raise InputError("say which column of the nodes holds the labels: --label COLUMN")
    begin = perf_counter()
    settings = settings or {}
    kind = get(method)
    parts = deal_parts(graph.nodes.labels.y, random_state=random_state)
    known = learners(parts, selects=kind.selects)
    problem = graph.encode(known, max_categories=max_categories)
    model = classifier(method, settings, random_state=random_state, device=device)
    say(f"fitting {method}")
    go_on(model.fit(masked(problem.data, parts, selects=kind.selects)))
    assert model.proba_ is not None
    proba = model.proba_
    accuracy = {method: judged(proba, problem.data.y, parts)}
    accuracy |= baselines(
        problem.data, parts, but=method, random_state=random_state, device=device, say=say
    )

    names = [str(name) for name in graph.nodes.labels.classes.to_list()]
    # Those who have selected cannot be learned from as well; what selects nobody has no such.
    again = refit and not (parts.optimistic and kind.selects)
    shown = copy(problem.data)
    shown.test_mask = None if parts.optimistic else parts.judge
    verdict = report.judge(
        model,
        shown,
        class_names=names,
        rivals={
            name: (one.right, one.judged)
            for name, one in accuracy.items()
            if name not in (method, MAJORITY)
        },
        learned_since=again,
    )
    if again:
        say(f"fitting {method} again, with the judges")
        del model
        problem, model = _refitted(
            graph, parts, method, settings, max_categories, random_state, device
        )
    facts = {
        "method": method,
        "settings": settings,
        "sizes": {
            "nodes": len(graph.nodes),
            "edges": len(graph.edges),
            "columns": len(problem.encoding.columns),
            "encoded_columns": problem.encoding.width,
            "labelled": int((problem.data.y >= 0).sum()),
            "classes": len(graph.nodes.labels.classes),
        },
        "parts": {name: int(mask.sum()) for name, mask in parts._asdict().items()},
        "optimistic": parts.optimistic,
        "refitted": again,
        "accuracy": {name: one.to_json() for name, one in accuracy.items()},
        "details": plain(model.method_.details()),
        "tables": {"nodes": graph.nodes.sheet.source, "edges": graph.edges.sheet.source},
        "notes": [*graph.notes, *problem.notes, *_advice(method, accuracy)],
        "seconds": perf_counter() - begin,
    }
    fitted = TableModel(
        problem.encoding, with_types(graph, problem), graph.nodes.labels.classes, facts, model
    )
    say("asking about every node")
    account = report.account(
        model,
        problem.data,
        ids=graph.nodes.ids.to_list(),
        class_names=names,
        column_names=problem.encoding.columns_of_x,
        verdict=verdict,
        title=f"{graph.options.label} of {graph.nodes.sheet.source}",
    )
    return replace(fitted, nodes=_nodes(fitted, problem, parts, proba), account=account)


def _refitted(
    graph: TableGraph,
    parts: Parts,
    method: str,
    settings: dict[str, Any],
    max_categories: int,
    random_state: int,
    device: str,
) -> tuple[Problem, GraphClassifier]:
    """The model with the judges among the training nodes, and columns encoded by them too."""
    selects = get(method).selects
    train = parts.train | parts.judge if selects else parts.train | parts.select | parts.judge
    problem = graph.encode(train, max_categories=max_categories)
    data = copy(problem.data)
    data.train_mask, data.val_mask = train, parts.select if selects else None
    model = classifier(method, settings, random_state=random_state, device=device)
    return problem, go_on(model.fit(data))


def _nodes(model: TableModel, problem: Problem, parts: Parts, judging: np.ndarray) -> pl.DataFrame:
    """Every node fitted on: what is known of it, what it did, and what is said of it."""
    graph = problem.graph
    labels = graph.nodes.labels
    assert labels is not None
    said = answers_table(model, graph, model.classifier.explain(), problem.data)
    part = np.full(len(graph.nodes), "", dtype=object)
    for name, mask in parts._asdict().items():
        part[mask.numpy()] = name if not (name == "judge" and parts.optimistic) else "select"
    judges = pl.Series(parts.judge.numpy())
    named = labels.classes.gather(judging.argmax(axis=1))
    confidence = pl.Series(judging.max(axis=1).astype(np.float64))
    return said.with_columns(
        part=pl.Series(part.tolist(), dtype=pl.String),
        judged_prediction=named.set(~judges, None),
        judged_confidence=confidence.set(~judges, None),
        degree=pl.Series(_degree(problem.data.edge_index, len(graph.nodes))),
        observed_share=pl.Series(_observed_share(problem)),
    )


def _degree(edge_index: Tensor, num_nodes: int) -> np.ndarray:
    """Neighbours of each node, in either direction."""
    n = num_nodes
    low, high = edge_index.min(dim=0).values, edge_index.max(dim=0).values
    pairs = (low * n + high)[low != high].unique()
    ends = torch.cat([pairs // n, pairs % n])
    degree: np.ndarray = torch.bincount(ends, minlength=n).numpy()
    return degree


def _observed_share(problem: Problem) -> np.ndarray:
    """Of each node's columns, how many are known; 0 where there are none."""
    widths = [len(column.names) for column in problem.encoding.columns]
    if not widths:
        return np.zeros(len(problem.x))
    # The columns of x that encode one column of the table have their holes together.
    first = np.cumsum([0, *widths[:-1]])
    share: np.ndarray = (~problem.x[:, first].isnan()).double().mean(dim=1).numpy()
    return share


def _advice(method: str, accuracy: dict[str, Accuracy]) -> list[str]:
    """What a user should know who would look at the accuracy alone."""
    own = accuracy[method]
    best = max(accuracy, key=lambda name: accuracy[name].right)
    if accuracy[best].right > own.right:
        return [
            f"{best} told {accuracy[best].right} of the {own.judged} judges right and {method} "
            f"{own.right}: the simpler way may do"
        ]
    return []
