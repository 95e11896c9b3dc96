"""How much of a node's embedding comes from structure, and how much from features."""

from statistics import fmean

from matplotlib.figure import Figure

from goodie.study.paper import figure as look
from goodie.study.paper.curves import At, Curves, curves, grid, rates
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.store import Row

PRESETS = ("faithful", "balanced")

# How structure's share becomes what a line shows: times, plus.
LINES = (
    (look.PENS[0], "structure (α of LP)", 1.0, 0.0),
    (look.PENS[1], "features (α of FP)", -1.0, 1.0),
)


def make(evidence: Evidence) -> Made:
    """Shares by observed rate with their spread over nodes, one figure a preset."""
    figures = {}
    for preset in PRESETS:
        rows = [row for row in evidence.rows if row["settings"]["preset"] == preset]
        shares = curves(rows, _label, lambda row: float(row["details"]["structure_share"]))
        spread = curves(rows, _label, lambda row: float(row["details"]["structure_share_std"]))
        if shares:
            figures[f"fig-attention-{preset}"] = _figure(shares, spread)
    return Made(figures=figures)


def _label(_: Row) -> str:
    return "structure"


def _figure(shares: Curves, spread: Curves) -> Figure:
    """Means over nodes and seeds; a band is one deviation over the nodes, as a mean over seeds."""
    figure, axes = grid(shares, "share")
    every = rates(shares)
    for (graph, pattern), axis in axes.items():
        at = At(graph, pattern, "structure")
        there = [rate for rate in every if rate in shares.get(at, {})]
        x = [every.index(rate) for rate in there]
        wide = [fmean(spread[at][rate]) for rate in there]
        for pen, title, times, plus in LINES:
            means = [times * fmean(shares[at][rate]) + plus for rate in there]
            low = [max(0.0, mean - band) for mean, band in zip(means, wide, strict=True)]
            high = [min(1.0, mean + band) for mean, band in zip(means, wide, strict=True)]
            axis.fill_between(x, low, high, color=pen.color, alpha=0.15, linewidth=0)
            axis.plot(x, means, label=title, **pen.kwargs())
        axis.set_ylim(-0.03, 1.03)
    look.legend(figure)
    return figure
