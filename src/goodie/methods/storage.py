"""A fitted method as a folder: numbers in safetensors, the rest in JSON; nothing is unpickled."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from goodie import config, methods
from goodie.errors import InputError
from goodie.methods import links
from goodie.methods.base import Learner, Learnt

# Raised when the layout of the folder changes.
FORMAT = 2
MODEL, WEIGHTS = "model.json", "weights.safetensors"

REGISTRIES: dict[str, Callable[[str], type[Learner[Any]]]] = {
    "node": methods.get,
    "link": links.get,
}

# Writes a file at a path.
Writer = Callable[[Path], object]


class Stored(NamedTuple):
    """What a folder holds.

    Attributes:
        method: ready to predict.
        extra: what else was saved with it, as JSON has it.
        tensors: likewise.
    """

    method: Learner[Any]
    extra: dict[str, Any]
    tensors: dict[str, Tensor]


def save(
    method: Learner[Any],
    folder: Path,
    *,
    extra: Mapping[str, Any] | None = None,
    tensors: Mapping[str, Tensor] | None = None,
    beside: Mapping[str, Writer] | None = None,
) -> None:
    """Write a fitted method into a folder, which is made, or replaced if it holds a model.

    Args:
        method: fitted.
        folder: where to.
        extra: anything that JSON can hold, to be kept with it.
        tensors: likewise.
        beside: other files of the folder, by name, each a function that writes it.
    """
    check_folder(folder)
    facts, weights = method.learnt()
    settings = config.as_dict(method.settings)
    page = {
        "format": FORMAT,
        "task": method.task,
        "method": method.name,
        "version": method.version_of(settings),
        "settings": settings,
        "facts": facts,
        "extra": dict(extra or {}),
    }
    named = {f"method/{name}": t for name, t in weights.items()}
    named |= {f"extra/{name}": t for name, t in (tensors or {}).items()}
    json.dumps(page)  # what JSON cannot hold shows before anything is written

    # Written beside and then moved: a model is never half there.
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        save_file({k: t.detach().cpu().contiguous() for k, t in named.items()}, temporary / WEIGHTS)
        for name, write in (beside or {}).items():
            write(temporary / name)
        page["weights"] = _digest((temporary / WEIGHTS).read_bytes())
        text = json.dumps(page | {"digest": own_digest(page)}, indent=1) + "\n"
        (temporary / MODEL).write_text(text, encoding="utf-8")
        if folder.exists():
            folder.replace(old)
        temporary.replace(folder)
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        if old.exists() and not folder.exists():
            old.replace(folder)
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(temporary, ignore_errors=True)


def load(folder: Path, *, device: torch.device | str = "cpu") -> Stored:
    """Read what `save` wrote.

    Both files are checked against digests, so that a model is either the one that was saved or
    refused. No digest proves who wrote it; but reading it runs nothing that it says.
    """
    if not _is_model(folder):
        raise InputError(f"{folder} is not a saved model: it holds no {MODEL} and {WEIGHTS}")
    try:
        page = json.loads((folder / MODEL).read_text(encoding="utf-8"))
        if not isinstance(page, dict):
            raise ValueError(f"{MODEL} holds no model")
        if page["format"] != FORMAT:
            raise InputError(
                f"{folder} has format {page['format']!r}; this version reads {FORMAT}: another "
                "version of goodie saved it"
            )
        if page.pop("digest") != own_digest(page):
            raise ValueError(f"{MODEL} is not as it was written")
        if page["weights"] != _digest((folder / WEIGHTS).read_bytes()):
            raise ValueError(f"{WEIGHTS} is not as it was written")
        kind = REGISTRIES[page["task"]](page["method"])
        method = kind(config.build(kind.Settings, page["settings"]))
        version = kind.version_of(config.as_dict(method.settings))
        if page["version"] != version:
            raise InputError(
                f"{folder} was saved by version {page['version']} of {kind.name}, and this is "
                f"version {version}, which computes otherwise: fit it again"
            )
        tensors = load_file(folder / WEIGHTS)
        method.restore(Learnt(page["facts"], _under("method", tensors)), device=device)
    except InputError:
        raise
    except (OSError, LookupError, TypeError, ValueError, RuntimeError, SafetensorError) as error:
        raise InputError(f"{folder} is not a whole saved model: {error}") from error
    return Stored(method, page["extra"], _under("extra", tensors))


def task(folder: Path) -> str | None:
    """What a saved model was fitted to do, `node` or `link`; None where there is none to read."""
    try:
        page = json.loads((folder / MODEL).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return page.get("task") if isinstance(page, dict) else None


def check_folder(folder: Path) -> None:
    """Refuse a folder that is there and holds something else."""
    if folder.exists() and not _is_model(folder):
        raise InputError(f"{folder} exists and is not a saved model, so it is left alone")


def _is_model(folder: Path) -> bool:
    return (folder / MODEL).is_file() and (folder / WEIGHTS).is_file()


def own_digest(page: Mapping[str, Any]) -> str:
    """Of the page without its digest, however it is laid out."""
    return _digest(json.dumps(page, sort_keys=True).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _under(part: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    prefix = f"{part}/"
    return {k.removeprefix(prefix): t for k, t in tensors.items() if k.startswith(prefix)}
