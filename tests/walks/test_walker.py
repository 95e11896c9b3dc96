"""Walks against the exact transition probabilities."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chisquare

from goodie import synthetic
from goodie.errors import InputError
from goodie.graph import adjacency
from goodie.walks import walker
from goodie.walks.walker import random_walks
from oracles.walks import second_order

# A triangle with a tail, a loop, a double way, and a node by itself; weights differ.
WEIGHTS = np.zeros((6, 6))
for i, j, w in ((0, 1, 1.0), (1, 2, 2.0), (0, 2, 0.5), (2, 3, 3.0), (3, 4, 1.0), (3, 3, 0.7)):
    WEIGHTS[i, j] = WEIGHTS[j, i] = w

CHANCE = 1e-4  # of a test that is right to fail, were its seed not fixed


def walk(A: np.ndarray, seed: int = 0, **settings: float) -> np.ndarray:
    settings = {"walks_per_node": 400, "length": 40} | settings
    return random_walks(sp.csr_array(A), generator=np.random.default_rng(seed), **settings)


def test_shape_and_starts() -> None:
    data = synthetic(50, average_degree=3.0)
    A = adjacency(data, self_loops=False, undirected=True)
    walks = random_walks(A, walks_per_node=3, length=7, generator=np.random.default_rng(0))
    assert walks.shape == (150, 7)
    assert walks.dtype == np.int32
    for begin in (0, 50, 100):
        assert sorted(walks[begin : begin + 50, 0]) == list(range(50))


@pytest.mark.parametrize(("p", "q"), [(1.0, 1.0), (0.25, 4.0)])
def test_only_edges_are_used(p: float, q: float) -> None:
    A = adjacency(synthetic(200, average_degree=4.0), self_loops=False, undirected=True)
    walks = random_walks(
        A, walks_per_node=2, length=20, p=p, q=q, generator=np.random.default_rng(0)
    )
    met = A.toarray()[walks[:, :-1], walks[:, 1:]] > 0
    alone = np.diff(A.indptr)[walks[:, 0]] == 0
    assert alone.any()
    assert met[~alone].all()
    assert (walks[alone] == walks[alone][:, :1]).all()


def test_no_edges_and_one_node() -> None:
    walks = walk(np.zeros((3, 3)), walks_per_node=1, length=4, q=0.5)
    assert (walks == walks[:, :1]).all()
    assert walk(np.zeros((1, 1)), walks_per_node=2, length=3, p=0.5).tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("weighted", [True, False])
def test_first_order_transitions(weighted: bool) -> None:
    A = WEIGHTS if weighted else (WEIGHTS > 0).astype(float)
    walks = walk(A)
    for now in range(5):
        nexts = walks[:, 1:][walks[:, :-1] == now]
        check_counts(nexts, A[now] / A[now].sum())


def test_nodes_are_visited_in_proportion_to_their_weighted_degree() -> None:
    """Of one place far along the walk, since places of a walk are not independent."""
    last = walk(WEIGHTS, walks_per_node=4000)[:, -1]
    degree = WEIGHTS.sum(axis=1)
    check_counts(last[last != 5], degree / degree.sum())


@pytest.mark.parametrize("rounds", [0, 1, 16])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(("p", "q"), [(0.25, 4.0), (4.0, 0.25), (2.0, 1.0), (1.0, 0.5)])
def test_second_order_transitions(
    monkeypatch: pytest.MonkeyPatch, rounds: int, weighted: bool, p: float, q: float
) -> None:
    """By proposals alone, by weighing all neighbours alone, and by both."""
    monkeypatch.setattr(walker, "ROUNDS", rounds)
    A = WEIGHTS if weighted else (WEIGHTS > 0).astype(float)
    walks = walk(A, p=p, q=q)
    for before, now in np.argwhere(A > 0):
        here = (walks[:, :-2] == before) & (walks[:, 1:-1] == now)
        check_counts(walks[:, 2:][here], second_order(A, before, now, p, q))


def test_extreme_parameters_end() -> None:
    """A leaf leads back alone, whatever p; a small q never turns back on a path."""
    path = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    walks = walk(path, p=1e12, q=1e-12, walks_per_node=5, length=12)
    inner = (walks[:, 1:-1] > 0) & (walks[:, 1:-1] < 5)
    assert (walks[:, 2:] != walks[:, :-2])[inner].all()


def test_same_generator_same_walks() -> None:
    assert (walk(WEIGHTS, 3, p=0.5) == walk(WEIGHTS, 3, p=0.5)).all()
    assert (walk(WEIGHTS, 3, p=0.5) != walk(WEIGHTS, 4, p=0.5)).any()


@pytest.mark.parametrize("bad", [{"p": 0.0}, {"q": -1.0}, {"q": float("nan")}])
def test_refusals(bad: dict[str, float]) -> None:
    with pytest.raises(InputError, match="must be above zero"):
        walk(WEIGHTS, **bad)


def check_counts(nodes: np.ndarray, expected: np.ndarray) -> None:
    count = np.bincount(nodes, minlength=len(expected))
    assert (count[expected == 0] == 0).all()
    possible = expected > 0
    assert count.sum() > 200
    if possible.sum() > 1:
        assert chisquare(count[possible], count.sum() * expected[possible]).pvalue > CHANCE
