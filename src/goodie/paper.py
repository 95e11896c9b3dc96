"""The paper's published numbers, from the one file that holds them."""

from functools import cache
from importlib.resources import files
from typing import Any

from goodie._toml import tomllib


@cache
def numbers() -> dict[str, Any]:
    """Everything in `paper.toml`."""
    return tomllib.loads((files("goodie") / "paper.toml").read_text(encoding="utf-8"))


def statistics(dataset: str) -> dict[str, int] | None:
    """The dataset's row of Table 1; None for a graph that is not the paper's."""
    row: dict[str, int] | None = numbers()["statistics"].get(dataset)
    return row


def hyperparameters(dataset: str) -> dict[str, Any] | None:
    """The dataset's row of Table 5; None for a graph that is not the paper's."""
    row: dict[str, Any] | None = numbers()["hyperparameters"].get(dataset)
    return row
