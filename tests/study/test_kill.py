"""Kill −9 at random moments, and two at once: the rows are those of an undisturbed run."""

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from goodie.study.runner import run_cells
from goodie.study.spec import find
from goodie.study.store import Row, Store
from study.toys import GRAPH, lasting, toml

CELLS = 200

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("home")]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Label propagation on two small graphs; few steps, as threads are slow on a busy machine."""
    sources = {
        name: {"synthetic": {**GRAPH, "random_state": seed}}
        for seed, name in enumerate(("one", "other"))
    }
    return toml(
        tmp_path_factory.mktemp("study") / "many.toml",
        data=sources,
        datasets=list(sources),
        settings={"lp": {"alpha": [0.5, 0.9], "steps": 5}},
        seeds=CELLS // 4,
    )


@pytest.fixture(scope="module")
def undisturbed(study: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    with Store(tmp_path_factory.mktemp("store") / "rows.sqlite") as store:
        run_cells(find(str(study)).cells, store)
        return lasting(store.all())


def start(study: Path, store: Path, jobs: int) -> subprocess.Popen[str]:
    words = ["-c", "from goodie.cli import main; main()", "study", "run", str(study)]
    return subprocess.Popen(
        [sys.executable, *words, "--store", str(store), "--jobs", str(jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(run: subprocess.Popen[str]) -> int:
    """How many cells it says it ran."""
    out, err = run.communicate()
    assert (run.returncode, out) == (0, ""), err
    (said,) = re.findall(r"^(\d+) run, 0 failed", err, flags=re.MULTILINE)
    return int(said)


def keys(store: Path) -> list[str]:
    file = sqlite3.connect(store)
    found = file.execute("SELECT key FROM rows").fetchall()
    file.close()
    return [key for (key,) in found]


def wait_for(run: subprocess.Popen[str], store: Path, count: int) -> None:
    while run.poll() is None and len(keys(store)) < count:
        time.sleep(0.002)
    assert run.poll() is None, run.communicate()


@pytest.mark.parametrize(("jobs", "kills"), [(1, 3), (2, 1)])
def test_killed_and_started_again(
    jobs: int, kills: int, study: Path, undisturbed: Sequence[Row], tmp_path: Path
) -> None:
    rng = random.Random(jobs)
    path = tmp_path / "rows.sqlite"
    Store(path).close()
    kept = 0
    for count in sorted(rng.sample(range(1, CELLS - 20), kills)):
        run = start(study, path, jobs)
        wait_for(run, path, max(count, kept + 1))
        time.sleep(0.03 * rng.random())
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        before, kept = kept, len(keys(path))
        assert before < kept < CELLS  # it was amid its work
    assert finish(start(study, path, jobs)) == CELLS - kept
    assert len(keys(path)) == len(set(keys(path))) == CELLS
    with Store(path) as store:
        assert lasting(store.all()) == undisturbed


def test_two_at_once_share_the_work(
    study: Path, undisturbed: Sequence[Row], tmp_path: Path
) -> None:
    path = tmp_path / "rows.sqlite"
    Store(path).close()
    # Nobody claims a cell before both have the file open.
    gate = sqlite3.connect(path, isolation_level=None)
    gate.execute("BEGIN IMMEDIATE")
    runs = [start(study, path, 1) for _ in range(2)]
    for run in runs:
        process = psutil.Process(run.pid)
        while run.poll() is None and str(path) not in {f.path for f in process.open_files()}:
            time.sleep(0.01)
    gate.execute("ROLLBACK")
    gate.close()
    ran = [finish(run) for run in runs]
    assert sum(ran) == CELLS
    assert min(ran) > 0
    with Store(path) as store:
        assert lasting(store.all()) == undisturbed
