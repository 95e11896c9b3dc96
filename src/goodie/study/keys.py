"""What each key of a study's file takes."""

from collections.abc import Callable, Mapping
from typing import Any

from goodie.errors import InputError


def check(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    """Refuse keys that are not known, and values that are not of the kind that their key takes."""
    if unknown := set(table) - set(known):
        raise InputError(
            f"{where} has {', '.join(sorted(unknown))}; it can have {', '.join(known)}"
        )
    for key, value in table.items():
        good, kind = _KINDS[key]
        if not good(value):
            raise InputError(f"{key} of {where} is {value!r}; it takes {kind}")


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_list(good: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and bool(value) and all(map(good, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_rate(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_seeds(value: Any) -> bool:
    return _is_whole(value, 1) or _is_list(lambda seed: _is_whole(seed, 0))(value)


def _are_tables(value: Any) -> bool:
    return _is_table(value) and all(map(_is_table, value.values()))


# What each key of a study takes: a check of it, and words for it.
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (_is_text, "a text"),
    "about": (_is_text, "a text"),
    "task": (_is_text, "a text"),
    "datasets": (_are_texts, "a list of names"),
    "methods": (_are_texts, "a list of names"),
    "scenarios": (_are_texts, "a list of missing patterns"),
    "rates": (_is_list(_is_rate), "a list of numbers between 0 and 1"),
    "seeds": (_are_seeds, "a number above 0, or a list of numbers from 0"),
    "settings": (_are_tables, "a table for each method"),
    "data": (_are_tables, "a table for each dataset"),
    "search": (_are_tables, "a table for each method"),
    "grids": (_is_list(_is_table), "a list of tables"),
}
