"""Settings of a method: a frozen dataclass ⇄ TOML, in which an unknown key is an error."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from goodie._toml import tomllib
from goodie.errors import InputError

T = TypeVar("T")


def build(kind: type[T], *layers: Mapping[str, Any]) -> T:
    """A settings object from its defaults and layers of settings, later layers winning.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Config:
        ...     alpha: float = 0.9
        ...     steps: int = 50
        >>> build(Config, {"alpha": 0.5}, {"alpha": 1, "steps": 10})
        Config(alpha=1.0, steps=10)
    """
    hints = get_type_hints(kind)
    settings: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            if key not in hints:
                raise InputError(f"unknown setting {key!r}; there are {', '.join(hints)}")
            settings[key] = fit(key, value, hints[key])
    return kind(**settings)


def as_dict(config: Any) -> dict[str, Any]:
    """All settings, defaults too."""
    return dataclasses.asdict(config)


def read_toml(path: Path) -> dict[str, Any]:
    """The settings in a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}") from error


def parse_assignments(words: list[str]) -> dict[str, Any]:
    """Settings from `key=value` words, each value read as TOML, or else taken as a string.

    Example:
        >>> parse_assignments(["alpha=0.5", "form=reset"])
        {'alpha': 0.5, 'form': 'reset'}
    """
    settings = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise InputError(f"{word!r} is not of the form key=value")
        settings[key] = _value(text)
    return settings


def _value(text: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return parsed["value"] if len(parsed) == 1 else text


def fit(key: str, value: Any, hint: Any) -> Any:
    """The value as the type that the setting has, or an error that names both."""
    options = get_args(hint)
    if get_origin(hint) is Literal:
        if value in options:
            return value
        raise InputError(f"{key} is {value!r}; it can be {', '.join(map(repr, options))}")
    kinds = options or (hint,)
    if float in kinds and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    for kind in kinds:
        # bool is an int to isinstance, and `steps=true` is a mistake.
        if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
            return value
    names = " or ".join("none" if kind is type(None) else kind.__name__ for kind in kinds)
    raise InputError(f"{key} is {value!r}; it must be {names}")
