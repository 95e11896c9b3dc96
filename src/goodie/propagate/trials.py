"""Hiding observed entries in turns, to see how well they are filled.

Columns come in groups: most alone, those of a category in one-hot form together.
"""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import one_hot

from goodie.graph import Operator
from goodie.propagate.trust import Errors, hops_to_observed

# Hidden entries of a column beyond which more would change little.
ENOUGH = 1000


class Trial(NamedTuple):
    """Entries of a column that were hidden, and which of them decide; the others score."""

    errors: Errors
    decides: Bool[np.ndarray, " hidden"]


def hide_in_turns(
    x: Float[Tensor, "nodes features"],
    groups: list[list[int]],
    S: Operator,
    fill: Callable[[Tensor, Tensor], Tensor],
    *,
    held_out: float,
    generator: torch.Generator,
) -> list[Trial]:
    """How well each group is filled where the truth was hidden.

    In each turn a share of what is observed is hidden; there are as many turns as it takes to hide
    a thousand entries of a column, or all of them once.

    Args:
        x: NaN in the holes.
        groups: of all columns.
        S: the graph, to count hops on.
        fill: given features and the plain guess of each column, fills the holes.
        held_out: the share.
        generator: chooses what is hidden, and which of it decides.
    """
    known = observed_groups(x, groups)
    parts = max(2, round(1 / held_out))
    part = torch.randint(parts, known.shape, generator=generator, dtype=torch.int8)
    decides = torch.rand(known.shape, generator=generator) < 0.5
    most = int(known.sum(dim=0).max()) if known.numel() else 0
    turns = min(parts, max(1, ceil(ENOUGH * parts / max(most, 1))))
    trials: list[list[Trial]] = [[] for _ in groups]
    for turn in range(turns):
        hidden = known & (part == turn)
        shown = x.clone()
        for group, columns in enumerate(groups):
            for column in columns:
                shown[hidden[:, group], column] = torch.nan
        guess = plain_guess(shown, groups)
        filled = fill(shown, guess)
        hops = hops_to_observed(S, known & ~hidden)
        for group, columns in enumerate(groups):
            rows = hidden[:, group].nonzero()[:, 0]
            truth = x[rows][:, columns].double()
            errors = Errors(
                _errors(filled[rows][:, columns].double(), truth),
                _errors(guess[columns].double().expand_as(truth), truth),
                hops[rows, group].numpy().astype(np.int64),
            )
            trials[group].append(Trial(errors, decides[rows, group].numpy()))
    return [_joined(own) for own in trials]


def observed_groups(
    x: Float[Tensor, "nodes features"], groups: list[list[int]]
) -> Bool[Tensor, "nodes groups"]:
    """Which entries are observed, of groups in all their columns."""
    known = torch.empty(len(x), len(groups), dtype=torch.bool)
    for group, columns in enumerate(groups):
        known[:, group] = ~x[:, columns].isnan().any(dim=1)
    return known


def plain_guess(
    x: Float[Tensor, "nodes features"], groups: list[list[int]]
) -> Float[Tensor, " features"]:
    """Means of what is observed; of a category the most frequent one; 0 where nothing is."""
    shown = ~x.isnan()
    total = torch.where(shown, x, 0.0).sum(dim=0, dtype=torch.float64)
    means = (total / shown.sum(dim=0).clamp(min=1)).to(x.dtype)
    for columns in groups:
        if len(columns) > 1:
            place = means[columns].argmax()
            means[columns] = one_hot(place, len(columns)).to(x.dtype)
    return means


def _joined(trials: list[Trial]) -> Trial:
    errors = Errors(
        *(np.concatenate(arrays) for arrays in zip(*(t.errors for t in trials), strict=True))
    )
    return Trial(errors, np.concatenate([trial.decides for trial in trials]))


def _errors(
    filled: Float[Tensor, "hidden columns"], truth: Float[Tensor, "hidden columns"]
) -> Float[np.ndarray, " hidden"]:
    """Squared distances; of categories, 1 where it is the wrong one."""
    if truth.shape[1] == 1:
        return (filled - truth).square()[:, 0].numpy()
    return (filled.argmax(dim=1) != truth.argmax(dim=1)).double().numpy()
