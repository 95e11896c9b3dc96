"""What graphs from elsewhere share: names of the columns, and values of any type as one."""

from collections.abc import Hashable, Iterable
from typing import Any

import polars as pl

from goodie.data.tables.options import Options

ID, LABEL, SOURCE, TARGET, WEIGHT = "id", "label", "source", "target", "weight"


def series(name: str, values: Iterable[Hashable]) -> pl.Series:
    """Values of any one type as a column; of several types as text.

    Example:
        >>> series("id", ["a", 1, None]).to_list()
        ['a', '1', None]
    """
    held = [None if _is_nothing(value) else value for value in values]
    kinds = {type(value) for value in held if value is not None}
    if kinds <= {int, float} or len(kinds) <= 1:
        try:
            return pl.Series(name, held, strict=kinds != {int, float})
        except (TypeError, OverflowError, pl.exceptions.PolarsError):
            pass
    return pl.Series(name, [None if value is None else str(value) for value in held])


def _is_nothing(value: Any) -> bool:
    """None, NaN, and pandas' NaT and NA."""
    return (
        value is None
        or type(value).__name__ in ("NaTType", "NAType")
        or (isinstance(value, float) and value != value)
    )


def ids_and_labels(labelled: bool, directed: bool) -> Options:
    return Options(
        id=ID,
        label=LABEL if labelled else None,
        source=SOURCE,
        target=TARGET,
        directed=directed,
    )
