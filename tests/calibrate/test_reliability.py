"""The expected calibration error against its definition, written as loops."""

import numpy as np
import pytest

from goodie.calibrate.reliability import reliability
from goodie.errors import InputError


def by_definition(p: np.ndarray, y: np.ndarray, bins: int) -> float:
    total = 0.0
    for b in range(bins):
        inside = [
            i
            for i in range(len(y))
            if b / bins < max(p[i]) <= (b + 1) / bins or (b == 0 and max(p[i]) == 0)
        ]
        if inside:
            confidence = sum(float(max(p[i])) for i in inside) / len(inside)
            accuracy = sum(int(np.argmax(p[i])) == y[i] for i in inside) / len(inside)
            total += len(inside) * abs(accuracy - confidence)
    return total / len(y)


@pytest.mark.parametrize("bins", [1, 7, 15])
def test_error_is_its_definition(bins: int) -> None:
    rng = np.random.default_rng(bins)
    p = rng.dirichlet(np.ones(3), size=400)
    y = rng.integers(0, 3, size=400)
    done = reliability(p, y, bins=bins)
    assert done.error == pytest.approx(by_definition(p, y, bins), abs=1e-12)
    assert sum(one.nodes for one in done.bins) == 400
    assert [one.lower for one in done.bins[1:]] == [one.upper for one in done.bins[:-1]]


def test_a_boundary_belongs_to_the_bin_below() -> None:
    done = reliability(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0]), bins=2)
    assert [one.nodes for one in done.bins] == [1, 1]
    assert [one.confidence for one in done.bins] == [0.5, 1.0]


def test_perfect_and_worst() -> None:
    sure = np.tile([1.0, 0.0], (10, 1))
    assert reliability(sure, np.zeros(10, dtype=int)).error == 0.0
    assert reliability(sure, np.ones(10, dtype=int)).error == 1.0


def test_nobody_to_judge() -> None:
    with pytest.raises(InputError, match="no node is judged"):
        reliability(np.empty((0, 2)), np.empty(0, dtype=int))
    with pytest.raises(InputError, match="at least one"):
        reliability(np.ones((1, 1)), np.zeros(1, dtype=int), bins=0)
