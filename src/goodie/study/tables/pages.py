"""Tables inside pages of the docs, between `<!-- NAME: begin -->` and `<!-- NAME: end -->`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from goodie.errors import InputError
from goodie.study import rows as files
from goodie.study.paper import table2, table3, table4
from goodie.study.store import Row
from goodie.study.tables import default, exact, reproduced, variants

# For each table its rows' files under experiments/, or a pattern, and what makes it of them.
TABLES: dict[str, tuple[tuple[str, ...], Callable[[Sequence[Row]], str]]] = {
    "table 2": (
        ("table2.jsonl", "balanced.jsonl"),
        lambda rows: table2.table(rows).markdown(),
    ),
    "table 3": (
        ("table3.jsonl", "balanced.jsonl"),
        lambda rows: table3.every_method(rows).markdown(),
    ),
    "table 4": (("table4.jsonl",), lambda rows: table4.table(rows).markdown()),
    "variants": (("table3-variants.jsonl",), variants.variants),
    "parts": (("balanced.jsonl",), default.parts),
    "development": (("development.jsonl",), default.development),
    "reproduced": (("*.jsonl",), reproduced.reproduced),
    "exact": (("exact.jsonl",), exact.exact),
    "fragile": (
        ("table2.jsonl", "without-biases.jsonl", "fragile.jsonl"),
        variants.fragile,
    ),
}


def rendered(page: str, experiments: Path) -> str:
    """A page with its tables made anew."""
    for name, (sources, make) in TABLES.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        if begin in page:
            before, _, rest = page.partition(begin)
            after = rest.partition(end)[2]
            paths = [path for source in sources for path in sorted(experiments.glob(source))]
            table = make([row for path in paths for row in files.read(path)])
            page = f"{before}{begin}\n{table}\n{end}{after}"
    return page


def main(pages: list[str]) -> None:
    """Make the tables of these pages anew; rows are read from `experiments/` beside."""
    for page in map(Path, pages):
        if not page.is_file():
            raise InputError(f"there is no page {page}")
        page.write_text(rendered(page.read_text(), Path("experiments")))
