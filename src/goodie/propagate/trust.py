"""How far a filled value can be trusted: measured on observed entries that were hidden.

An entry's error is the squared distance from the truth, or, of categories, whether it is the wrong
one. What counts is how much of the error of a plain guess, the column's mean or most frequent
category, is gone: 1 is exact, 0 no better than the guess.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goodie.graph import Operator
from goodie.propagate.confidence import hops_to
from goodie.propagate.engine import block_width, column_blocks
from goodie.propagate.neighbours import unweighted

# Beyond so many hops all entries are alike.
FARTHEST = 32

# Columns with fewer hidden entries are judged together.
FEWEST = 30

# With so many entries like all columns' average one a column's are taken together, and with so many
# like its own average one those at each distance.
SHRINKAGE = 20


class Errors(NamedTuple):
    """Of the hidden entries of a column, three arrays side by side.

    Attributes:
        own: of what was filled in.
        plain: of the guess.
        hops: to the nearest node that shows the column.
    """

    own: Float[np.ndarray, " hidden"]
    plain: Float[np.ndarray, " hidden"]
    hops: Int[np.ndarray, " hidden"]

    def of(self, chosen: Bool[np.ndarray, " hidden"]) -> "Errors":
        """Some of the entries."""
        return Errors(self.own[chosen], self.plain[chosen], self.hops[chosen])

    @property
    def gain(self) -> float:
        """The share of the guess's error that is gone; 0 where the guess makes none."""
        plain = self.plain.sum()
        return float(1 - self.own.sum() / plain) if plain > 0 else 0.0

    @property
    def relative(self) -> "Errors":
        """As shares of the guess's mean error, so that columns can be taken together."""
        size = self.plain.mean() if len(self.plain) and self.plain.any() else 1.0
        return Errors(self.own / size, self.plain / size, self.hops)


def together(errors: Sequence[Errors]) -> Errors:
    """The entries of several columns, each column's relative to its own guess.

    Example:
        >>> one = Errors(np.array([1.0]), np.array([2.0]), np.array([1]))
        >>> together([one, one]).gain
        0.5
    """
    parts = [one.relative for one in errors]
    empty = Errors(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))
    return Errors(*(np.concatenate(arrays) for arrays in zip(empty, *parts, strict=True)))


def trusted(errors: Sequence[Errors]) -> Bool[np.ndarray, " columns"]:
    """In which columns filling is better than the guess.

    A column with 30 hidden entries or more is judged by them. The others are judged together, and
    each of them by whether its few entries say the same.
    """
    few = [one for one in errors if len(one.own) < FEWEST]
    good = is_better(together(few))
    return np.array(
        [(good and one.gain > 0) if len(one.own) < FEWEST else is_better(one) for one in errors],
        dtype=bool,
    )


def is_better(errors: Errors) -> bool:
    """Whether filling beats the guess by more than chance would: by over a standard error.

    Example:
        >>> some = np.linspace(0.5, 1.5, 10)
        >>> is_better(Errors(some / 2, some, np.ones(10, int)))
        True
    """
    n = len(errors.own)
    if n < 2:
        return False
    won = errors.plain - errors.own
    return bool(won.mean() > won.std(ddof=1) / sqrt(n))


def confidence_by_hops(errors: Errors, usual: float) -> Float[np.ndarray, " hops"]:
    """The gain that entries at each distance had, from 0 (observed: 1) to `FARTHEST`.

    Few entries say little: those of a column are taken together with 20 of the usual gain, and
    those at a distance with 20 of the column's. Confidence does not grow with distance.

    Args:
        errors: of the column's hidden entries.
        usual: the gain in all trusted columns together.

    Example:
        >>> hops = np.repeat([1, 2], 1000)
        >>> errors = Errors(np.where(hops == 1, 0.25, 0.75), np.ones(2000), hops)
        >>> confidence_by_hops(errors, 0.5)[:4].round(2).tolist()
        [1.0, 0.75, 0.25, 0.25]
    """
    bins = FARTHEST + 1
    errors = errors.relative
    share = (errors.own.sum() + SHRINKAGE * (1 - usual)) / (errors.plain.sum() + SHRINKAGE)
    own, plain = (np.bincount(errors.hops, one, bins) for one in (errors.own, errors.plain))
    gain = 1 - (own + SHRINKAGE * share) / (plain + SHRINKAGE)
    # Where no hidden entry was as far, the farthest that was is the best there is to go by.
    counted = np.flatnonzero(np.bincount(errors.hops, minlength=bins))
    if len(counted):
        gain[counted[-1] + 1 :] = gain[counted[-1]]
    gain[0] = 1.0
    falling: np.ndarray = np.minimum.accumulate(gain.clip(0.0, 1.0))
    return falling


def hops_to_observed(
    S: Operator, known: Bool[Tensor, "nodes columns"]
) -> Int[Tensor, "nodes columns"]:
    """Hops from each entry to the nearest observed one of its column, at most `FARTHEST`.

    Entries that nothing observed reaches have `FARTHEST` too.
    """
    P = unweighted(S)
    hops = torch.empty(known.shape, dtype=torch.int8)
    for part in column_blocks(known.shape[1], block_width(P)):
        found = hops_to(P, known[:, part].to(P.device), limit=FARTHEST - 1)
        hops[:, part] = torch.where(found < 0, FARTHEST, found).to(hops).cpu()
    return hops
