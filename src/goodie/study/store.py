"""Rows on disk: one for each cell that was run, in an SQLite file that processes may share."""

import json
import socket
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from goodie.data.files import cache_folder
from goodie.errors import GoodieError, InputError

# A row: its columns and what each holds, beside None. Those in JSON are written as text.
COLUMNS: dict[str, type] = {
    "key": str,
    "dataset": str,
    "task": str,
    "method": str,
    "scenario": str,
    "rate": float,
    "seed": int,
    "settings": dict,
    "status": str,
    "metric": str,
    "val": float,
    "test": float,
    "seconds": float,
    "peak_memory": int,
    "details": dict,
    "error": str,
    "data_hash": str,
    "method_version": int,
    "git_revision": str,
    "versions": dict,
    "machine": str,
    "device": str,
    "finished": float,
}
JSON_COLUMNS = tuple(name for name, kind in COLUMNS.items() if kind is dict)

# On another machine a claim counts for this long without a sign of life.
LEASE_SECONDS = 24 * 3600

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS rows ({", ".join(COLUMNS)}, PRIMARY KEY (key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, host, pid, born, since) WITHOUT ROWID;
"""

Row = dict[str, Any]


class StoreError(GoodieError, OSError):
    """Rows could not be written, say because the disk is full."""


def default_path() -> Path:
    """One file for all studies, so that none runs what another has run."""
    return cache_folder() / "rows.sqlite"


class Store:
    """The rows, and who is working on which.

    A cell is claimed before it is run. Claims of a process that has died count for nothing, so a
    study that was killed goes on where it was, and two processes on one study share the work.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # joblib asks for the next cell from threads of its own.
            self._connection = sqlite3.connect(
                path, timeout=60, isolation_level=None, check_same_thread=False
            )
            # With a write-ahead log, readers don't wait; NORMAL survives a killed process.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.executescript(_SCHEMA)
        except OSError as error:
            raise InputError(f"cannot make the folder of {path}: {error.strerror}") from error
        except sqlite3.OperationalError as error:
            raise InputError(f"cannot open {path}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise InputError(f"{path} is not a store of rows: {error}") from error
        me = psutil.Process()
        self._me = (socket.gethostname(), me.pid, me.create_time())

    def close(self) -> None:
        """Give the claims back and close the file."""
        with self._writing() as connection:
            connection.execute("DELETE FROM claims WHERE host=? AND pid=? AND born=?", self._me)
        self._connection.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def claim(self, key: str, *, retry_failed: bool = False) -> bool:
        """Take a cell to run; False if it is done, or another living process has it."""
        with self._writing() as connection:
            row = connection.execute("SELECT status FROM rows WHERE key=?", (key,)).fetchone()
            if row is not None and not (retry_failed and row[0] == "failed"):
                return False
            claim = connection.execute(
                "SELECT host, pid, born, since FROM claims WHERE key=?", (key,)
            ).fetchone()
            if claim is not None and self._holds(*claim):
                return False
            connection.execute(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",
                (key, *self._me, time.time()),
            )
        return True

    def write(self, rows: Iterable[Row]) -> None:
        """Store rows, each in place of one of the same key, and end their claims."""
        places = ", ".join("?" * len(COLUMNS))
        with self._writing() as connection:
            for row in rows:
                values = [
                    json.dumps(row[name], sort_keys=True) if name in JSON_COLUMNS else row[name]
                    for name in COLUMNS
                ]
                connection.execute(f"INSERT OR REPLACE INTO rows VALUES ({places})", values)
                connection.execute("DELETE FROM claims WHERE key=?", (row["key"],))

    def get(self, keys: Iterable[str]) -> dict[str, Row]:
        """The rows of these keys that are there, by key."""
        found = {}
        with self._lock:
            for key in keys:
                query = f"SELECT {', '.join(COLUMNS)} FROM rows WHERE key=?"
                row = self._connection.execute(query, (key,)).fetchone()
                if row is not None:
                    found[key] = _read(row)
        return found

    def all(self) -> list[Row]:
        """Every row."""
        with self._lock:
            query = f"SELECT {', '.join(COLUMNS)} FROM rows"
            return [_read(row) for row in self._connection.execute(query)]

    def median_seconds(self, like: Mapping[str, Any]) -> float | None:
        """What rows like this one took, in the middle; None if there is none like it."""
        where = " AND ".join(f"{name}=?" for name in like)
        query = f"SELECT seconds FROM rows WHERE status='done' AND {where} ORDER BY seconds"
        with self._lock:
            times = [row[0] for row in self._connection.execute(query, tuple(like.values()))]
        return times[len(times) // 2] if times else None

    def _holds(self, host: str, pid: int, born: float, since: float) -> bool:
        """Whether who made this claim may still be at it."""
        if (host, pid, born) == self._me:
            return False
        if host != self._me[0]:
            return time.time() - since < LEASE_SECONDS
        try:
            # A pid is given to other processes later; the time of birth is not.
            other = psutil.Process(pid)
            same: bool = abs(other.create_time() - born) < 1.0
            # A killed process that nobody has asked after is still listed.
            return same and bool(other.status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return False

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, alone in this process and among processes."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError):
                    raise StoreError(f"cannot write to {self.path}: {error}") from error
                raise


def _read(row: tuple[Any, ...]) -> Row:
    out = dict(zip(COLUMNS, row, strict=True))
    for name in JSON_COLUMNS:
        out[name] = json.loads(out[name])
    return out
