"""The link predictors: scikit-learn's manners, what is recommended, other graphs, saved models."""

from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from torch_geometric.data import Data

from goodie import GoodieClassifier, GoodieLinkPredictor, LinkPredictor, missing, synthetic
from goodie.data.pairs import EdgeSet
from goodie.errors import InputError
from goodie.estimators.link_base import GraphLinkPredictor


def graph(seed: int = 0) -> Data:
    data = synthetic(150, 3, num_features=12, average_degree=8.0, random_state=seed)
    return missing.uniform(data, 0.5)


def predictors() -> list[GraphLinkPredictor]:
    return [
        GoodieLinkPredictor(max_epochs=60),
        LinkPredictor(method="fp", settings={"max_epochs": 60}),
    ]


@pytest.fixture(params=[0, 1], ids=["goodie", "fp"])
def model(request: pytest.FixtureRequest) -> GraphLinkPredictor:
    return predictors()[request.param].fit(graph())


def test_manners() -> None:
    for one in predictors():
        assert clone(one).get_params() == one.get_params()
        with pytest.raises(NotFittedError):
            one.recommend(0)
    assert GoodieLinkPredictor().set_params(alpha=0.5).alpha == 0.5


def test_edges_are_likelier_than_other_pairs(model: GraphLinkPredictor) -> None:
    data = graph()
    others = torch.randint(150, (2, 500), generator=torch.Generator().manual_seed(0))
    others = others[:, ~EdgeSet(data.edge_index, 150).has(others)]
    pairs = torch.cat([data.edge_index, others], dim=1)
    joined = np.arange(pairs.shape[1]) < data.edge_index.shape[1]
    assert model.score(pairs, joined) > 0.7
    assert 50 < model.validation_.auc <= 100
    proba = model.predict_proba(pairs)
    assert ((proba >= 0) & (proba <= 1)).all()
    np.testing.assert_allclose(proba, model.predict_proba(pairs.flip(0)), rtol=1e-6)


def test_recommended_are_no_edges(model: GraphLinkPredictor) -> None:
    data = graph()
    for found in (model.recommend(7, k=20), model.missing(50)):
        pairs = torch.from_numpy(found.pairs)
        assert not EdgeSet(data.edge_index, 150).has(pairs).any()
        assert (pairs[0] != pairs[1]).all()
        assert (np.diff(found.proba) <= 0).all()
        np.testing.assert_allclose(model.predict_proba(pairs), found.proba, rtol=1e-5)
    assert (model.recommend(7, k=20).pairs[0] == 7).all()


def test_another_graph(model: GraphLinkPredictor) -> None:
    other = graph(seed=1)
    here, there = model.missing(30), model.missing(30, data=other)
    assert not EdgeSet(other.edge_index, 150).has(torch.from_numpy(there.pairs)).any()
    assert not np.array_equal(here.pairs, there.pairs)


def test_save_and_load(model: GraphLinkPredictor, tmp_path: Path) -> None:
    data = graph()
    model.save(tmp_path / "model")
    again = type(model).load(tmp_path / "model")
    assert again.get_params() == model.get_params()
    assert again.validation_ == model.validation_
    assert again.knows(data)
    assert not again.knows(graph(seed=1))
    np.testing.assert_array_equal(
        again.predict_proba(data.edge_index, data), model.predict_proba(data.edge_index)
    )
    with pytest.raises(InputError, match="does not hold its graph"):
        again.missing(3)
    with pytest.raises(InputError, match="was not saved by a GoodieClassifier"):
        GoodieClassifier.load(tmp_path / "model")


def test_a_classifier_is_no_link_predictor(tmp_path: Path) -> None:
    GoodieClassifier(max_epochs=3).fit(graph()).save(tmp_path / "model")
    with pytest.raises(InputError, match="was not saved by a GoodieLinkPredictor"):
        GoodieLinkPredictor.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 1]], "shape"),
        ([[0.5], [1.0]], "expected integers"),
        ([[0], [150]], "node 150, but there are 150"),
        ([[-1], [0]], "node -1"),
    ],
)
def test_pairs_that_are_none(pairs: list[list[int]], message: str) -> None:
    model = LinkPredictor(method="gcn", settings={"max_epochs": 2}).fit(graph())
    with pytest.raises(InputError, match=message):
        model.predict_proba(np.array(pairs))
    with pytest.raises(InputError, match="no node 150"):
        model.recommend(150)
    with pytest.raises(InputError, match="1 answers for 2 pairs"):
        model.score([[0, 1], [2, 3]], np.array([True]))


def test_attention_is_shares() -> None:
    model = GoodieLinkPredictor(max_epochs=5).fit(graph())
    share = model.attention()
    assert share.shape == (150, 2)
    np.testing.assert_allclose(share.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(model.attention(graph()), share, atol=1e-5)
