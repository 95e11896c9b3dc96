"""PCFI's filling against the oracle, part by part and whole; and where it must not go wrong."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from goodie import missing, operator, synthetic
from goodie.data.observed import to_sparse
from goodie.errors import InputError
from goodie.propagate import confidence
from goodie.propagate.columns import read_columns
from goodie.propagate.confidence import (
    confidences,
    correction,
    correlation,
    diffuse,
    fill_by_confidence,
    find_reach,
    hops_to,
)
from goodie.propagate.neighbours import unweighted
from oracles import pcfi as oracle
from oracles import propagation
from propagate.graphs import graphs_with_holes


def adjacency(data: Data) -> np.ndarray:
    return propagation.adjacency(data.edge_index.numpy(), data.num_nodes, undirected=True)


def line(n: int) -> Data:
    return Data(edge_index=torch.stack([torch.arange(n - 1), torch.arange(1, n)]), num_nodes=n)


@settings(max_examples=60, deadline=None)
@given(graphs_with_holes(), st.sampled_from([0.5, 0.9, 1.0]), st.integers(0, 12))
def test_is_the_oracle(data: Data, a: float, steps: int) -> None:
    S = operator(data, dtype=torch.float64)
    ours = fill_by_confidence(data.x, S, steps=steps, decay=a, strength=0.7)
    expected = oracle.impute(adjacency(data), data.x.numpy(), a, 0.7, steps)
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-10)


@given(graphs_with_holes())
def test_distances_are_those_of_one_search_a_channel(data: Data) -> None:
    P = unweighted(operator(data, dtype=torch.float64))
    hops = hops_to(P, ~data.x.isnan(), limit=data.num_nodes)
    expected = oracle.distances(adjacency(data), data.x.numpy())
    np.testing.assert_array_equal(np.where(hops < 0, np.inf, hops), expected)


@given(graphs_with_holes(), st.integers(0, 9))
def test_diffusion(data: Data, steps: int) -> None:
    A, X = adjacency(data), data.x.numpy()
    trust = torch.from_numpy(oracle.confidence(oracle.distances(A, X), 0.9))
    P = unweighted(operator(data, dtype=torch.float64))
    ours = diffuse(P, data.x.nan_to_num(nan=0.0), ~data.x.isnan(), trust, steps=steps)
    np.testing.assert_allclose(ours, oracle.diffusion(A, X, 0.9, steps), rtol=0, atol=1e-12)


def test_correlations_are_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confidence, "SLICE_ENTRIES", 60)  # several slices
    x = np.random.default_rng(0).normal(size=(50, 6)) * [1e-6, 1.0, 3.0, 1e5, 1.0, 2.0]
    x[:, 4] = 0.1  # constant, with a mean that rounds
    mean, R = correlation(torch.from_numpy(x))
    expected = np.zeros((6, 6))
    rest = np.array([0, 1, 2, 3, 5])
    expected[np.ix_(rest, rest)] = np.corrcoef(x[:, rest].T) - np.eye(5)
    np.testing.assert_allclose(mean, x.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(R, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(R, oracle.correlations(x), rtol=0, atol=1e-12)


def test_a_column_constant_but_for_rounding_is_constant() -> None:
    x = torch.rand(40, 3, generator=torch.Generator().manual_seed(0))
    x[:, 1] = 0.1
    x[::2, 1] += 1e-8
    assert not correlation(x)[1][1].any()
    assert correlation(x)[1][0, 2] != 0


def test_out_of_reach_has_no_confidence() -> None:
    """Where the published code gives full confidence: neither source nor left uncorrected."""
    data = Data(edge_index=torch.tensor([[0, 1, 3], [1, 2, 4]]), num_nodes=5)
    x = torch.tensor([[1.0, 2.0], [0.0, 1.0], [3.0, 4.0], [2.0, torch.nan], [1.0, torch.nan]])
    S = operator(data)
    assert hops_to(unweighted(S), ~x.isnan(), limit=9)[:, 1].tolist() == [0, 0, 0, -1, -1]
    filled = fill_by_confidence(x, S)
    R = np.corrcoef(x[:, 0], [2.0, 1.0, 4.0, 0.0, 0.0])[0, 1]
    expected = (x[3:, 0] - x[:, 0].mean()) * R
    torch.testing.assert_close(filled[3:, 1], expected.float(), rtol=1e-5, atol=0)


def test_equal_patterns_share_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    monkeypatch.setattr(
        confidence,
        "hops_to",
        lambda P, sources, limit: (
            searched.append(sources.shape[1]) or hops_to(P, sources, limit=limit)
        ),
    )
    monkeypatch.setattr(confidence, "block_width", lambda S: 8)
    data = synthetic(60, num_features=20, random_state=0)
    data.x += 1.0  # no column is dead
    rows = missing.structural(data, 0.5)
    P = unweighted(operator(data))
    for form in (rows, to_sparse(rows)):
        held = read_columns(form.x, form.get("observed"))
        reach = find_reach(held, held.live, P, limit=60)
        assert reach.hops.shape == (60, 1)
        assert reach.pattern.tolist() == [0] * 20
    assert searched == [1, 1]
    entries = missing.uniform(data, 0.5)
    held = read_columns(entries.x, None)
    reach = find_reach(held, held.live, P, limit=60)
    expected = hops_to(P, ~entries.x.isnan(), limit=60)
    assert reach.hops[:, reach.pattern].equal(expected)
    assert searched[2:] == [8, 8, 4]


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.97, 1.0])
@pytest.mark.parametrize("pattern", [missing.uniform, missing.structural])
def test_sparse_is_dense(rate: float, pattern) -> None:
    data = pattern(synthetic(40, 3, num_features=16), rate)
    data.x[:, 3] = torch.arange(40.0) % 4  # without holes, it corrects the others
    thin = to_sparse(data)
    before = thin.x.to_dense()
    S = operator(data)
    dense = fill_by_confidence(data.x, S)
    filled = fill_by_confidence(thin.x, S, observed=thin.get("observed"))
    filled = filled.to_dense() if filled.is_sparse_csr else filled
    torch.testing.assert_close(filled, dense, rtol=0, atol=1e-6)
    known = ~data.x.isnan()
    assert dense[known].equal(data.x[known])
    assert thin.x.to_dense().equal(before)
    expected = oracle.impute(adjacency(data), data.x.double().numpy())
    np.testing.assert_allclose(dense, expected, rtol=1e-4, atol=1e-4)


def test_blocks_and_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = missing.uniform(synthetic(70, num_features=30), 0.8)
    S = operator(data)
    whole = fill_by_confidence(data.x, S)
    monkeypatch.setattr(confidence, "SLICE_ENTRIES", 100)
    monkeypatch.setattr(confidence, "block_width", lambda S: 8)
    torch.testing.assert_close(fill_by_confidence(data.x, S), whole, rtol=1e-5, atol=1e-6)


def test_little_observed_stays_sparse() -> None:
    data = missing.uniform(synthetic(300, num_features=400, sparse=True), 0.999)
    filled = fill_by_confidence(data.x, operator(data), observed=data.observed)
    assert filled.is_sparse_csr
    assert len(filled.col_indices().unique()) < 40


def test_far_away_is_finite() -> None:
    """On a line of 2,000 nodes 0.9^S underflows; nothing may divide by it."""
    x = torch.full((2000, 1), torch.nan)
    x[0] = 1.0
    table = confidences(0.9, 2000, torch.float32)
    assert len(table) == 830
    assert table[-2] > 0 == table[-1]
    filled = fill_by_confidence(x, operator(line(2000)), steps=3000)
    assert filled.isfinite().all()
    assert filled[900:].eq(0.0).all()
    near = oracle.diffusion(np.eye(50, k=1) + np.eye(50, k=-1), x[:50], 0.9, 60)
    ours = fill_by_confidence(x[:50], operator(line(50)), steps=60)
    np.testing.assert_allclose(ours, near, rtol=0, atol=1e-6)


def test_certain_entries_are_not_corrected() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    trust = torch.tensor([[1.0, 0.0], [0.5, 1.0]])
    R = torch.tensor([[0.0, 0.5], [0.5, 0.0]])
    out = correction(x, trust, x.mean(dim=0), R)
    # by hand: c∘(x − mean) = [[−1, 0], [½, 1]], times R = [[0, −½], [½, ¼]], times 1 − c
    assert out.tolist() == [[0.0, -0.5], [0.25, 0.0]]


@pytest.mark.parametrize("decay", [0.0, -1.0, 1.1])
def test_refuses_what_is_no_confidence(decay: float) -> None:
    with pytest.raises(InputError, match=f"decay={decay}"):
        fill_by_confidence(torch.ones(2, 1), operator(line(2)), decay=decay)
