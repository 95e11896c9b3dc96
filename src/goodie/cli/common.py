"""What the commands share: where they print, and the options they all have."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from goodie.errors import InputError

# Answers go to stdout; progress, warnings and errors to stderr, so that `--json` can be piped.
answer = Console()
notes = Console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Device = Annotated[str, typer.Option(help="`cpu` or `cuda`.")]


def print_json(what: Any) -> None:
    """One JSON value on stdout."""
    sys.stdout.write(json.dumps(what, indent=2) + "\n")


def check_device(device: str) -> None:
    """Refuse a device that is not there before any work is done."""
    import torch

    kind, _, number = device.partition(":")
    if kind not in ("cpu", "cuda") or not (number == "" or number.isdecimal()):
        raise InputError(f"unknown device {device!r}; there are cpu and cuda")
    if kind == "cuda" and not torch.cuda.is_available():
        raise InputError("device cuda was asked for, but torch finds no GPU here")


def check_apart(model: Path, *others: Path) -> None:
    """Refuse, before any work, files in a model's folder: it is replaced as a whole."""
    for path in others:
        if path.resolve().is_relative_to(model.resolve()):
            raise InputError(f"{path} is in {model}, which holds the model alone: name another")
