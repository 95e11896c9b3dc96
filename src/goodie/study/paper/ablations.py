"""What stands where attention and PseudoCon stand, and how well it does there."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from goodie.study.paper import figure as look
from goodie.study.paper.curves import At, curves, draw, grid, rates
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.store import Row

PRESETS = ("faithful", "balanced")

# As the paper calls them; the first is its own.
FUSIONS = {
    "attention": "Attention",
    "random": "Random",
    "sum": "Sum",
    "mean": "Mean",
    "concat": "Concat",
}
CONTRASTS = {
    "pseudo": "PseudoCon",
    "none": "no contrast",
    "train": "SupCon on training nodes",
    "strong": "PseudoCon (Strong)",
    "weak": "PseudoCon (Weak)",
    "manual": "PseudoCon (Manual)",
}


def fusion(evidence: Evidence) -> Made:
    """Attention and its replacements, one figure a preset."""
    figures = {}
    for preset in PRESETS:
        rows = [row for row in evidence.rows if row["settings"]["preset"] == preset]
        if rows:
            figures[f"fig-fusion-{preset}"] = _variants(rows, "fusion", FUSIONS)
    return Made(figures=figures)


def contrast(evidence: Evidence) -> Made:
    """PseudoCon and its replacements."""
    if not evidence.rows:
        return Made()
    return Made(figures={"fig-contrast": _variants(evidence.rows, "contrast", CONTRASTS)})


def _variants(rows: Sequence[Row], setting: str, names: Mapping[str, str]) -> Figure:
    """Accuracy by observed rate, a line for each value of a setting."""
    found = curves(rows, lambda row: str(row["settings"][setting]))
    figure, axes = grid(found, "test accuracy (%)")
    every = rates(found)
    for (graph, pattern), axis in axes.items():
        for pen, (value, title) in zip(look.PENS, names.items(), strict=False):
            curve = found.get(At(graph, pattern, value))
            if curve is not None:
                draw(axis, curve, every, pen, label=title)
    look.legend(figure)
    return figure
