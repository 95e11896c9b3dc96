"""Temperature against a search over a grid, against a known truth, and at its extremes."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from goodie.calibrate.temperature import (
    COLDEST,
    FEW,
    HOTTEST,
    fit_temperature,
    likeliest_temperature,
    negative_log_likelihood,
    tempered,
)
from goodie.errors import InputError


def drawn(n: int, truth: float, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities whose labels follow them at another temperature."""
    rng = np.random.default_rng(seed)
    z = 2.0 * rng.normal(size=(n, 4))
    y = np.array([rng.choice(4, p=row) for row in softmax(z / truth, axis=1)])
    return softmax(z, axis=1), y


@pytest.mark.parametrize("truth", [0.5, 1.0, 2.5])
def test_it_finds_the_temperature_that_labels_were_drawn_at(truth: float) -> None:
    assert fit_temperature(*drawn(20_000, truth)) == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("n", [3, 40, 500])
def test_it_is_the_best_of_a_grid(n: int) -> None:
    p, y = drawn(n, 1.7, seed=n)
    if n >= FEW:
        assert fit_temperature(p, y) == likeliest_temperature(p, y)
    target = (n * np.eye(4)[y] + 0.25) / (n + 1)
    grid = np.exp(np.linspace(np.log(COLDEST), np.log(HOTTEST), 20_001))
    losses = [-(target * log_softmax(np.log(p) / t, axis=1)).sum(axis=1).mean() for t in grid]
    assert likeliest_temperature(p, y) == pytest.approx(grid[int(np.argmin(losses))], rel=1e-3)


def test_a_handful_of_right_answers_is_not_taken_for_certainty() -> None:
    p, y = np.full((9, 2), [0.8, 0.2]), np.zeros(9, dtype=int)
    best = tempered(p, fit_temperature(p, y))
    np.testing.assert_allclose(best[:, 0], 0.95, atol=1e-6)  # (9 + ½) / (9 + 1)


def test_of_few_nodes_it_has_to_prove_itself() -> None:
    """One node out, at a temperature from a grid, for every node in turn."""
    kept = 0
    for seed in range(40):
        p, y = drawn(8, [0.4, 1.0][seed % 2], seed=seed)
        left_out = 0.0
        for node in range(8):
            others = np.arange(8) != node
            target = (7 * np.eye(4)[y[others]] + 0.25) / 8
            grid = np.exp(np.linspace(np.log(COLDEST), np.log(HOTTEST), 4_001))
            z = np.log(p[others])
            losses = -(target * log_softmax(z / grid[:, None, None], axis=2)).sum(axis=(1, 2))
            left_out -= log_softmax(np.log(p[node]) / grid[int(np.argmin(losses))])[y[node]]
        proven = left_out < -np.log(p[np.arange(8), y]).sum()
        assert fit_temperature(p, y) == (likeliest_temperature(p, y) if proven else 1.0)
        kept += proven
    assert 10 < kept < 35


def test_few_nodes_do_no_harm_to_what_is_true_already() -> None:
    """Where labels follow the probabilities, no temperature is better than 1."""
    p, y = drawn(2_000, 1.0, seed=1)
    rng = np.random.default_rng(0)
    proven, likeliest = [], []
    for _ in range(200):
        some = rng.choice(2_000, 10, replace=False)
        for rule, losses in ((fit_temperature, proven), (likeliest_temperature, likeliest)):
            losses.append(negative_log_likelihood(tempered(p, rule(p[some], y[some])), y))
    best = negative_log_likelihood(p, y)
    assert np.mean(proven) - best < 0.75 * (np.mean(likeliest) - best)


@pytest.mark.parametrize("n", [FEW, 10_000])
def test_extremes_are_bounded(n: int) -> None:
    right = np.tile([0.51, 0.49], (n, 1))
    assert COLDEST <= fit_temperature(right, np.zeros(n, dtype=int)) <= HOTTEST
    wrong = np.tile([1.0, 0.0], (n, 1))
    assert fit_temperature(wrong, np.ones(n, dtype=int)) == HOTTEST


def test_nothing_to_learn_from_leaves_them_as_they_are() -> None:
    assert fit_temperature(np.empty((0, 3)), np.empty(0, dtype=int)) == 1.0
    assert fit_temperature(np.ones((5, 1)), np.zeros(5, dtype=int)) == 1.0
    assert fit_temperature(np.full((5, 4), 0.25), np.arange(5) % 4) == 1.0
    assert fit_temperature(np.array([[0.9, 0.1]]), np.array([1])) == 1.0
    p, _ = drawn(5, 1.0)
    assert tempered(p, 1.0) is p


def test_one_impossible_label_among_many_does_not_decide() -> None:
    p = np.tile(np.array([1.0, 0.0], dtype=np.float32), (1000, 1))
    y = np.zeros(1000, dtype=int)
    y[0] = 1
    best = tempered(p, fit_temperature(p, y))
    assert best.dtype == np.float32
    assert 0.995 < best[0, 0] < 0.9995


def test_tempering_keeps_the_order_and_the_sum() -> None:
    p, y = drawn(300, 1.0)
    for t in (0.05, 0.7, 3.0, 20.0):
        q = tempered(p, t)
        np.testing.assert_allclose(q.sum(axis=1), 1.0, rtol=1e-12)
        assert (q.argmax(axis=1) == p.argmax(axis=1)).all()
    np.testing.assert_allclose(tempered(p, 2.0), np.sqrt(p) / np.sqrt(p).sum(1, keepdims=True))
    assert negative_log_likelihood(p, y) == pytest.approx(-np.log(p[np.arange(300), y]).mean())


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.nan, np.inf])
def test_a_temperature_is_a_positive_number(temperature: float) -> None:
    with pytest.raises(InputError, match="must be a positive number"):
        tempered(np.full((1, 2), 0.5), temperature)


def test_labels_are_columns() -> None:
    with pytest.raises(InputError, match="labels go from -1 to 2; there are 2 classes"):
        fit_temperature(np.full((2, 2), 0.5), np.array([-1, 2]))
