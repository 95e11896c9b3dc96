"""Table 4: link prediction at 99.99 % missing."""

from collections.abc import Iterable

from goodie import paper
from goodie.methods import METHODS
from goodie.study.paper.beside import NONE, Ours, difference, name, ours
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.paper.table import Table
from goodie.study.store import Row

RATE = 0.9999
METRICS = ("AUC", "AP")

Figures = dict[tuple[str, str, str, str], Ours]


def make(evidence: Evidence) -> Made:
    """See `table`."""
    return Made([table(evidence.rows)])


def figures(rows: Iterable[Row]) -> Figures:
    """AUC and AP between 0 and 1, by scenario, dataset, metric and method."""
    found: dict[tuple[str, str, str, str], list[float]] = {}
    for row in rows:
        if row["task"] == "link" and row["rate"] == RATE and row["status"] == "done":
            method = name(row["method"], row["settings"])
            for metric, percent in (("AUC", row["test"]), ("AP", row["details"]["ap"])):
                at = (row["scenario"], row["dataset"], metric, method)
                found.setdefault(at, []).append(float(percent) / 100.0)
    return {at: ours(values) for at, values in found.items()}


def printed(scenario: str, dataset: str, metric: str, method: str) -> tuple[float, float] | None:
    """The paper's mean and deviation; None where it has none."""
    row = paper.numbers()["link_at_9999"][scenario].get(method.split()[0], {}).get(dataset)
    if row is None:
        return None
    auc, auc_deviation, ap, ap_deviation = row
    return (auc, auc_deviation) if metric == "AUC" else (ap, ap_deviation)


def table(rows: Iterable[Row]) -> Table:
    """Ours, the paper's and the difference, in the paper's order."""
    cells = figures(rows)
    numbers = paper.numbers()["link_at_9999"]
    order = list(METHODS)
    methods = {method for *_, method in cells} or set(numbers["uniform"])
    columns = sorted(methods, key=lambda method: (order.index(method.split()[0]), method))
    lines: list[list[str]] = []
    rules: list[int] = []
    for scenario in numbers:
        for dataset in numbers[scenario]["gcn"]:
            for metric in METRICS:
                if metric == METRICS[0]:
                    rules.append(len(lines))
                here = [cells.get((scenario, dataset, metric, column)) for column in columns]
                theirs = [printed(scenario, dataset, metric, column) for column in columns]
                pairs = list(zip(here, theirs, strict=True))
                lines += [
                    [scenario, dataset, metric, "ours", *map(_shown, here)],
                    ["", "", "", "paper", *(_printed(figure) for figure in theirs)],
                    ["", "", "", "difference", *(_less(cell, figure) for cell, figure in pairs)],
                ]
    title = (
        "Link prediction at 99.99 % missing: mean ± deviation over ten seeds, or as many as stand "
        "in brackets."
    )
    heads = ["missing", "dataset", "", "", *(f"`{column}`" for column in columns)]
    return Table(title, heads, lines, 4, frozenset(rules) - {0})


def _shown(cell: Ours | None) -> str:
    if cell is None:
        return NONE
    few = "" if cell.seeds == 10 else f" ({cell.seeds})"
    return f"{cell.mean:.3f} ± {cell.deviation:.3f}{few}"


def _printed(figure: tuple[float, float] | None) -> str:
    return NONE if figure is None else f"{figure[0]:.2f} ± {figure[1]:.2f}"


def _less(cell: Ours | None, figure: tuple[float, float] | None) -> str:
    return difference(cell, None if figure is None else figure[0], digits=3)
