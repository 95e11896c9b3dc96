"""Table 3: methods at 99.99 % missing."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from goodie import paper
from goodie.methods import METHODS
from goodie.study.paper.beside import NONE, NOT_RUN, Ours, difference, name, of_rows, shown
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.paper.gather import constant
from goodie.study.paper.table import Table
from goodie.study.store import Row

RATE = 0.9999

# The paper's columns, in its order; GOODIE as published and as the default.
COLUMNS = ("pagnn", "gcn-lpa", "cs", "lp", "fp", "goodie faithful", "goodie balanced")


def make(evidence: Evidence) -> Made:
    """The paper's table, and every method here."""
    return Made([as_printed(evidence.rows), every_method(evidence.rows)])


def figures(rows: Iterable[Row]) -> dict[tuple[str, str], Ours]:
    """Figures at 99.99 % uniformly missing, by method and dataset.

    What looks at no feature is the same at every rate; of several, that of the most seeds counts.
    """
    found: dict[tuple[str, str], dict[float, list[Row]]] = {}
    for row in rows:
        at_rate = row["rate"] == RATE or constant(row["method"])
        if row["status"] == "done" and row["scenario"] == "uniform" and at_rate:
            at = (name(row["method"], row["settings"]), row["dataset"])
            found.setdefault(at, {}).setdefault(row["rate"], []).append(row)
    most = {at: sorted(by_rate.values(), key=len)[-1] for at, by_rate in found.items()}
    cells = {at: of_rows(some) for at, some in most.items()}
    return {at: cell for at, cell in cells.items() if cell is not None}


def printed() -> Mapping[str, Mapping[str, Sequence[float]]]:
    """The paper's [mean, deviation] by method and dataset."""
    table: dict[str, Any] = paper.numbers()["accuracy_at_9999"]
    return table


def as_printed(rows: Sequence[Row]) -> Table:
    """The paper's rows and columns: ours, the paper's and the difference; an average at the end."""
    cells, numbers = figures(rows), printed()
    lines: list[list[str]] = []
    rules: list[int] = []
    for dataset in paper.numbers()["statistics"]:
        here = [cells.get((column, dataset)) for column in COLUMNS]
        told = [shown(cell) if any(here) else NOT_RUN for cell in here]
        theirs = [numbers[column.split()[0]][dataset] for column in COLUMNS]
        rules.append(len(lines))
        lines.append([dataset, "ours", *told])
        lines.append(["", "paper", *(f"{mean:.2f} ± {dev:.2f}" for mean, dev in theirs)])
        pairs = zip(here, theirs, strict=True)
        lines.append(["", "difference", *(difference(cell, mean) for cell, (mean, _) in pairs)])
    rules.append(len(lines))
    lines += _averages(cells)
    title = (
        "Methods at 99.99 % missing: accuracy in %, mean ± deviation over ten seeds, or as many as "
        "stand in brackets. Averages are over the graphs that are there, their number in brackets; "
        "the last row is the paper's own, over seven."
    )
    return Table(title, ["dataset", "", *(f"`{c}`" for c in COLUMNS)], lines, 2, frozenset(rules))


def _averages(cells: Mapping[tuple[str, str], Ours]) -> list[list[str]]:
    """Over the graphs that a column has, ours and the paper's; and the paper's as it prints it."""
    ours, theirs, less = ["Average", "ours"], ["", "paper"], ["", "difference"]
    for column in COLUMNS:
        numbers = printed()[column.split()[0]]
        graphs = [graph for graph in numbers if (column, graph) in cells]
        if not graphs:
            for line in (ours, theirs, less):
                line.append(NONE)
            continue
        mine = fmean(cells[column, graph].mean for graph in graphs)
        its = fmean(numbers[graph][0] for graph in graphs)
        ours.append(f"{mine:.2f} ({len(graphs)})")
        theirs.append(f"{its:.2f} ({len(graphs)})")
        less.append(f"{mine - its:+.2f}")
    whole = paper.numbers()["average_at_9999"]
    last = ["Average", "as printed", *(f"{whole[column.split()[0]]:.2f}" for column in COLUMNS)]
    return [ours, theirs, less, last]


def every_method(rows: Sequence[Row]) -> Table:
    """Every method, and below it the printed figure where there is one.

    A printed figure more than two printed deviations from ours is bold.
    """
    cells = figures(rows)
    graphs = [g for g in paper.numbers()["statistics"] if any(g == graph for _, graph in cells)]
    lines = []
    order = list(METHODS)
    for method in sorted({m for m, _ in cells}, key=lambda m: (order.index(m.split()[0]), m)):
        here = [cells.get((method, graph)) for graph in graphs]
        lines.append([f"`{method}`", *map(shown, here)])
        numbers = printed().get(method.split()[0])
        if numbers is not None:
            pairs = zip(here, (numbers[graph] for graph in graphs), strict=True)
            lines.append(["printed", *(_marked(cell, *figure) for cell, figure in pairs)])
    title = (
        "Every method at 99.99 % missing; a printed figure more than two printed deviations from "
        "ours is bold."
    )
    return Table(title, ["", *graphs], lines)


def _marked(cell: Ours | None, mean: float, deviation: float) -> str:
    figure = f"{mean:.2f} ± {deviation:.2f}"
    # Printed figures are rounded, so that a deviation of 0.00 may be one of half a digit.
    far = cell is not None and abs(cell.mean - mean) > max(2 * deviation, 0.005)
    return f"**{figure}**" if far else figure
