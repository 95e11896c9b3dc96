"""Correct and smooth against its oracle and PyG."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.nn import CorrectAndSmooth

from goodie import operator, synthetic
from goodie.errors import InputError
from goodie.propagate.smooth import correct, smooth
from oracles import correct_and_smooth as oracle
from propagate.graphs import dense, graphs_with_holes

KINDS = ["symmetric", "row", "column"]


def predicted(data: Data, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Probabilities of three classes, labels, and which of them are known; maybe none."""
    generator = torch.Generator().manual_seed(seed)
    n = data.num_nodes
    Z = torch.randn(n, 3, dtype=torch.float64, generator=generator).softmax(dim=1)
    y = torch.randint(3, (n,), generator=generator)
    seeds = torch.rand(n, generator=generator) < 0.4
    return Z, torch.where(seeds, y, -1), seeds


@pytest.fixture(scope="module")
def blocks() -> Data:
    return synthetic(400, 3, num_features=0, average_degree=4.0)


@given(
    graphs_with_holes(max_features=0),
    st.sampled_from(KINDS),
    st.integers(0, 9),
    st.sampled_from([0.0, 0.8, 0.999, 1.0]),
    st.integers(0, 99),
)
def test_both_steps_are_the_oracles(
    data: Data, kind: str, steps: int, alpha: float, seed: int
) -> None:
    Z, y, seeds = predicted(data, seed)
    S = operator(data, normalisation=kind, self_loops=False, dtype=torch.float64)
    given = (y.numpy(), seeds.numpy(), dense(data, kind, self_loops=False), alpha, steps)
    corrected = correct(Z, y, seeds, S, alpha=alpha, steps=steps)
    np.testing.assert_allclose(corrected, oracle.correct(Z, *given), rtol=0, atol=1e-10)
    smoothed = smooth(Z, y, seeds, S, alpha=alpha, steps=steps)
    np.testing.assert_allclose(smoothed, oracle.smooth(Z, *given), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_is_pygs_correct_and_smooth(blocks: Data, kind: str) -> None:
    Z, y, seeds = (
        part.float() if part.is_floating_point() else part for part in predicted(blocks, 0)
    )
    S = operator(blocks, normalisation=kind, self_loops=False)
    theirs = CorrectAndSmooth(50, 0.87, 50, 0.81)
    # PyG normalises symmetrically where no weights are given, and takes given ones as they are.
    row, column = S.matrix.to_dense().nonzero().T
    graph = (torch.stack([column, row]), S.matrix.to_dense()[row, column])
    if kind == "symmetric":
        graph = (blocks.edge_index,)
    corrected = theirs.correct(Z, y[seeds], seeds, *graph)
    ours = correct(Z, y, seeds, S, alpha=0.87)
    torch.testing.assert_close(ours, corrected, rtol=0, atol=1e-5)
    smoothed = theirs.smooth(corrected, y[seeds], seeds, *graph)
    torch.testing.assert_close(smooth(ours, y, seeds, S, alpha=0.81), smoothed, rtol=0, atol=1e-5)


def test_without_an_error_there_is_nothing_to_correct(blocks: Data) -> None:
    """PyG divides zero by zero here."""
    Z, y, seeds = predicted(blocks, 1)
    S = operator(blocks, self_loops=False, dtype=torch.float64)
    right = torch.where(seeds[:, None], torch.eye(3, dtype=torch.float64)[y], Z)
    assert correct(right, y, seeds, S).equal(right)
    nobody = torch.zeros_like(seeds)
    assert correct(Z, y, nobody, S).equal(Z)


def test_where_hardly_any_error_arrives_it_is_not_blown_up() -> None:
    """A path of ten: at its far end the error is some 1e-6 of what was sent."""
    ends = torch.arange(9)
    data = Data(edge_index=torch.stack([ends, ends + 1]), num_nodes=10)
    S = operator(data, self_loops=False, dtype=torch.float64)
    Z = torch.full((10, 2), 0.5, dtype=torch.float64)
    seeds = ends.new_tensor([1, *[0] * 9]).bool()
    moved = (correct(Z, ends.new_zeros(10), seeds, S, alpha=0.1) - Z).abs().sum(dim=1)
    assert moved[1].item() == pytest.approx(1.0)
    assert 0 < moved[9].item() < 1e-3


def test_errors_are_kept_within_one() -> None:
    """A hub gathers 20/√20 of what its leaves send."""
    leaves = torch.arange(1, 21)
    data = Data(edge_index=torch.stack([leaves, torch.zeros_like(leaves)]), num_nodes=21)
    S = operator(data, self_loops=False, dtype=torch.float64)
    Z = torch.tensor([[0.1, 0.9]], dtype=torch.float64).repeat(21, 1)
    seeds = torch.arange(21) > 0
    y = torch.zeros(21, dtype=torch.long)
    expected = oracle.correct(Z, y, seeds, S.matrix.to_dense(), 1.0, 1)
    np.testing.assert_allclose(correct(Z, y, seeds, S, alpha=1.0, steps=1), expected, atol=1e-12)


def test_labels_that_are_not_seeds_are_never_read(blocks: Data) -> None:
    Z, y, seeds = predicted(blocks, 3)
    S = operator(blocks, self_loops=False, dtype=torch.float64)
    other = torch.where(seeds, y, 2)
    assert correct(Z, y, seeds, S).equal(correct(Z, other, seeds, S))
    assert smooth(Z, y, seeds, S).equal(smooth(Z, other, seeds, S))


def test_inputs_are_left_alone(blocks: Data) -> None:
    Z, y, seeds = predicted(blocks, 4)
    before = Z.clone()
    S = operator(blocks, self_loops=False, dtype=torch.float64)
    smooth(correct(Z, y, seeds, S), y, seeds, S)
    assert Z.equal(before)


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([0, 3], {}, "labels from 0 to 3, and the predictions are for 2 classes"),
        ([0, -1], {}, "labels from -1 to 0"),
        ([0, 1], {"alpha": 1.5}, "alpha=1.5"),
        ([0, 1], {"steps": -1}, "steps=-1"),
    ],
)
@pytest.mark.parametrize("step", [correct, smooth])
def test_refuses_what_it_cannot_do(step, y: list, options: dict, message: str) -> None:
    S = operator(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2))
    with pytest.raises(InputError, match=message):
        step(torch.full((2, 2), 0.5), torch.tensor(y), torch.ones(2).bool(), S, **options)
