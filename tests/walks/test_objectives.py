"""Gradients against central differences of losses written from the papers."""

import numpy as np
import pytest
import torch

from goodie.walks import objectives
from goodie.walks.objectives import HierarchicalSoftmax, NegativeSampling, Objective, Tables
from oracles import walks as oracle

WALKS = torch.tensor([[0, 1, 2, 1, 0, 3, 4], [4, 4, 3, 0, 1, 2, 2]])
WINDOW = 2


def tables() -> Tables:
    generator = torch.Generator().manual_seed(1)
    return Tables(*torch.randn(2, 5, 3, dtype=torch.float64, generator=generator))


def gradients(objective: Objective, at: Tables, seed: int = 0) -> Tables:
    out = Tables(*(torch.zeros_like(table) for table in at))
    objective.add_gradients(WALKS, at, out, torch.Generator().manual_seed(seed))
    return out


def check(found: Tables, loss, at: Tables) -> None:
    """`loss` takes vectors and others."""
    vectors, others = (table.numpy() for table in at)
    for ours, theirs in (
        (found.vectors, oracle.gradient(lambda e: loss(e, others), vectors)),
        (found.others, oracle.gradient(lambda o: loss(vectors, o), others)),
    ):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=0, atol=1e-7)
        assert np.abs(theirs).max() > 1.0


def test_negative_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objectives, "SHARED", 6)
    frequency = torch.bincount(WALKS.flatten(), minlength=5)
    objective = NegativeSampling(frequency, length=7, window=WINDOW, negative=3)
    at = tables()
    # The same uniform numbers, looked up by hand.
    draws = torch.rand(2, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    share = frequency.numpy() ** 0.75
    ends = np.cumsum(share / share.sum())
    drawn = [[int((ends < u).sum()) for u in row] for row in draws.numpy()]

    def loss(e: np.ndarray, o: np.ndarray) -> float:
        return sum(
            oracle.negative_sampling(walk, nodes, e, o, window=WINDOW, negative=3)
            for walk, nodes in zip(WALKS.tolist(), drawn, strict=True)
        )

    check(gradients(objective, at), loss, at)


@pytest.mark.parametrize("stretch", [2, 3, 16])
def test_hierarchical_softmax(monkeypatch: pytest.MonkeyPatch, stretch: int) -> None:
    """Five leaves: two of them three deep, three of them two."""
    monkeypatch.setattr(objectives, "STRETCH", stretch)
    generator = torch.Generator().manual_seed(2)
    objective = HierarchicalSoftmax(5, length=7, window=WINDOW, generator=generator)
    place = (objective.leaf - 5).tolist()
    assert sorted(place) == [0, 1, 2, 3, 4]
    at = tables()

    def loss(e: np.ndarray, o: np.ndarray) -> float:
        return sum(
            oracle.hierarchical_softmax(walk, place, e, o, window=WINDOW) for walk in WALKS.tolist()
        )

    found = gradients(objective, at)
    assert found.others[0].eq(0).all()  # no inner node
    check(found, loss, at)


def test_the_oracles_tree_is_a_distribution() -> None:
    at = tables()
    chance = oracle.leaf_probabilities(at.vectors[0], at.others)
    assert chance.shape == (5,)
    assert chance.sum() == pytest.approx(1.0, abs=1e-12)


def test_gradients_are_added() -> None:
    frequency = torch.bincount(WALKS.flatten(), minlength=5)
    objective = NegativeSampling(frequency, length=7, window=WINDOW, negative=3)
    at = tables()
    once = gradients(objective, at)
    twice = Tables(*(table.clone() for table in once))
    objective.add_gradients(WALKS, at, twice, torch.Generator().manual_seed(0))
    torch.testing.assert_close(twice.vectors, 2 * once.vectors)
    torch.testing.assert_close(twice.others, 2 * once.others)


def test_a_window_wider_than_the_walk_and_a_single_node() -> None:
    generator = torch.Generator().manual_seed(0)
    at = Tables(torch.randn(1, 4, generator=generator), torch.randn(1, 4, generator=generator))
    out = Tables(torch.zeros(1, 4), torch.zeros(1, 4))
    walks = torch.zeros(2, 3, dtype=torch.long)
    HierarchicalSoftmax(1, length=3, window=10, generator=generator).add_gradients(
        walks, at, out, generator
    )
    assert out.vectors.eq(0).all()  # a tree of one leaf has nothing to say
    NegativeSampling(torch.tensor([6]), length=3, window=10, negative=1).add_gradients(
        walks, at, out, generator
    )
    assert out.vectors.isfinite().all()
    assert out.vectors.ne(0).any()
