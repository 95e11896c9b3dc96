"""The promises that every link predictor keeps, run over the whole registry."""

from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie import missing, splits, synthetic
from goodie.config import build
from goodie.data.link_splits import LinkSplit, split_links
from goodie.data.validate import validate
from goodie.errors import InputError, InvalidGraphError
from goodie.methods import storage
from goodie.methods.links import LINK_METHODS
from goodie.tasks import link

N = 120


def graph() -> Data:
    return validate(synthetic(N, 3, num_features=24, average_degree=5.0, random_state=1))


def problem(rate: float = 0.5, *, scenario: str = "uniform") -> tuple[Data, LinkSplit]:
    data = graph()
    edges = split_links(data)
    nodes = splits.stratified(data.y, train=0.2, val=0.2)
    return link.with_holes(edges, nodes, scenario=scenario, rate=rate, seed=0), edges


def fitted(name: str, data: Data, edges: LinkSplit, *, seed: int = 0, **settings: Any) -> Any:
    kind = LINK_METHODS[name]
    method = kind(build(kind.Settings, {"max_epochs": 10, **settings}))
    return method.fit(data, edges.val, seed=seed)


def weights(method: Any) -> dict[str, torch.Tensor]:
    return dict(method.model_.state_dict())


@pytest.fixture(params=sorted(LINK_METHODS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_what_fitting_says_is_what_it_embeds(name: str) -> None:
    data, edges = problem()
    method = fitted(name, data, edges)
    assert method.embedded_.shape == (N, 16)
    assert method.embedded_.dtype == torch.float32
    torch.testing.assert_close(method.embedded_, method.embed(data), rtol=0, atol=1e-6)


def test_same_seed_same_bits_whatever_the_global_state(name: str) -> None:
    outputs = []
    for state in (1, 2):
        torch.manual_seed(state)
        np.random.seed(state)
        before = torch.get_rng_state()
        outputs.append(fitted(name, *problem(), seed=3, dropout=0.5).embedded_)
        assert torch.get_rng_state().equal(before), "global random state was used"
    assert outputs[0].equal(outputs[1])


def test_inputs_unchanged(name: str) -> None:
    data, edges = problem()
    fitted(name, data, edges).embed(data)
    again, _ = problem()
    assert set(data.keys()) == set(again.keys())
    for key, value in again.items():
        if torch.is_tensor(value):
            torch.testing.assert_close(data[key], value, rtol=0, atol=0, equal_nan=True)


def test_edges_set_aside_are_no_input(name: str) -> None:
    """Training is the same, bit for bit, where they are taken out of the graph beforehand."""
    data, edges = problem()
    whole = graph()
    aside = {frozenset(pair) for told in edges[1:] for pair in told.edges.T.tolist()}
    kept = [pair for pair in whole.edge_index.T.tolist() if frozenset(pair) not in aside]
    assert len(kept) == whole.edge_index.shape[1] - 2 * len(aside)
    without = copy(whole)
    without.edge_index = torch.tensor(kept).T
    nodes = splits.stratified(whole.y, train=0.2, val=0.2)
    removed = nodes.apply(missing.uniform(without, 0.5))
    removed.y = torch.where(nodes.train, whole.y, -1)
    one, other = (fitted(name, d, edges) for d in (data, removed))
    for key, value in weights(one).items():
        assert value.equal(weights(other)[key])
    assert one.embedded_.equal(other.embedded_)


def test_what_selects_moves_no_weight(name: str) -> None:
    """After a single epoch the weights are the same whatever pairs selected."""
    data, edges = problem()
    turned = edges._replace(val=edges.val._replace(edges=edges.val.others, others=edges.val.edges))
    one, other = (weights(fitted(name, data, told, max_epochs=1)) for told in (edges, turned))
    for key, value in one.items():
        assert value.equal(other[key])


def test_labels_that_are_not_known_are_not_read(name: str) -> None:
    data, edges = problem()
    other = copy(data)
    other.y = torch.where(data.train_mask, data.y, (torch.arange(N) % 3))
    assert fitted(name, data, edges).embedded_.equal(fitted(name, other, edges).embedded_)


def test_permuting_nodes_permutes_the_output(name: str) -> None:
    data, edges = problem()
    method = fitted(name, data, edges)
    order = torch.randperm(N, generator=torch.Generator().manual_seed(0))
    back = torch.empty_like(order)
    back[order] = torch.arange(N)
    moved = Data(
        x=data.x[order],
        y=data.y[order],
        train_mask=data.train_mask[order],
        edge_index=back[data.edge_index],
    )
    torch.testing.assert_close(method.embed(data)[order], method.embed(moved), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("rate", "scenario"),
    [(0.0, "uniform"), (0.99, "uniform"), (1.0, "uniform"), (0.9, "structural")],
)
def test_finite_whatever_is_missing(name: str, rate: float, scenario: str) -> None:
    data, edges = problem(rate, scenario=scenario)
    method = fitted(name, data, edges)
    assert method.embedded_.isfinite().all()
    assert np.isfinite(method.history_.losses).all()


def test_isolated_nodes_and_parts_without_labels(name: str) -> None:
    data, edges = problem()
    touched = (data.edge_index < 20).any(dim=0)
    data.edge_index = data.edge_index[:, ~touched]
    assert fitted(name, data, edges).embedded_.isfinite().all()


def test_save_and_reload(name: str, tmp_path: Path) -> None:
    data, edges = problem()
    method = fitted(name, data, edges)
    storage.save(method, tmp_path / "model")
    again = storage.load(tmp_path / "model").method
    assert type(again) is type(method)
    assert again.embed(data).equal(method.embed(data))


def test_clear_errors(name: str) -> None:
    data, edges = problem()
    method = fitted(name, data, edges)
    narrow = copy(data)
    narrow.x = data.x[:, :3]
    with pytest.raises(InputError, match="3 features; the model was fitted on 24"):
        method.embed(narrow)
    none = copy(data)
    none.edge_index = torch.tensor([[5], [5]])
    with pytest.raises(InvalidGraphError, match="no edges between different nodes"):
        fitted(name, none, edges)
    pair = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), y=torch.zeros(2).long())
    with pytest.raises(InvalidGraphError, match="every two nodes are joined"):
        fitted(name, pair, edges)


