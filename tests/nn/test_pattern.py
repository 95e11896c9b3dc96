"""Products and softmaxes of learned sparse values, against dense ones and numerical gradients."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goodie.nn.pattern import Pattern, pattern
from goodie.sparse import to_csr


def at_random(rows: int, columns: int, seed: int) -> tuple[torch.Tensor, Pattern]:
    """A mask, and the pattern of it; some rows may be empty, and columns too."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(rows, columns, generator=generator) < 0.4
    return mask, pattern(to_csr(mask.double()))


def filled(mask: torch.Tensor, values: torch.Tensor, elsewhere: float = 0.0) -> torch.Tensor:
    out = torch.full(mask.shape, elsewhere, dtype=values.dtype)
    return out.masked_scatter(mask, values)  # row by row, as CSR counts entries


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 5), st.integers(0, 99))
def test_products_and_gradients_are_the_dense_ones(rows, columns, width, seed) -> None:
    mask, where = at_random(rows, columns, seed)
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(int(mask.sum()), dtype=torch.float64, generator=generator)
    x = torch.randn(columns, width, dtype=torch.float64, generator=generator)
    upstream = torch.randn(rows, width, dtype=torch.float64, generator=generator)
    values.requires_grad_()
    x.requires_grad_()
    ours, theirs = where.product(values, x), filled(mask, values) @ x
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    for here, there in zip(
        torch.autograd.grad(ours, (values, x), upstream),
        torch.autograd.grad(theirs, (values, x), upstream),
        strict=True,
    ):
        torch.testing.assert_close(here, there, rtol=0, atol=1e-12)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 99))
def test_the_softmax_is_the_dense_one(rows, columns, seed) -> None:
    mask, where = at_random(rows, columns, seed)
    generator = torch.Generator().manual_seed(seed)
    values = 5 * torch.randn(int(mask.sum()), dtype=torch.float64, generator=generator)
    upstream = torch.randn(len(values), dtype=torch.float64, generator=generator)
    values.requires_grad_()
    ours = where.softmax(values)
    theirs = filled(mask, values, -torch.inf)[mask.any(dim=1)].softmax(dim=1)
    theirs = theirs[mask[mask.any(dim=1)]]
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    here, there = (torch.autograd.grad(out, values, upstream)[0] for out in (ours, theirs))
    torch.testing.assert_close(here, there, rtol=0, atol=1e-12)


def test_gradients_are_numerical_ones() -> None:
    mask, where = at_random(5, 7, 3)
    values = torch.rand(int(mask.sum()), dtype=torch.float64, requires_grad=True)
    x = torch.rand(7, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(where.product, (values, x))
    assert torch.autograd.gradcheck(where.softmax, (values,))


@pytest.mark.parametrize("far", [-500.0, 500.0])
def test_the_softmax_takes_any_size(far: float) -> None:
    where = pattern(to_csr(torch.ones(2, 2)))
    shares = where.softmax(torch.tensor([far, far, 0.0, far]))
    expected = [0.5, 0.5, *([0.0, 1.0] if far > 0 else [1.0, 0.0])]
    torch.testing.assert_close(shares, torch.tensor(expected))


def test_same_bits_each_time() -> None:
    mask, where = at_random(300, 200, 0)
    values = torch.rand(int(mask.sum()), dtype=torch.float64, requires_grad=True)
    x = torch.rand(200, 17, dtype=torch.float64, requires_grad=True)
    one, other = (
        torch.autograd.grad(where.product(where.softmax(values), x).square().sum(), (values, x))
        for _ in range(2)
    )
    assert all(here.equal(there) for here, there in zip(one, other, strict=True))


def test_inputs_are_left_alone() -> None:
    where = pattern(to_csr(torch.eye(3)))
    values, x = torch.rand(3, requires_grad=True), torch.rand(3, 2, requires_grad=True)
    before = values.detach().clone(), x.detach().clone(), where.gather.matrix.values().clone()
    where.product(where.softmax(values), x).sum().backward()
    after = values, x, where.gather.matrix.values()
    assert all(here.equal(there) for here, there in zip(before, after, strict=True))
