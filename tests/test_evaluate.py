"""Metrics against their definitions."""

import numpy as np
import pytest
import torch

from goodie.evaluate import separation


def silhouette(z: np.ndarray, y: np.ndarray) -> float:
    """(b − a) / max(a, b), a the mean distance within the class, b to the nearest other class."""
    apart = np.linalg.norm(z[:, None] - z[None], axis=2)
    scores = []
    for i, own in enumerate(y):
        others = np.arange(len(y)) != i
        a = apart[i, (y == own) & others].mean()
        b = min(apart[i, y == label].mean() for label in set(y) - {own})
        scores.append((b - a) / max(a, b))
    return float(np.mean(scores))


def test_separation_is_the_mean_silhouette() -> None:
    z = torch.randn(30, 4, generator=torch.Generator().manual_seed(0))
    y = torch.arange(30) % 3
    assert separation(z, y) == pytest.approx(silhouette(z.double().numpy(), y.numpy()), abs=1e-5)
    assert separation(z + 100 * torch.nn.functional.one_hot(y, 4), y) > 0.9
