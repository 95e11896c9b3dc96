"""What a user's graph holds, and whether its structure or its features tell the labels."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from goodie.data.tables.encoding import MAX_CATEGORIES
from goodie.data.tables.graph import Problem, TableGraph
from goodie.data.tables.kinds import Column
from goodie.errors import InputError
from goodie.graph import operator
from goodie.methods import get
from goodie.own_graph.judging import (
    NORMAL_95,
    Parts,
    classifier,
    deal_parts,
    judged,
    majority,
    masked,
)

Pairs = Int[np.ndarray, "2 pairs"]

# What is put side by side, and what each stands for.
WAYS = {
    "lp": "labels of neighbours",
    "mlp": "own features",
    "fp": "features spread along the edges",
}

# Enough to see which is better; not enough to be the best there is.
QUICK = {"max_epochs": 300, "patience": 50}

# Fewer pairs of neighbours than this that show a column say nothing of it.
FEWEST_PAIRS = 30

# The number of observed entries of a node varies so many times more than if holes fell on single
# entries by chance before it counts as something else.
UNEVEN = 1.5


def check(
    graph: TableGraph,
    *,
    max_categories: int = MAX_CATEGORIES,
    random_state: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Look at a graph.

    Args:
        graph: two tables.
        max_categories: a categorical column that shows more is left out.
        random_state: chooses the labels that are held out.
        say: is told what is going on.

    Returns:
        As JSON has it: `sizes`, `columns` (with their holes, and how alike neighbours are in them),
        `holes` (their share and pattern), `labels`, `out_of_reach` (components without a label),
        `homophily`, `usefulness` (what tells held-out labels, by method) and `notes`.
    """
    problem = graph.encode(max_categories=max_categories)
    pairs = _pairs(graph)
    say("looking at neighbours")
    alike = _alike(problem, pairs)
    found: dict[str, Any] = {
        "sizes": _sizes(graph, problem, pairs),
        "columns": [_column(column, alike.get(column.name)) for column in graph.nodes.columns],
        "holes": _holes(graph, pairs),
        "labels": None,
        "out_of_reach": None,
        "homophily": {"labels": None, "features": _mean(list(alike.values()))},
        "usefulness": None,
        "notes": [*graph.notes, *problem.notes],
    }
    labels = graph.nodes.labels
    if labels is not None:
        y = labels.y.numpy()
        counts = np.bincount(y[y >= 0], minlength=len(labels.classes)).tolist()
        found["labels"] = {
            "column": graph.options.label,
            "labelled": int((y >= 0).sum()),
            "unknown": int((y < 0).sum()),
            "counts": dict(zip(labels.names, counts, strict=True)),
        }
        found["out_of_reach"] = _out_of_reach(problem)
        found["homophily"]["labels"] = _label_homophily(y, pairs)
        try:
            found["usefulness"] = _usefulness(problem, random_state, say)
        except InputError as error:
            found["notes"].append(f"not measured what tells the labels: {error}")
    return found


def _sizes(graph: TableGraph, problem: Problem, pairs: Pairs) -> dict[str, Any]:
    ends = graph.edges.ends
    loops = int((ends[0] == ends[1]).sum())
    component = operator(problem.data).component
    sizes = torch.bincount(component)
    return {
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "distinct_edges": int(pairs.shape[1]),
        "loops": loops,
        "directed": graph.edges.directed,
        "weighted": graph.edges.weight is not None,
        "isolated": int(graph.isolated.sum()),
        "components": len(sizes),
        "largest_component": int(sizes.max()),
        "columns": len(graph.nodes.features),
        "encoded_columns": problem.encoding.width,
    }


def _pairs(graph: TableGraph) -> Pairs:
    """Every two nodes that an edge joins, once."""
    low, high = np.sort(graph.edges.ends, axis=0)
    number = np.unique((low * len(graph.nodes) + high)[low != high])
    return np.stack(np.divmod(number, len(graph.nodes)))


def _column(column: Column, alike: float | None) -> dict[str, Any]:
    known = column.values.drop_nulls()
    facts: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "holes": column.values.null_count() / len(column.values),
    }
    if column.kind == "ignored" or len(known) == 0:
        return facts
    facts["distinct"] = known.n_unique()
    if column.kind == "categorical":
        facts["most_frequent"] = known.mode().sort()[0]
    elif column.kind == "boolean":
        facts["mean"] = float(known.cast(float).to_numpy().mean())
    else:
        low, high = known.min(), known.max()
        facts["from"], facts["to"] = (
            (low, high) if column.kind == "numeric" else (str(low), str(high))
        )
    facts["neighbours_alike"] = alike
    return facts


