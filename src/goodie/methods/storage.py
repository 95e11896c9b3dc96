"""A fitted method as a folder: numbers in safetensors, the rest in JSON; nothing is unpickled."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from goodie import config, methods
from goodie.errors import InputError
from goodie.methods.base import Learnt, Method

# Raised when the layout of the folder changes.
FORMAT = 1
MODEL, WEIGHTS = "model.json", "weights.safetensors"


class Stored(NamedTuple):
    """What a folder holds.

    Attributes:
        method: ready to predict.
        extra: what else was saved with it, as JSON has it.
        tensors: likewise.
    """

    method: Method[Any]
    extra: dict[str, Any]
    tensors: dict[str, Tensor]


def save(
    method: Method[Any],
    folder: Path,
    *,
    extra: Mapping[str, Any] | None = None,
    tensors: Mapping[str, Tensor] | None = None,
) -> None:
    """Write a fitted method into a folder, which is made, or replaced if it holds a model.

    Args:
        method: fitted.
        folder: where to.
        extra: anything that JSON can hold, to be kept with it.
        tensors: likewise.
    """
    if folder.exists() and not _is_model(folder):
        raise InputError(f"{folder} exists and is not a saved model, so it is left alone")
    facts, weights = method.learnt()
    settings = config.as_dict(method.settings)
    page = {
        "format": FORMAT,
        "method": method.name,
        "version": method.version_of(settings),
        "settings": settings,
        "facts": facts,
        "extra": dict(extra or {}),
    }
    text = json.dumps(page, indent=1) + "\n"
    named = {f"method/{name}": t for name, t in weights.items()}
    named |= {f"extra/{name}": t for name, t in (tensors or {}).items()}

    # Written beside and then moved: a model is never half there.
    temporary = folder.with_name(f".{folder.name}.part")
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        (temporary / MODEL).write_text(text, encoding="utf-8")
        save_file({k: t.detach().cpu().contiguous() for k, t in named.items()}, temporary / WEIGHTS)
        if folder.exists():
            shutil.rmtree(folder)
        temporary.replace(folder)
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def load(folder: Path, *, device: torch.device | str = "cpu") -> Stored:
    """Read what `save` wrote."""
    if not _is_model(folder):
        raise InputError(f"{folder} is not a saved model: it holds no {MODEL} and {WEIGHTS}")
    try:
        page = json.loads((folder / MODEL).read_text(encoding="utf-8"))
        tensors = load_file(folder / WEIGHTS)
        if page["format"] != FORMAT:
            raise InputError(f"{folder} has format {page['format']}; this version reads {FORMAT}")
        kind = methods.get(page["method"])
        method = kind(config.build(kind.Settings, page["settings"]))
        version = kind.version_of(config.as_dict(method.settings))
        if page["version"] != version:
            raise InputError(
                f"{folder} was saved by version {page['version']} of {kind.name}, and this is "
                f"version {version}, which computes otherwise: fit it again"
            )
        method.restore(Learnt(page["facts"], _under("method", tensors)), device=device)
    except (OSError, KeyError, ValueError, RuntimeError, SafetensorError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{folder} is not a whole saved model: {error}") from error
    return Stored(method, page["extra"], _under("extra", tensors))


def _is_model(folder: Path) -> bool:
    return (folder / MODEL).is_file() and (folder / WEIGHTS).is_file()


def _under(part: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    prefix = f"{part}/"
    return {k.removeprefix(prefix): t for k, t in tensors.items() if k.startswith(prefix)}
