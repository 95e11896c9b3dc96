"""Feature propagation against its oracles, PyG, and itself in other guises."""

from copy import copy
from inspect import unwrap

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.transforms import FeaturePropagation
from torch_geometric.utils import add_remaining_self_loops

from goodie import missing, observed, operator, propagate_features, solve_features, synthetic
from goodie.errors import InputError
from goodie.propagate.columns import read_columns
from goodie.propagate.engine import ARRAYS_ALLOCATED
from goodie.sparse import is_sparse, to_csr
from oracles import propagation as oracle
from propagate.graphs import dense, graphs_with_holes

KINDS = ["symmetric", "row", "column"]


@pytest.fixture(scope="module")
def words() -> Data:
    return synthetic(300, 4, num_features=60, average_degree=4.0)


@given(graphs_with_holes(), st.sampled_from(KINDS), st.booleans(), st.integers(0, 7))
def test_fixed_steps_are_the_oracles(data: Data, kind: str, loops: bool, steps: int) -> None:
    S = operator(data, normalisation=kind, self_loops=loops, dtype=torch.float64)
    ours = propagate_features(data.x, S, steps=steps).values
    theirs = oracle.feature_propagation(dense(data, kind, self_loops=loops), data.x.numpy(), steps)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("rate", [0.0, 0.5, 0.99, 1.0])
def test_is_pygs_transform_on_a_graph_with_loops(words: Data, rate: float) -> None:
    holed = missing.uniform(words, rate)
    looped = copy(holed)
    looped.edge_index, _ = add_remaining_self_loops(words.edge_index)
    theirs = FeaturePropagation(holed.x.isnan(), num_iterations=40)(looped).x
    ours = propagate_features(holed.x, operator(holed)).values
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


@given(graphs_with_holes(), st.sampled_from(KINDS), st.booleans())
def test_the_solution_is_the_dense_harmonic_one(data: Data, kind: str, loops: bool) -> None:
    S = operator(data, normalisation=kind, self_loops=loops, dtype=torch.float64)
    ours = solve_features(data.x, S)
    theirs, reached = oracle.harmonic(dense(data, kind, self_loops=loops), data.x.numpy())
    np.testing.assert_allclose(ours.values, theirs, atol=1e-6)
    np.testing.assert_array_equal(ours.reached, reached)
    assert not ours.values[~ours.reached].any()


def test_many_steps_arrive_at_the_solution(words: Data) -> None:
    holed = missing.uniform(words, 0.9)
    S = operator(holed, dtype=torch.float64)
    x = holed.x.double()
    walked = propagate_features(x, S, steps=5000, tolerance=1e-12)
    solved = solve_features(x, S)
    assert walked.steps < 5000
    assert walked.residual <= 1e-12
    assert solved.steps < walked.steps / 3
    torch.testing.assert_close(walked.values, solved.values, rtol=0, atol=1e-9)


def test_forty_steps_are_another_imputer_than_the_solution(words: Data) -> None:
    holed = missing.uniform(words, 0.99)
    S = operator(holed, dtype=torch.float64)
    few, all_ = (f(holed.x.double(), S).values for f in (propagate_features, solve_features))
    assert (few - all_).norm() > 0.05 * all_.norm()


@given(graphs_with_holes())
def test_observed_entries_come_back_bit_for_bit(data: Data) -> None:
    data.x[0].neg_()  # zeros of both signs
    known = ~data.x.isnan()
    for result in (
        propagate_features(data.x, operator(data, dtype=torch.float64)),
        solve_features(data.x, operator(data, normalisation="row", dtype=torch.float64)),
    ):
        assert result.values[known].view(torch.int64).equal(data.x[known].view(torch.int64))
        assert not result.values.isnan().any()


def test_a_row_normalised_solution_stays_within_what_was_observed(words: Data) -> None:
    x = missing.uniform(words, 0.9).x + 5.0
    filled = solve_features(x, operator(words, normalisation="row"))
    assert filled.reached.float().mean() > 0.8
    assert filled.values[filled.reached].min() >= 5.0 - 1e-3
    assert filled.values[filled.reached].max() <= 6.0 + 1e-3


@given(graphs_with_holes(), st.integers(0, 100))
def test_permuting_the_nodes_permutes_the_result(data: Data, seed: int) -> None:
    order = torch.from_numpy(np.random.default_rng(seed).permutation(data.num_nodes))
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order))
    moved = copy(data)
    moved.x, moved.edge_index = data.x[order], back[data.edge_index]
    for fill in (propagate_features, solve_features):
        here = fill(data.x, operator(data, dtype=torch.float64)).values
        there = fill(moved.x, operator(moved, dtype=torch.float64)).values
        torch.testing.assert_close(here[order], there, rtol=0, atol=1e-10)


@given(graphs_with_holes(), st.integers(0, 100))
def test_the_order_of_the_edges_is_nothing(data: Data, seed: int) -> None:
    order = torch.from_numpy(np.random.default_rng(seed).permutation(data.edge_index.shape[1]))
    moved = copy(data)
    moved.edge_index = data.edge_index[:, order]
    if "edge_weight" in data:
        moved.edge_weight = data.edge_weight[order]
    here, there = (
        propagate_features(d.x, operator(d, dtype=torch.float64)).values for d in (data, moved)
    )
    torch.testing.assert_close(here, there, rtol=0, atol=1e-12)


