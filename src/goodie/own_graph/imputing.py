"""A table of nodes with its holes filled from the neighbours."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from torch_geometric.data import Data

from goodie.data.tables.columns import MICROSECONDS, OneHot, Scaled, as_numbers
from goodie.data.tables.encoding import MAX_CATEGORIES, Encoding
from goodie.data.tables.graph import TableGraph
from goodie.data.tables.kinds import Column
from goodie.errors import InputError
from goodie.estimators.imputer import FeatureImputer, Score

SUFFIX = "_confidence"


class Imputed(NamedTuple):
    """A table without holes, and how good that is.

    Attributes:
        frame: the columns of the table in their order, then the confidence in what was filled of
            each column that had holes, null where nothing was.
        columns: of each feature, as JSON has it: `name`, `kind`, `holes` (how many), `filled_by`
            (`neighbours`, `mean` or `most frequent`), `confidence` (mean over what was filled),
            `out_of_reach` (filled entries that nothing observed reaches); and, measured on
            `entries` that were hidden, `error` and `plain_error` (root mean squared in the column's
            units, days of dates, before rounding; the share of wrong categories) and `gain`.
        gain: the share of the error of the columns' means, or most frequent categories, that was
            gone, over all hidden entries; None where none could be hidden.
        notes: as sentences.
    """

    frame: pl.DataFrame
    columns: list[dict[str, Any]]
    gain: float | None
    notes: tuple[str, ...]


def impute(
    graph: TableGraph,
    *,
    text: bool = False,
    max_categories: int = MAX_CATEGORIES,
    random_state: int = 0,
    device: str = "cpu",
    say: Callable[[str], None] = lambda _: None,
) -> Imputed:
    """Fill every hole of the features: see `goodie.FeatureImputer`.

    Values come in the column's own units and categories, never outside the range of what is
    observed. Whole numbers stay whole. What is observed stays as it is, bit for bit. The label is
    no feature, and stays too; columns that hold nothing have nothing to be filled with.

    Args:
        graph: two tables.
        text: give the cells as text, those observed as they came: for a CSV that becomes a CSV.
        max_categories: a categorical column that shows more gets its most frequent value.
        random_state: chooses what is hidden to measure by.
        device: `cpu` or `cuda`.
        say: is told what is going on.
    """
    text = text and not graph.nodes.sheet.typed
    features = graph.nodes.features
    _check_names(graph, features)
    n = len(graph.nodes)
    as_given = {column.name: column for column in features}
    columns = [_categories_too(column) for column in features]
    everyone = np.ones(n, dtype=bool)
    fitted = Encoding.fit(columns, everyone, max_categories=max_categories)
    encoding = fitted.encoding
    data = Data(
        x=encoding.apply(columns, n, farthest=math.inf),
        edge_index=graph.edges.edge_index,
        edge_weight=graph.edges.edge_weight,
        num_nodes=n,
    )
    places = _places(encoding)
    groups = [place for place in places if len(place) > 1]
    imputer = FeatureImputer(groups=groups, random_state=random_state, device=device)
    say("hiding observed entries, to see how well they are filled")
    imputer.fit(data)
    say("filling holes")
    x, confidence, reached = imputer.fill(data)

    frame = graph.nodes.sheet.frame
    beside, rows = [], []
    for group, (column, place) in enumerate(zip(encoding.columns, places, strict=True)):
        given = as_given[column.name]
        hole = given.values.is_null()
        told = pl.Series(confidence[:, group].numpy()).cast(pl.Float64)
        filled = _decoded(column, x[:, place].numpy(), given)
        frame = frame.with_columns(_merged(frame[column.name], given, filled, text=text))
        rows.append(
            {
                "name": column.name,
                "kind": given.kind,
                "holes": int(hole.sum()),
                "filled_by": _filled_by(column, bool(imputer.trusted_[group])),
                "confidence": told.filter(hole).mean(),
                "out_of_reach": int((~reached[:, group]).sum()),
                **_scores(column, imputer.scores_[group]),
            }
        )
        if hole.any():
            beside.append(told.set(~hole, None).alias(column.name + SUFFIX))
    for given in features:
        if given.name not in encoding.kinds:  # too many categories
            hole = given.values.is_null()
            filled = pl.repeat(given.values.drop_nulls().mode().sort()[0], n, eager=True)
            frame = frame.with_columns(_merged(frame[given.name], given, filled, text=text))
            beside.append(pl.repeat(0.0, n, eager=True).set(~hole, None).alias(given.name + SUFFIX))
            rows.append(
                {
                    "name": given.name,
                    "kind": given.kind,
                    "holes": int(hole.sum()),
                    "filled_by": "most frequent",
                    "confidence": 0.0,
                }
            )
    notes = (*graph.notes, *fitted.notes)
    return Imputed(frame.with_columns(beside), rows, _overall(imputer.scores_, encoding), notes)


def _check_names(graph: TableGraph, features: Sequence[Column]) -> None:
    if not features:
        raise InputError(f"{graph.nodes.sheet.source} has no feature column, so nothing to fill")
    for column in features:
        if column.name + SUFFIX in graph.nodes.sheet.frame.columns:
            raise InputError(
                f"{graph.nodes.sheet.source} has a column {column.name + SUFFIX!r}, where the "
                f"confidence in {column.name!r} would go: rename it"
            )


def _categories_too(column: Column) -> Column:
    """Yes and no as two categories: a filled one is to be one of them."""
    if column.kind != "boolean":
        return column
    return Column(column.name, "categorical", column.values.cast(pl.String))


def _places(encoding: Encoding) -> list[list[int]]:
    """The columns of x that each column of the table became."""
    places, at = [], 0
    for column in encoding.columns:
        places.append(list(range(at, at + len(column.names))))
        at += len(column.names)
    return places


def _decoded(column: Scaled | OneHot, x: np.ndarray, given: Column) -> pl.Series:
    """Every entry in the column's own terms; those observed are not used."""
    if isinstance(column, OneHot):
        names = pl.Series(column.categories, dtype=pl.String)
        chosen = names.gather(np.nan_to_num(x).argmax(axis=1))
        return chosen == "true" if given.kind == "boolean" else chosen
    observed = as_numbers(given.values.drop_nulls(), given.kind)
    with np.errstate(over="ignore"):  # and what is too large is cut
        values = column.mean + column.scale * x[:, 0].astype(np.float64)
    values = values.clip(observed.min(), observed.max())
    if given.kind == "date":
        if given.values.dtype == pl.Date:
            return pl.Series(np.rint(values)).cast(pl.Int32).cast(pl.Date)
        micro = pl.Series(np.rint(values * MICROSECONDS)).cast(pl.Int64).cast(pl.Datetime("us"))
        return micro.cast(given.values.dtype) if _naive(given) else _zoned(micro, given)
    return pl.Series(np.rint(values) if given.whole else values)


