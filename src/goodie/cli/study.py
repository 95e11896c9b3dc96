"""`goodie study`: many cells, each run once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from goodie.cli.cells import DryRun, Jobs, Retry, StorePath, open_store, print_estimate, title
from goodie.cli.cells import run as run_cells
from goodie.cli.common import AsJson, Device, answer, check_device, notes, print_json

if TYPE_CHECKING:
    from goodie.study.spec import Spec
    from goodie.study.store import Row, Store

app = typer.Typer(
    help="Datasets × methods × missing rates × seeds: run each cell once, and look at them.",
    no_args_is_help=True,
)

Study = Annotated[str, typer.Argument(help="A TOML file, or a name from `goodie study list`.")]


@app.command("list")
def list_() -> None:
    """List the studies that come with the package."""
    from goodie.study import spec

    for name in spec.shipped():
        study = spec.find(name)
        answer.print(f"[bold]{name}[/]  {study.about} ({len(study.cells)} cells)")


@app.command()
def run(
    study: Study,
    jobs: Jobs = None,
    backend: Annotated[
        str | None,
        typer.Option(help="joblib backend of a cluster, `dask` or `ray`, in place of processes."),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(help="Of the Dask scheduler or Ray head; a local one if not given."),
    ] = None,
    device: Device = "cpu",
    retry_failed: Retry = False,
    dry_run: DryRun = False,
    store: StorePath = None,
) -> None:
    """Run the cells of a study that have not been run.

    Each finished cell is kept at once, so a study may be interrupted, killed or started twice: it
    goes on where it was. A cell that fails keeps its error, and the rest go on.
    """
    from goodie.errors import GoodieError
    from goodie.study import cluster, runner

    check_device(device)
    jobs = runner.cores() if jobs is None else jobs
    spec = _find(study)
    with open_store(store) as rows:
        if dry_run:
            guess = runner.estimate(spec.cells, rows, retry_failed=retry_failed, device=device)
            print_estimate(spec.name, guess, jobs)
            return
        with cluster.connected(backend, address):
            outcome = run_cells(
                spec.cells,
                rows,
                spec.name,
                jobs=jobs,
                backend=backend,
                device=device,
                retry_failed=retry_failed,
            )
        failed = sum(row["status"] == "failed" for row in _rows(spec, rows))
    if failed:
        raise GoodieError(
            f"{failed} {'cell' if failed == 1 else 'cells'} failed; `goodie study show {study}` "
            "says how, `--retry-failed` runs again what failed"
        )
    if outcome.unreadable:
        raise GoodieError(f"{len(outcome.unreadable)} datasets cannot be read")


@app.command()
def show(study: Study, store: StorePath = None, as_json: AsJson = False) -> None:
    """Show what the cells of a study came to, seeds taken together."""
    from goodie.study.summary import summarise

    spec = _find(study)
    with open_store(store, to_look=True) as held:
        rows = _rows(spec, held)
    cells = summarise(rows)
    failed = [row for row in rows if row["status"] == "failed"]
    absent = len(spec.cells) - len(rows)
    if absent:
        notes.print(f"{absent} of {len(spec.cells)} cells have not been run")
    if as_json:
        if failed:
            notes.print(f"{len(failed)} cells have failed")
        print_json(cells)
        return
    table = Table("dataset", "method", "missing", "rate", "seeds", "validation", "test", "seconds")
    for column in table.columns[3:]:
        column.justify = "right"
    for cell in cells:
        table.add_row(
            cell["dataset"],
            _with_settings(cell, cells),
            cell["scenario"],
            f"{cell['missing_rate']:.2%}",
            str(len(cell["seeds"])),
            f"{cell['val_mean']:.2f}",
            f"{cell['test_mean']:.2f} ± {cell['test_std']:.2f}",
            f"{sum(cell['seconds']):.1f}",
        )
    answer.print(table)
    for row in failed:
        answer.print(f"failed: {title(row)}\n{row['error']}", style="red", markup=False)


@app.command()
def export(
    study: Study,
    out: Annotated[Path, typer.Argument(help="Ends in .jsonl, .csv or .parquet.")],
    store: StorePath = None,
) -> None:
    """Write the finished rows of a study to a file, in a fixed order."""
    from goodie.study import rows as files

    spec = _find(study)
    with open_store(store, to_look=True) as held:
        done = [row for row in _rows(spec, held) if row["status"] == "done"]
    files.write(done, out)
    notes.print(f"{len(done)} rows in {out}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="Written by `goodie study export`.")],
    store: StorePath = None,
) -> None:
    """Take rows from a file, so that their cells need not be run."""
    from goodie.study import rows as files

    table = files.read(file)
    with open_store(store) as held:
        held.write(table)
    notes.print(f"{len(table)} rows from {file}")


@app.command()
def search(
    study: Study,
    trials: Annotated[int, typer.Option(min=1, help="How many settings to try.")] = 20,
    jobs: Annotated[int | None, typer.Option(help="Processes at a time.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Look for good settings by validation score (needs `goodie-graph[search]`).

    For each method that the study's `[search.METHOD]` names, the settings of which the validation
    score, as a mean over the study's cells, is best. Test scores are neither used nor shown.
    """
    from goodie.errors import InputError
    from goodie.study.runner import cores
    from goodie.study.search import search as look

    spec = _find(study)
    if not spec.search:
        raise InputError(f"{spec.name} has no [search.METHOD], so there is nothing to look for")
    with open_store(store) as held, notes.status("Searching …"):
        found = [
            look(spec, method, held, trials=trials, jobs=cores() if jobs is None else jobs)
            for method in spec.search
        ]
    if as_json:
        print_json([{"method": f.method, "val_mean": f.val, "settings": f.settings} for f in found])
        return
    for best in found:
        words = ", ".join(f"{name} = {value!r}" for name, value in best.settings.items())
        answer.print(f"[bold]{best.method}[/]: {words} (validation {best.val:.2f} %)")


def _find(study: str) -> "Spec":
    from goodie.study import spec

    return spec.find(study)


def _rows(spec: "Spec", store: "Store") -> list["Row"]:
    from goodie.study.runner import keyed

    return list(store.get(keyed(spec.cells)[0]).values())


def _with_settings(cell: dict[str, Any], cells: list[dict[str, Any]]) -> str:
    """The method, with those of its settings that differ within the table."""
    others = [other["config"] for other in cells if other["method"] == cell["method"]]
    varied = [
        f"{name}={value}"
        for name, value in cell["config"].items()
        if any(other.get(name) != value for other in others)
    ]
    return f"{cell['method']} ({', '.join(varied)})" if varied else str(cell["method"])