@pytest.mark.parametrize("columns", [1, 3, 8, 100])
@pytest.mark.parametrize("tolerance", [None, 1e-3])
def test_the_width_of_a_block_is_nothing(
    words: Data, columns: int, tolerance: float | None
) -> None:
    x = missing.uniform(words, 0.9).x
    S = operator(words)
    budget = columns * S.num_nodes * 4 * ARRAYS_ALLOCATED
    wide = propagate_features(x, S, tolerance=tolerance)
    narrow = propagate_features(x, S, tolerance=tolerance, memory_budget=budget)
    torch.testing.assert_close(wide.values, narrow.values, rtol=0, atol=1e-6)
    assert wide.steps == narrow.steps
    solved, in_blocks = (solve_features(x, S, memory_budget=b) for b in (None, 2 * budget))
    torch.testing.assert_close(solved.values, in_blocks.values, rtol=0, atol=1e-4)


@pytest.mark.parametrize("pattern", ["uniform", "structural"])
@pytest.mark.parametrize("rate", [0.0, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("layout", ["entries", "coo", "nan"])
def test_sparse_and_masked_features_are_the_dense_ones(
    words: Data, pattern: str, rate: float, layout: str
) -> None:
    S = operator(words)
    holed = missing.hide(words, pattern, rate)
    expected = propagate_features(holed.x, S)
    if layout == "nan":  # the mask beside a dense matrix that still holds what it hides
        result = propagate_features(words.x, S, observed=observed(holed))
    else:
        thin = copy(words)
        thin.x = to_csr(words.x)
        thin = missing.hide(thin, pattern, rate)
        marked = thin.get("observed")
        if layout == "coo":
            marked = observed(thin).to_sparse_coo()
        result = propagate_features(thin.x, S, observed=marked)
    values = result.values.to_dense()
    torch.testing.assert_close(values, expected.values, rtol=0, atol=1e-6)
    torch.testing.assert_close(result.reached, expected.reached)


def test_sparse_stays_sparse_until_it_fills(words: Data) -> None:
    thin = copy(words)
    thin.x = to_csr(words.x)
    S = operator(words)
    filling = {
        rate: is_sparse(propagate_features(h.x, S, observed=h.get("observed")).values)
        for rate in (0.0, 0.5, 0.999, 1.0)
        if (h := missing.uniform(thin, rate))
    }
    assert filling == {0.0: True, 0.5: False, 0.999: True, 1.0: True}


def test_dead_columns_are_not_worked_on(words: Data) -> None:
    x = words.x.clone()
    x[::2] = torch.nan
    x[1::2, :50] = 0.0
    seen = []
    S = operator(words)
    result = propagate_features(x, S, progress=lambda done, all_: seen.append((done, all_)))
    alive = int((x[1::2] != 0).any(dim=0).sum())
    assert alive < 11
    assert seen[-1] == (alive, alive)
    assert not result.values[:, :50].any()
    torch.testing.assert_close(
        result.values[:, 50:], propagate_features(x[:, 50:].contiguous(), S).values
    )


def test_leaves_its_input_alone(words: Data) -> None:
    x = missing.uniform(words, 0.5).x
    before = x.clone()
    for fill in (propagate_features, solve_features):
        fill(x, operator(words))
    torch.testing.assert_close(x, before, rtol=0, atol=0, equal_nan=True)


def test_no_features_and_no_edges() -> None:
    data = Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=3)
    S = operator(data)
    assert propagate_features(torch.zeros(3, 0), S).values.shape == (3, 0)
    x = torch.tensor([[1.0], [float("nan")], [2.0]])
    alone = propagate_features(x, S)
    assert alone.values.flatten().tolist() == [1.0, 0.0, 2.0]
    assert alone.reached.flatten().tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": -1}, "steps=-1"),
        ({"tolerance": 0.0}, "tolerance=0.0"),
        ({"memory_budget": 10}, "memory budget of 10 bytes"),
        ({"observed": torch.ones(300, 1, dtype=torch.bool)}, r"observed has shape \(300, 1\)"),
    ],
)
def test_refuses_what_it_cannot_do(words: Data, arguments: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        unwrap(propagate_features)(words.x, operator(words), **arguments)


def test_refuses_a_mask_that_is_not_bool(words: Data) -> None:
    with pytest.raises(InputError, match=r"observed has dtype torch\.float32"):
        unwrap(read_columns)(words.x, observed=torch.ones(300))


def test_refuses_another_precision_and_another_graph(words: Data) -> None:
    with pytest.raises(InputError, match=r"x is torch.float64, the operator torch.float32"):
        propagate_features(words.x.double(), operator(words))
    with pytest.raises(InputError, match="features of 2 nodes for an operator on 300"):
        propagate_features(words.x[:2], operator(words))
    with pytest.raises(InputError, match="undirected"):
        solve_features(words.x, operator(words, undirected=False))