def _merged(raw: pl.Series, given: Column, filled: pl.Series, *, text: bool) -> pl.Series:
    """What was observed, and what was filled elsewhere, in the type of what was observed."""
    observed = given.observed
    if text:
        filled = _as_text(filled, given, raw)
    elif raw.dtype == pl.String:  # from a text, into a table with types
        raw = given.values
        if given.whole and float(raw.abs().max() or 0) < 2**53:  # type: ignore[arg-type]
            raw = raw.cast(pl.Int64)
    name = given.name
    typed = filled.cast(raw.dtype, strict=False)
    if typed.null_count():  # rounded up to 2⁶³, which is none of 64 bits' numbers
        most = pl.repeat(raw.max(), len(raw), dtype=raw.dtype, eager=True)
        typed = typed.zip_with(typed.is_not_null(), most)
    return raw.zip_with(observed, typed).alias(name)


def _as_text(filled: pl.Series, given: Column, raw: pl.Series) -> pl.Series:
    """As the column's other cells are written."""
    if given.kind == "date" and given.form is not None:
        return filled.dt.strftime(given.form)
    if given.kind == "boolean":
        words = {}
        for value in (True, False):
            mode = raw.filter(given.values == value).str.strip_chars().mode().sort()
            words[value] = mode[0] if len(mode) else str(value).lower()
        return filled.replace_strict(words, return_dtype=pl.String)
    if given.whole:
        return filled.cast(pl.Int64).cast(pl.String)
    return filled.cast(pl.String)


def _naive(given: Column) -> bool:
    return getattr(given.values.dtype, "time_zone", None) is None


def _zoned(micro: pl.Series, given: Column) -> pl.Series:
    zone = given.values.dtype.time_zone  # type: ignore[attr-defined]
    return micro.dt.replace_time_zone("UTC").dt.convert_time_zone(zone).cast(given.values.dtype)


def _filled_by(column: Scaled | OneHot, trusted: bool) -> str:
    if trusted:
        return "neighbours"
    return "most frequent" if isinstance(column, OneHot) else "mean"


def _scores(column: Scaled | OneHot, score: Score | None) -> dict[str, Any]:
    """What was measured, in the column's units."""
    if score is None:
        return {"entries": 0}
    unit = column.scale if isinstance(column, Scaled) else 1.0
    return {
        "entries": score.entries,
        "error": unit * score.error,
        "plain_error": unit * score.plain_error,
        "gain": score.gain,
    }


def _overall(scores: Sequence[Score | None], encoding: Encoding) -> float | None:
    """The gain over all hidden entries, each column's relative to its plain guess."""
    there = [score for score in scores if score is not None and score.plain_error > 0]
    entries = sum(score.entries for score in there)
    if not entries:
        return None
    return sum(score.entries * score.gain for score in there) / entries
