"""GCNMF's network: its closed forms, and the whole of it against the oracle, values and slopes."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from torch.func import functional_call
from torch_geometric.data import Data

from goodie import missing, operator, synthetic
from goodie.methods.gcnmf import prepare, read_table
from goodie.nn.gcnmf import GCNMFNetwork, Inputs, Mixture, expected_relu, split_holes
from goodie.sparse import is_sparse
from oracles import gcnmf as oracle
from propagate.graphs import dense, graphs_with_holes


def inputs(data: Data) -> Inputs:
    return prepare(read_table(data), operator(data, dtype=torch.float64))


def network(num_features: int, *, components: int = 3, hidden: int = 4) -> GCNMFNetwork:
    """In double precision, with nothing at zero."""
    rng = np.random.default_rng(0)
    weights, means, variances = (
        torch.from_numpy(part)
        for part in (
            rng.dirichlet(np.ones(components)),
            rng.normal(size=(components, num_features)),
            rng.uniform(0.2, 2.0, size=(components, num_features)),
        )
    )
    generator = torch.Generator().manual_seed(0)
    model = GCNMFNetwork(
        Mixture(weights, means, variances), hidden, 2, dropout=0.5, generator=generator
    ).double()
    with torch.no_grad():
        model.bias_1.copy_(torch.from_numpy(rng.normal(size=hidden)))
        model.bias_2.copy_(torch.from_numpy(rng.normal(size=2)))
    return model.eval()


def logits(model: GCNMFNetwork, data: Data) -> np.ndarray:
    """The oracle's, with the weights of the model."""
    w = {name: t.double().numpy() for name, t in model.state_dict().items()}
    A = dense(data, "symmetric")
    pi = np.exp(w["log_weights"]) / np.exp(w["log_weights"]).sum()
    h = oracle.first_layer(
        A, data.x, w["weight_1"], w["bias_1"], pi, w["means"], np.exp(w["log_variances"])
    )
    return A @ h @ w["weight_2"] + w["bias_2"]


