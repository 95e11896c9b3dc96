"""The table of nodes: ids, labels, and typed feature columns."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl
import torch
from jaxtyping import Int
from torch import Tensor

from goodie.data.tables.kinds import Column, cells, hole_words, read_column
from goodie.data.tables.options import Options
from goodie.data.tables.sheet import Sheet, counted, listed
from goodie.errors import InputError

ID_NAMES = ("id", "node", "node_id", "nodeid")

# More classes than this are numbers or names, not classes.
MAX_CLASSES = 1000


@dataclass(frozen=True, eq=False)
class Labels:
    """What is known of the nodes' classes.

    Attributes:
        classes: as they came, in order; numbers by size.
        y: the place of each node's label in `classes`, −1 where unknown.
    """

    classes: pl.Series
    y: Int[Tensor, " nodes"]

    @property
    def names(self) -> tuple[str, ...]:
        """The classes as text."""
        return tuple(str(one) for one in self.classes.to_list())


@dataclass(frozen=True, eq=False)
class NodeTable:
    """The nodes.

    Attributes:
        sheet: the table as it came.
        ids: as they came, in its order.
        columns: the features.
        labels: None where no column holds labels.
        notes: what was noticed while reading.
    """

    sheet: Sheet
    ids: pl.Series
    columns: tuple[Column, ...]
    labels: Labels | None
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def features(self) -> tuple[Column, ...]:
        """The columns that are not left out."""
        return tuple(column for column in self.columns if column.kind != "ignored")


def read_nodes(sheet: Sheet, options: Options) -> NodeTable:
    """Make sense of a table of nodes."""
    if sheet.frame.height == 0:
        raise InputError(f"{sheet.source} has no rows, so there are no nodes")
    id_name = options.id or named(sheet, ID_NAMES, 0)
    guessed = "" if options.id else f" ({id_name!r} was taken for the ids; --id names another)"
    ids = sheet.column(id_name)
    _check_ids(sheet, ids, guessed)
    if options.label == id_name:
        raise InputError(f"{id_name!r} cannot be the ids and the labels")
    taken = {id_name, options.label}
    for name in options.types:
        sheet.column(name)
        if name in taken:
            raise InputError(f"{name!r} is the id or the label, and takes no --type")
    columns = tuple(
        read_column(sheet, name, kind=options.types.get(name), holes=options.all_holes)
        for name in sheet.frame.columns
        if name not in taken
    )
    labels = None if options.label is None else read_labels(sheet, options)
    notes = [*sheet.notes, *_hole_notes(sheet, id_name, options)]
    notes += [note for column in columns for note in column.notes]
    return NodeTable(sheet, ids, columns, labels, tuple(notes))


def read_labels(sheet: Sheet, options: Options) -> Labels:
    """The labels in a column; a hole is an unknown label."""
    assert options.label is not None
    raw = sheet.column(options.label)
    if raw.dtype == pl.String:
        raw = cells(raw, options.all_holes)
    elif raw.dtype.is_float():
        raw = raw.fill_nan(None)
    elif not (
        raw.dtype.is_integer() or raw.dtype in (pl.Boolean, pl.Categorical, pl.Enum, pl.Null)
    ):
        raise InputError(f"labels are texts or numbers; column {raw.name!r} is {raw.dtype}")
    raw = _plain(raw)
    known = raw.drop_nulls()
    classes = known.unique()
    numbers = classes.cast(pl.Float64, strict=False)
    by_size = classes.dtype == pl.String and numbers.null_count() == 0
    classes = classes.gather(numbers.arg_sort()) if by_size else classes.sort()
    if len(classes) > MAX_CLASSES or (len(classes) > 20 and 2 * len(classes) > len(known)):
        raise InputError(
            f"column {options.label!r} of {sheet.source} has {len(classes)} different values among "
            f"{len(known)}, e.g. {classes[0]!r} and {classes[1]!r}: a label is one of a few classes"
        )
    place = raw.replace_strict(
        classes, pl.Series(range(len(classes)), dtype=pl.Int64), default=-1, return_dtype=pl.Int64
    )
    return Labels(classes, torch.from_numpy(place.fill_null(-1).to_numpy().copy()))


def _hole_notes(sheet: Sheet, id_name: str, options: Options) -> list[str]:
    """Which words were taken for holes: one of them may be a category after all."""
    total: Counter[str] = Counter()
    for column in sheet.frame.drop(id_name):
        total.update(hole_words(column, options.all_holes))
    if not total:
        return []
    words = ", ".join(f"{word!r} ({counted(count, 'cell')})" for word, count in total.items())
    return [f"taken for holes: {words}"]


def named(sheet: Sheet, names: Iterable[str], place: int) -> str:
    """The first column with one of the names, in any case, or else the one at a place."""
    lower = {column.lower(): column for column in reversed(sheet.frame.columns)}
    for name in names:
        if name in lower:
            return lower[name]
    if len(sheet.frame.columns) <= place:
        raise InputError(
            f"{sheet.source} has {len(sheet.frame.columns)} column "
            f"({listed(sheet.frame.columns)}), and needs {place + 1}: is the separator right?"
        )
    return str(sheet.frame.columns[place])


def keys(ids: pl.Series) -> pl.Series:
    """Ids as texts to be compared: 7, "7" and 7.0 are the same one.

    Example:
        >>> keys(pl.Series([7.0, 8.0])).to_list()
        ['7', '8']
    """
    if ids.dtype.is_float() and bool((ids == ids.round()).fill_null(True).all()):
        whole = ids.cast(pl.Int64, strict=False)
        ids = whole if whole.null_count() == ids.null_count() else ids
    if ids.dtype == pl.String:
        return ids
    if ids.dtype.is_nested() or ids.dtype in (pl.Binary, pl.Object):
        raise InputError(f"column {ids.name!r} is {ids.dtype}, of which ids cannot be")
    return ids.cast(pl.String)


def missing_key(key: pl.Series) -> pl.Series:
    """Which keys are nothing."""
    return key.is_null() | (key == "")


def _plain(labels: pl.Series) -> pl.Series:
    """Labels in the type in which they are kept and given back."""
    if labels.dtype.is_integer():
        return labels.cast(pl.Int64)
    if labels.dtype.is_float():
        return labels.cast(pl.Float64)
    return labels if labels.dtype == pl.Boolean else labels.cast(pl.String)


def _check_ids(sheet: Sheet, ids: pl.Series, guessed: str) -> None:
    key = keys(ids)
    absent = missing_key(key)
    if absent.any():
        place = sheet.place(int(absent.arg_true()[0]))
        raise InputError(
            f"an id is lacking in column {ids.name!r} of {counted(int(absent.sum()), 'node')}, "
            f"e.g. in {place}{guessed}"
        )
    twice = key.is_duplicated()
    if twice.any():
        first = int(twice.arg_true()[0])
        other = int((key == key[first]).arg_true()[1])
        count = int(twice.sum()) - int(key.filter(twice).n_unique())
        raise InputError(
            f"ids of column {ids.name!r} are repeated by {counted(count, 'row')}, e.g. "
            f"{ids[first]!r} in {sheet.place(first)} and {sheet.place(other)}: a node is one row"
            f"{guessed}"
        )
