"""An account as a JSON file beside a saved model, and back."""

import json
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from goodie.appearing import appearing
from goodie.errors import InputError
from goodie.methods.storage import task
from goodie.report.account import FORMAT, Account

NAME = "account.json"


def save(account: Account, folder: Path) -> None:
    """Put an account into a model's folder."""
    write(folder / NAME, dumps(account))


def dumps(account: Account) -> str:
    """What `save` writes."""
    page = {"format": FORMAT, "account": asdict(account)}
    return json.dumps(page, separators=(",", ":"), allow_nan=False) + "\n"


def load(folder: Path) -> Account:
    """The account in a model's folder."""
    path = folder / NAME
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    if task(folder) == "link":
        raise InputError(f"{folder} holds a model of links, and a report is of one of labels")
    if not path.is_file():
        raise InputError(
            f"{folder} holds no {NAME}: a report needs what `goodie fit` writes into the model's "
            "folder"
        )
    try:
        page = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(page, dict) or "format" not in page:
            raise InputError(f"{path} is not the account of a model")
        if page["format"] != FORMAT:
            raise InputError(f"{path} has format {page['format']}; this version reads {FORMAT}")
        account = _read(Account, page.get("account"), "account")
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a whole account: {error}") from error
    assert isinstance(account, Account)
    points = account.points
    lengths = {len(getattr(points, field.name)) for field in fields(points)[1:]}
    if not lengths - {0} <= {len(points.ids)}:
        raise InputError(f"{path} is not a whole account: its points' columns differ in length")
    return account


def write(path: Path, text: str) -> None:
    """Write a file beside its place and move it there, so that it is never half there."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file")
    try:
        with appearing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _read(kind: Any, value: Any, where: str) -> Any:
    """A value of JSON as what it was before; `where` is for the error."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        names = [field.name for field in fields(kind)]
        if not isinstance(value, dict) or set(value) != set(names):
            raise InputError(f"{where} should be an object with {', '.join(names)}")
        return kind(**{name: _read(hints[name], value[name], f"{where}.{name}") for name in names})
    if origin is tuple:
        if not isinstance(value, list):
            raise InputError(f"{where} should be a list, not {value!r:.40}")
        return tuple(_read(arguments[0], one, f"{where}[{i}]") for i, one in enumerate(value))
    if origin in (Union, UnionType):
        if value is None and NoneType in arguments:
            return None
        (kind,) = (one for one in arguments if one is not NoneType)
        return _read(kind, value, where)
    if origin is Literal:
        fits = value in arguments
    elif kind is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool)
    else:
        fits = type(value) is kind
    if not fits:
        raise InputError(f"{where} should not be {value!r:.40}")
    return value