@settings(deadline=None)
@given(graphs_with_holes(), st.integers(1, 4))
def test_is_the_oracle(data: Data, components: int) -> None:
    model = network(data.x.shape[1], components=components)
    with torch.no_grad():
        ours = model(inputs(data))
    np.testing.assert_allclose(ours, logits(model, data), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("pattern", [missing.uniform, missing.structural])
@pytest.mark.parametrize("rate", [0.0, 0.02, 0.5, 0.98, 1.0])
def test_every_form_is_the_oracle(pattern, rate: float) -> None:
    data = pattern(synthetic(60, num_features=40), rate)
    model = network(40)
    with torch.no_grad():
        np.testing.assert_allclose(model(inputs(data)), logits(model, data), rtol=0, atol=1e-9)


def test_gradients_are_the_differences() -> None:
    data = missing.uniform(synthetic(9, 2, num_features=5, average_degree=3.0), 0.4)
    prepared, model = inputs(data), network(5)
    names = [name for name, _ in model.named_parameters()]
    values = tuple(p.detach().clone().requires_grad_() for p in model.parameters())

    def out(*weights: torch.Tensor) -> torch.Tensor:
        return functional_call(model, dict(zip(names, weights, strict=True)), (prepared,))

    assert torch.autograd.gradcheck(out, values)


def test_expected_relu_is_that_of_monte_carlo() -> None:
    draws = np.random.default_rng(0).standard_normal(2_000_000)
    for m, s in ((0.0, 1.0), (1.5, 0.25), (-1.0, 4.0), (-2.0, 1.0), (3.0, 9.0)):
        sample = np.maximum(m + s**0.5 * draws, 0.0)
        error = sample.std() / len(draws) ** 0.5
        ours = expected_relu(torch.tensor(m), torch.tensor(s)).item()
        assert abs(ours - sample.mean()) < 4 * error


@pytest.mark.parametrize(("m", "s"), [(0.0, 1.0), (1.5, 0.25), (-7.0, 1.0), (20.0, 3.0)])
def test_expected_relu_is_the_integral(m: float, s: float) -> None:
    def density(z: float) -> float:
        return z * np.exp(-((z - m) ** 2) / (2 * s)) / (2 * np.pi * s) ** 0.5

    middle = max(m, 0.0)
    expected = quad(density, 0, middle, epsabs=0)[0] if middle else 0.0
    expected += quad(density, middle, middle + 40 * s**0.5, epsabs=0)[0]
    mean, variance = torch.tensor([m, s], dtype=torch.float64)
    assert expected_relu(mean, variance).item() == pytest.approx(expected, rel=1e-9)


def test_expected_relu_without_variance_is_relu() -> None:
    mean = torch.tensor([-2.0, 0.0, 3.0, 1e30, -1e30], requires_grad=True)
    variance = torch.zeros(5, requires_grad=True)
    out = expected_relu(mean, variance)
    assert out.tolist() == mean.relu().tolist()
    out.sum().backward()
    assert mean.grad.tolist() == [0.0, 0.5, 1.0, 1.0, 0.0]
    assert variance.grad.tolist() == [0.0] * 5


def test_expected_relu_has_the_slopes_of_its_formula() -> None:
    generator = torch.Generator().manual_seed(0)
    mean = torch.randn(30, generator=generator, dtype=torch.float64).requires_grad_()
    variance = torch.rand(30, generator=generator, dtype=torch.float64).add(0.01).requires_grad_()
    assert torch.autograd.gradcheck(expected_relu, (mean, variance))
    np.testing.assert_allclose(
        expected_relu(mean, variance).detach(),
        oracle.expected_relu(mean.detach(), variance.detach()),
        rtol=0,
        atol=1e-15,
    )


@given(graphs_with_holes())
def test_holes_are_what_they_are_split_into(data: Data) -> None:
    known = ~data.x.isnan()
    h, E = split_holes(known)
    E = E.to_dense() if is_sparse(E) else E
    assert (h[:, None] + E).equal((~known).float())
    assert (2 * E.count_nonzero(dim=1) <= known.shape[1]).all()


def test_responsibilities_where_the_likelihood_is_sharp() -> None:
    """Variances of 1e-6 beside values of 1: what single precision would cancel away."""
    data = missing.uniform(synthetic(50, num_features=30), 0.2)
    mu = data.x.nan_to_num(nan=0.5)[:3].double()
    near = mu + 1e-4 * torch.randn(3, 30, generator=torch.Generator().manual_seed(1))
    model = network(30)
    with torch.no_grad():
        model.means.copy_(near)
        model.log_variances.fill_(np.log(1e-6))
        ours = model(inputs(data))
    np.testing.assert_allclose(ours, logits(model, data), rtol=0, atol=1e-8)


@pytest.mark.parametrize("rate", [0.001, 0.999])
def test_extreme_rates_stay_sparse(rate: float) -> None:
    data = missing.uniform(synthetic(400, num_features=600), rate)
    prepared = inputs(data)
    for factor in (prepared.holes, prepared.holes_squared, prepared.features):
        assert is_sparse(factor.inner.matrix)
    assert is_sparse(prepared.evidence.corrections.matrix)
    rows = inputs(missing.structural(data, 0.5))
    assert rows.evidence.corrections.matrix.values().numel() < 500


def test_what_is_stored_but_not_observed_is_not_read() -> None:
    data = synthetic(50, num_features=12, sparse=True)
    model = network(12)
    for pattern in (missing.uniform, missing.structural):
        hidden, leaking = pattern(data, 0.5), pattern(data, 0.5)
        leaking.x = data.x
        with torch.no_grad():
            assert model(inputs(leaking)).equal(model(inputs(hidden)))


@pytest.mark.parametrize("rate", [0.0, 0.5, 0.98])
@pytest.mark.parametrize("count", [1, 30, 90])
def test_some_nodes_are_told_what_they_are_among_all(rate: float, count: int) -> None:
    data = missing.uniform(synthetic(90, num_features=40, average_degree=3.0), rate)
    model, prepared = network(40), inputs(data)
    chosen = torch.randperm(90, generator=torch.Generator().manual_seed(0))[:count]
    with torch.no_grad():
        torch.testing.assert_close(model(prepared.rows(chosen)), model(prepared)[chosen])
