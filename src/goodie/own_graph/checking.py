"""What a user's graph holds, and whether its structure or its features tell the labels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from goodie.data.tables.encoding import MAX_CATEGORIES
from goodie.data.tables.graph import Problem, TableGraph
from goodie.data.tables.kinds import Column
from goodie.errors import InputError
from goodie.graph import operator
from goodie.own_graph.homophily import Pairs, alike_neighbours, joined_pairs, label_homophily
from goodie.own_graph.usefulness import usefulness

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
    pairs = joined_pairs(graph)
    say("looking at neighbours")
    alike = alike_neighbours(problem, pairs)
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
        found["homophily"]["labels"] = label_homophily(y, pairs)
        try:
            found["usefulness"] = usefulness(problem, random_state, say)
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


def _correlation(a: Float[np.ndarray, " n"], b: Float[np.ndarray, " n"]) -> float | None:
    if a.std() == 0 or b.std() == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
