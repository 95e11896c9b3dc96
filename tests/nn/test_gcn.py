"""Layers against PyG, torch's autograd and numerical gradients."""

import pytest
import torch
from torch_geometric.nn import GCNConv

from goodie import operator, synthetic
from goodie.errors import InputError
from goodie.nn import product
from goodie.nn.gcn import TwoLayers
from goodie.nn.product import Constant, constant, propagated
from goodie.nn.random import Dropout, glorot
from goodie.sparse import to_csr


def test_two_layers_are_pygs_gcn() -> None:
    data = synthetic(50, 3, num_features=20)
    S = operator(data)
    ours = TwoLayers(20, 8, 3, dropout=0.5, generator=torch.Generator().manual_seed(0)).eval()
    first, second = GCNConv(20, 8), GCNConv(8, 3)
    with torch.no_grad():
        for layer, weight, bias in (
            (first, ours.weight_1, ours.bias_1.uniform_()),
            (second, ours.weight_2, ours.bias_2.uniform_()),
        ):
            layer.lin.weight.copy_(weight.T)
            layer.bias.copy_(bias)
    theirs = second(first(data.x, data.edge_index).relu(), data.edge_index)
    torch.testing.assert_close(
        ours(propagated(S, data.x), constant(S.matrix)), theirs, rtol=0, atol=1e-5
    )


@pytest.mark.parametrize("sparse", [True, False])
def test_gradients_of_a_constant_product(sparse: bool) -> None:
    matrix = torch.rand(5, 7, dtype=torch.float64) * (torch.rand(5, 7) < 0.4)
    factor = constant(to_csr(matrix) if sparse else matrix)
    weights = torch.rand(7, 3, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(factor @ weights, matrix @ weights)
    assert torch.autograd.gradcheck(lambda w: factor @ w, (weights,))


@pytest.mark.parametrize(("cost", "is_two"), [(0.0, True), (1e9, False)])
def test_both_associations_are_the_same(
    monkeypatch: pytest.MonkeyPatch, cost: float, is_two: bool
) -> None:
    monkeypatch.setattr(product, "SPARSE_COST", cost)
    data = synthetic(60, num_features=30, sparse=True)
    S = operator(data)
    factor = propagated(S, data.x)
    assert (factor.outer is not None) == is_two
    weights = torch.rand(30, 4, requires_grad=True)
    out = factor @ weights
    torch.testing.assert_close(out, S.matrix.to_dense() @ data.x.to_dense() @ weights)
    (gradient,) = torch.autograd.grad(out.square().sum(), weights)
    dense = S.matrix.to_dense() @ data.x.to_dense()
    torch.testing.assert_close(gradient, 2 * dense.T @ dense @ weights, rtol=1e-4, atol=1e-4)


def test_dropout_scales_and_is_seeded() -> None:
    h = torch.ones(200, 50)
    drop = Dropout(0.25, torch.Generator().manual_seed(1))
    out = drop(h)
    assert out.unique().equal(torch.tensor([0.0, 1 / 0.75]))
    assert abs(out.mean().item() - 1.0) < 0.02
    assert drop(h).ne(out).any()
    assert Dropout(0.25, torch.Generator().manual_seed(1))(h).equal(out)
    assert drop.eval()(h) is h


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_dropout_meets_its_probability_in_every_column(p: float) -> None:
    """Four entries share a number drawn: none of the four may be favoured, or follow another."""
    drop = Dropout(p, torch.Generator().manual_seed(0))
    dropped = (drop(torch.ones(40_000, 4)) == 0).double()
    torch.testing.assert_close(
        dropped.mean(dim=0), torch.full((4,), p, dtype=torch.float64), rtol=0, atol=0.01
    )
    assert (torch.corrcoef(dropped.T) - torch.eye(4)).abs().max() < 0.02
    assert drop(torch.ones(1, 3)).shape == (1, 3)


@pytest.mark.parametrize("p", [-0.1, 1.0, 2.0])
def test_dropout_refuses_what_is_no_probability(p: float) -> None:
    with pytest.raises(InputError, match=f"dropout={p}"):
        Dropout(p, torch.Generator())


def test_glorot_stays_within_its_bound() -> None:
    weights = glorot(30, 20, torch.Generator().manual_seed(0))
    bound = (6 / 50) ** 0.5
    assert weights.abs().max() <= bound
    assert weights.abs().max() > 0.95 * bound
    assert glorot(0, 0, torch.Generator()).shape == (0, 0)


def test_a_constant_keeps_no_copy_of_a_dense_matrix() -> None:
    matrix = torch.rand(4, 3)
    factor: Constant = constant(matrix)
    assert factor.transposed.data_ptr() == matrix.data_ptr()
