"""The contrast of all pairs, of classes, and of pairs in a sample."""

from statistics import fmean, pstdev

from matplotlib.figure import Figure

from goodie.study.paper import figure as look
from goodie.study.paper.curves import (
    At,
    Curves,
    curves,
    datasets,
    observed,
    scenarios,
)
from goodie.study.paper.evidence import Evidence, Made

# In the order of their bars.
CONTRASTS = {
    "pseudo": "all pairs (PseudoCon)",
    "prototype": "classes (scaled)",
    "sampled": "pairs in a sample",
}

WIDTH = 0.26


def make(evidence: Evidence) -> Made:
    """Bars of accuracy, a panel for each dataset and pattern."""
    found = curves(evidence.rows, lambda row: str(row["settings"]["contrast"]))
    return Made(figures={"fig-scaled": _figure(found)} if found else {})


def _figure(found: Curves) -> Figure:
    graphs, patterns = datasets(found), scenarios(found)
    names = [f"{pattern} missing\ntest accuracy (%)" for pattern in patterns]
    figure, axes = look.panels(names, graphs, width=1.9, sharey=False)
    for pattern, line in zip(patterns, axes, strict=True):
        for graph, axis in zip(graphs, line, strict=True):
            here = {at: curve for at, curve in found.items() if at[:2] == (graph, pattern)}
            axis.set_visible(bool(here))
            every = sorted({rate for curve in here.values() for rate in curve}, reverse=True)
            least = []
            for i, (value, title) in enumerate(CONTRASTS.items()):
                curve = here.get(At(graph, pattern, value), {})
                there = [rate for rate in every if rate in curve]
                means = [fmean(curve[rate]) for rate in there]
                errors = [pstdev(curve[rate]) for rate in there]
                least += [mean - error for mean, error in zip(means, errors, strict=True)]
                shade, hatch = look.FILLS[i]
                axis.bar(
                    [every.index(rate) + (i - 1) * WIDTH for rate in there],
                    means,
                    WIDTH,
                    yerr=errors,
                    color=shade,
                    hatch=hatch,
                    edgecolor="black",
                    linewidth=0.5,
                    error_kw={"elinewidth": 0.7, "capsize": 1.5},
                    label=title,
                )
            if least:  # what differs is at the top
                axis.set_ylim(bottom=max(0.0, 5 * (min(least) // 5) - 5))
            axis.set_xlim(-0.6, 3.6)  # bars as wide in every panel
            axis.set_xticks(range(len(every)), [observed(rate) for rate in every])
            axis.set_xlabel("observed (%)")
    look.legend(figure)
    return figure
