"""The same numbers on a GPU; skipped where there is none."""

import pytest
import torch

from goodie import (
    GoodieClassifier,
    missing,
    operator,
    propagate_features,
    propagate_labels,
    solve_features,
    solve_labels,
    splits,
    synthetic,
)
from goodie.config import build
from goodie.methods import METHODS
from goodie.methods.goodie import Goodie

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here"),
]


@pytest.fixture(autouse=True, scope="module")
def _walks(tmp_path_factory):
    """Embeddings of walks are not left in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOODIE_HOME", str(tmp_path_factory.mktemp("walks")))
        yield


@pytest.fixture(scope="module")
def data():
    whole = synthetic(2000, 4, num_features=150, average_degree=4.0, sparse=False)
    split = splits.stratified(whole.y)
    return split.apply(missing.uniform(whole, 0.9))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("fill", [propagate_features, solve_features])
def test_features(data, dtype, fill) -> None:
    x = data.x.to(dtype)
    here = fill(x, operator(data, dtype=dtype))
    there = fill(x.cuda(), operator(data, dtype=dtype, device="cuda"))
    assert there.values.is_cuda
    torch.testing.assert_close(there.values.cpu(), here.values, rtol=0, atol=1e-4)
    torch.testing.assert_close(there.reached.cpu(), here.reached)


@pytest.mark.parametrize("spread", [propagate_labels, solve_labels])
@pytest.mark.parametrize("form", ["residual", "reset"])
def test_labels(data, spread, form) -> None:
    seeds = data.train_mask
    here = spread(data.y, seeds, operator(data), form=form)
    there = spread(data.y.cuda(), seeds.cuda(), operator(data, device="cuda"), form=form)
    torch.testing.assert_close(there.values.cpu(), here.values, rtol=0, atol=1e-4)
    assert there.reached.cpu().equal(here.reached)


def test_sparse_features(data) -> None:
    whole = synthetic(2000, 4, num_features=150, average_degree=4.0, sparse=True)
    holed = missing.uniform(whole, 0.9)
    here = propagate_features(holed.x, operator(data), observed=holed.observed)
    there = propagate_features(
        holed.x.cuda(), operator(data, device="cuda"), observed=holed.observed.cuda()
    )
    torch.testing.assert_close(
        there.values.to_dense().cpu(), here.values.to_dense(), rtol=0, atol=1e-5
    )


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods(data, name) -> None:
    probabilities = [
        METHODS[name]().fit(data, device=device).predict_proba(data) for device in ("cpu", "cuda")
    ]
    right = [(p.argmax(1) == data.y)[data.test_mask].float().mean() for p in probabilities]
    assert abs(right[0] - right[1]) < 0.05


@pytest.mark.parametrize("name", ["gcn", "gcn-lpa", "gcnmf", "goodie"])
def test_same_seed_same_bits(data, name) -> None:
    first, second = (METHODS[name]().fit(data, seed=3, device="cuda").proba_ for _ in range(2))
    assert first.equal(second)


def test_a_recorded_epoch_is_the_epoch(data, monkeypatch) -> None:
    """Replayed, training goes as it does kernel by kernel."""
    settings = build(Goodie.Settings, {"max_epochs": 30, "contrast": "prototype"})
    recorded = Goodie(settings).fit(data, device="cuda")
    monkeypatch.setattr("goodie.train.WARM_UP", 1000)
    plain = Goodie(settings).fit(data, device="cuda")
    torch.testing.assert_close(
        torch.tensor(recorded.history_.losses),
        torch.tensor(plain.history_.losses),
        rtol=1e-3,
        atol=1e-3,
    )


def test_an_estimator_on_a_gpu_is_read_on_a_cpu(data, tmp_path) -> None:
    model = GoodieClassifier(max_epochs=20, device="cuda").fit(data)
    model.save(tmp_path / "model")
    here = GoodieClassifier.load(tmp_path / "model")
    torch.testing.assert_close(
        torch.from_numpy(here.predict_proba(data)),
        torch.from_numpy(model.proba_),
        rtol=0,
        atol=1e-4,
    )
