"""Tables of the docs, made from rows: ours beside the paper's.

`python -m goodie.study.tables PAGE…` (`make tables`) makes them anew in Markdown pages, between
`<!-- NAME: begin -->` and `<!-- NAME: end -->`.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from goodie import paper
from goodie.errors import InputError
from goodie.study import rows as files
from goodie.study.store import Row
from goodie.study.summary import summarise

# The rates of the paper's Table 2, in its order.
TABLE_2_RATES = (0.0, 0.5, 0.9999, 1.0)
PRESETS = ("faithful", "letter", "balanced")


def table2(rows: Iterable[Row]) -> str:
    """GOODIE's presets beside Table 2: mean ± deviation over seeds, and the difference of means."""
    cells = {
        (cell["dataset"], cell["missing_rate"], cell["config"]["preset"]): cell
        for cell in summarise(rows)
        if cell["method"] == "goodie" and cell["scenario"] == "uniform"
    }
    lines = [
        "| dataset | missing | paper | `faithful` | | `letter` | | `balanced` | |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for dataset, published in paper.numbers()["goodie_by_missing_rate"].items():
        for rate, number in zip(TABLE_2_RATES, published, strict=True):
            ours = [cells.get((dataset, rate, preset)) for preset in PRESETS]
            if any(ours):
                told = " | ".join(_beside(cell, number) for cell in ours)
                lines.append(f"| {dataset} | {rate:.2%} | {number:.2f} | {told} |")
    return "\n".join(lines)


def _beside(cell: dict[str, Any] | None, published: float) -> str:
    if cell is None:
        return "– | –"
    mean, deviation = cell["test_mean"], cell["test_std"]
    return f"{mean:.2f} ± {deviation:.2f} | {mean - published:+.2f}"


# For each table its rows' file under experiments/, and what makes it of them.
TABLES: dict[str, tuple[str, Callable[[Iterable[Row]], str]]] = {
    "table 2": ("table2.jsonl", table2),
}


def rendered(page: str, experiments: Path) -> str:
    """A page with its tables made anew."""
    for name, (file, make) in TABLES.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        if begin in page:
            before, _, rest = page.partition(begin)
            after = rest.partition(end)[2]
            table = make(files.read(experiments / file))
            page = f"{before}{begin}\n{table}\n{end}{after}"
    return page


def main(pages: list[str]) -> None:
    """Make the tables of these pages anew; rows are read from `experiments/` beside."""
    for page in map(Path, pages):
        if not page.is_file():
            raise InputError(f"there is no page {page}")
        page.write_text(rendered(page.read_text(), Path("experiments")))


if __name__ == "__main__":
    main(sys.argv[1:])
