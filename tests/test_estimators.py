"""The estimators: scikit-learn's manners, who trains, selects and calibrates, saved models."""

import inspect
from dataclasses import fields

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from torch_geometric.data import Data

from goodie import GoodieClassifier, NodeClassifier, missing, splits, synthetic
from goodie.errors import InputError, InvalidGraphError
from goodie.methods.goodie import Settings


def graph(n: int = 80, *, rate: float = 0.5, seed: int = 0) -> Data:
    data = synthetic(n, 3, num_features=16, average_degree=4.0, random_state=seed)
    return missing.uniform(data, rate)


def split(data: Data) -> Data:
    return splits.stratified(data.y, train=0.2, val=0.2).apply(data)


def quick(**parameters) -> GoodieClassifier:
    return GoodieClassifier(**{"max_epochs": 8, **parameters})


# scikit-learn's manners


def test_parameters_are_the_methods_settings() -> None:
    parameters = inspect.signature(GoodieClassifier).parameters
    for field in fields(Settings):
        assert parameters[field.name].default == field.default, field.name
    beyond = set(parameters) - {field.name for field in fields(Settings)}
    assert beyond == {"validation", "calibration", "random_state", "device"}


@pytest.mark.parametrize("kind", [GoodieClassifier, NodeClassifier])
def test_get_set_clone(kind) -> None:
    model = kind(validation=0.3)
    assert model.set_params(random_state=7) is model
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert copy.get_params()["random_state"] == 7
    with pytest.raises(ValueError, match="Invalid parameter 'speed'"):
        model.set_params(speed=9)
    assert kind.__name__ in repr(model)


def test_what_is_wrong_is_said_when_fitting() -> None:
    model = GoodieClassifier().set_params(preset="loud")
    with pytest.raises(InputError, match="preset is 'loud'; it can be 'balanced', 'faithful'"):
        model.fit(graph())
    with pytest.raises(InputError, match="unknown method 'gdc'"):
        NodeClassifier(method="gdc").fit(graph())
    with pytest.raises(InputError, match="unknown setting 'speed'"):
        NodeClassifier(method="lp", settings={"speed": 9}).fit(graph())


