"""The same numbers on a GPU; skipped where there is none."""

import pytest
import torch

from goodie import (
    missing,
    operator,
    propagate_features,
    propagate_labels,
    solve_features,
    solve_labels,
    splits,
    synthetic,
)
from goodie.methods import METHODS

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU here")


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
