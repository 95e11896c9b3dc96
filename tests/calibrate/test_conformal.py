"""Label sets: the finite-sample promise for any scores, and what they say at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodie.calibrate.conformal import coverage, label_sets, strangeness, threshold
from goodie.errors import InputError

ALPHAS = st.sampled_from([0.01, 0.05, 0.1, 0.2, 1 / 3, 0.5, 0.9])


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40), ALPHAS)
def test_each_of_exchangeable_scores_is_covered_often_enough(scores: list[int], alpha: float):
    """Left out in turn, at least 1 − α of them are within the threshold of the others."""
    s = np.array(scores, dtype=float)
    inside = [s[i] <= threshold(np.delete(s, i), alpha) for i in range(len(s))]
    assert np.mean(inside) >= 1 - alpha - 1e-12


@given(st.integers(1, 60), ALPHAS)
def test_without_ties_not_more_often_than_one_node_can_change(n: int, alpha: float) -> None:
    s = np.random.default_rng(n).permutation(n + 1).astype(float)
    inside = [s[i] <= threshold(np.delete(s, i), alpha) for i in range(n + 1)]
    assert np.mean(inside) <= 1 - alpha + 1 / (n + 1) + 1e-12


@pytest.mark.parametrize(
    ("n", "alpha", "rank"),
    [(9, 0.1, 9), (69, 0.1, 63), (99, 0.1, 90), (19, 0.05, 19), (100, 0.1, 91), (3, 0.5, 2)],
)
def test_the_rank_is_exact(n: int, alpha: float, rank: int) -> None:
    assert threshold(np.arange(1.0, n + 1), alpha) == rank


@pytest.mark.parametrize("n", [0, 1, 8])
def test_too_few_nodes_for_alpha_gives_every_label(n: int) -> None:
    limit = threshold(np.zeros(n), 0.1)
    assert limit == math.inf
    assert label_sets(strangeness(np.array([[1.0, 0.0, 0.0]])), limit).all()


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, math.nan])
def test_alpha_is_a_share(alpha: float) -> None:
    with pytest.raises(InputError, match="must lie between 0 and 1"):
        threshold(np.zeros(5), alpha)


@pytest.mark.parametrize("score", ["lac", "aps", "raps"])
def test_stranger_where_less_likely(score) -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(5), size=50)
    s = strangeness(p, score)
    likeliest_first = np.take_along_axis(s, np.argsort(-p, axis=1), axis=1)
    assert (np.diff(likeliest_first, axis=1) >= 0).all()


def test_adaptive_scores_by_hand() -> None:
    p = np.array([[0.1, 0.5, 0.25, 0.05, 0.1]])
    np.testing.assert_allclose(strangeness(p, "aps"), [[0.85, 0.5, 0.75, 1.0, 0.95]])
    np.testing.assert_allclose(strangeness(p, "raps"), [[0.85, 0.5, 0.75, 1.02, 0.96]])
    rng = np.random.default_rng(3)
    u = np.random.default_rng(3).random()
    np.testing.assert_allclose(
        strangeness(p, "aps", rng=rng)[0, 1:3], [0.5 * u, 0.5 + 0.25 * u], rtol=1e-12
    )


@pytest.mark.parametrize("score", ["lac", "aps", "raps"])
def test_coverage_is_what_was_asked(score) -> None:
    """Over many draws of calibration nodes, with a model that is wrong about its own odds."""
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(4, 0.4), size=6000)
    y = np.array([rng.choice(4, p=row) for row in 0.5 * p + 0.125])
    s = strangeness(p, score, rng=rng)
    covered = []
    for _ in range(40):
        order = rng.permutation(6000)
        limit = threshold(s[order[:200], y[order[:200]]], 0.1)
        covered.append(coverage(label_sets(s[order[200:]], limit), y[order[200:]])[0])
    assert np.mean(covered) == pytest.approx(0.9 + 0.05 / 201, abs=0.012)


def test_empty_sets_are_empty_only_where_they_may_be() -> None:
    s = strangeness(np.array([[0.9, 0.1], [0.45, 0.55], [0.5, 0.5]]))
    assert label_sets(s, -0.7).tolist() == [[True, False], [False, False], [False, False]]
    assert label_sets(s, -0.7, empty=False).tolist() == [
        [True, False],
        [False, True],
        [True, False],
    ]


def test_nobody_to_cover() -> None:
    with pytest.raises(InputError, match="no node is judged"):
        coverage(np.ones((0, 2), dtype=bool), np.empty(0, dtype=int))
