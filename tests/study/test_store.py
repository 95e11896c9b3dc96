"""Rows are kept, and a cell has one worker at a time."""

import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from goodie.errors import InputError
from goodie.study import store as module
from goodie.study.store import COLUMNS, Row, Store

HOST = socket.gethostname()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "folder" / "rows.sqlite") as opened:
        yield opened


def row(key: str = "a", **changes: Any) -> Row:
    return {
        **dict.fromkeys(COLUMNS),
        **{"key": key, "status": "done", "method": "lp", "task": "node", "seconds": 1.0},
        **{"settings": {"alpha": 0.1 + 0.2}, "details": {"each": [1, None]}, "versions": {}},
        **changes,
    }


def claimed_by(store: Store, host: str, pid: int, born: float, since: float | None = None) -> None:
    """As another process would leave it."""
    with sqlite3.connect(store.path) as file:
        values = ("a", host, pid, born, time.time() if since is None else since)
        file.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)", values)
    file.close()


@pytest.fixture
def other() -> Iterator[psutil.Process]:
    """A living process that is not this one."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield psutil.Process(process.pid)
        process.kill()


# --- rows -----------------------------------------------------------------------------------------


def test_rows_come_back_as_they_went_in(store: Store) -> None:
    rows = [row("a", val=99.1, test=0.1 + 0.2, seed=3), row("b", status="failed", error="no\nluck")]
    store.write(rows)
    assert sorted(store.all(), key=lambda r: r["key"]) == rows
    assert store.get(["b", "nowhere"]) == {"b": rows[1]}
    with Store(store.path) as again:
        assert again.get(["a"]) == {"a": rows[0]}


def test_a_row_takes_the_place_of_one_of_its_key(store: Store) -> None:
    store.write([row(val=1.0)])
    store.write([row(val=2.0), row(val=3.0)])
    assert [r["val"] for r in store.all()] == [3.0]


def test_rows_are_written_all_or_none(store: Store) -> None:
    with pytest.raises(TypeError):
        store.write([row("a"), row("b", details={"no": object()})])
    assert store.all() == []
    assert store.claim("a")  # and the store goes on


def test_the_time_in_the_middle(store: Store) -> None:
    times = [5.0, 1.0, 3.0]
    store.write([row(str(n), seconds=s, dataset="x") for n, s in enumerate(times)])
    store.write([row("f", seconds=None, status="failed", dataset="y")])
    assert store.median_seconds({"method": "lp", "task": "node"}) == 3.0
    assert store.median_seconds({"method": "lp", "dataset": "y"}) is None


def test_readers_do_not_wait_for_a_writer(store: Store) -> None:
    store.write([row()])
    writer = sqlite3.connect(store.path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM rows")
    assert [r["key"] for r in store.all()] == ["a"]
    writer.execute("ROLLBACK")
    assert writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    writer.close()


def test_a_file_that_is_no_store_is_refused_and_left(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary, " * 100)
    with pytest.raises(InputError, match=r"notes\.txt is not a store of rows"):
        Store(path)
    assert path.read_text() == "dear diary, " * 100


@pytest.mark.parametrize("where", ["folder", "file/rows.sqlite", "/proc/rows.sqlite"])
def test_a_place_that_cannot_be_written_is_refused(where: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=Path(where).name):
        Store(tmp_path / where)


# --- claims ---------------------------------------------------------------------------------------


def test_what_is_done_is_not_claimed(store: Store) -> None:
    assert store.claim("a")
    store.write([row()])
    assert not store.claim("a")
    assert not store.claim("a", retry_failed=True)


def test_what_failed_is_claimed_on_demand(store: Store) -> None:
    store.write([row(status="failed")])
    assert not store.claim("a")
    assert store.claim("a", retry_failed=True)


def test_a_living_process_keeps_its_claim(store: Store, other: psutil.Process) -> None:
    claimed_by(store, HOST, other.pid, other.create_time())
    assert not store.claim("a")
    assert store.claim("b")
    other.kill()
    psutil.wait_procs([other])
    assert store.claim("a")


def test_a_killed_process_whose_parent_has_not_looked_loses_its_claim(
    store: Store, other: psutil.Process
) -> None:
    """A zombie; in a container without an init process it stays one."""
    claimed_by(store, HOST, other.pid, other.create_time())
    other.kill()
    while other.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.001)
    assert store.claim("a")


@pytest.mark.parametrize("seconds", [-5000.0, 5000.0])
def test_a_pid_that_was_given_again_holds_nothing(
    seconds: float, store: Store, other: psutil.Process
) -> None:
    claimed_by(store, HOST, other.pid, other.create_time() + seconds)
    assert store.claim("a")


@pytest.mark.parametrize(("age", "free"), [(0.5, False), (1.5, True)])
def test_another_host_keeps_its_claim_until_the_lease_ends(
    age: float, free: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed_by(store, "elsewhere", os.getpid(), psutil.Process().create_time(), since=1000.0)
    monkeypatch.setattr(module.time, "time", lambda: 1000.0 + age * module.LEASE_SECONDS)
    assert store.claim("a") is free


def test_the_time_of_a_claim_taken_over_is_new(store: Store) -> None:
    claimed_by(store, "elsewhere", 1, 1.0, since=0.0)
    assert store.claim("a")
    with sqlite3.connect(store.path) as file:
        (held,) = file.execute("SELECT host, pid, since FROM claims").fetchall()
    file.close()
    assert held[:2] == (HOST, os.getpid())
    assert held[2] > 1e9


def test_closing_gives_our_claims_back_and_no_others(store: Store, other: psutil.Process) -> None:
    claimed_by(store, HOST, other.pid, other.create_time())
    with Store(store.path) as mine:
        assert mine.claim("b")
    with sqlite3.connect(store.path) as file:
        assert file.execute("SELECT key FROM claims").fetchall() == [("a",)]
    file.close()


def test_a_row_ends_its_claim(store: Store) -> None:
    store.claim("a")
    store.write([row()])
    with sqlite3.connect(store.path) as file:
        assert file.execute("SELECT * FROM claims").fetchall() == []
    file.close()


def test_threads_share_a_store(store: Store) -> None:
    errors = []

    def work(thread: int) -> None:
        try:
            for n in range(25):
                store.claim(f"{thread}-{n}")
                store.write([row(f"{thread}-{n}")])
                store.get([f"{thread}-{n}"])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(store.all()) == 100


OPEN = """
import sys
sys.stdin.readline()
import sqlite3
from goodie.study.store import Store
from pathlib import Path
for number in range(30):
    with Store(Path(sys.argv[1]) / f"{number}.sqlite") as store:
        store.claim(str(number))
"""


@pytest.mark.slow
def test_processes_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    words = [sys.executable, "-c", OPEN, str(tmp_path)]
    runs = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for run in runs:
        run.stdin.write("\n")
        run.stdin.flush()
    assert [run.communicate()[1] for run in runs] == [""] * 3
