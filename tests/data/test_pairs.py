"""Edges once each, and pairs that are none, against sets."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from goodie.data.pairs import EdgeSet, NonEdges, edge_pairs
from goodie.errors import InvalidGraphError

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=40)


def as_index(edges: list[tuple[int, int]]) -> torch.Tensor:
    return torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T


def as_set(pairs: torch.Tensor) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for a, b in pairs.T}


def undirected(edges: list[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in edges if a != b}


@given(EDGES)
def test_every_edge_once(edges: list[tuple[int, int]]) -> None:
    pairs = edge_pairs(as_index(edges), 8)
    assert pairs.shape[1] == len(undirected(edges))
    assert as_set(pairs) == undirected(edges)


@given(EDGES, EDGES, st.integers(0, 2**31))
def test_all_that_are_no_edges_can_be_drawn(
    edges: list[tuple[int, int]], also: list[tuple[int, int]], seed: int
) -> None:
    free = NonEdges(as_index(edges), 8, also=as_index(also))
    every = {(a, b) for a in range(8) for b in range(a + 1, 8)}
    left = every - undirected(edges) - undirected(also)
    assert len(free) == len(left)
    drawn = free.draw(len(left), np.random.default_rng(seed))
    assert drawn.shape == (2, len(left))
    assert as_set(drawn) == left
    with pytest.raises(InvalidGraphError, match=f"only {len(left)} have none"):
        free.draw(len(left) + 1, np.random.default_rng(seed))


@given(EDGES, EDGES)
def test_edges_are_known_in_both_directions(
    edges: list[tuple[int, int]], asked: list[tuple[int, int]]
) -> None:
    found = EdgeSet(as_index(edges), 8).has(as_index(asked))
    assert found.tolist() == [
        (min(pair), max(pair)) in undirected(edges) and pair[0] != pair[1] for pair in asked
    ]


@pytest.mark.parametrize("path", [[(0, 1)], [(a, b) for a in range(5) for b in range(a + 1, 6)]])
def test_draws_are_uniform(path: list[tuple[int, int]]) -> None:
    """Few edges, where pairs are rejected, and many, where they are listed."""
    free = NonEdges(as_index(path), 7)
    rng = np.random.default_rng(0)
    keys = [tuple(map(int, free.draw(1, rng)[:, 0])) for _ in range(100 * len(free))]
    counts = list({key: keys.count(key) for key in set(keys)}.values())
    assert len(counts) == len(free)
    assert chisquare(counts).pvalue > 1e-3
