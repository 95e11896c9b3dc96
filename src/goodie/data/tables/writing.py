"""Writing a table: beside, then moved, so that it is there whole or not at all."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from goodie.appearing import appearing
from goodie.errors import InputError

ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl")


def check_output(path: str | Path, *, inputs: Sequence[str | Path] = ()) -> Path:
    """Refuse, before any work, a file that could not be written or that is one of the inputs."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path} ends in none of {', '.join(ENDINGS)}, which can be written")
    for given in inputs:
        given = Path(given)
        if path.resolve() == given.resolve() or _same_file(path, given):
            raise InputError(f"{path} is an input, and is not written over: choose another --out")
    if path.is_dir():
        raise InputError(f"{path} is a folder; --out names a file")
    return path


def write_table(
    frame: pl.DataFrame, path: str | Path, *, inputs: Sequence[str | Path] = ()
) -> None:
    """Write a table as Parquet, CSV, TSV or JSON lines, by the file's ending.

    Args:
        frame: the table.
        path: where to; replaced if it is there.
        inputs: files that it must not be.
    """
    path = check_output(path, inputs=inputs)
    try:
        with appearing(path) as temporary:
            match path.suffix.lower():
                case ".parquet":
                    frame.write_parquet(temporary)
                case ".csv":
                    frame.write_csv(temporary)
                case ".tsv":
                    frame.write_csv(temporary, separator="\t")
                case _:
                    frame.write_ndjson(temporary)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)
