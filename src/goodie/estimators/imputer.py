"""Filling holes from the neighbours, with what each filled value is worth."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.observed import observed
from goodie.data.validate import validate
from goodie.errors import InputError
from goodie.estimators.base import RandomState, seed_of
from goodie.graph import Operator, operator
from goodie.methods.base import check_width
from goodie.propagate.features import solve_features
from goodie.propagate.trials import hide_in_turns, observed_groups, plain_guess
from goodie.propagate.trust import (
    FARTHEST,
    Errors,
    confidence_by_hops,
    hops_to_observed,
    together,
    trusted,
)
from goodie.sparse import is_sparse


@dataclass(frozen=True)
class Score:
    """How well a column, or a group of columns, was filled where the truth was hidden.

    Attributes:
        entries: that were hidden, and decided nothing else.
        error: root mean squared error; of a category, the share that is wrong.
        plain_error: likewise, of the mean or the most frequent category.
        gain: the share of the plain guess's squared error (or wrong ones) that is gone.
        confidence: what was said of these entries beforehand, on average; it is meant to be `gain`.
    """

    entries: int
    error: float
    plain_error: float
    gain: float
    confidence: float


class Filled(NamedTuple):
    """Features without holes.

    Attributes:
        x: the observed entries bit for bit, and the others filled.
        confidence: 1 where observed; elsewhere see `FeatureImputer`.
        reached: whether something observed in the column is in the same connected component.
    """

    x: Float[Tensor, "nodes features"]
    confidence: Float[Tensor, "nodes groups"]
    reached: Bool[Tensor, "nodes groups"]


class FeatureImputer(BaseEstimator):
    """Every hole becomes the mean of its neighbours, holes among them filled in the same way.

    That is feature propagation with a row-normalised operator, converged: it keeps constants and
    never leaves the range of what is observed. Whether it is better than the column's mean is found
    out column by column, on observed entries that are hidden for it. A column in which it is not
    gets its mean, or most frequent category, and so do entries that nothing observed reaches.

    The confidence in a filled entry is the share of the plain guess's error that was gone on
    hidden entries of the same column, as many hops from an observed one: 1 is exact, 0 no better
    than the column's mean, which is what stands there.

    Args:
        held_out: the share of a column's observed entries that is hidden to find that out. Half of
            them decide, the others score.
        groups: columns that are a category in one-hot form, each group a list of columns. A filled
            category is the likeliest one.
        tolerance: of the exact solve, see `goodie.propagate.exact.solve`.
        random_state: chooses the hidden entries.
        device: `cpu` or `cuda`.

    Attributes:
        groups_: all columns in groups, those of `groups` and the others alone.
        means_: of every column; of a category, 1 for the most frequent.
        trusted_: which groups are filled from their neighbours.
        confidence_: of each group, by the number of hops.
        scores_: a `Score` for each group; None where nothing could be hidden.

    Example:
        >>> import goodie
        >>> data = goodie.missing.uniform(goodie.datasets.load("digits"), 0.5)
        >>> imputer = goodie.FeatureImputer()
        >>> filled = imputer.fit_transform(data)
        >>> bool(filled.x.isnan().any()), imputer.scores_[2].gain > 0.3
        (False, True)
    """

    groups_: list[list[int]]
    means_: Float[np.ndarray, " features"]
    trusted_: Bool[np.ndarray, " groups"]
    confidence_: Float[np.ndarray, "groups hops"]
    scores_: list[Score | None]

    def __init__(
        self,
        *,
        held_out: float = 0.2,
        groups: Sequence[Sequence[int]] | None = None,
        tolerance: float | None = None,
        random_state: RandomState = 0,
        device: str = "cpu",
    ) -> None:
        self.held_out = held_out
        self.groups = groups
        self.tolerance = tolerance
        self.random_state = random_state
        self.device = device

    def fit(self, data: Data, y: object = None) -> "FeatureImputer":
        """Find out what can be told from neighbours.

        Args:
            data: `edge_index`, and `x` in which NaN is a hole. A sparse x is made dense.
            y: not used.
        """
        del y
        if not 0 < self.held_out < 1:
            raise InputError(f"held_out={self.held_out}; it is a share between 0 and 1")
        data = validate(data)
        x = _dense(data)
        self.num_features_ = x.shape[1]
        self.groups_ = _groups(self.groups, x.shape[1])
        S = self._operator(data, x.dtype)
        trials = hide_in_turns(
            x,
            self.groups_,
            S,
            lambda shown, guess: self._from_neighbours(shown, S, guess),
            held_out=self.held_out,
            generator=torch.Generator().manual_seed(seed_of(self.random_state)),
        )
        deciding = [trial.errors.of(trial.decides) for trial in trials]
        self.trusted_ = trusted(deciding)
        usual = together([one for one, good in zip(deciding, self.trusted_, strict=True) if good])
        self.confidence_ = np.zeros((len(self.groups_), FARTHEST + 1))
        self.confidence_[:, 0] = 1.0
        for group in np.flatnonzero(self.trusted_):
            self.confidence_[group] = confidence_by_hops(deciding[group], usual.gain)
        self.scores_ = [
            self._score(group, trial.errors.of(~trial.decides))
            for group, trial in enumerate(trials)
        ]
        self.means_ = plain_guess(x, self.groups_).numpy()
        return self

    def fit_transform(self, data: Data, y: object = None) -> Data:
        """`fit`, then `transform`."""
        return self.fit(data, y).transform(data)

    def transform(self, data: Data) -> Data:
        """The graph with its holes filled, and `data.confidence`, 1 where x was observed.

        Args:
            data: the graph fitted on, or another one with the same columns.
        """
        filled = self.fill(data)
        out = copy(data)
        out.x = filled.x
        out.confidence = torch.empty_like(filled.x)
        for group, columns in enumerate(self.groups_):
            out.confidence[:, columns] = filled.confidence[:, [group]]
        if out.get("observed") is not None:
            del out.observed
        return out

    def fill(self, data: Data) -> Filled:
        """Features without holes, and confidences, a column for each of `groups_`."""
        check_is_fitted(self, "trusted_")
        data = validate(data)
        check_width(data, self.num_features_)
        x = _dense(data)
        known = observed_groups(x, self.groups_)
        S = self._operator(data, x.dtype)
        means = torch.from_numpy(self.means_).to(x.dtype)
        filled = self._from_neighbours(x, S, means)
        hops = hops_to_observed(S, known)
        reached = _reached(S, known)
        confidence = torch.empty(known.shape, dtype=x.dtype)
        for group, columns in enumerate(self.groups_):
            told = torch.from_numpy(self.confidence_[group]).to(x.dtype)[hops[:, group].int()]
            confidence[:, group] = torch.where(reached[:, group], told, 0.0)
            if not self.trusted_[group]:
                filled[:, columns] = means[columns]
            if len(columns) > 1:
                place = filled[:, columns].argmax(dim=1)
                filled[:, columns] = torch.nn.functional.one_hot(place, len(columns)).to(x.dtype)
        return Filled(torch.where(x.isnan(), filled, x), confidence, reached)

    def _operator(self, data: Data, dtype: torch.dtype) -> Operator:
        return operator(
            data, normalisation="row", self_loops=False, dtype=dtype, device=self.device
        )

    def _from_neighbours(
        self,
        x: Float[Tensor, "nodes features"],
        S: Operator,
        means: Float[Tensor, " features"],
    ) -> Float[Tensor, "nodes features"]:
        """Holes from the neighbours where anything observed reaches, elsewhere the means."""
        # Solved as distances from the means, what is out of reach is at them.
        done = solve_features((x - means).to(S.device), S, tolerance=self.tolerance)
        filled: Tensor = done.values.cpu().add_(means)
        return filled

    def _score(self, group: int, errors: Errors) -> Score | None:
        """What the hidden entries that decided nothing say."""
        n = len(errors.own)
        if n == 0:
            return None
        category = len(self.groups_[group]) > 1
        own = errors.own if self.trusted_[group] else errors.plain
        size: Callable[[float], float] = (lambda mean: mean) if category else np.sqrt
        return Score(
            entries=n,
            error=float(size(own.mean())),
            plain_error=float(size(errors.plain.mean())),
            gain=errors._replace(own=own).gain,
            confidence=float(self.confidence_[group][errors.hops].mean()),
        )


def _dense(data: Data) -> Float[Tensor, "nodes features"]:
    """The features as a matrix with NaN in the holes."""
    x: Tensor = data.x.to_dense() if is_sparse(data.x) else data.x
    known = observed(data)
    return x if bool((known == ~x.isnan()).all()) else x.masked_fill(~known, torch.nan)


def _groups(given: Sequence[Sequence[int]] | None, width: int) -> list[list[int]]:
    """The groups given, and every other column alone, in the columns' order."""
    groups = [list(group) for group in given or []]
    taken = [column for group in groups for column in group]
    if len(set(taken)) != len(taken) or any(not 0 <= column < width for column in taken):
        raise InputError(f"groups name columns twice, or others than 0 to {width - 1}")
    rest = set(range(width)) - set(taken)
    return sorted([*(group for group in groups if group), *([column] for column in rest)], key=min)


def _reached(S: Operator, known: Bool[Tensor, "nodes groups"]) -> Bool[Tensor, "nodes groups"]:
    """Which entries share a component with an observed one of their column."""
    component = S.component.cpu()
    count = torch.zeros(int(component.max()) + 1, known.shape[1], dtype=torch.bool)
    for group in range(known.shape[1]):
        count[component[known[:, group]], group] = True
    reached: Tensor = count[component]
    return reached
