"""Metrics against their definitions."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goodie.errors import InputError
from goodie.evaluate import percent_above, ranking, separation


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


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=20),
    st.lists(st.integers(-3, 3), min_size=1, max_size=20),
)
def test_area_is_the_share_of_pairs_in_order(edges: list[int], others: list[int]) -> None:
    """With ties, which count half."""
    above = np.mean([(a > b) + 0.5 * (a == b) for a in edges for b in others])
    right, wrong = torch.tensor(edges).float(), torch.tensor(others).float()
    assert ranking(right, wrong).auc == pytest.approx(100 * above)
    assert float(percent_above(right, wrong)) == pytest.approx(100 * above)


def test_average_precision_is_the_mean_precision_at_edges() -> None:
    order = [1, 0, 1, 1, 0]  # best first
    scores = torch.arange(5, 0, -1).float()
    truth = torch.tensor(order).bool()
    precision = np.mean([sum(order[: i + 1]) / (i + 1) for i in range(5) if order[i]])
    found = ranking(scores[truth], scores[~truth])
    assert found.ap == pytest.approx(100 * precision)


def test_nothing_to_tell_apart() -> None:
    with pytest.raises(InputError, match="0 edges and 2 other pairs"):
        ranking(torch.empty(0), torch.ones(2))
