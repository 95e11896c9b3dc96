"""The network of GCN-LPA against a dense oracle."""

import numpy as np
import pytest
import torch

from goodie.nn.gcn_lpa import GCNLPANetwork, Inputs, spread
from goodie.nn.pattern import pattern
from goodie.sparse import to_csr
from oracles import gcn_lpa as oracle


def graph(n: int = 20, features: int = 9) -> tuple[torch.Tensor, torch.Tensor, Inputs]:
    """A dense A with weights and loops, X, and what the network sees of them."""
    generator = torch.Generator().manual_seed(0)
    A = torch.rand(n, n, generator=generator) * (torch.rand(n, n, generator=generator) < 0.2)
    A = torch.maximum(A, A.T).fill_diagonal_(1.0)
    X = torch.randn(n, features, generator=generator)
    X = X * (torch.rand(n, features, generator=generator) < 0.5)
    thin, edges = to_csr(X), to_csr(A)
    return A, X, Inputs(pattern(thin), thin.values(), pattern(edges), edges.values().log())


def network(inputs: Inputs, layers: int, dropout: float = 0.0, seed: int = 0) -> GCNLPANetwork:
    model = GCNLPANetwork(
        len(inputs.strengths),
        9,
        5,
        3,
        layers=layers,
        dropout=dropout,
        generator=torch.Generator().manual_seed(seed),
    )
    with torch.no_grad():
        model.edge_weight.normal_(generator=torch.Generator().manual_seed(1))
        for bias in model.biases:
            bias.normal_(generator=torch.Generator().manual_seed(2))
    return model


def star(A: torch.Tensor, model: GCNLPANetwork) -> np.ndarray:
    W = torch.zeros_like(A).masked_scatter(A != 0, model.edge_weight.detach())
    return oracle.normalised(A, W)


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_logits_are_the_oracles(layers: int) -> None:
    A, X, inputs = graph()
    model = network(inputs, layers)
    weights = [weight.detach().numpy() for weight in model.weights]
    assert [weight.shape for weight in weights] == (
        [(9, 3)] if layers == 1 else [(9, 5), *[(5, 5)] * (layers - 2), (5, 3)]
    )
    biases = [bias.detach().numpy() for bias in model.biases]
    expected = oracle.network(star(A, model), X, weights, biases)
    np.testing.assert_allclose(model(inputs).detach(), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_propagated_labels_are_the_oracles(steps: int) -> None:
    A, _, inputs = graph()
    model = network(inputs, 2)
    Y = torch.eye(3)[torch.arange(20) % 3] * (torch.arange(20) < 7)[:, None]
    told = spread(inputs, model.adjacency(inputs), Y, steps)
    expected = oracle.propagated(star(A, model), Y, steps)
    np.testing.assert_allclose(told.detach(), expected, rtol=0, atol=1e-6)


def test_rows_of_the_learned_adjacency_sum_to_one() -> None:
    A, _, inputs = graph()
    entries = network(inputs, 2).adjacency(inputs)
    sums = torch.zeros(20).index_add(0, (A != 0).nonzero()[:, 0], entries)
    torch.testing.assert_close(sums, torch.ones(20))


def test_edges_start_nearly_equal() -> None:
    _, _, inputs = graph()
    model = GCNLPANetwork(
        len(inputs.strengths),
        9,
        5,
        3,
        layers=2,
        dropout=0.0,
        generator=torch.Generator().manual_seed(0),
    )
    bound = (6 / len(inputs.strengths)) ** 0.5
    assert 0.9 * bound < model.edge_weight.abs().max() <= bound


def test_dropout_reaches_the_features_and_is_seeded() -> None:
    _, _, inputs = graph()
    one, other = (network(inputs, 1, dropout=0.5) for _ in range(2))
    dropped = one(inputs)
    assert dropped.equal(other(inputs))
    assert not dropped.equal(one(inputs))
    assert not dropped.equal(one.eval()(inputs))
    assert one(inputs).equal(one(inputs))
