"""Table 2: GOODIE at four missing rates, with its drops against full features."""

from collections.abc import Sequence
from statistics import fmean

from goodie import paper
from goodie.study.paper.beside import NONE, NOT_RUN, Ours, difference, of_rows, shown
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.paper.table import Table
from goodie.study.store import Row

# In the table's order.
RATES = (0.0, 0.5, 0.9999, 1.0)

PRESETS = ("faithful", "balanced")

TITLE = (
    "GOODIE at four missing rates: accuracy in %, mean ± deviation over ten seeds (or as many as "
    "stand in brackets), its drop against full features, and the difference to the printed figure."
)


def make(evidence: Evidence) -> Made:
    """See `table`."""
    return Made([table(evidence.rows, whole=True)])


def figures(rows: Sequence[Row]) -> dict[tuple[str, float, str], Ours]:
    """GOODIE's figures by dataset, rate and preset."""
    found: dict[tuple[str, float, str], list[Row]] = {}
    for row in rows:
        if row["method"] == "goodie" and row["scenario"] == "uniform" and row["status"] == "done":
            at = (row["dataset"], row["rate"], row["settings"]["preset"])
            found.setdefault(at, []).append(row)
    return {at: cell for at, some in found.items() if (cell := of_rows(some)) is not None}


def table(rows: Sequence[Row], *, whole: bool = False) -> Table:
    """GOODIE's presets beside the printed figures, where either was run; or wherever printed."""
    cells = figures(rows)
    lines: list[list[str]] = []
    rules: set[int] = set()
    gained: dict[str, list[float]] = {preset: [] for preset in PRESETS}
    for dataset, published in paper.numbers()["goodie_by_missing_rate"].items():
        before = len(lines)
        run = any(graph == dataset for graph, *_ in cells)
        for rate, number in zip(RATES, published, strict=True):
            here = [cells.get((dataset, rate, preset)) for preset in PRESETS]
            if not (any(here) or whole):
                continue
            line = [dataset, f"{rate:.2%}", f"{number:.2f}", _drop(rate, number - published[0])]
            for preset, cell in zip(PRESETS, here, strict=True):
                full = cells.get((dataset, 0.0, preset))
                if cell is not None:
                    gained[preset].append(cell.mean - number)
                both = cell is not None and full is not None
                drop = _drop(rate, cell.mean - full.mean) if both else NONE  # type: ignore[union-attr]
                told = shown(cell) if run else NOT_RUN
                line += [told, drop, difference(cell, number)]
            lines.append(line)
        if len(lines) > before:
            rules.add(before)
    rules.add(len(lines))
    mean = ["mean difference", "", "", ""]
    for gains in gained.values():
        mean += ["", "", f"{fmean(gains):+.2f} over {len(gains)}" if gains else ""]
    ours = [head for preset in PRESETS for head in (f"`{preset}`", "drop", "− paper")]
    heads = ["dataset", "missing", "paper", "drop", *ours]
    return Table(TITLE, heads, [*lines, mean], rules=frozenset(rules - {0}))


def _drop(rate: float, change: float) -> str:
    return "" if rate == 0 else f"{change:+.2f}"
