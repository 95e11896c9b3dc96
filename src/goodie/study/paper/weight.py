"""How much λ matters: accuracy by λ and missing rate, as a map."""

from collections.abc import Sequence
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from goodie import paper
from goodie.study.paper import figure as look
from goodie.study.paper.curves import Curve, Curves, curves, datasets, observed, rates, scenarios
from goodie.study.paper.evidence import Evidence, Made

# Accuracy in this many points below a map's best is its lightest grey.
SPAN = 12.0


def make(evidence: Evidence) -> Made:
    """One map for each dataset and pattern."""
    found = curves(
        evidence.rows,
        lambda row: f"{row['settings']['contrast_weight']:g}",
        agree=lambda _: True,  # λ is the row of the map, whatever the pattern
    )
    return Made(figures={"fig-lambda": _figure(found)} if found else {})


def _figure(found: Curves) -> Figure:
    graphs, patterns = datasets(found), scenarios(found)
    names = [f"{pattern} missing\nλ" for pattern in patterns]
    figure, axes = look.panels(names, graphs, width=2.5, height=2.2, sharey=False)
    every = rates(found)
    for pattern, line in zip(patterns, axes, strict=True):
        for graph, axis in zip(graphs, line, strict=True):
            here = {at.label: c for at, c in found.items() if at[:2] == (graph, pattern)}
            _map(axis, here, every, _of_paper(graph, pattern))
    for axis in axes[-1]:
        axis.set_xlabel("observed (%)")
    figure.suptitle(
        f"test accuracy (%), darker is better, down to {SPAN:g} points below the best; "
        "boxed: the paper's λ",
        fontsize=7,
    )
    return figure


def _map(axis: Axes, curves: dict[str, Curve], every: Sequence[float], printed: float) -> None:
    """Rows are λ, the largest on top; each square says its accuracy."""
    weights = sorted(curves, key=float, reverse=True)
    means = {
        (i, j): fmean(curves[weight][rate])
        for i, weight in enumerate(weights)
        for j, rate in enumerate(every)
        if rate in curves[weight]
    }
    best = max(means.values(), default=0.0)
    for (i, j), mean in means.items():
        depth = max(0.0, 1.0 - (best - mean) / SPAN)
        axis.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, color=str(1.0 - 0.75 * depth)))
        ink = "white" if depth > 0.6 else "black"
        axis.text(j, i, f"{mean:.1f}", ha="center", va="center", fontsize=6, color=ink)
    for i, weight in enumerate(weights):
        if float(weight) == printed:
            place = (-0.5, i - 0.5)
            axis.add_patch(Rectangle(place, len(every), 1, fill=False, lw=1.4, clip_on=False))
    axis.set_xticks(range(len(every)), [observed(rate) for rate in every], rotation=45)
    axis.set_yticks(range(len(weights)), weights)
    axis.set_xlim(-0.5, len(every) - 0.5)
    axis.set_ylim(len(weights) - 0.5, -0.5)
    axis.grid(visible=False)


def _of_paper(graph: str, pattern: str) -> float:
    row = paper.hyperparameters(graph)
    return float("nan") if row is None else float(row[f"lambda_{pattern}"])
