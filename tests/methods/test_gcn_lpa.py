"""GCN-LPA as a method: from the raw graph to its loss and logits, and what it refuses."""

import numpy as np
import pytest
import torch

from goodie import missing, paper, splits, synthetic
from goodie.config import build
from goodie.errors import InputError
from goodie.methods.gcn_lpa import GCNLPA, Settings
from goodie.study.cell import resolve
from oracles import gcn_lpa as oracle
from oracles import propagation


def problem(rate: float = 0.5, n: int = 60, *, weighted: bool = False):
    data = synthetic(n, 3, num_features=16, average_degree=4.0)
    if weighted:
        # Not the same both ways: the larger counts.
        generator = torch.Generator().manual_seed(0)
        data.edge_weight = torch.rand(data.num_edges, generator=generator) + 0.1
    return splits.stratified(data.y, train=0.2, val=0.2).apply(missing.uniform(data, rate))


def fitted(data, **settings) -> GCNLPA:
    return GCNLPA(build(Settings, {"max_epochs": 5, **settings})).fit(data)


def star(data, method: GCNLPA) -> np.ndarray:
    """A* of the fitted method, dense."""
    weight = data.edge_weight.numpy() if "edge_weight" in data else None
    edges = data.edge_index.numpy()
    A = propagation.adjacency(edges, data.num_nodes, weight, undirected=True, self_loops=True)
    W = np.zeros_like(A)
    W[A != 0] = method.model_.edge_weight.detach().numpy()[0]  # row by row, as CSR counts entries
    return oracle.normalised(A, W)


def logits(data, method: GCNLPA) -> np.ndarray:
    weights, biases = (
        [parameter.detach().numpy() for parameter in parameters]
        for parameters in (method.model_.weights, method.model_.biases)
    )
    return oracle.network(star(data, method), data.x.nan_to_num(), weights, biases)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layers", [1, 3])
def test_what_it_predicts(layers: int, weighted: bool) -> None:
    data = problem(weighted=weighted)
    method = fitted(data, layers=layers, lr=0.1)
    expected = torch.from_numpy(logits(data, method)).softmax(dim=1)
    np.testing.assert_allclose(method.predict_proba(data), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
def test_what_it_minimises(weighted: bool) -> None:
    """Without dropout, the loss of the first epoch is that of the start (weight decay aside)."""
    data = problem(weighted=weighted)
    method = fitted(data, dropout=0.0, lr=1e-12, max_epochs=1, lpa_steps=3, lpa_weight=0.7)
    y, train = data.y.numpy(), data.train_mask.numpy()
    nodes = np.flatnonzero(train)
    told = oracle.propagated(star(data, method), np.eye(3)[y] * train[:, None], 3)
    expected = oracle.cross_entropy(logits(data, method), y, nodes)
    expected += 0.7 * oracle.cross_entropy(told, y, nodes)
    assert method.history_.losses[0] == pytest.approx(expected, rel=1e-5)


def test_label_propagation_teaches_the_edges() -> None:
    """Without features the network has nothing to tell edges by; label propagation has."""
    data = problem(1.0, n=200)
    taught = fitted(data, max_epochs=100, patience=100, weight_decay=0.0, lpa_weight=1.0)
    left = fitted(data, max_epochs=100, patience=100, weight_decay=0.0, lpa_weight=0.0)
    last = {name: star(data, method) for name, method in (("taught", taught), ("left", left))}
    y, train = data.y.numpy(), data.train_mask.numpy()
    same = (y[:, None] == y) & train[:, None] & train
    share = {name: (A * same)[train].sum(axis=1).mean() for name, A in last.items()}
    assert share["taught"] > share["left"]
    np.testing.assert_allclose(last["left"], star(data, fitted(data, max_epochs=1, lr=1e-12)))


def test_another_graph_is_refused() -> None:
    data = problem()
    method = fitted(data)
    other = problem()
    other.edge_index = other.edge_index[:, (other.edge_index != 0).all(dim=0)]
    with pytest.raises(InputError, match="is not the one that was fitted on"):
        method.predict_proba(other)
    with pytest.raises(InputError, match="this graph has other edges"):
        method.predict_proba(problem(n=61))
    narrow = problem()
    narrow.x = narrow.x[:, :9]
    with pytest.raises(InputError, match="has 9 features; the model was fitted on 16"):
        method.predict_proba(narrow)


def test_the_same_edges_with_other_features_are_answered_for() -> None:
    data = problem()
    method = fitted(data)
    other = problem(0.0)
    assert not method.predict_proba(other).equal(method.proba_)
    other.edge_index = other.edge_index[:, torch.randperm(other.num_edges)]
    other.x = data.x
    assert method.predict_proba(other).equal(method.proba_)


def test_settings_of_its_paper() -> None:
    for dataset, row in paper.numbers()["gcn_lpa"].items():
        got = resolve("gcn-lpa", dataset, "uniform")
        assert {key: got[key] for key in row} == row
        assert got["max_epochs"] == 200
    of_cs = resolve("gcn-lpa", "CS", "uniform")
    assert resolve("gcn-lpa", "WikiCS", "uniform") == of_cs
    assert resolve("gcn-lpa", "Arxiv", "uniform") == of_cs
    assert (of_cs["hidden"], of_cs["lpa_steps"], of_cs["lpa_weight"]) == (32, 2, 2.0)
    assert resolve("gcn-lpa", "Cora", "uniform", {"layers": 3})["layers"] == 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"layers": 0}, "layers=0"), ({"lpa_steps": -1}, "lpa_steps=-1"), ({"dropout": 1.0}, "1.0")],
)
def test_refuses_what_is_no_network(settings, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fitted(problem(), **settings)
