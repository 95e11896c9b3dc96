"""What a column holds: numbers, yes or no, dates or categories; found out, or as the user says."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, get_args

import polars as pl

from goodie.data.tables.sheet import Sheet, counted
from goodie.errors import InputError

Kind = Literal["numeric", "boolean", "date", "categorical", "ignored"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# What stands for a hole in a text, beside nothing at all.
HOLES = frozenset({"NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?"})

YES, NO = frozenset({"true", "yes", "t", "y"}), frozenset({"false", "no", "f", "n"})

# A text of which this share is numbers, or dates, and the rest is not, is more likely a column of
# numbers with a slip in it than one of categories.
MOSTLY = 0.8

DATE_FORMS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y")
TIME_FORMS = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.fZ")


@dataclass(frozen=True, eq=False)
class Column:
    """A feature column with a type; null is a hole.

    Attributes:
        name: of the column.
        kind: what it holds.
        values: Float64, Boolean, Date or Datetime, or String; of an ignored column as they came.
        whole: of numbers, whether all that are observed are whole.
        form: of dates in a text, how they are written.
        notes: what was noticed, as sentences.
    """

    name: str
    kind: Kind
    values: pl.Series
    whole: bool = False
    form: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def observed(self) -> pl.Series:
        """Which entries are known."""
        return self.values.is_not_null()


def read_column(
    sheet: Sheet, name: str, *, kind: Kind | None = None, holes: Collection[str] = HOLES
) -> Column:
    """A column as what it holds.

    Args:
        sheet: the table.
        name: of the column.
        kind: what it holds; None to find out. What is not of a kind that was asked for is a hole,
            and counted in the notes; what does not fit a kind that was found out is an error.
        holes: words that stand for a hole in a text.

    Example:
        >>> sheet = Sheet(pl.DataFrame({"age": ["31", "", "NA"]}), "nodes.csv", typed=False)
        >>> read_column(sheet, "age").values.to_list()
        [31.0, None, None]
    """
    raw = sheet.column(name)
    if kind == "ignored":
        return Column(name, "ignored", raw)
    if raw.dtype == pl.String:
        text = cells(raw, holes)
        if kind is None:
            kind = _find_out(sheet, text) if not sheet.typed else "categorical"
        return _of_text(text, kind)
    return _of_typed(raw, kind)


def cells(raw: pl.Series, holes: Collection[str] = HOLES) -> pl.Series:
    """Text without the blanks around it, null where it stands for a hole."""
    text = raw.str.strip_chars()
    gone = text.is_in(["", *holes])
    return text.set(gone.fill_null(False), None)


def hole_words(raw: pl.Series, holes: Collection[str] = HOLES) -> dict[str, int]:
    """The words in a text that stand for a hole, and how often they do.

    Example:
        >>> hole_words(pl.Series(["7", "NA", "", " NA"]))
        {'NA': 2}
    """
    if raw.dtype != pl.String:
        return {}
    words = raw.str.strip_chars()
    counts = words.filter(words.is_in(list(holes))).value_counts(name="count").sort("count")
    return {word: count for word, count in counts.iter_rows() if word}


def _find_out(sheet: Sheet, text: pl.Series) -> Kind:
    """What a text holds; an error where it is nearly one thing."""
    known = text.is_not_null()
    count = int(known.sum())
    if count == 0:
        return "ignored"
    if (_yes_or_no(text).is_not_null() == known).all():
        return "boolean"
    attempts: list[tuple[Kind, str, pl.Series]] = [
        ("numeric", "numbers", _numbers(text)),
        ("date", "dates", _dates(text)[0]),
    ]
    for kind, what, parsed in attempts:
        fits = int(parsed.is_not_null().sum())
        if fits == count:
            return kind
        if fits >= MOSTLY * count:
            odd = known & parsed.is_null()
            row = int(odd.arg_true()[0])
            raise InputError(
                f"column {text.name!r} of {sheet.source} mixes {fits:,} {what} with "
                f"{counted(count - fits, 'other value')}, e.g. {text[row]!r} in "
                f"{sheet.place(row)}: mend it, say what stands for a hole with --hole WORD, or say "
                f"what the column is with --type {text.name}={kind} (the others become holes) or "
                f"{text.name}=categorical"
            )
    return "categorical"


def _of_text(text: pl.Series, kind: Kind) -> Column:
    name = text.name
    if kind == "ignored":
        return Column(name, kind, text, notes=(f"{name!r} holds nothing and is left out",))
    values, form = text, None
    if kind == "date":
        values, form = _dates(text)
    elif kind != "categorical":
        values = _numbers(text) if kind == "numeric" else _yes_or_no(text)
    lost = int((text.is_not_null() & values.is_null()).sum())
    return replace(_finished(name, kind, values, lost=lost), form=form)


def _of_typed(raw: pl.Series, kind: Kind | None) -> Column:
    """A column that came with a type."""
    name, dtype = raw.name, raw.dtype
    if dtype == pl.Null or raw.null_count() == len(raw):
        return Column(name, "ignored", raw, notes=(f"{name!r} holds nothing and is left out",))
    found: Kind
    if dtype.is_numeric():
        found = "numeric"
    elif dtype == pl.Boolean:
        found = "boolean"
    elif dtype in (pl.Date, pl.Datetime):
        found = "date"
    elif dtype in (pl.Categorical, pl.Enum):
        found = "categorical"
    else:
        return Column(name, "ignored", raw, notes=(f"{name!r} is {dtype}, and is left out",))
    kind = kind or found
    if kind == "categorical":
        if dtype.is_float():
            raw = raw.fill_nan(None)
        return _finished(name, kind, raw.cast(pl.String))
    if kind == found:
        return _finished(name, kind, raw.cast(pl.Float64) if kind == "numeric" else raw)
    return _of_text(raw.cast(pl.String), kind)


def _finished(name: str, kind: Kind, values: pl.Series, lost: int = 0) -> Column:
    notes = []
    whole = False
    if lost:
        notes.append(f"taken for holes: {counted(lost, 'value')} of {name!r}, not {kind}")
    if kind == "numeric":
        infinite = int(values.is_infinite().sum())
        if infinite:
            notes.append(f"taken for holes: {counted(infinite, 'infinite value')} of {name!r}")
        values = values.set(~values.is_finite().fill_null(True), None)  # NaN too
        whole = bool((values == values.round()).all()) and values.null_count() < len(values)
    return Column(name, kind, values, whole, notes=tuple(notes))


def _numbers(text: pl.Series) -> pl.Series:
    return text.cast(pl.Float64, strict=False)


def _yes_or_no(text: pl.Series) -> pl.Series:
    word = text.str.to_lowercase()
    values: pl.Series = word.replace_strict(
        {**dict.fromkeys(YES, True), **dict.fromkeys(NO, False)},
        default=None,
        return_dtype=pl.Boolean,
    )
    return values


def _dates(text: pl.Series) -> tuple[pl.Series, str]:
    """Dates in the form that most of them have, with a time of day if it has one; and the form."""
    tried = [(text.str.to_date(form, strict=False), form) for form in DATE_FORMS]
    tried += [
        (text.str.to_datetime(form, strict=False, time_unit="us"), form) for form in TIME_FORMS
    ]
    return min(tried, key=lambda one: int(one[0].null_count()))
