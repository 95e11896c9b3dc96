"""Constant factors: their rows, and what those read."""

import pytest
import torch

from goodie import operator, synthetic
from goodie.nn.product import constant, propagated


@pytest.fixture
def matrix() -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    dense = torch.rand(30, 20, generator=generator)
    return dense * (torch.rand(30, 20, generator=generator) < 0.1)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("chosen", [[], [4], [29, 0, 7, 7]])
def test_rows(matrix: torch.Tensor, chosen: list[int], sparse: bool) -> None:
    whole = constant(matrix.to_sparse_csr() if sparse else matrix)
    weights = torch.rand(20, 3, generator=torch.Generator().manual_seed(1), requires_grad=True)
    rows = torch.tensor(chosen, dtype=torch.long)
    part = whole.rows(rows) @ weights
    torch.testing.assert_close(part, matrix[rows] @ weights)
    (gradient,) = torch.autograd.grad(part.square().sum(), weights)
    (expected,) = torch.autograd.grad((matrix[rows] @ weights).square().sum(), weights)
    torch.testing.assert_close(gradient, expected)


@pytest.mark.parametrize("chosen", [[], [4], [2, 9, 11]])
def test_reading_leaves_out_what_is_zero_throughout(
    matrix: torch.Tensor, chosen: list[int]
) -> None:
    rows = torch.tensor(chosen, dtype=torch.long)
    part, read = constant(matrix.to_sparse_csr()).reading(rows)
    assert read.tolist() == (matrix[rows] != 0).any(dim=0).nonzero()[:, 0].tolist()
    x = torch.rand(20, 2, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(part @ x[read], matrix[rows] @ x)


def test_reading_nearly_everything_reads_everything(matrix: torch.Tensor) -> None:
    part, read = constant(matrix.to_sparse_csr()).reading(torch.arange(30))
    assert read is None
    x = torch.rand(20, 2, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(part @ x, matrix @ x)


@pytest.mark.parametrize("width", [4, 4000])
def test_rows_of_what_is_propagated(width: int) -> None:
    """Whichever way `S X W` is associated."""
    data = synthetic(80, 2, num_features=width, words_per_node=2, average_degree=3.0)
    product = propagated(operator(data), data.x)
    assert (product.outer is None) == (width == 4)
    weights = torch.rand(width, 3, generator=torch.Generator().manual_seed(1))
    rows = torch.tensor([5, 61, 0])
    torch.testing.assert_close(product.rows(rows) @ weights, (product @ weights)[rows])
