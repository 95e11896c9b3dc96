"""Accuracy by observed rate: Figure 1, and the figure of every method."""

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from goodie import paper
from goodie.methods import METHODS
from goodie.study.paper import figure as look
from goodie.study.paper import table2, table3
from goodie.study.paper.beside import name
from goodie.study.paper.curves import (
    At,
    Curves,
    curves,
    datasets,
    draw,
    mark,
    places,
    rates,
    scenarios,
)
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.store import Row

# The paper's kinds of methods, each a column of panels beside GOODIE.
COLUMNS = {
    "structure, features": ("structure", "features"),
    "networks on graphs": ("gnn",),
    "hybrids": ("hybrid",),
}

# So many methods, GOODIE aside, still share a panel.
TOGETHER = 4

GOODIE = {"goodie balanced": look.PENS[0], "goodie faithful": look.PENS[1]}

FIGURE_1 = ("gcn", "gcnmf", "pagnn", "deepwalk", "node2vec", "node2vec-gnn")


def figure1(evidence: Evidence) -> Made:
    """Networks on features against embeddings of the structure, one panel a dataset."""
    found = curves(evidence.rows, _label)
    graphs = datasets(found)
    if not graphs:
        return Made()
    figure, axes = look.panels(["test accuracy (%)"], graphs, sharey=False)
    every = rates(found)
    for axis, graph in zip(axes[0], graphs, strict=True):
        for method, pen in zip(FIGURE_1, look.PENS, strict=False):
            curve = found.get(At(graph, "uniform", method))
            if curve is not None:
                draw(axis, curve, every, pen, label=method)
        places(axis, every)
        axis.set_xlabel("observed (%)")
    look.legend(figure)
    return Made(figures={"fig1": figure})


def every_method(evidence: Evidence) -> Made:
    """One figure a dataset: patterns below each other, kinds of methods side by side."""
    found = curves(evidence.rows, _label)
    return Made(
        figures={
            f"fig-rates-{graph.lower()}": _of_dataset(found, graph) for graph in datasets(found)
        }
    )


def _label(row: Row) -> str:
    return name(row["method"], row["settings"])


def _of_dataset(found: Curves, graph: str) -> Figure:
    here = {at: curve for at, curve in found.items() if at.dataset == graph}
    others = sorted({at.label for at in here} - set(GOODIE), key=list(METHODS).index)
    columns = _columns(others)
    patterns = scenarios(here)
    figure, axes = look.panels(
        [f"{pattern} missing\ntest accuracy (%)" for pattern in patterns],
        [f"{graph}: {title}" for title in columns],
        width=2.7,
        height=2.2,
        sharey=True,
        top=0.85 if len(others) > TOGETHER else 0.5,
    )
    every = rates(here)
    for line, pattern in zip(axes, patterns, strict=True):
        for axis, methods in zip(line, columns.values(), strict=True):
            _panel(axis, here, (graph, pattern), methods, every)
    for axis in axes[-1]:
        axis.set_xlabel("observed (%)")
    look.legend(figure, columns=6 if len(columns) > 1 else 3)
    return figure


def _columns(methods: Sequence[str]) -> dict[str, list[str]]:
    """Methods by kind, or all together where they are few."""
    if len(methods) <= TOGETHER:
        return {"accuracy by observed rate": list(methods)}
    by_kind = {
        title: [method for method in methods if METHODS[method].family in families]
        for title, families in COLUMNS.items()
    }
    return {title: some for title, some in by_kind.items() if some}


def _panel(
    axis: Axes, found: Curves, at: tuple[str, str], methods: Iterable[str], every: Sequence[float]
) -> None:
    graph, pattern = at
    for method, pen in zip(methods, look.PENS[2:], strict=False):
        curve = found.get(At(graph, pattern, method))
        if curve is None:
            continue
        draw(axis, curve, every, pen, label=method)
        printed = table3.printed().get(method, {}).get(graph)
        if pattern == "uniform" and printed is not None and method != "goodie":
            mark(axis, every, {table3.RATE: printed[0]}, pen.color)
    for label, pen in GOODIE.items():
        curve = found.get(At(graph, pattern, label))
        if curve is not None:
            draw(axis, curve, every, pen, label=label, linewidth=1.6)
    printed = paper.numbers()["goodie_by_missing_rate"].get(graph)
    if pattern == "uniform" and printed is not None:
        mark(
            axis,
            every,
            dict(zip(table2.RATES, printed, strict=True)),
            GOODIE["goodie faithful"].color,
        )
    places(axis, every)
