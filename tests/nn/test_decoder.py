"""The inner product and its loss, against float64 NumPy; draws that leave the edges out."""

import numpy as np
import pytest
import torch

from goodie.nn.decoder import RandomPairs, pair_logits, reconstruction


def problem(scale: float = 1.0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    z = scale * torch.randn(9, 4, generator=generator, dtype=torch.float64)
    edges = torch.tensor([[0, 1, 2, 2], [3, 4, 5, 5]])
    drawn = torch.tensor([[6, 7, 0], [8, 8, 3]])
    return z, edges, drawn, torch.tensor([True, True, False])


def test_reconstruction() -> None:
    z, edges, drawn, counted = problem()
    probability = 1.0 / (1.0 + np.exp(-(z @ z.T).numpy()))
    right = np.mean([np.log(probability[i, j]) for i, j in edges.T])
    wrong = np.mean([np.log(1.0 - probability[i, j]) for i, j in drawn.T[:2]])
    np.testing.assert_allclose(reconstruction(z, edges, drawn, counted), -right - wrong)


def test_gradient() -> None:
    z, *pairs = problem()
    assert torch.autograd.gradcheck(lambda z: reconstruction(z, *pairs), z.requires_grad_())


@pytest.mark.parametrize("scale", [1e-6, 1e4])
def test_extremes_are_finite(scale: float) -> None:
    z, *pairs = problem(scale)
    z = z.float().requires_grad_()
    value = reconstruction(z, *pairs)
    value.backward()
    assert value.isfinite()
    assert z.grad is not None
    assert z.grad.isfinite().all()


def test_nothing_drawn_counts() -> None:
    z, edges, drawn, counted = problem()
    alone = reconstruction(z, edges, drawn, torch.zeros_like(counted))
    torch.testing.assert_close(alone, -torch.nn.functional.logsigmoid(pair_logits(z, edges)).mean())


def test_draws_leave_edges_and_loops_out() -> None:
    edges = torch.tensor([[0, 0, 1, 2], [1, 2, 3, 3]])
    pairs = RandomPairs(edges, 5, torch.Generator().manual_seed(0))
    counts = np.zeros((5, 5), int)
    every = 0
    for _ in range(2_000):
        drawn, counted = pairs.draw()
        every += len(counted)
        np.add.at(counts, tuple(drawn[:, counted].numpy()), 1)
    counts += counts.T
    joined = np.eye(5, dtype=bool)
    joined[tuple(edges.numpy())] = joined[tuple(edges.flip(0).numpy())] = True
    assert not counts[joined].any()
    share = counts[~joined] / every
    np.testing.assert_allclose(share, 2 / 25, atol=0.01)  # each of 25 ordered pairs as often