@pytest.mark.parametrize(
    "ask", ["predict", "predict_proba", "predict_set", "abstains", "embed", "attention"]
)
def test_not_fitted(ask: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(GoodieClassifier(), ask)()


def test_fit_returns_itself_and_sets_what_ends_in_an_underscore() -> None:
    data = split(graph())
    model = quick()
    before = model.get_params()
    assert model.fit(data) is model
    assert model.get_params() == before
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.proba_.shape == (80, 3)
    np.testing.assert_allclose(model.proba_.sum(axis=1), 1.0, rtol=1e-5)
    assert model.attention_.shape == (80, 2)
    np.testing.assert_allclose(model.attention_.sum(axis=1), 1.0, rtol=1e-5)
    assert model.voice_ == model.method_.voice_
    assert model.embed().shape == (80, 64)
    assert len(model.history_.losses) == 8
    assert model.predict().tolist() == model.proba_.argmax(axis=1).tolist()


@pytest.mark.parametrize("random_state", [3, np.random.RandomState(3), None])
def test_random_state(random_state) -> None:
    """A number gives the same bits each time; others go on, and leave numpy's own alone."""
    data = graph()
    numpys = np.random.get_state()[1].tolist()
    model = quick(random_state=random_state)
    first, second = (model.fit(data).proba_ for _ in range(2))
    assert (first == second).all() == (random_state == 3)
    assert np.random.get_state()[1].tolist() == numpys


def test_inputs_stay_as_they_are() -> None:
    data = graph()
    before = {key: value.clone() for key, value in data.items()}
    quick().fit(data).predict(data)
    assert set(data.keys()) == set(before)
    for key, value in before.items():
        torch.testing.assert_close(data[key], value, rtol=0, atol=0, equal_nan=True)


# who trains, who selects, who calibrates


def test_masks_are_kept() -> None:
    data = split(graph())
    model = quick().fit(data)
    assert model.train_mask_.tolist() == data.train_mask.tolist()
    assert (model.val_mask_ | model.calibration_mask_).tolist() == data.val_mask.tolist()
    model = quick(calibration=0.0).fit(data)
    assert model.val_mask_.tolist() == data.val_mask.tolist()
    assert not model.calibration_mask_.any()


@pytest.mark.parametrize("calibration", [0.25, 0.5])
def test_a_share_of_those_that_could_select_calibrates(calibration: float) -> None:
    data = split(graph(300))
    model = quick(calibration=calibration).fit(data)
    assert not (model.val_mask_ & model.calibration_mask_).any()
    share = model.calibration_mask_.sum() / data.val_mask.sum()
    assert share == pytest.approx(float(calibration), abs=1 / int(data.val_mask.sum()))
    for label in range(3):  # in every class
        members = (data.val_mask & (data.y == label)).numpy()
        aside = model.calibration_mask_[members].sum()
        assert aside == pytest.approx(calibration * members.sum(), abs=1.5)
    other = quick(calibration=calibration, random_state=1).fit(data)
    assert other.calibration_mask_.tolist() != model.calibration_mask_.tolist()


def test_without_masks_the_labelled_nodes_are_shared_out() -> None:
    data = graph()
    data.y[50:] = -1
    model = quick(validation=0.25).fit(data)
    kept_back = model.val_mask_ | model.calibration_mask_
    assert (model.train_mask_ | kept_back).tolist() == (data.y >= 0).tolist()
    assert not (model.train_mask_ & kept_back).any()
    assert kept_back.sum() == pytest.approx(0.25 * 50, abs=2)
    other = quick(validation=0.25, random_state=1).fit(data)
    assert other.val_mask_.tolist() != model.val_mask_.tolist()


def test_nodes_to_test_are_left_out_of_both() -> None:
    data = graph()
    data.test_mask = torch.arange(80) >= 40
    model = quick().fit(data)
    assert not (model.train_mask_ | model.val_mask_ | model.calibration_mask_)[40:].any()
    data.val_mask = torch.arange(80) < 10
    model = quick().fit(data)
    assert model.train_mask_.tolist() == [10 <= i < 40 for i in range(80)]


def test_a_train_mask_alone_is_shared_out() -> None:
    data = graph()
    data.train_mask = torch.arange(80) < 40
    model = quick().fit(data)
    used = model.train_mask_ | model.val_mask_ | model.calibration_mask_
    assert used.tolist() == data.train_mask.tolist()


def test_a_method_that_does_not_select_trains_on_all() -> None:
    model = NodeClassifier(method="lp").fit(graph())
    assert model.train_mask_.all()
    assert not (model.val_mask_ | model.calibration_mask_).any()
    assert model.history_ is None
    with pytest.raises(InputError, match="no node was set aside to calibrate by"):
        model.predict_set()


def test_of_a_method_that_does_not_select_all_of_the_val_mask_calibrates() -> None:
    data = split(graph())
    model = NodeClassifier(method="lp").fit(data)
    assert model.calibration_mask_.tolist() == data.val_mask.tolist()
    assert not model.val_mask_.any()


def test_labels_to_test_are_not_read() -> None:
    data = split(graph())
    other = split(graph())
    other.y = torch.where(data.test_mask, -1, data.y)
    assert (quick().fit(data).proba_ == quick().fit(other).proba_).all()


def test_any_integers_are_labels() -> None:
    data = split(graph())
    plain = quick().fit(data)
    data.y = torch.tensor([3, 40, 7])[data.y]
    model = quick().fit(data)
    assert model.classes_.tolist() == [3, 7, 40]
    assert set(model.predict()) <= {3, 7, 40}
    assert model.score(data) == (model.predict() == data.y.numpy())[data.test_mask].mean()
    assert plain.proba_.shape == model.proba_.shape


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": None}, "the graph has no y"),
        ({"y": torch.full((80,), -1)}, "no node is labelled"),
        ({"train_mask": torch.zeros(80, dtype=torch.bool)}, "no node is labelled"),
        (
            {"y": torch.cat([torch.arange(3), torch.full((77,), -1)])},
            "3 labelled nodes are too few",
        ),
        ({"edge_index": torch.tensor([[0], [80]])}, "names node 80"),
    ],
)
def test_clear_errors(change, message: str) -> None:
    data = graph()
    for key, value in change.items():
        data[key] = value
    with pytest.raises((InvalidGraphError, InputError), match=message):
        quick().fit(data)


def test_a_label_seen_in_validation_alone_is_refused() -> None:
    data = split(graph())
    data.y[data.val_mask.nonzero()[0]] = 9
    with pytest.raises(InvalidGraphError, match="1 nodes have labels that no training node has"):
        quick().fit(data)


# graphs without features, without holes, without edges


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_all_or_none_missing(rate: float) -> None:
    assert np.isfinite(quick().fit(split(graph(rate=rate))).proba_).all()


