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
    return _few(here, graph, others) if len(others) <= TOGETHER else _many(here, graph, others)


def _few(here: Curves, graph: str, methods: Sequence[str]) -> Figure:
    """All methods in a panel, patterns side by side."""
    patterns, every = scenarios(here), rates(here)
    titles = [f"{graph}, {pattern} missing" for pattern in patterns]
    figure, axes = look.panels(["test accuracy (%)"], titles, width=2.7, height=2.2, sharey=True)
    for axis, pattern in zip(axes[0], patterns, strict=True):
        _panel(axis, here, (graph, pattern), methods, every)
        axis.set_xlabel("observed (%)")
    look.legend(figure)
    return figure


def _many(here: Curves, graph: str, methods: Sequence[str]) -> Figure:
    """Kinds of methods side by side, each with its own legend, and patterns below each other."""
    patterns, every = scenarios(here), rates(here)
    kinds = {
        title: [method for method in methods if METHODS[method].family in families]
        for title, families in COLUMNS.items()
    }
    names = [f"{pattern} missing\ntest accuracy (%)" for pattern in patterns]
    titles = [f"{graph}: {title}" for title in kinds]
    figure, axes = look.panels(names, titles, width=3.1, height=2.2, sharey=True)
    for column, some in enumerate(kinds.values()):
        line = [row[column] for row in axes]
        for axis, pattern in zip(line, patterns, strict=True):
            _panel(axis, here, (graph, pattern), some, every)
        line[-1].set_xlabel("observed (%)")
        look.legend_below(line)
    return figure


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