def _holes(graph: TableGraph, pairs: Pairs) -> dict[str, Any]:
    """How much is missing, and whether entry by entry, by rows, or more here than there."""
    columns = graph.nodes.features
    n = len(graph.nodes)
    if not columns:
        return {"share": None, "pattern": "there are no features"}
    shown = np.zeros(n)
    by_chance = 0.0
    for column in columns:
        known = column.observed.to_numpy()
        shown += known
        by_chance += known.mean() * (1 - known.mean())
    share = 1 - shown.sum() / (n * len(columns))
    degree = np.bincount(pairs.ravel(), minlength=n)
    uneven = float(shown.var() / by_chance) if by_chance > 0 else None
    empty, complete = int((shown == 0).sum()), int((shown == len(columns)).sum())
    if share == 0:
        pattern = "none"
    elif empty + complete == n:
        pattern = "whole rows"
    elif uneven is not None and uneven > UNEVEN:
        pattern = "some nodes show much more than others"
    else:
        pattern = "single entries, by chance"
    return {
        "share": float(share),
        "pattern": pattern,
        "empty_rows": empty,
        "complete_rows": complete,
        "unevenness": uneven,
        "correlation_with_degree": _correlation(shown, np.log1p(degree)),
    }


def _out_of_reach(problem: Problem) -> dict[str, int]:
    """The components in which nobody is labelled."""
    component = operator(problem.data).component
    labelled = torch.zeros(int(component.max()) + 1, dtype=torch.bool)
    labelled[component[problem.data.y >= 0]] = True
    return {
        "components": int((~labelled).sum()),
        "nodes": int((~labelled[component]).sum()),
    }


def _label_homophily(y: Int[np.ndarray, " nodes"], pairs: Pairs) -> dict[str, Any] | None:
    """How often two labelled neighbours have the same label, and how often by chance."""
    ends = y[pairs]
    ends = ends[:, (ends >= 0).all(axis=0)]
    if ends.shape[1] == 0:
        return None
    share = float((ends[0] == ends[1]).mean())
    frequency = np.bincount(ends.ravel()) / ends.size
    chance = float((frequency**2).sum())
    adjusted = (share - chance) / (1 - chance) if chance < 1 else None
    return {"pairs": ends.shape[1], "share": share, "by_chance": chance, "adjusted": adjusted}


def _alike(problem: Problem, pairs: Pairs) -> dict[str, float]:
    """Of each column, the correlation of the values of neighbours that both show it.

    Categories are taken together, which makes it what is called assortativity.
    """
    x, at = problem.x.numpy(), 0
    found = {}
    for column in problem.encoding.columns:
        place = slice(at, at + len(column.names))
        at = place.stop
        shown = ~np.isnan(x[:, place.start])
        one, other = pairs[:, shown[pairs].all(axis=0)]
        if len(one) < FEWEST_PAIRS:
            continue
        shared = varied = 0.0
        for place_of_one in range(place.start, place.stop):
            a, b = x[one, place_of_one].astype(np.float64), x[other, place_of_one]
            middle = (a.sum() + b.sum(dtype=np.float64)) / (2 * len(a))
            a, b = a - middle, b - middle
            shared += 2 * float(a @ b)
            varied += float(a @ a + b @ b)
        if varied > 0:
            found[column.name] = shared / varied
    return found


def _usefulness(problem: Problem, random_state: int, say: Callable[[str], None]) -> dict[str, Any]:
    """What structure, features, and features spread along the edges tell of held-out labels."""
    y = problem.data.y
    parts = deal_parts(y, random_state=random_state)
    accuracy, right = {}, {}
    for name in WAYS:
        say(f"held-out labels, told by {WAYS[name]}")
        selects = get(name).selects
        model = classifier(name, QUICK if selects else {}, random_state=random_state)
        model.fit(masked(problem.data, parts, selects=selects))
        assert model.proba_ is not None
        accuracy[name] = judged(model.proba_, y, parts)
        judges = parts.judge.numpy()
        right[name] = model.proba_[judges].argmax(axis=1) == y.numpy()[judges]
    return {
        "judges": int(parts.judge.sum()),
        "optimistic": parts.optimistic,
        "accuracy": {name: one.to_json() for name, one in accuracy.items()}
        | {"majority": majority(y, parts).to_json()},
        "more_useful": _verdict(right, y, parts),
    }


def _verdict(right: dict[str, Bool[np.ndarray, " judges"]], y: torch.Tensor, parts: Parts) -> str:
    """Structure or features, where one tells clearly more of the same nodes right."""
    structure = right["lp"]
    features = max(right["mlp"], right["fp"], key=lambda one: int(one.sum()))
    most = max(int(structure.sum()), int(features.sum()))
    if most <= majority(y, parts).right:
        return "neither"
    # McNemar: of the nodes that one of them alone tells right, is it mostly the same one?
    only_structure = int((structure & ~features).sum())
    only_features = int((features & ~structure).sum())
    clear = NORMAL_95 * sqrt(only_structure + only_features)
    if abs(only_structure - only_features) <= clear:
        return "about equal"
    return "structure" if only_structure > only_features else "features"


def _correlation(a: Float[np.ndarray, " n"], b: Float[np.ndarray, " n"]) -> float | None:
    if a.std() == 0 or b.std() == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
