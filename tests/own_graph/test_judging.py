"""Who judges, and how sure what they say is."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie.errors import InputError
from goodie.evaluate import wilson
from goodie.own_graph.judging import Accuracy, deal_parts, judged, majority, masked


def labels(*counts: int, unknown: int = 10) -> torch.Tensor:
    known = [torch.full((count,), place) for place, count in enumerate(counts)]
    return torch.cat([*known, torch.full((unknown,), -1)])


def test_parts_are_disjoint_stratified_and_of_labelled_nodes() -> None:
    y = labels(100, 50)
    parts = deal_parts(y)
    assert not parts.optimistic
    total = sum(mask.int() for mask in parts)
    assert torch.equal(total, (y >= 0).int())
    for label, count in ((0, 100), (1, 50)):
        shares = [int((mask & (y == label)).sum()) for mask in parts]
        assert shares == [64 * count // 100, 16 * count // 100, 20 * count // 100]


def test_the_deal_is_drawn() -> None:
    y = labels(100, 50)
    assert all(map(torch.equal, deal_parts(y, random_state=1), deal_parts(y, random_state=1)))
    assert not torch.equal(deal_parts(y, random_state=1).judge, deal_parts(y).judge)


def test_with_few_labels_those_who_select_judge() -> None:
    parts = deal_parts(labels(20, 20))
    assert parts.optimistic
    assert torch.equal(parts.select, parts.judge)
    assert int(parts.train.sum()) == 32


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (labels(), "no node is labelled"),
        (labels(30), "of one class"),
        (labels(1, 1), "too few"),
    ],
)
def test_what_cannot_be_dealt(y: torch.Tensor, said: str) -> None:
    with pytest.raises(InputError, match=said):
        deal_parts(y.long())


@pytest.mark.parametrize(("right", "n"), [(0, 5), (5, 5), (9, 10), (61, 72), (500, 1000)])
def test_wilson_solves_its_equation(right: int, n: int) -> None:
    """The ends are where a share would be 1.96 of its own standard errors from what was seen."""
    for end in wilson(right, n):
        if 0 < end < 1:
            assert abs(right / n - end) == pytest.approx(1.959964 * np.sqrt(end * (1 - end) / n))
    low, high = wilson(right, n)
    assert low <= right / n <= high


def test_wilson_covers() -> None:
    rng = np.random.default_rng(0)
    for p in (0.5, 0.9, 0.97):
        ends = [wilson(int(right), 60) for right in rng.binomial(60, p, 2000)]
        inside = [low <= p <= high for low, high in ends]
        assert np.mean(inside) > 0.93


def test_judges_labels_are_not_in_what_a_model_sees() -> None:
    y = labels(100, 50)
    parts = deal_parts(y)
    data = Data(x=torch.zeros(len(y), 1), edge_index=torch.zeros(2, 0, dtype=torch.long), y=y)
    for selects in (True, False):
        seen = masked(data, parts, selects=selects)
        assert (seen.y[parts.judge] == -1).all()
        assert seen.test_mask[parts.judge].all()
    assert torch.equal(masked(data, parts, selects=False).train_mask, parts.train | parts.select)
    assert torch.equal(data.y, y)


def test_counting() -> None:
    y = labels(100, 50)
    parts = deal_parts(y)
    proba = np.tile([0.6, 0.4], (len(y), 1))
    assert judged(proba, y, parts) == majority(y, parts) == Accuracy(20, 30)
