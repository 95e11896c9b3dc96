"""Run the cells of a study that have not been run, one after another or several at a time."""

import json
import os
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
from joblib import Parallel, delayed, parallel_config

from goodie.errors import GoodieError, InputError
from goodie.study import provenance
from goodie.study.cell import Cell, data_hash, key, learner, metric, run
from goodie.study.store import Row, Store


@dataclass(frozen=True)
class Outcome:
    """What a run of a study did.

    Attributes:
        done: cells that were run well.
        failed: cells that were run and failed; their errors are in their rows.
        stored: cells that were there already.
        elsewhere: cells that another process is at.
        unreadable: datasets that could not be read, and why; their cells were not run.
    """

    done: int
    failed: int
    stored: int
    elsewhere: int
    unreadable: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Estimate:
    """What a run would do.

    Attributes:
        pending: cells that it would run.
        stored: cells that are there.
        seconds: how long the pending ones should take, one after another, by the stored rows that
            are most like each; cells of a method that no row is of are not counted.
        unknown: how many those are.
    """

    pending: int
    stored: int
    seconds: float
    unknown: int


def run_cells(
    cells: Sequence[Cell],
    store: Store,
    *,
    jobs: int = 1,
    backend: str | None = None,
    device: str = "cpu",
    retry_failed: bool = False,
    progress: Callable[[Row], None] | None = None,
) -> Outcome:
    """Run what the store does not have; every cell is stored as it finishes.

    Args:
        cells: of a study.
        store: where rows are and go.
        jobs: processes at a time; the cores are shared out among them.
        backend: of joblib, such as `dask` or `ray`, for a cluster; processes of this machine if
            None. Its client or registration is the caller's.
        device: `cpu` or `cuda`.
        retry_failed: run cells again whose row is a failure.
        progress: called with every new row.
    """
    if jobs < 1:
        raise InputError(f"jobs is {jobs}; at least one process does the work")
    keys, unreadable = keyed(cells)
    before = store.get(keys)
    stored = sum(not (retry_failed and row["status"] == "failed") for row in before.values())
    threads = max(1, cores() // jobs)

    def claimed() -> Iterator[Any]:
        # joblib asks for cells shortly before it runs them, so other processes find the rest free.
        for name, cell in keys.items():
            if store.claim(name, retry_failed=retry_failed):
                yield delayed(run_one)(cell, name, device, threads)

    tally = {"done": 0, "failed": 0}
    with _parallel(backend, jobs, threads) as parallel:
        rows = parallel(claimed())
        try:
            for row in rows:
                store.write([row])
                tally[row["status"]] += 1
                if progress is not None:
                    progress(row)
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib says that work is given up: it is
                rows.close()
    return Outcome(
        **tally,
        stored=stored,
        elsewhere=len(keys) - stored - sum(tally.values()),
        unreadable=unreadable,
    )


@contextmanager
def _parallel(backend: str | None, jobs: int, threads: int) -> Iterator[Parallel]:
    """joblib, set up; one cell a message, so that a cell that is done is stored at once."""
    with ExitStack() as stack:
        try:
            if backend is not None:
                stack.enter_context(parallel_config(backend=backend, n_jobs=jobs))
            elif jobs > 1:
                stack.enter_context(
                    parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=threads)
                )
        except (ValueError, KeyError) as error:
            raise InputError(f"joblib has no backend {backend!r}") from error
        yield Parallel(return_as="generator_unordered", batch_size=1)


def keyed(cells: Iterable[Cell]) -> tuple[dict[str, Cell], dict[str, str]]:
    """Cells by their keys, and for each dataset that cannot be read, why not."""
    keys: dict[str, Cell] = {}
    unreadable: dict[str, str] = {}
    for cell in cells:
        if cell.dataset in unreadable:
            continue
        try:
            keys[key(cell)] = cell
        except GoodieError as error:
            unreadable[cell.dataset] = str(error)
    return keys, unreadable


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def estimate(
    cells: Sequence[Cell], store: Store, *, retry_failed: bool = False, device: str = "cpu"
) -> Estimate:
    """What `run_cells` would do, without doing it."""
    keys, _ = keyed(cells)
    stored = {
        name
        for name, row in store.get(keys).items()
        if not (retry_failed and row["status"] == "failed")
    }

    @cache
    def usual(method: str, task: str, dataset: str, settings: str) -> float | None:
        # A contrast over all pairs takes a hundred times what none takes, and a GPU a tenth.
        like = {"method": method, "task": task}
        closer = {**like, "dataset": dataset}
        closest = {**closer, "device": device}
        for nearness in ({**closest, "settings": settings}, closest, closer, like):
            took = store.median_seconds(nearness)
            if took is not None:
                return took
        return None

    seconds, unknown = 0.0, 0
    for name, cell in keys.items():
        if name in stored:
            continue
        settings = json.dumps(dict(cell.settings), sort_keys=True)
        took = usual(cell.method, cell.task, cell.dataset, settings)
        seconds += took or 0.0
        unknown += took is None
    return Estimate(len(keys) - len(stored), len(stored), seconds, unknown)


def run_one(cell: Cell, name: str, device: str, threads: int) -> Row:
    """The row of a cell; an error becomes a row too, so that the others go on."""
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    try:
        return fresh_row(cell, name, device)
    except Exception:
        nothing: Row = {
            "val": None,
            "test": None,
            "seconds": None,
            "peak_memory": None,
            "details": {},
        }
        return {
            **_identity(cell, name, device),
            **nothing,
            "status": "failed",
            "error": traceback.format_exc(),
            "finished": time.time(),
        }


def fresh_row(cell: Cell, name: str, device: str) -> Row:
    """Run a cell and describe it."""
    result = run(cell, device=device)
    details = dict(result.details)
    json.dumps(details, allow_nan=False)  # what cannot be stored fails here, for this cell alone
    return {
        **_identity(cell, name, device),
        "status": "done",
        "val": result.val,
        "test": result.test,
        "seconds": result.seconds,
        "peak_memory": result.peak_memory,
        "details": details,
        "error": None,
        "finished": time.time(),
    }


def _identity(cell: Cell, name: str, device: str) -> Row:
    """What is known of a row before it is run."""
    return {
        "key": name,
        "dataset": cell.dataset,
        "task": cell.task,
        "method": cell.method,
        "scenario": cell.scenario,
        "rate": cell.rate,
        "seed": cell.seed,
        "settings": dict(cell.settings),
        "metric": metric(cell.task),
        "data_hash": data_hash(cell),
        "method_version": learner(cell.method, cell.task).version_of(cell.settings),
        "git_revision": provenance.git_revision(),
        "versions": provenance.versions(),
        "machine": provenance.machine(device),
        "device": device,
    }
