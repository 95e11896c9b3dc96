"""The map: what is alike lies together, and nothing breaks it."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from goodie.report.layout import layout, principal


def test_principal_components_are_scikit_learns() -> None:
    z = np.random.default_rng(0).normal(size=(60, 5)) * [5, 3, 1, 1, 1]
    expected = PCA(2).fit_transform(z)
    np.testing.assert_allclose(np.abs(principal(z)), np.abs(expected), atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 50, 200])
def test_what_cannot_be_told_apart_lies_in_one_place(n: int) -> None:
    for value in (0.0, 3.0):
        place, _ = layout(np.full((n, 4), value))
        np.testing.assert_allclose(place, place[0] * np.ones((n, 1)), atol=1e-9)


def test_alike_lies_together_however_long() -> None:
    rng = np.random.default_rng(0)
    group = np.arange(300) % 3
    z = 4 * np.eye(3)[group] + 0.3 * rng.normal(size=(300, 3))
    place, name = layout(z * rng.uniform(0.1, 10, size=(300, 1)))
    assert name == "t-SNE"
    assert np.isfinite(place).all()
    distance = np.linalg.norm(place[:, None] - place[None], axis=2) + 1e9 * np.eye(300)
    assert (group[distance.argmin(axis=1)] == group).mean() > 0.98