def test_no_features_and_no_edges() -> None:
    data = split(graph())
    data.x = None
    assert np.isfinite(quick().fit(data).proba_).all()
    data = split(graph())
    data.edge_index = torch.empty(2, 0, dtype=torch.long)
    assert np.isfinite(quick().fit(data).proba_).all()


# prediction


def test_on_the_graph_it_was_fitted_on_the_training_labels_alone_are_known() -> None:
    data = graph()
    model = quick().fit(data)
    assert (model.predict_proba(data) == model.proba_).all()
    assert (model.embed(data) == model.embed()).all()
    again = data.clone()
    again.edge_index = data.edge_index[:, torch.randperm(data.num_edges)]
    again.y = torch.full((80,), -1)
    assert (model.predict_proba(again) == model.proba_).all()


def test_on_another_graph_its_known_labels_are() -> None:
    model = quick().fit(split(graph()))
    other = graph(100, rate=0.2, seed=1)
    assert model.predict(other).shape == (100,)
    assert model.attention(other).shape == (100, 2)
    known = other.clone()
    known.train_mask = torch.ones(100, dtype=torch.bool)
    assert (model.predict_proba(known) == model.predict_proba(other)).all()
    other.y[:50] = -1
    assert (model.predict_proba(known) != model.predict_proba(other)).any()
    del other.y
    assert np.isfinite(model.predict_proba(other)).all()
    with pytest.raises(InvalidGraphError, match=r"labels that no training node has, e\.g\. 5"):
        model.predict(Data(x=other.x, edge_index=other.edge_index, y=torch.full((100,), 5)))
    with pytest.raises(InputError, match="the graph has 3 features"):
        model.predict(Data(x=torch.zeros(4, 3), edge_index=torch.empty(2, 0, dtype=torch.long)))


def test_score_judges_what_was_no_input() -> None:
    data = split(graph())
    model = quick().fit(data)
    right = model.predict() == data.y.numpy()
    assert model.score(data) == pytest.approx(right[data.test_mask].mean())
    assert model.score(data, data.val_mask) == pytest.approx(right[data.val_mask].mean())
    plain = graph()
    plain.y[60:] = -1
    model = quick().fit(plain)
    with pytest.raises(InputError, match="no node is judged"):
        model.score(plain)
    plain.y = graph().y  # the labels that were unknown come in
    right = model.predict() == plain.y.numpy()
    assert model.score(plain) == pytest.approx(right[60:].mean())


def test_score_on_another_graph_hides_the_labels_it_judges() -> None:
    model = quick().fit(split(graph()))
    other = graph(100, seed=1)
    judged = torch.arange(100) < 30
    hidden = other.clone()
    hidden.y = torch.where(judged, -1, other.y)
    right = model.predict(hidden) == other.y.numpy()
    assert model.score(other, judged) == pytest.approx(right[:30].mean())
    other.test_mask = judged
    assert model.score(other) == pytest.approx(right[:30].mean())
    other.y[0] = 77  # a class it does not know is a mistake, not an error
    assert 0 <= model.score(other) <= 29 / 30


# calibration


def clear(n: int = 400) -> Data:
    """A problem that structure tells something of, and half of whose nodes are kept back."""
    data = synthetic(n, 3, homophily=0.7, informativeness=0.4, random_state=2)
    return splits.stratified(data.y, train=0.1, val=0.5).apply(missing.uniform(data, 0.5))


def test_labels_that_select_do_not_calibrate() -> None:
    """With weights held still, changing them changes neither temperature nor sets."""
    data, other = clear(), clear()
    model = quick(max_epochs=1, preset="faithful").fit(data)
    select = torch.from_numpy(model.val_mask_)
    other.y = torch.where(select, (data.y + 1) % 3, data.y)
    again = quick(max_epochs=1, preset="faithful")
    again._set_aside = lambda *_, **__: torch.from_numpy(model.calibration_mask_)
    again.fit(other)
    assert again.history_.scores != model.history_.scores
    assert again.temperature_ == model.temperature_
    assert (again.predict_set() == model.predict_set()).all()


@pytest.mark.parametrize("method", ["goodie", "lp", "gcn"])
def test_probabilities_are_the_methods_at_the_temperature(method: str) -> None:
    data = clear()
    settings = {} if method == "lp" else {"max_epochs": 20}
    model = NodeClassifier(method=method, settings=settings).fit(data)
    raw = model.method_.proba_.double().numpy().clip(np.finfo(np.float32).eps)
    expected = raw ** (1 / model.temperature_)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.proba_, expected, rtol=1e-4)
    assert model.proba_.dtype == np.float32
    plain = NodeClassifier(method=method, settings=settings, calibration=0.0).fit(data)
    assert plain.temperature_ == 1.0
    assert plain.proba_.tolist() == plain.method_.proba_.tolist()


