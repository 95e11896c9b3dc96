"""Scores over missing rates, as the figures draw them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from goodie import paper
from goodie.study.paper.figure import OF_PAPER, PRINTED, Pen, panels
from goodie.study.paper.gather import constant
from goodie.study.store import Row

SCENARIOS = ("uniform", "structural")


class At(NamedTuple):
    """Where a curve belongs."""

    dataset: str
    scenario: str
    label: str


# For each rate that is missing, one value a seed.
Curve = dict[float, list[float]]
Curves = dict[At, Curve]


def test_score(row: Row) -> float:
    """What most figures show."""
    return float(row["test"])


def patterns_agree(row: Row) -> bool:
    """Whether the settings of a row are those that the other pattern would have.

    Not where the paper has a λ for each.
    """
    settings, of_paper = row["settings"], paper.hyperparameters(row["dataset"])
    if row["method"] != "goodie" or of_paper is None or settings["contrast"] in ("none", "auto"):
        return True
    both = (of_paper["lambda_uniform"], of_paper["lambda_structural"])
    return both[0] == both[1] or settings["contrast_weight"] not in both


def curves(
    rows: Iterable[Row],
    label: Callable[[Row], str],
    value: Callable[[Row], float] = test_score,
    agree: Callable[[Row], bool] = patterns_agree,
) -> Curves:
    """Rows as curves, one for each dataset, pattern and label, drawn wherever they hold.

    With nothing or everything missing the patterns are one, and what looks at no feature is level.

    Args:
        rows: of one study.
        label: of the curve that a row belongs to.
        value: what is drawn.
        agree: whether a row at either end holds for the other pattern too.
    """
    found: Curves = {}
    level: dict[tuple[str, str], list[float]] = {}
    ends: Curves = {}
    for row in rows:
        if row["status"] != "done":
            continue
        if constant(row["method"]):
            level.setdefault((row["dataset"], label(row)), []).append(value(row))
            continue
        at = At(row["dataset"], row["scenario"], label(row))
        found.setdefault(at, {}).setdefault(row["rate"], []).append(value(row))
        if row["rate"] in (0.0, 1.0) and agree(row):
            whole = ends.setdefault(at._replace(scenario=""), {})
            whole.setdefault(row["rate"], []).append(value(row))
    for at, curve in found.items():
        for rate, values in ends.get(at._replace(scenario=""), {}).items():
            curve.setdefault(rate, values)
    for (dataset, name), values in level.items():
        for scenario in scenarios(found, dataset):
            rates = {r for at, c in found.items() if at[:2] == (dataset, scenario) for r in c}
            found[At(dataset, scenario, name)] = dict.fromkeys(sorted(rates), values)
    return found


def datasets(found: Iterable[At]) -> list[str]:
    """Those that there are curves of, in the paper's order."""
    there = {at.dataset for at in found}
    known = [name for name in paper.numbers()["statistics"] if name in there]
    return known + sorted(there - set(known))


def scenarios(found: Iterable[At], dataset: str | None = None) -> list[str]:
    """Patterns that there are curves of."""
    there = {at.scenario for at in found if dataset in (None, at.dataset)}
    return [scenario for scenario in SCENARIOS if scenario in there]


def rates(found: Mapping[At, Curve]) -> list[float]:
    """Every missing rate that a curve has, most first: from no feature observed to all."""
    return sorted({rate for curve in found.values() for rate in curve}, reverse=True)


def places(axis: Axes, every: Sequence[float]) -> None:
    """Rates side by side, at equal distances: most of what happens happens below 1 %."""
    axis.set_xticks(range(len(every)), [observed(rate) for rate in every], rotation=45)
    axis.set_xlim(-0.4, len(every) - 0.6)


def observed(rate: float) -> str:
    """The share that is left, in percent.

    Example:
        >>> [observed(rate) for rate in (1.0, 0.9999, 0.7)]
        ['0', '0.01', '30']
    """
    return f"{100 * (1 - rate):.6g}"


def draw(axis: Axes, curve: Curve, every: Sequence[float], pen: Pen, **options: Any) -> None:
    """Means over seeds, and a band of one deviation to either side."""
    there = [rate for rate in every if rate in curve]
    x = [every.index(rate) for rate in there]
    means = [fmean(curve[rate]) for rate in there]
    deviations = [pstdev(curve[rate]) for rate in there]
    low = [mean - deviation for mean, deviation in zip(means, deviations, strict=True)]
    high = [mean + deviation for mean, deviation in zip(means, deviations, strict=True)]
    axis.fill_between(x, low, high, color=pen.color, alpha=0.13, linewidth=0)
    axis.plot(x, means, **(pen.kwargs() | options))


def mark(axis: Axes, every: Sequence[float], printed: Mapping[float, float], color: str) -> None:
    """The paper's numbers."""
    there = [rate for rate in every if rate in printed]
    if there:
        x, y = [every.index(rate) for rate in there], [printed[rate] for rate in there]
        axis.plot(x, y, color=color, label=PRINTED, **OF_PAPER)


def grid(found: Curves, measure: str) -> tuple[Figure, dict[tuple[str, str], Axes]]:
    """A column for each dataset, a row for each pattern, and the panels by both."""
    graphs, patterns = datasets(found), scenarios(found)
    names = [f"{pattern} missing\n{measure}" for pattern in patterns]
    figure, axes = panels(names, graphs)
    for axis in axes[-1]:
        axis.set_xlabel("observed (%)")
    every = rates(found)
    by_place = {}
    for pattern, line in zip(patterns, axes, strict=True):
        for graph, axis in zip(graphs, line, strict=True):
            places(axis, every)
            by_place[graph, pattern] = axis
    return figure, by_place
