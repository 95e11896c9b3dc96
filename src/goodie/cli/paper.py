"""`goodie paper`: every table and figure of the paper, by its name."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goodie.cli.cells import DryRun, Jobs, Retry, StorePath, open_store, print_estimate
from goodie.cli.cells import run as run_cells
from goodie.cli.common import AsJson, Device, answer, check_device, notes, print_json

if TYPE_CHECKING:
    from goodie.study.paper.catalogue import Thing
    from goodie.study.paper.plan import Plan
    from goodie.study.store import Row, Store


def paper(
    name: Annotated[
        str,
        typer.Argument(help="A name from `goodie paper list`; or `list`, `all`, `page`."),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to (default: `paper`; of `page`, `docs`).")
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option(
            help="Folder of rows that are not run again (default: `experiments`, if there is one)."
        ),
    ] = None,
    datasets: Annotated[
        list[str] | None, typer.Option("--dataset", help="Run on this graph alone; repeatable.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Run seeds below this alone; show what there is.")
    ] = None,
    jobs: Jobs = None,
    device: Device = "cpu",
    retry_failed: Retry = False,
    dry_run: DryRun = False,
    render_only: Annotated[
        bool,
        typer.Option("--render-only", help="Run nothing: show what there is, say what is not."),
    ] = False,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Make a table or figure of the paper, ours beside the paper's.

    Cells that are stored, or in the folder of rows, are not run again; the others are run first.
    `all` makes everything, `page` makes docs/reproduction.md of a checkout from its rows.

    Example: `goodie paper table3 --dry-run`
    """
    from goodie.data.datasets import find as dataset
    from goodie.study.paper import catalogue

    if name == "list":
        _list(as_json)
        return
    folder = _folder(rows)
    if name == "page":
        _page(folder, Path("docs") if out is None else out)
        return
    things = list(catalogue.THINGS.values()) if name == "all" else [catalogue.find(name)]
    graphs = [dataset(word).name for word in datasets or ()]
    check_device(device)
    told = []
    with open_store(store) as held:
        known = _known(folder, held, take=not render_only)
        for thing in things:
            plan = _plan(thing, known, folder, graphs, seeds, checked=not render_only)
            if dry_run:
                told.append(_estimate(thing, plan, held, jobs, device, retry_failed, quiet=as_json))
                continue
            if not render_only:
                _run(thing, plan, held, folder, jobs, device, retry_failed)
                known = _known(folder, held, take=False)
                plan = _plan(thing, known, folder, graphs, seeds, checked=True)
            told.append(_render(thing, plan, out or Path("paper"), quiet=as_json))
    if as_json:
        print_json(told if name == "all" else told[0])


def _list(as_json: bool) -> None:
    from goodie.study.paper.catalogue import THINGS

    if as_json:
        print_json([{"name": thing.name, "about": thing.about} for thing in THINGS.values()])
        return
    for thing in THINGS.values():
        answer.print(f"[bold]{thing.name}[/]  {thing.about}")


def _folder(named: Path | None) -> Path:
    """Where rows lie, and what is no row: of a checkout, or else in the cache folder."""
    from goodie.data.files import cache_folder
    from goodie.errors import InputError

    if named is not None and not named.is_dir():
        raise InputError(f"there is no folder {named}")
    here = Path("experiments")
    return named or (here if here.is_dir() else cache_folder() / "paper")


def _page(rows: Path, docs: Path) -> None:
    from goodie.study.paper import page

    for path in page.write(rows, docs):
        notes.print(str(path), soft_wrap=True)


def _known(folder: Path, held: "Store", *, take: bool) -> "list[Row]":
    """All rows there are; those of the folder are taken into the store, if asked for."""
    from goodie.study.paper.plan import stored

    before = held.all()
    keys = {row["key"] for row in before}
    new = [row for row in stored(folder) if row["key"] not in keys]
    if take:
        held.write(new)
    return before + new


def _plan(
    thing: "Thing",
    known: "list[Row]",
    folder: Path,
    graphs: list[str],
    seeds: int | None,
    *,
    checked: bool,
) -> "Plan":
    from goodie.study.paper.plan import plan

    with notes.status("Looking at what there is …"):
        return plan(thing, known, folder, datasets=graphs, seeds=seeds, checked=checked)


def _estimate(
    thing: "Thing",
    plan: "Plan",
    held: "Store",
    jobs: int | None,
    device: str,
    retry: bool,
    *,
    quiet: bool,
) -> dict[str, Any]:
    """What would be run, method by method, and how long it should take."""
    from dataclasses import asdict

    from goodie.study import runner
    from goodie.study.paper.plan import words

    jobs = runner.cores() if jobs is None else jobs
    guess = runner.estimate(plan.missing, held, retry_failed=retry, device=device)
    if not quiet:
        print_estimate(thing.name, guess, jobs)
        for line in [*words(plan.missing), *plan.lacking]:
            answer.print(f"  {line}", highlight=False)
    to_run = words(plan.missing)
    return {"name": thing.name, **asdict(guess), "cells": to_run, "lacking": plan.lacking}


def _run(
    thing: "Thing",
    plan: "Plan",
    held: "Store",
    folder: Path,
    jobs: int | None,
    device: str,
    retry: bool,
) -> None:
    """Run what is missing; what cannot be run is said and left out."""
    from goodie.study.runner import cores

    if plan.missing:
        run_cells(
            plan.missing,
            held,
            thing.name,
            jobs=cores() if jobs is None else jobs,
            device=device,
            retry_failed=retry,
        )
    if plan.lacking and thing.extra is not None:
        with notes.status("…") as status:
            thing.extra.prepare(folder, device, status.update)


def _render(thing: "Thing", plan: "Plan", out: Path, *, quiet: bool) -> dict[str, Any]:
    """Write the thing's files, show its tables, and say what is not in them."""
    from goodie.study.paper.output import write
    from goodie.study.paper.plan import words

    made, written = write(thing, plan, out)
    if not quiet:
        for table in made.tables:
            print(f"{table.title}\n\n{table.markdown()}\n")  # as it is, whatever the terminal
        for note in thing.notes:
            print(f"- {note}")
        for path in written:
            notes.print(str(path), soft_wrap=True)
        for sentence in plan.absent():
            notes.print(sentence, soft_wrap=True, highlight=False, markup=False)
    return {
        "name": thing.name,
        "wanted": plan.wanted,
        "missing": [*words(plan.missing), *plan.lacking],
        "elsewhere": words(plan.elsewhere),
        "files": [str(path) for path in written],
        "tables": [
            {
                "title": table.title,
                "heads": list(table.heads),
                "rows": [list(r) for r in table.rows],
            }
            for table in made.tables
        ],
        "notes": list(thing.notes),
    }
