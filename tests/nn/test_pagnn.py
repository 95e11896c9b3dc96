"""PaGNN's aggregation against the oracle, in each of the forms it may take."""

import numpy as np
import pytest
import torch
from hypothesis import given
from torch_geometric.data import Data

from goodie import missing, operator, synthetic
from goodie.data.observed import to_sparse
from goodie.nn import pagnn
from goodie.nn.pagnn import partially_propagated
from goodie.nn.product import Propagated
from goodie.sparse import is_sparse
from oracles import pagnn as oracle
from propagate.graphs import dense, graphs_with_holes


def aggregated(data: Data, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    thin = to_sparse(data)
    S = operator(data, dtype=dtype)
    factor = partially_propagated(thin.x.to(dtype), S, observed=thin.get("observed"))
    return factor @ torch.eye(thin.x.shape[1], dtype=dtype)


@given(graphs_with_holes())
def test_is_the_oracle(data: Data) -> None:
    expected = oracle.partial_aggregation(dense(data, "symmetric"), data.x.numpy())
    np.testing.assert_allclose(aggregated(data), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("pattern", [missing.uniform, missing.structural])
@pytest.mark.parametrize("rate", [0.0, 0.5, 0.98, 1.0])
def test_every_form_is_the_oracle(monkeypatch: pytest.MonkeyPatch, pattern, rate: float) -> None:
    monkeypatch.setattr(pagnn, "block_width", lambda S: 8)
    data = pattern(synthetic(60, num_features=30), rate)
    expected = oracle.partial_aggregation(dense(data, "symmetric"), data.x.double().numpy())
    for cost in (0, 1e9):
        monkeypatch.setattr(pagnn, "SPARSE_COST", cost)
        np.testing.assert_allclose(aggregated(data, torch.float32), expected, rtol=0, atol=1e-5)


def test_what_is_stored_but_not_observed_is_not_read() -> None:
    data = synthetic(50, num_features=12, sparse=True)
    for pattern in (missing.uniform, missing.structural):
        hidden = pattern(data, 0.5)
        leaking = pattern(data, 0.5)
        leaking.x = data.x
        assert aggregated(leaking).equal(aggregated(hidden))


def test_little_observed_stays_sparse() -> None:
    data = missing.uniform(synthetic(400, num_features=500, sparse=True), 0.99)
    S = operator(data)
    factor = partially_propagated(data.x, S, observed=data.observed)
    assert is_sparse(factor.matrix)
    rows = missing.structural(synthetic(400, num_features=500, sparse=True), 0.5)
    scaled = partially_propagated(rows.x, S, observed=rows.observed)
    assert isinstance(scaled, Propagated)
    assert scaled.outer is not None
