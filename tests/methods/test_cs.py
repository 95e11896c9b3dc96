"""Correct and smooth as a method: its regression, its two steps, its settings, other graphs."""

import numpy as np
import pytest
import torch
from torch_geometric.nn import CorrectAndSmooth as PyGs

from goodie import missing, paper, splits, synthetic
from goodie.config import build
from goodie.errors import InputError
from goodie.methods.cs import CorrectAndSmooth, Settings
from goodie.study.cell import resolve
from oracles import correct_and_smooth as oracle
from oracles import propagation


def problem(rate: float = 0.5, n: int = 60):
    data = synthetic(n, 3, num_features=16, average_degree=4.0)
    return splits.stratified(data.y, train=0.2, val=0.2).apply(missing.uniform(data, rate))


def fitted(data, **settings) -> CorrectAndSmooth:
    return CorrectAndSmooth(build(Settings, {"max_epochs": 50, **settings})).fit(data)


def regression(data, method: CorrectAndSmooth) -> torch.Tensor:
    """Z, of the weights that it ended with."""
    weights = method.model_.state_dict()
    logits = data.x.nan_to_num().double() @ weights["weight"].double() + weights["bias"]
    return logits.softmax(dim=1)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"correct_alpha": 0.87, "correct_operator": "column", "smooth_alpha": 0.81},
        {"smooth_operator": "row", "steps": 3},
    ],
    ids=["ours", "Arxiv's", "others"],
)
def test_what_it_predicts(settings) -> None:
    data = problem()
    method = fitted(data, **settings)
    chosen = method.settings
    edges = data.edge_index.numpy()
    A = propagation.adjacency(edges, data.num_nodes, undirected=True, self_loops=False)
    S = {kind: propagation.normalise(A, kind) for kind in ("symmetric", "row", "column")}
    known = data.y.numpy(), data.train_mask.numpy()
    Z = regression(data, method)
    Z = oracle.correct(Z, *known, S[chosen.correct_operator], chosen.correct_alpha, chosen.steps)
    Y = oracle.smooth(Z, *known, S[chosen.smooth_operator], chosen.smooth_alpha, chosen.steps)
    expected = Y / Y.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(method.proba_, expected, rtol=0, atol=1e-5)


def test_is_pygs_class_on_a_regression() -> None:
    data = problem()
    method = fitted(data)
    mended = PyGs(50, 0.8, 50, 0.8)(
        regression(data, method).float(), data.y[data.train_mask], data.train_mask, data.edge_index
    )
    expected = mended / mended.sum(dim=1, keepdim=True)
    torch.testing.assert_close(method.proba_, expected, rtol=0, atol=1e-5)


def test_the_regression_is_trained_and_selected_without_the_graph() -> None:
    data, other = problem(), problem()
    other.edge_index = torch.empty(2, 0, dtype=torch.long)
    here, there = fitted(data), fitted(other)
    assert here.history_ == there.history_
    assert here.model_.weight.equal(there.model_.weight)
    assert here.history_.losses[-1] < here.history_.losses[0]
    Z = regression(data, fitted(data, max_epochs=1, lr=1e-12))[data.train_mask]
    expected = -Z.gather(1, data.y[data.train_mask][:, None]).log().mean()
    assert here.history_.losses[0] == pytest.approx(expected.item(), rel=1e-5)


def test_a_node_without_neighbours_says_what_the_regression_says() -> None:
    data = problem()
    alone = int((data.test_mask).nonzero()[0])
    data.edge_index = data.edge_index[:, (data.edge_index != alone).all(dim=0)]
    method = fitted(data)
    expected = regression(data, method)[alone].float()
    torch.testing.assert_close(method.proba_[alone], expected, rtol=0, atol=1e-6)


def test_another_graph_is_mended_with_the_labels_it_brings() -> None:
    method = fitted(problem())
    other = problem(0.2, n=75)
    with_labels = method.predict_proba(other)
    assert with_labels.shape == (75, 3)
    other.train_mask = torch.zeros(75, dtype=torch.bool)
    without = method.predict_proba(other)
    assert without.isfinite().all()
    assert not without.equal(with_labels)
    other.x = other.x[:, :9]
    with pytest.raises(InputError, match="has 9 features; the model was fitted on 16"):
        method.predict_proba(other)


def test_settings_of_its_paper_and_ours() -> None:
    published = paper.numbers()["correct_and_smooth"]
    arxiv, cora = (resolve("cs", dataset, "uniform") for dataset in ("Arxiv", "Cora"))
    assert {key: arxiv[key] for key in published["Arxiv"]} == published["Arxiv"]
    assert (arxiv["correct_alpha"], arxiv["correct_operator"]) == (0.87, "column")
    assert (arxiv["smooth_alpha"], arxiv["smooth_operator"]) == (0.81, "symmetric")
    assert {key: cora[key] for key in published["others"]} == published["others"]
    assert resolve("cs", "Cora", "uniform", {"smooth_alpha": 0.5})["smooth_alpha"] == 0.5
