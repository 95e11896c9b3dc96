"""The promises that every method keeps, run over the whole registry."""

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie import missing, splits, synthetic
from goodie.config import build
from goodie.errors import InputError, InvalidGraphError
from goodie.methods import METHODS

QUICK = {"max_epochs": 15}


def fitted(name: str, data: Data, *, seed: int = 0) -> Any:
    kind = METHODS[name]
    settings = QUICK if "max_epochs" in kind.Settings.__dataclass_fields__ else {}
    return kind(build(kind.Settings, settings)).fit(data, seed=seed)


@pytest.fixture(autouse=True, scope="module")
def _walks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache for this file, so that an embedding of walks is made once for a graph."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOODIE_HOME", str(tmp_path_factory.mktemp("walks")))
        yield


def problem(rate: float = 0.5, *, scenario: str = "uniform") -> Data:
    data = synthetic(120, 3, num_features=24, average_degree=3.0, random_state=1)
    split = splits.stratified(data.y, train=0.2, val=0.2)
    return split.apply(missing.hide(data, scenario, rate))


@pytest.fixture(params=sorted(METHODS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_probabilities(name: str) -> None:
    p = fitted(name, problem()).predict_proba(problem())
    assert p.shape == (120, 3)
    assert p.dtype == torch.float32
    assert (p >= 0).all()
    torch.testing.assert_close(p.sum(dim=1), torch.ones(120))


def test_what_fitting_says_is_what_it_predicts(name: str) -> None:
    data = problem()
    method = fitted(name, data)
    torch.testing.assert_close(method.proba_, method.predict_proba(data), rtol=0, atol=1e-6)


def test_same_seed_same_bits_whatever_the_global_state(name: str) -> None:
    outputs = []
    for state in (1, 2):
        torch.manual_seed(state)
        np.random.seed(state)
        before = torch.get_rng_state()
        outputs.append(fitted(name, problem(), seed=3).predict_proba(problem()))
        assert torch.get_rng_state().equal(before), "global random state was used"
    assert outputs[0].equal(outputs[1])


def test_inputs_unchanged(name: str) -> None:
    data = problem()
    before = {key: value.clone() for key, value in data.items() if torch.is_tensor(value)}
    fitted(name, data).predict_proba(data)
    assert set(data.keys()) == set(problem().keys())
    for key, value in before.items():
        torch.testing.assert_close(data[key], value, rtol=0, atol=0, equal_nan=True)


def test_permuting_nodes_permutes_the_output(name: str) -> None:
    data = problem()
    method = fitted(name, data)
    order = torch.randperm(120, generator=torch.Generator().manual_seed(0))
    back = torch.empty_like(order)
    back[order] = torch.arange(120)
    moved = Data(
        x=data.x[order],
        y=data.y[order],
        edge_index=back[data.edge_index],
        **{mask: data[mask][order] for mask in ("train_mask", "val_mask", "test_mask")},
    )
    if METHODS[name].transductive:
        with pytest.raises(InputError, match="is not the one that was fitted on"):
            method.predict_proba(moved)
        return
    here, there = method.predict_proba(data), method.predict_proba(moved)
    torch.testing.assert_close(here[order], there, rtol=0, atol=1e-5)


def test_test_labels_are_not_read(name: str) -> None:
    data, other = problem(), problem()
    other.y = torch.where(data.test_mask, (data.y + 1) % 3, data.y)
    hidden = copy(data)
    hidden.y = torch.where(data.test_mask, -1, data.y)
    outputs = [fitted(name, d).predict_proba(d) for d in (data, other, hidden)]
    assert outputs[0].equal(outputs[1])
    assert outputs[0].equal(outputs[2])


def test_validation_labels_are_never_an_input(name: str) -> None:
    data, other = problem(), problem()
    method = fitted(name, data)
    other.y = torch.where(data.val_mask, (data.y + 1) % 3, data.y)
    assert method.predict_proba(data).equal(method.predict_proba(other))


def test_validation_labels_move_no_weight(name: str) -> None:
    """Fitting reads them to select, so after one epoch the weights are the same with others."""
    kind = METHODS[name]
    if "max_epochs" not in kind.Settings.__dataclass_fields__:
        pytest.skip("it has no epochs")
    data, other = problem(), problem()
    other.y = torch.where(data.val_mask, (data.y + 1) % 3, data.y)
    here, there = (
        kind(build(kind.Settings, {"max_epochs": 1})).fit(d).learnt().tensors for d in (data, other)
    )
    assert here.keys() == there.keys()
    for tensor, same in here.items():
        assert same.equal(there[tensor])


def test_a_graph_without_labels_or_masks_is_predicted(name: str) -> None:
    method = fitted(name, problem())
    bare = Data(x=problem().x, edge_index=problem().edge_index)
    p = method.predict_proba(bare)
    assert p.isfinite().all()
    torch.testing.assert_close(p.sum(dim=1), torch.ones(120))


@pytest.mark.parametrize("scenario", ["uniform", "structural"])
@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_all_or_nothing_missing(name: str, scenario: str, rate: float) -> None:
    data = problem(rate, scenario=scenario)
    assert fitted(name, data).predict_proba(data).isfinite().all()


@pytest.mark.parametrize("x", ["none", "no columns"])
def test_no_features_at_all(name: str, x: str) -> None:
    data = problem()
    data.x = None if x == "none" else torch.zeros(120, 0)
    assert fitted(name, data).predict_proba(data).isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_features_of_another_precision(name: str, dtype: torch.dtype) -> None:
    data = problem()
    data.x = data.x.to(dtype)
    p = fitted(name, data).predict_proba(data)
    assert p.isfinite().all()
    assert p.dtype == torch.float32


def test_odd_graphs(name: str) -> None:
    """Isolated nodes, a component that no label reaches, a class with one training node."""
    data = Data(
        x=torch.rand(9, 4, generator=torch.Generator().manual_seed(0)),
        y=torch.tensor([0, 0, 1, 0, 1, 0, 1, 1, 0]),
        edge_index=torch.tensor([[0, 1, 3, 4, 5, 6], [1, 0, 4, 3, 6, 5]]),
        train_mask=torch.tensor([1, 1, 1, 0, 0, 0, 0, 0, 0]).bool(),
        val_mask=torch.tensor([0, 0, 0, 1, 1, 0, 0, 0, 0]).bool(),
        test_mask=torch.tensor([0, 0, 0, 0, 0, 1, 1, 1, 1]).bool(),
    )
    data.x[5] = torch.nan
    assert fitted(name, data).predict_proba(data).isfinite().all()
    data.edge_index = torch.empty(2, 0, dtype=torch.long)
    assert fitted(name, data).predict_proba(data).isfinite().all()


def test_sparse_features_are_the_dense_ones(name: str) -> None:
    dense = problem(0.5)
    data = synthetic(120, 3, num_features=24, average_degree=3.0, random_state=1, sparse=True)
    split = splits.stratified(data.y, train=0.2, val=0.2)
    thin = split.apply(missing.uniform(data, 0.5))
    here, there = (fitted(name, d).predict_proba(d) for d in (dense, thin))
    torch.testing.assert_close(here, there, rtol=0, atol=1e-4)


@pytest.mark.parametrize("pattern", ["uniform", "structural"])
def test_what_is_stored_but_not_observed_is_not_read(name: str, pattern: str) -> None:
    """In a sparse x the marks say what is known, whatever lies in the other places."""
    whole = synthetic(120, 3, num_features=24, average_degree=3.0, random_state=1, sparse=True)
    split = splits.stratified(whole.y, train=0.2, val=0.2)
    holed = split.apply(missing.hide(whole, pattern, 0.5))
    littered = copy(holed)
    littered.x = whole.x
    here, there = (fitted(name, d).predict_proba(d) for d in (holed, littered))
    torch.testing.assert_close(here, there, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": torch.full((120,), torch.nan)}, "holds NaN"),
        ({"edge_index": torch.tensor([[0], [-1]])}, "names node -1"),
        ({"y": torch.zeros(7, dtype=torch.long)}, r"y has shape \(7,\)"),
        ({"train_mask": torch.zeros(120, dtype=torch.bool)}, "train_mask marks no node"),
        ({"x": torch.full((120, 2), torch.inf)}, "infinite"),
    ],
)
def test_clear_errors(name: str, change: dict[str, torch.Tensor], message: str) -> None:
    data = problem()
    for key, value in change.items():
        data[key] = value
    with pytest.raises(InvalidGraphError, match=message):
        fitted(name, data)


def test_a_class_absent_from_training_is_refused(name: str) -> None:
    data = problem()
    data.train_mask = data.train_mask & (data.y != 2)
    with pytest.raises(InvalidGraphError, match="no training node has class 2"):
        fitted(name, data)


def test_learns(name: str) -> None:
    """Far above chance where graph and features both speak clearly."""
    data = synthetic(300, 3, informativeness=0.9, homophily=0.9, random_state=5)
    data = splits.stratified(data.y, train=0.2, val=0.2).apply(data)
    kind = METHODS[name]
    method = kind().fit(data)
    right = method.predict_proba(data).argmax(dim=1) == data.y
    assert right[data.test_mask].float().mean() > 0.8


def test_says_what_it_is(name: str) -> None:
    kind = METHODS[name]
    assert kind.name == name
    assert kind.family in {"structure", "features", "gnn", "hybrid"}
    assert set(kind.uses) <= {"features", "structure", "labels"}
    assert kind.paper
    assert kind.__doc__
