"""GCNMF as a method: the mixture it starts from, and what it says with the weights it ends with."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie import missing, splits, synthetic
from goodie.config import build
from goodie.data.observed import to_sparse
from goodie.methods import gcnmf
from goodie.methods.gcnmf import GCNMF, SMALLEST, fit_mixture, read_table
from oracles import gcnmf as oracle
from propagate.graphs import dense


def problem(rate: float, *, scenario: str = "uniform") -> Data:
    data = synthetic(60, 3, num_features=16, average_degree=4.0)
    return splits.stratified(data.y, train=0.2, val=0.2).apply(missing.hide(data, scenario, rate))


def imputed(data: Data) -> np.ndarray:
    """Means of what is observed of each column in its holes."""
    x = data.x.double().numpy()
    count = (~np.isnan(x)).sum(axis=0)
    return np.where(np.isnan(x), np.nansum(x, axis=0) / np.maximum(count, 1), x)


@pytest.mark.parametrize("scenario", ["uniform", "structural"])
@pytest.mark.parametrize("rate", [0.0, 0.6, 0.99])
def test_is_the_oracle(scenario: str, rate: float) -> None:
    data = problem(rate, scenario=scenario)
    method = GCNMF(build(GCNMF.Settings, {"max_epochs": 5, "components": 3})).fit(data)
    w = {name: t.double().numpy() for name, t in method.model_.state_dict().items()}
    A = dense(data, "symmetric")
    pi = np.exp(w["log_weights"]) / np.exp(w["log_weights"]).sum()
    h = oracle.first_layer(
        A, data.x, w["weight_1"], w["bias_1"], pi, w["means"], np.exp(w["log_variances"])
    )
    logits = A @ h @ w["weight_2"] + w["bias_2"]
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    for form in (data, to_sparse(data)):
        np.testing.assert_allclose(method.predict_proba(form), p, rtol=0, atol=1e-5)


@pytest.mark.parametrize("rate", [0.0, 0.5, 0.9])
def test_the_mixture_has_the_moments_of_what_it_is_fitted_to(rate: float) -> None:
    """Which every step of expectation maximisation gives it, to the last digit."""
    data = problem(rate)
    data.x[:, 3] = torch.nan  # nothing observed
    data.x[:, 5] = 2.0  # one value
    weights, means, variances = (
        part.double().numpy() for part in fit_mixture(read_table(data), 5, seed=0)
    )
    x = imputed(data)
    assert weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(weights @ means, x.mean(axis=0), rtol=0, atol=1e-6)
    smallest = variances.min()
    second = weights @ (variances + means**2) - smallest
    np.testing.assert_allclose(second, (x**2).mean(axis=0), rtol=0, atol=1e-5)
    assert means[:, [3, 5]].tolist() == [[0.0, 2.0]] * 5
    assert (variances[:, [3, 5]] == smallest).all()
    assert np.ptp(means, axis=0).max() > 0.1


def test_nothing_observed() -> None:
    weights, means, variances = fit_mixture(read_table(problem(1.0)), 5, seed=0)
    assert weights.tolist() == pytest.approx([0.2] * 5)
    assert not means.any()
    assert variances.unique().tolist() == pytest.approx([SMALLEST])


def test_too_much_is_sampled_and_too_little_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_table(problem(0.3))
    monkeypatch.setattr(gcnmf, "FITTED_ENTRIES", 16 * 20)
    one, same, other = (fit_mixture(table, 5, seed=seed) for seed in (0, 0, 1))
    assert one.means.equal(same.means)
    assert not one.means.equal(other.means)
    assert (20 * one.weights).sum() == pytest.approx(20.0)
    few = Data(x=torch.tensor([[0.0, 1.0], [2.0, torch.nan]]), edge_index=torch.empty(2, 0).long())
    mixture = fit_mixture(read_table(few), 5, seed=0)
    assert all(part.isfinite().all() for part in mixture)


def test_the_mixture_is_trained() -> None:
    data = problem(0.5)
    method = GCNMF(build(GCNMF.Settings, {"max_epochs": 5})).fit(data)
    start = fit_mixture(read_table(data), 5, seed=0)
    assert (method.model_.means - start.means).abs().max() > 1e-3
    assert (method.model_.log_variances - start.variances.log()).abs().max() > 1e-3
    assert (method.model_.log_weights - start.weights.log()).abs().max() > 1e-3