def test_sets_hold_the_label_as_often_as_asked() -> None:
    data = clear(4000)
    model = NodeClassifier(method="lp").fit(data)
    held = {}
    for alpha in (0.05, 0.1, 0.3):
        sets = model.predict_set(alpha=alpha)
        held[alpha] = sets[np.arange(4000), data.y.numpy()][data.test_mask.numpy()].mean()
        # 2000 calibrating and 1600 judged nodes: 4 standard deviations.
        spread = (alpha * (1 - alpha) * (1 / 2000 + 1 / 1600)) ** 0.5
        assert held[alpha] == pytest.approx(1 - alpha, abs=4 * spread)
        wider = model.predict_set(alpha=alpha, empty=False)
        assert wider.any(axis=1).all()
        assert (wider >= sets).all()
    assert model.predict_set(alpha=1e-4).all()  # 2000 nodes cannot promise so much


def test_sets_and_abstention_on_another_graph() -> None:
    model = quick().fit(clear())
    other = clear(100)
    other.train_mask = other.val_mask = other.test_mask = None
    other.y = torch.full((100,), -1)
    other.x = torch.full_like(other.x, torch.nan)
    assert model.abstains(other).all()
    assert model.predict_set(other).all()
    other.y[0] = 1
    reached = ~model.abstains(other)
    assert reached[0]
    assert model.abstains(clear()).tolist() == model.abstains_.tolist()
    assert (model.predict_set(clear()) == model.predict_set()).all()


def test_who_abstains_is_no_part_of_calibration() -> None:
    data = clear()
    alone = (data.val_mask | data.test_mask).nonzero()[::4, 0]
    gone = torch.isin(data.edge_index, alone).any(dim=0)
    data.edge_index = data.edge_index[:, ~gone]
    data.x[alone] = torch.nan
    model = quick().fit(data)
    assert model.abstains_[alone].all()
    assert model.calibration_mask_[alone].any()
    assert model.predict_set(alpha=0.5)[alone].all()
    told = model.calibration_mask_ & ~model.abstains_
    assert len(model._calibration.strange) == told.sum()


@pytest.mark.parametrize("calibration", [-0.1, 1.0, float("nan")])
def test_calibration_is_a_share(calibration: float) -> None:
    with pytest.raises(InputError, match="it is a share, at least 0 and less than 1"):
        quick(calibration=calibration).fit(clear())


# saving


@pytest.mark.parametrize(
    "model",
    [
        quick(),
        quick(preset="faithful", fusion="random"),
        NodeClassifier(method="gcn", settings={"max_epochs": 5}),
        NodeClassifier(method="lp"),
    ],
    ids=str,
)
def test_reloaded_it_is_the_same_to_the_bit(model, tmp_path) -> None:
    data = graph()
    model.fit(data).save(tmp_path / "model")
    again = type(model).load(tmp_path / "model")
    assert again.get_params() == model.get_params()
    assert again.classes_.tolist() == model.classes_.tolist()
    assert (again.predict_proba(data) == model.proba_).all()
    other = graph(50, seed=2)
    assert (again.predict_proba(other) == model.predict_proba(other)).all()
    assert again.train_mask_.tolist() == model.train_mask_.tolist()
    assert again.history_ == model.history_
    assert again.temperature_ == model.temperature_
    assert again.calibration_mask_.tolist() == model.calibration_mask_.tolist()
    assert again.abstains_.tolist() == model.abstains_.tolist()
    if model.calibration_mask_.any():
        assert (again.predict_set(data) == model.predict_set()).all()
        assert (again.predict_set(other, 0.3) == model.predict_set(other, 0.3)).all()
    with pytest.raises(InputError, match="does not hold its graph"):
        again.predict()
    again.save(tmp_path / "model")  # over the old one
    assert (type(model).load(tmp_path / "model").predict_proba(data) == model.proba_).all()


def test_a_model_is_not_taken_for_another_kind(tmp_path) -> None:
    NodeClassifier(method="lp").fit(graph()).save(tmp_path / "model")
    with pytest.raises(InputError, match="was not saved by a GoodieClassifier"):
        GoodieClassifier.load(tmp_path / "model")
