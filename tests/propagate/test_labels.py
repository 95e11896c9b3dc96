"""Label propagation against its oracles, PyG, and its closed form."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.nn import LabelPropagation
from torch_geometric.utils import add_remaining_self_loops

from goodie import operator, propagate_labels, solve_labels, synthetic
from goodie.errors import InputError
from goodie.propagate.engine import ARRAYS_ALLOCATED
from oracles import propagation as oracle
from propagate.graphs import dense, graphs_with_holes

KINDS = ["symmetric", "row", "column"]


def seeded(data: Data, seed: int) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
    """Random labels of three classes, at least one of them a seed, and their one-hot matrix."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=data.num_nodes)
    seeds = rng.random(data.num_nodes) < 0.3
    seeds[rng.integers(data.num_nodes)] = True
    return torch.from_numpy(y), torch.from_numpy(seeds), np.eye(3)[y] * seeds[:, None]


@pytest.fixture(scope="module")
def blocks() -> Data:
    return synthetic(400, 4, num_features=0, average_degree=4.0)


@given(
    graphs_with_holes(max_features=0),
    st.sampled_from(KINDS),
    st.integers(0, 9),
    st.sampled_from([0.0, 0.8, 0.999, 1.0]),
    st.integers(0, 99),
)
def test_fixed_steps_are_the_oracles(
    data: Data, kind: str, steps: int, alpha: float, seed: int
) -> None:
    y, seeds, Y0 = seeded(data, seed)
    S, dense_S = operator(data, normalisation=kind, dtype=torch.float64), dense(data, kind)
    residual = propagate_labels(y, seeds, S, alpha=alpha, steps=steps, num_classes=3)
    reset = propagate_labels(y, seeds, S, form="reset", steps=steps, num_classes=3)
    np.testing.assert_allclose(
        residual.values,
        oracle.label_propagation_residual(dense_S, Y0, alpha, steps),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        reset.values,
        oracle.label_propagation_reset(dense_S, Y0, seeds.numpy(), steps),
        atol=1e-12,
    )


@given(graphs_with_holes(max_features=0), st.sampled_from(KINDS), st.integers(0, 99))
def test_the_solutions_are_the_closed_forms(data: Data, kind: str, seed: int) -> None:
    y, seeds, Y0 = seeded(data, seed)
    S, dense_S = operator(data, normalisation=kind, dtype=torch.float64), dense(data, kind)
    residual = solve_labels(y, seeds, S, alpha=0.9, num_classes=3)
    np.testing.assert_allclose(residual.values, oracle.residual_limit(dense_S, Y0, 0.9), atol=1e-9)
    holes = np.where(seeds.numpy()[:, None], Y0, np.nan)
    reset = solve_labels(y, seeds, S, form="reset", num_classes=3)
    np.testing.assert_allclose(reset.values, oracle.harmonic(dense_S, holes)[0], atol=1e-6)


def test_is_pygs_label_propagation(blocks: Data) -> None:
    y, seeds, _ = seeded(blocks, 0)
    looped, _ = add_remaining_self_loops(blocks.edge_index)
    theirs = LabelPropagation(num_layers=50, alpha=0.99)(y, looped, mask=seeds)
    ours = propagate_labels(y, seeds, operator(blocks), alpha=0.99)
    torch.testing.assert_close(ours.values, theirs, rtol=0, atol=1e-5)


def test_clipping_matters_and_is_done() -> None:
    # A star of seeds: the hub gathers 20/√21 of the leaves' label in one step.
    star = torch.stack([torch.arange(1, 21), torch.zeros(20, dtype=torch.long)])
    data = Data(edge_index=star, num_nodes=21)
    seeds = torch.arange(21) > 0
    S = operator(data, self_loops=False)
    values = propagate_labels(torch.zeros(21, dtype=torch.long), seeds, S, alpha=1.0, steps=1)
    assert values.values[0].item() == 1.0


def test_says_what_no_label_reaches() -> None:
    data = Data(edge_index=torch.tensor([[0, 1, 3], [1, 2, 4]]), num_nodes=6)
    seeds = torch.tensor([True, False, False, False, False, False])
    result = propagate_labels(torch.zeros(6, dtype=torch.long), seeds, operator(data), steps=1)
    assert result.reached.tolist() == [True, True, True, False, False, False]
    assert result.values[:, 0].gt(0).tolist() == [True, True, False, False, False, False]


def test_a_tolerance_stops_early_and_close(blocks: Data) -> None:
    y, seeds, _ = seeded(blocks, 1)
    S = operator(blocks, dtype=torch.float64)
    exact = propagate_labels(y, seeds, S, alpha=0.8, steps=10_000)
    early = propagate_labels(y, seeds, S, alpha=0.8, steps=10_000, tolerance=1e-6)
    assert early.steps < 200
    torch.testing.assert_close(early.values, exact.values, rtol=0, atol=1e-5)


@pytest.mark.parametrize("form", ["residual", "reset"])
def test_the_width_of_a_block_is_nothing(blocks: Data, form: str) -> None:
    y, seeds, _ = seeded(blocks, 2)
    S = operator(blocks)
    one_column = S.num_nodes * 4 * ARRAYS_ALLOCATED
    wide = propagate_labels(y, seeds, S, form=form)
    narrow = propagate_labels(y, seeds, S, form=form, memory_budget=one_column)
    torch.testing.assert_close(wide.values, narrow.values, rtol=0, atol=1e-6)


def test_labels_that_are_not_seeds_are_never_read(blocks: Data) -> None:
    y, seeds, _ = seeded(blocks, 3)
    other = torch.where(seeds, y, -1)
    here, there = (propagate_labels(labels, seeds, operator(blocks)) for labels in (y, other))
    assert here.values.equal(there.values)


@pytest.mark.parametrize(
    ("y", "seeds", "options", "message"),
    [
        ([0, 1], [False, False], {}, "no node is a seed"),
        ([0, -1], [True, True], {}, "1 seeds have no label"),
        ([0, 3], [True, True], {"num_classes": 2}, "num_classes=2, but a seed has label 3"),
        ([0, 1, 0], [True, True, True], {}, "3 labels and 3 seed marks for an operator on 2"),
        ([0, 1], [True, True], {"alpha": 1.5}, "alpha=1.5"),
    ],
)
def test_refuses_what_it_cannot_do(y: list, seeds: list, options: dict, message: str) -> None:
    S = operator(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))
    with pytest.raises(InputError, match=message):
        propagate_labels(torch.tensor(y), torch.tensor(seeds), S, **options)
