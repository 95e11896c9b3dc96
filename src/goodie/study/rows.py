"""Rows to and from files, in a fixed order, so that the same rows are the same file."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from goodie.appearing import appearing
from goodie.errors import InputError
from goodie.study.store import COLUMNS, JSON_COLUMNS, Row

FORMATS = (".jsonl", ".csv", ".parquet")


def ordered(rows: Iterable[Row]) -> list[Row]:
    """Rows by what they are of, then by their key."""
    return sorted(
        rows,
        key=lambda row: (
            *(row[name] for name in ("task", "dataset", "method", "scenario", "rate")),
            json.dumps(row["settings"], sort_keys=True),
            row["seed"],
            row["key"],
        ),
    )


def write(rows: Iterable[Row], path: Path) -> None:
    """Write rows as JSON lines, CSV or Parquet, by the file's ending."""
    _check(path)
    table = ordered(rows)
    try:
        with appearing(path) as temporary:
            _write(table, temporary, path.suffix)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _write(table: list[Row], path: Path, ending: str) -> None:
    if ending == ".jsonl":
        lines = [{name: _in_order(row[name]) for name in COLUMNS} for row in table]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return
    import polars as pl

    flat = [
        {
            name: json.dumps(row[name], sort_keys=True) if name in JSON_COLUMNS else row[name]
            for name in COLUMNS
        }
        for row in table
    ]
    frame = pl.DataFrame(flat, schema=_schema())
    if ending == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)


def read(path: Path) -> list[Row]:
    """Rows from a file that `write` made."""
    import polars as pl

    _check(path)
    try:
        if path.suffix == ".jsonl":
            lines = path.read_text(encoding="utf-8").splitlines()
            table = [json.loads(line) for line in lines if line]
        else:
            frame = (
                pl.read_csv(path, schema_overrides=_schema())
                if path.suffix == ".csv"
                else pl.read_parquet(path)
            )
            table = [_unflatten(row) for row in frame.to_dicts()]
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, TypeError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path} does not hold rows: {error}") from error
    for number, row in enumerate(table, start=1):
        if problem := _problem(row):
            raise InputError(f"row {number} of {path} {problem}")
    return table


def _in_order(value: Any) -> Any:
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def _unflatten(row: Row) -> Row:
    return {name: json.loads(v) if name in JSON_COLUMNS else v for name, v in row.items()}


def _schema() -> dict[str, Any]:
    import polars as pl

    kinds = {str: pl.String, dict: pl.String, float: pl.Float64, int: pl.Int64}
    return {name: kinds[kind] for name, kind in COLUMNS.items()}


def _problem(row: Any) -> str | None:
    """What keeps a row from being one."""
    if not isinstance(row, dict) or set(row) != set(COLUMNS):
        return "does not have the columns of a row"
    done = row["status"] == "done"
    if not done and row["status"] != "failed":
        return f"has the status {row['status']!r}, neither done nor failed"
    # What a failed cell, or another machine, may not know.
    optional = {
        "peak_memory",
        "error",
        "git_revision",
        *(() if done else ("val", "test", "seconds")),
    }
    for name, kind in COLUMNS.items():
        value = row[name]
        if value is None and name in optional:
            continue
        number = kind is float and isinstance(value, int)
        if isinstance(value, bool) or not (isinstance(value, kind) or number):
            return f"has {name} {value!r}, which is no {kind.__name__}"
        if kind is float and not math.isfinite(value):
            return f"has {name} {value!r}, which is not finite"
    return None


def _check(path: Path) -> None:
    if path.suffix not in FORMATS:
        raise InputError(f"{path} ends in none of {', '.join(FORMATS)}")
