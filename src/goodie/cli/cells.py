"""What `goodie study` and `goodie paper` share: running cells under a bar, and telling how long."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from goodie.cli.common import answer, notes

if TYPE_CHECKING:
    from goodie.study.cell import Cell
    from goodie.study.runner import Estimate, Outcome
    from goodie.study.store import Row, Store

StorePath = Annotated[
    Path | None,
    typer.Option(
        "--store", help="SQLite file of rows (default: one for all, in the cache folder)."
    ),
]
Jobs = Annotated[int | None, typer.Option(help="Processes at a time (default: one for each core).")]
Retry = Annotated[bool, typer.Option("--retry-failed", help="Run cells again that failed.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would run, and how long it should take.")
]


def open_store(path: Path | None, *, to_look: bool = False) -> "Store":
    """The store; one that is named to be looked at must be there."""
    from goodie.errors import InputError
    from goodie.study.store import Store, default_path

    if to_look and path is not None and not path.exists():
        raise InputError(f"there is no store {path}")
    return Store(path or default_path())


def run(
    cells: "Sequence[Cell]",
    store: "Store",
    name: str,
    *,
    jobs: int,
    device: str,
    retry_failed: bool,
    backend: str | None = None,
) -> "Outcome":
    """Run what the store does not have under a bar that says how much time is left."""
    from goodie.study import runner

    with _bar() as bar:
        task = bar.add_task(name, total=len(cells))

        def show(row: "Row") -> None:
            bar.advance(task)
            if row["status"] == "failed":
                last = row["error"].strip().splitlines()[-1]
                bar.console.print(f"failed: {title(row)}: {last}", style="red", markup=False)

        bar.advance(task, runner.estimate(cells, store, retry_failed=retry_failed).stored)
        outcome = runner.run_cells(
            cells,
            store,
            jobs=jobs,
            backend=backend,
            device=device,
            retry_failed=retry_failed,
            progress=show,
        )
    notes.print(
        f"{outcome.done} run, {outcome.failed} failed, {outcome.stored} there already"
        + (f", {outcome.elsewhere} with another process" if outcome.elsewhere else "")
    )
    for dataset, why in outcome.unreadable.items():
        notes.print(f"{dataset} cannot be read: {why}", style="red", markup=False)
    return outcome


def print_estimate(name: str, guess: "Estimate", jobs: int) -> None:
    """What would run, and how long it should take."""
    answer.print(f"{name}: {guess.pending} cells to run, {guess.stored} there already.")
    if guess.pending > guess.unknown:
        answer.print(
            f"About {duration(guess.seconds / jobs)} on {jobs} "
            f"{'process' if jobs == 1 else 'processes'}, by the rows there are."
        )
    if guess.unknown:
        answer.print(f"{guess.unknown} cells are of methods that no row tells the time of.")


def title(row: "Row") -> str:
    """A row's cell in words."""
    return (
        f"{row['method']} on {row['dataset']}, {row['scenario']} {row['rate']:.2%}, "
        f"seed {row['seed']}"
    )


def duration(seconds: float) -> str:
    """A time as a reader counts it.

    Example:
        >>> duration(45.0), duration(600.0), duration(9000.0)
        ('45 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


@contextmanager
def _bar() -> Iterator[Progress]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=notes, disable=not notes.is_terminal) as bar:
        yield bar
