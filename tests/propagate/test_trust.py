"""Which columns are believed, and how much, against numbers worked out by hand."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie import operator
from goodie.propagate.trust import (
    FARTHEST,
    FEWEST,
    SHRINKAGE,
    Errors,
    confidence_by_hops,
    hops_to_observed,
    is_better,
    together,
    trusted,
)


def errors(own: list[float], plain: list[float], hops: int = 1) -> Errors:
    return Errors(np.array(own), np.array(plain), np.full(len(own), hops))


def test_gain_is_the_share_of_the_error_that_is_gone() -> None:
    assert errors([1.0, 2.0], [4.0, 8.0]).gain == 0.75
    assert errors([0.0], [0.0]).gain == 0.0


def test_better_by_more_than_a_standard_error() -> None:
    won = np.array([1.0, 1.0, -1.0, -1.0, 1.0])  # mean 0.2, standard error 0.49
    plain = np.full(5, 3.0)
    assert not is_better(Errors(plain - won, plain, np.ones(5, int)))
    assert is_better(Errors(plain - won - 0.4, plain, np.ones(5, int)))


def test_few_entries_are_judged_together() -> None:
    rng = np.random.default_rng(0)
    few = [errors(list(rng.uniform(0, 1, 3)), [1.0] * 3) for _ in range(20)]
    worse = errors([2.0, 2.0, 2.0], [1.0] * 3)
    many = errors(list(rng.uniform(0.9, 1.2, FEWEST)), [1.0] * FEWEST)
    assert trusted([*few, worse, many]).tolist() == [*[True] * 20, False, False]
    assert not trusted([worse] * 5).any()
    assert not trusted([errors([], [])] * 3).any()


def test_columns_are_taken_together_whatever_their_units() -> None:
    one, same_in_grams = errors([1.0, 3.0], [4.0, 4.0]), errors([1e6, 3e6], [4e6, 4e6])
    assert together([one, same_in_grams]).gain == pytest.approx(0.5)


def test_confidence_by_hand() -> None:
    own = np.array([0.2] * 80 + [1.0] * 20)
    hops = np.array([1] * 80 + [3] * 20)
    found = confidence_by_hops(Errors(own, np.ones(100), hops), usual=0.5)
    column = (own.sum() + SHRINKAGE * 0.5) / (100 + SHRINKAGE)
    near = 1 - (16 + SHRINKAGE * column) / (80 + SHRINKAGE)
    between = 1 - column  # no entry: the column's own
    far = 1 - (20 + SHRINKAGE * column) / (20 + SHRINKAGE)
    expected = [1.0, near, between, *[far] * (FARTHEST - 2)]
    assert found.tolist() == pytest.approx(expected)


def test_confidence_falls_and_stays_a_share() -> None:
    rng = np.random.default_rng(0)
    own = rng.uniform(0, 3, 500)
    found = confidence_by_hops(Errors(own, np.ones(500), rng.integers(1, 33, 500)), usual=0.1)
    assert (np.diff(found) <= 0).all()
    assert found.min() >= 0.0
    assert found.max() == 1.0


def test_hops_are_counted_on_the_graph() -> None:
    n = FARTHEST + 5
    path = Data(edge_index=torch.stack([torch.arange(n - 2), torch.arange(1, n - 1)]), num_nodes=n)
    known = torch.zeros(n, 2, dtype=torch.bool)
    known[0, 0] = True
    hops = hops_to_observed(operator(path, self_loops=False), known)
    expected = torch.arange(n).clamp(max=FARTHEST)
    expected[-1] = FARTHEST  # an isolated node
    assert torch.equal(hops[:, 0].long(), expected)
    assert (hops[:, 1] == FARTHEST).all()
