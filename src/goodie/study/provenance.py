"""Where a row came from: code, libraries, machine."""

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

import goodie

LIBRARIES = ("torch", "torch-geometric", "numpy", "scipy", "scikit-learn")


@cache
def git_revision() -> str | None:
    """The revision of the checkout that this code runs from; `+` says it was changed since.

    A copy without its history is told by `GOODIE_REVISION` what it is a copy of.
    """
    if told := os.environ.get("GOODIE_REVISION"):
        return told
    folder = Path(goodie.__file__).parent
    try:
        _git(folder, "ls-files", "--error-unmatch", "__init__.py")  # else another's checkout
        revision = _git(folder, "rev-parse", "--short=12", "HEAD")
        return revision + ("+" if _git(folder, "status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return None  # installed, not checked out


@cache
def versions() -> dict[str, str]:
    """Of Python, this package and what it computes with."""
    found = {"python": platform.python_version(), "goodie": goodie.__version__}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@cache
def machine(device: str = "cpu") -> str:
    """The processor, how many of its cores are ours, and the GPU if that is what computes."""
    processor = f"{platform.machine()}, {os.cpu_count()} cores"
    return processor if device == "cpu" else f"{processor}, {torch.cuda.get_device_name(device)}"


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
