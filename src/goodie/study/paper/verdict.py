"""Where ours and the printed figures agree, and where they do not."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from goodie import paper
from goodie.study.paper import table2, table3, table4
from goodie.study.paper.beside import Ours, Verdict, verdict
from goodie.study.store import Row


@dataclass(frozen=True)
class Comparison:
    """A printed figure and ours.

    Attributes:
        who: a method, with its preset if it has any.
        where: the graph, and what else tells figures of a method apart.
        gain: ours less the paper's, in points.
        verdict: whether the two may be the same mean.
    """

    who: str
    where: str
    gain: float
    verdict: Verdict


def node_classification(of_table2: Sequence[Row], of_table3: Sequence[Row]) -> list[Comparison]:
    """Every figure of Tables 2 and 3 that was run; GOODIE's that are in both count once."""
    found = []
    spread = table3.printed()["goodie"]
    for (dataset, rate, preset), cell in table2.figures(of_table2).items():
        printed = paper.numbers()["goodie_by_missing_rate"].get(dataset)
        if printed is None or rate not in table2.RATES:
            continue
        number = printed[table2.RATES.index(rate)]
        deviation = spread[dataset][1] if rate == table3.RATE else None
        where = f"{dataset} at {_percent(rate)}"
        found.append(_compared(f"goodie {preset}", where, cell, number, deviation))
    for (method, dataset), cell in table3.figures(of_table3).items():
        if method in table3.printed():
            mean, deviation = table3.printed()[method][dataset]
            found.append(_compared(method, dataset, cell, mean, deviation))
    return found


def link_prediction(rows: Sequence[Row]) -> list[Comparison]:
    """Every figure of Table 4 that was run, in points."""
    found = []
    for (scenario, dataset, metric, method), cell in table4.figures(rows).items():
        printed = table4.printed(scenario, dataset, metric, method)
        if printed is not None:
            points = Ours(100 * cell.mean, 100 * cell.deviation, cell.seeds)
            where = f"{dataset}, {scenario}, {metric}"
            mean, deviation = 100 * printed[0], 100 * printed[1]
            # Printed to a whole point.
            found.append(_compared(method, where, points, mean, deviation, rounding=0.5))
    return found


def _compared(
    who: str,
    where: str,
    cell: Ours,
    printed: float,
    deviation: float | None,
    rounding: float = 0.005,
) -> Comparison:
    told = verdict(cell, printed, deviation, rounding=rounding)
    return Comparison(who, where, cell.mean - printed, told)


def sentence(who: str, some: Sequence[Comparison]) -> str:
    """How often a method's figures are reproduced, beaten and missed, and where those are.

    Example:
        >>> sentence("`fp`", [Comparison("fp", "Cora", 0.2, "reproduced"),
        ...                   Comparison("fp", "CS", -3.0, "below")])
        '`fp` reproduces 1 of 2 printed figures and misses 1 (CS −3.0)'
    """
    by_verdict: dict[Verdict, list[Comparison]] = {"reproduced": [], "above": [], "below": []}
    for one in some:
        by_verdict[one.verdict].append(one)
    parts = [f"reproduces {len(by_verdict['reproduced'])} of {len(some)} printed figures"]
    words: tuple[tuple[Verdict, str], ...] = (("above", "beats"), ("below", "misses"))
    for kind, verb in words:
        if by_verdict[kind]:
            where = ", ".join(f"{one.where} {_signed(one.gain)}" for one in by_verdict[kind])
            parts.append(f"{verb} {len(by_verdict[kind])} ({where})")
    told = " and ".join(parts) if len(parts) < 3 else f"{parts[0]}, {parts[1]} and {parts[2]}"
    return f"{who} {told}"


def by_method(some: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    """Comparisons of each method, in the order in which they come."""
    found: dict[str, list[Comparison]] = {}
    for one in some:
        found.setdefault(one.who, []).append(one)
    return found


def mean_gain(some: Sequence[Comparison]) -> str:
    """The mean difference, in points."""
    return _signed(fmean(one.gain for one in some), 2)


# Why, where a method's figures part from the printed ones: shown if they do in that direction.
Condition = Callable[[Comparison], bool]
REASONS: tuple[tuple[Condition, str], ...] = (
    (
        lambda one: one.who == "goodie balanced" and one.verdict == "above",
        "The default is above the paper because it is not the paper's model: both branches enter "
        "at one scale, and labels are withheld in turns "
        "([decisions/0009](decisions/0009-the-balanced-default.md)).",
    ),
    (
        lambda one: one.who == "goodie faithful" and one.verdict == "below",
        "How the paper's model does where nearly all features are gone hangs on what it does not "
        "print ([methods.md](methods.md#where-we-deviate-from-what-is-printed)).",
    ),
    (
        lambda one: one.who == "cs" and one.verdict != "reproduced",
        "The paper gives `cs` no α, on which its figures hang, and prints WikiCS's row for CS.",
    ),
    (
        lambda one: one.who == "gcn-lpa" and one.verdict != "reproduced",
        "`gcn-lpa` runs with its authors' settings and sees no test label, which their code does "
        "([compared-methods.md](compared-methods.md#where-ours-and-the-printed-figures-part)).",
    ),
    (
        lambda one: one.who == "pagnn" and one.verdict != "reproduced",
        "`pagnn` has no code of its authors: ours is its equation, the paper took another's code.",
    ),
)


def reasons(some: Sequence[Comparison]) -> list[str]:
    """Why figures part, for those that do."""
    return [why for holds, why in REASONS if any(map(holds, some))]


def _signed(gain: float, digits: int = 1) -> str:
    return f"{gain:+.{digits}f}".replace("-", "−")


def _percent(rate: float) -> str:
    return f"{100 * rate:.6g} %"
