"""What the methods on walk embeddings share, and where they differ."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.special import logsumexp
from torch_geometric.data import Data

from goodie import missing, splits, synthetic
from goodie.config import build
from goodie.errors import InputError
from goodie.methods import get
from goodie.methods.storage import load, save
from goodie.methods.walked import STRENGTHS
from goodie.walks import embedding as walks

NAMES = ("deepwalk", "node2vec", "node2vec-feats", "node2vec-gnn")
QUICK = {"dimensions": 8, "walks_per_node": 3, "walk_length": 20, "window": 5}


@pytest.fixture
def data(home: Path) -> Data:
    """A graph with holes, and an empty cache."""
    whole = synthetic(90, 3, num_features=12, average_degree=4.0, random_state=2)
    return splits.stratified(whole.y, train=0.2, val=0.2).apply(missing.uniform(whole, 0.5))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[walks.Recipe]:
    seen: list[walks.Recipe] = []
    compute = walks.compute

    def watched(data: Data, recipe: walks.Recipe) -> torch.Tensor:
        seen.append(recipe)
        return compute(data, recipe)

    monkeypatch.setattr(walks, "compute", watched)
    return seen


def fitted(name: str, data: Data, *, seed: int = 0, **changes: Any) -> Any:
    kind = get(name)
    few = {"max_epochs": 5} if name == "node2vec-gnn" else {}
    return kind(build(kind.Settings, QUICK, few, changes)).fit(data, seed=seed)


def test_methods_and_seeds_share_an_embedding(data: Data, computed: list[walks.Recipe]) -> None:
    for name in NAMES[1:]:
        for seed in (0, 1):
            fitted(name, data, seed=seed)
    assert [recipe.negative for recipe in computed] == [5]
    fitted("deepwalk", data)
    assert [recipe.negative for recipe in computed] == [5, 0]
    fitted("node2vec", data, walk_seed=1)
    fitted("node2vec-gnn", data, p=0.5, q=2.0)
    assert [(recipe.p, recipe.q, recipe.seed) for recipe in computed[2:]] == [
        (1.0, 1.0, 1),
        (0.5, 2.0, 0),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_predicting_computes_nothing(
    name: str, data: Data, computed: list[walks.Recipe], home: Path, tmp_path: Path
) -> None:
    """Not even from a file, where the cache is empty: the embedding is part of the model."""
    method = fitted(name, data)
    save(method, tmp_path / "m")
    for file in (home / "walks").glob("*.safetensors"):
        file.unlink()
    assert load(tmp_path / "m").method.predict_proba(data).equal(method.predict_proba(data))
    assert len(computed) == 1


@pytest.mark.parametrize("name", NAMES)
def test_only_its_own_graph(name: str, data: Data, tmp_path: Path) -> None:
    method = fitted(name, data)
    other = data.clone()
    cut = (data.edge_index != data.edge_index[0, 0]).all(dim=0)
    other.edge_index = data.edge_index[:, cut]
    save(method, tmp_path / "m")
    for model in (method, load(tmp_path / "m").method):
        with pytest.raises(InputError, match="is not the one that was fitted on"):
            model.predict_proba(other)
    # Its edges in another order are the same graph.
    other.edge_index = data.edge_index.flip(1)
    assert method.predict_proba(other).equal(method.predict_proba(data))


@pytest.mark.parametrize("name", ["deepwalk", "node2vec", "node2vec-gnn"])
def test_features_are_not_looked_at(name: str, data: Data) -> None:
    other = data.clone()
    other.x = torch.full((90, 2), 7.0)
    assert fitted(name, data).proba_.equal(fitted(name, other).proba_)


def test_feats_sees_zero_filled_features_beside_the_embedding(data: Data) -> None:
    method = fitted("node2vec-feats", data)
    seen = method.inputs(data, method.embedding_).toarray()
    expected = np.hstack([method.embedding_.numpy(), np.nan_to_num(data.x.numpy())])
    np.testing.assert_array_equal(seen, expected)
    other = data.clone()
    other.x = data.x[:, 1:]
    with pytest.raises(InputError, match="11 features; the model was fitted on 12"):
        method.predict_proba(other)


@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_the_regression_that_validation_chose(classes: int, data: Data) -> None:
    """Against the objective of scikit-learn's manual, minimised by SciPy."""
    data.y = data.y.clamp(max=classes - 1)
    method = fitted("node2vec", data)
    x, y = method.embedding_.double().numpy(), data.y.numpy()
    train, val = data.train_mask.numpy(), data.val_mask.numpy()
    right = []
    for strength in STRENGTHS:
        p = regression(x[train], y[train], x, strength, classes)
        right.append((p[val].argmax(axis=1) == y[val]).mean())
        if strength == method.strength_:
            np.testing.assert_allclose(method.proba_.numpy(), p, rtol=0, atol=1e-5)
    assert method.strength_ == STRENGTHS[int(np.argmax(right))]
    assert method.accuracy_ == pytest.approx(max(right))


def regression(
    x: np.ndarray, y: np.ndarray, x_all: np.ndarray, strength: float, classes: int
) -> np.ndarray:
    """Softmax of weights that minimise C Σ loss + ‖W‖²/2; of two classes, one has weight zero."""
    free = classes if classes > 2 else 1
    inputs = np.hstack([x, np.ones((len(x), 1))])

    def logits(flat: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        given = inputs @ flat.reshape(free, -1).T
        return given if free > 1 else np.hstack([np.zeros_like(given), given])

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(free, -1).copy()
        weights[:, -1] = 0.0
        z = logits(flat, inputs)
        log_p = z - logsumexp(z, axis=1, keepdims=True)
        error = np.exp(log_p) - np.eye(classes)[y]
        slope = strength * error[:, classes - free :].T @ inputs + weights
        value = -strength * log_p[np.arange(len(y)), y].sum() + (weights**2).sum() / 2
        return value, slope.ravel()

    best = minimize(loss, np.zeros(free * inputs.shape[1]), jac=True, tol=1e-10, method="BFGS")
    z = logits(best.x, np.hstack([x_all, np.ones((len(x_all), 1))]))
    p: np.ndarray = np.exp(z - logsumexp(z, axis=1, keepdims=True))
    return p


def test_one_class_is_certain(data: Data) -> None:
    data.y = torch.zeros_like(data.y)
    for name in NAMES:
        assert fitted(name, data).proba_.equal(torch.ones(90, 1))


def test_negative_sampling_needs_a_negative() -> None:
    with pytest.raises(InputError, match="negative=0; there must be one at least"):
        build(get("node2vec").Settings, {"negative": 0})
