"""What of a table or figure is there, and what is to be run for it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from goodie.errors import GoodieError
from goodie.study import rows as files
from goodie.study.cell import Cell, data_hash
from goodie.study.paper.beside import name
from goodie.study.paper.catalogue import Thing
from goodie.study.paper.evidence import Evidence
from goodie.study.paper.gather import gather
from goodie.study.store import Row


@dataclass(frozen=True)
class Plan:
    """What there is, and what is not.

    Attributes:
        evidence: to make the thing from.
        missing: cells that no row answers, of those that are to be run.
        elsewhere: cells that no row answers, on graphs that not everyone has.
        wanted: how many answers it is made of, those elsewhere aside.
        lacking: what is no row and is not there.
    """

    evidence: Evidence
    missing: list[Cell]
    elsewhere: list[Cell]
    wanted: int
    lacking: list[str]

    def absent(self) -> list[str]:
        """What is not in it, in sentences, with what runs it."""
        told = []
        if missing := [*words(self.missing), *self.lacking]:
            told.append(f"Not there: {', '.join(missing)}.")
        if self.elsewhere:
            graphs = " and ".join(dict.fromkeys(cell.dataset for cell in self.elsewhere))
            told.append(
                f"Not run here: {len(self.elsewhere)} cells on {graphs}, of which not everyone has "
                "the files; `goodie study run elsewhere` runs them."
            )
        return told


def plan(
    thing: Thing,
    rows: Sequence[Row],
    folder: Path,
    *,
    datasets: Sequence[str] = (),
    seeds: int | None = None,
    checked: bool = False,
) -> Plan:
    """Look through rows for what a thing is made of.

    Args:
        thing: of the catalogue.
        rows: all there are.
        folder: of what is no row.
        datasets: run these alone; all if none is named.
        seeds: run seeds below this alone.
        checked: count a row only if the graph that is here has its content.
    """
    cells, every = thing.cells(), thing.all_cells()
    hashes = contents(cells) if checked else {}
    here = gather(cells, rows, hashes=hashes)
    far = gather(every[len(cells) :], rows)
    missing = [
        cell
        for cell in here.missing
        if (not datasets or cell.dataset in datasets) and (seeds is None or cell.seed < seeds)
    ]
    return Plan(
        Evidence([*here.rows, *far.rows], folder),
        missing,
        far.missing,
        here.wanted,
        [] if thing.extra is None else thing.extra.lacking(folder),
    )


def stored(folder: Path) -> list[Row]:
    """The rows in the files of a folder; none if it is not there."""
    return [row for path in sorted(folder.glob("*.jsonl")) for row in files.read(path)]


def contents(cells: Iterable[Cell]) -> dict[str, str]:
    """For each dataset that can be read, its content."""
    found = {}
    for cell in {cell.dataset: cell for cell in cells}.values():
        try:
            found[cell.dataset] = data_hash(cell)
        except GoodieError:
            continue  # said when its cells are to be run
    return found


def words(cells: Iterable[Cell]) -> list[str]:
    """Cells by method and dataset, as a reader counts them.

    Example:
        >>> words([Cell("Cora", "lp", seed=0), Cell("Cora", "lp", seed=1)])
        ['lp on Cora (2 cells)']
    """
    counted = Counter((name(c.method, dict(c.settings)), c.dataset) for c in cells)
    return [
        f"{method} on {dataset} ({count} {'cell' if count == 1 else 'cells'})"
        for (method, dataset), count in counted.items()
    ]