def test_sparse_features_are_the_dense_ones(name: str) -> None:
    dense, edges = problem()
    whole = validate(
        synthetic(N, 3, num_features=24, average_degree=5.0, random_state=1, sparse=True)
    )
    thin = link.with_holes(
        edges._replace(data=whole), splits.stratified(whole.y, train=0.2, val=0.2),
        scenario="uniform", rate=0.5, seed=0,
    )  # fmt: skip
    thin.edge_index = dense.edge_index
    here, there = (fitted(name, data, edges).embedded_ for data in (dense, thin))
    torch.testing.assert_close(here, there, rtol=0, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_features_of_another_precision(name: str, dtype: torch.dtype) -> None:
    data, edges = problem()
    data.x = data.x.to(dtype)
    method = fitted(name, data, edges)
    assert method.embedded_.isfinite().all()
    assert method.embedded_.dtype == torch.float32


@pytest.mark.parametrize("x", ["none", "empty"])
def test_no_features_at_all(name: str, x: str) -> None:
    data, edges = problem()
    data.x = None if x == "none" else torch.zeros(N, 0)
    assert fitted(name, data, edges).embedded_.isfinite().all()


def test_labels_that_the_model_does_not_know(name: str) -> None:
    """On another graph they tell it nothing."""
    data, edges = problem()
    method = fitted(name, data, edges)
    other = copy(data)
    other.y = torch.where(data.train_mask & (torch.arange(N) % 2 == 0), 7, data.y)
    assert method.embed(other).isfinite().all()


def test_without_labels(name: str) -> None:
    data, edges = problem()
    del data.y, data.train_mask
    if "labels" in LINK_METHODS[name].uses:
        with pytest.warns(UserWarning, match="no label is known"):
            method = fitted(name, data, edges)
    else:
        method = fitted(name, data, edges)
    assert method.embedded_.isfinite().all()
    assert method.embed(graph()).isfinite().all()  # one with labels
