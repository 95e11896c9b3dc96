"""The log-sum-exp over pairs: dense against the oracle, blocked against dense, extremes."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from goodie.errors import InputError
from goodie.losses.pairwise_logsumexp import pairwise_logsumexp
from goodie.losses.pairwise_logsumexp.blocked import blocked
from goodie.losses.pairwise_logsumexp.reference import reference
from oracles import goodie as oracle


def rows(n: int, width: int = 7, *, unit: bool = True, seed: int = 0) -> torch.Tensor:
    z = torch.randn(
        n, width, dtype=torch.float64, generator=torch.Generator().manual_seed(seed + n)
    )
    return torch.nn.functional.normalize(z, dim=1) if unit else z


def with_gradient(
    function: Callable[[torch.Tensor], torch.Tensor], z: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The value, and the gradient of a sum in which every row has another weight."""
    z = z.clone().requires_grad_()
    value = function(z)
    finite = torch.where(value.isfinite(), value, 0.0)
    weights = torch.linspace(-1.0, 2.0, len(z), dtype=z.dtype)
    (gradient,) = torch.autograd.grad(finite @ weights, z)
    return value.detach(), gradient


@pytest.mark.parametrize("n", [1, 2, 5, 40])
@pytest.mark.parametrize("temperature", [0.01, 0.5, 30.0])
def test_dense_is_the_oracle(n: int, temperature: float) -> None:
    z = rows(n, unit=False)
    expected = oracle.pairwise_logsumexp(z.numpy(), temperature)
    np.testing.assert_allclose(reference(z, temperature), expected, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 123, 1000])
@pytest.mark.parametrize("block", [1, 4, 64, 2048])
@pytest.mark.parametrize("temperature", [0.01, 1.0])
def test_blocked_is_dense(n: int, block: int, temperature: float) -> None:
    if n == 1000 and block < 64:
        pytest.skip("a million tiles of one pair each")
    z = rows(n)
    here, its_gradient = with_gradient(lambda z: blocked(z, temperature, block=block), z)
    there, gradient = with_gradient(lambda z: reference(z, temperature), z)
    torch.testing.assert_close(here, there, rtol=1e-6, atol=0)
    if n > 1:
        distance = (its_gradient - gradient).norm() / gradient.norm()
        assert distance < 1e-6


@pytest.mark.parametrize("temperature", [1e-4, 0.003, 1.0, 1e6])
def test_extreme_temperatures_and_lengths(temperature: float) -> None:
    """Rows that no shared shift could serve: of many lengths, and far from each other."""
    z = rows(60, unit=False) * torch.logspace(-3, 2, 60, dtype=torch.float64)[:, None]
    here, its_gradient = with_gradient(lambda z: blocked(z, temperature, block=16), z)
    there, gradient = with_gradient(lambda z: reference(z, temperature), z)
    assert here.isfinite().all()
    torch.testing.assert_close(here, there, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(its_gradient, gradient, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("temperature", [0.01, 0.005])
def test_far_rows_in_single_precision(temperature: float) -> None:
    """Random directions, some of them or all, underflow any shared shift in float32."""
    z = rows(300, 50).float()
    here, its_gradient = with_gradient(lambda z: blocked(z, temperature, block=64), z)
    there, gradient = with_gradient(lambda z: reference(z, temperature), z.double())
    limits = torch.finfo(torch.float32)
    far = there < 1 / temperature + np.log(len(z) * limits.tiny / limits.eps)
    assert far.any(), "no row is far, so this tests nothing"
    torch.testing.assert_close(here.double(), there, rtol=1e-5, atol=0)
    assert (its_gradient - gradient).norm() / gradient.norm() < 1e-4


@pytest.mark.parametrize("n", [2, 5, 9])
def test_gradcheck(n: int) -> None:
    z = rows(n, 3, unit=False).requires_grad_()
    assert torch.autograd.gradcheck(lambda z: blocked(z, 0.7, block=2), (z,))


def test_half_precision_keeps_its_type() -> None:
    z = rows(50).to(torch.bfloat16)
    value = blocked(z, 0.5)
    assert value.dtype == torch.bfloat16
    torch.testing.assert_close(value.double(), reference(z.double(), 0.5), rtol=1e-2, atol=0)


def test_one_row_is_an_empty_sum() -> None:
    for backend in ("reference", "blocked", "auto"):
        assert pairwise_logsumexp(torch.ones(1, 3), 0.5, backend=backend).tolist() == [-np.inf]


def test_rows_are_left_alone() -> None:
    z = rows(20)
    before = z.clone()
    blocked(z, 0.1, block=7)
    assert z.equal(before)


def test_memory_grows_with_rows_alone() -> None:
    """Both ways through 6,000 rows, whose pairs would take 288 MB, in what a tile takes."""
    from goodie.memory import resident, watch_peak

    z = rows(6000, 16).float().requires_grad_()
    blocked(z[:2000], 0.1).sum().backward()  # what is allocated once and for all
    before = resident()
    with watch_peak() as peak:
        blocked(z, 0.1).sum().backward()
    highest = peak()
    if before is None or highest is None:
        pytest.skip("this system does not tell how much memory a process takes")
    assert highest - before < 40e6


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_refuses_a_temperature(temperature: float) -> None:
    with pytest.raises(InputError, match="must be above zero"):
        pairwise_logsumexp(torch.ones(2, 2), temperature)
