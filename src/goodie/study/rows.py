"""Rows to and from files, in a fixed order, so that the same rows are the same file."""

import json
from collections.abc import Iterable
from pathlib import Path

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
    import polars as pl

    _check(path)
    table = ordered(rows)
    temporary = path.with_name(f".{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if path.suffix == ".jsonl":
            lines = [json.dumps({name: row[name] for name in COLUMNS}) + "\n" for row in table]
            temporary.write_text("".join(lines), encoding="utf-8")
        else:
            flat = [
                {
                    k: json.dumps(v, sort_keys=True) if k in JSON_COLUMNS else v
                    for k, v in row.items()
                }
                for row in table
            ]
            frame = pl.DataFrame(flat, schema=list(COLUMNS), infer_schema_length=None, orient="row")
            if path.suffix == ".csv":
                frame.write_csv(temporary)
            else:
                frame.write_parquet(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path) -> list[Row]:
    """Rows from a file that `write` made."""
    import polars as pl

    _check(path)
    try:
        if path.suffix == ".jsonl":
            lines = path.read_text(encoding="utf-8").splitlines()
            table = [json.loads(line) for line in lines if line]
        else:
            scan = pl.read_csv if path.suffix == ".csv" else pl.read_parquet
            table = [
                {k: json.loads(v) if k in JSON_COLUMNS else v for k, v in row.items()}
                for row in scan(path).to_dicts()
            ]
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path} does not hold rows: {error}") from error
    for number, row in enumerate(table, start=1):
        if not isinstance(row, dict) or set(row) != set(COLUMNS):
            raise InputError(f"row {number} of {path} does not have the columns of a row")
    return table


def _check(path: Path) -> None:
    if path.suffix not in FORMATS:
        raise InputError(f"{path} ends in none of {', '.join(FORMATS)}")
