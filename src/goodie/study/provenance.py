"""Where a row came from: code, libraries, machine."""

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import goodie

LIBRARIES = ("torch", "torch-geometric", "numpy", "scipy", "scikit-learn")


@cache
def git_revision() -> str | None:
    """The revision of the checkout that this code runs from; `+` says it was changed since."""
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
def machine() -> str:
    """The processor, and how many of its cores are ours."""
    return f"{platform.machine()}, {os.cpu_count()} cores"


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
