"""What early stopping saw is not what probabilities and label sets are calibrated on."""

from copy import copy

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from goodie import NodeClassifier, missing, splits, synthetic
from goodie.methods import METHODS

QUICK = {"max_epochs": 15}

# Methods that select nothing but the epoch; GOODIE, whose voice is chosen too, is held still in
# tests/test_estimators.py.
EPOCHS_ALONE = [
    name
    for name, kind in METHODS.items()
    if "max_epochs" in kind.Settings.__dataclass_fields__ and name != "goodie"
]


def problem() -> Data:
    data = synthetic(160, 3, num_features=24, average_degree=4.0, random_state=1)
    return splits.stratified(data.y, train=0.2, val=0.5).apply(missing.uniform(data, 0.5))


def with_others(data: Data, nodes: Tensor) -> Data:
    """The same graph with other labels for some nodes."""
    out = copy(data)
    out.y = torch.where(nodes, (data.y + 1) % 3, data.y)
    return out


class Fixed(NodeClassifier):
    """Sets these nodes aside, whatever their labels."""

    aside: Tensor

    def _set_aside(self, *_: object, **__: object) -> Tensor:
        return self.aside


@pytest.fixture(params=sorted(METHODS))
def name(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    monkeypatch.setenv("GOODIE_HOME", str(tmp_path_factory.getbasetemp() / "walks"))
    return str(request.param)


def fitted(name: str, data: Data, aside: Tensor) -> NodeClassifier:
    settings = QUICK if "max_epochs" in METHODS[name].Settings.__dataclass_fields__ else {}
    model = Fixed(method=name, settings=settings)
    model.aside = aside
    return model.fit(data)


def test_labels_that_calibrate_change_the_odds_alone(name: str) -> None:
    data = problem()
    aside = splits.set_aside(data.y, data.val_mask, 0.5, random_state=0)
    model, other = (fitted(name, d, aside) for d in (data, with_others(data, aside)))
    assert other.history_ == model.history_
    for key, weight in model.method_.learnt().tensors.items():
        assert weight.equal(other.method_.learnt().tensors[key])
    assert other.method_.proba_.equal(model.method_.proba_)
    assert other.temperature_ > model.temperature_
    assert other.predict_set().sum() > model.predict_set().sum()


@pytest.mark.parametrize("name", EPOCHS_ALONE)
def test_labels_that_select_change_no_odds(name: str) -> None:
    """One epoch leaves nothing to select, and the same model."""
    data = problem()
    aside = splits.set_aside(data.y, data.val_mask, 0.5, random_state=0)
    made = []
    for d in (data, with_others(data, data.val_mask & ~aside)):
        model = Fixed(method=name, settings={"max_epochs": 1})
        model.aside = aside
        made.append(model.fit(d))
    assert made[0].temperature_ == made[1].temperature_
    assert (made[0].predict_set() == made[1].predict_set()).all()
