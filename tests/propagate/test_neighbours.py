"""Neighbour means against the oracle."""

import numpy as np
import torch
from hypothesis import given
from torch_geometric.data import Data

from goodie import fill_with_neighbour_mean, missing, operator, synthetic
from goodie.data.observed import to_sparse
from goodie.sparse import is_sparse
from oracles import propagation as oracle
from propagate.graphs import graphs_with_holes


@given(graphs_with_holes())
def test_is_the_oracle(data: Data) -> None:
    ours = fill_with_neighbour_mean(data.x, operator(data, dtype=torch.float64))
    A = oracle.adjacency(data.edge_index.numpy(), data.num_nodes)
    np.testing.assert_allclose(ours, oracle.neighbour_mean(A, data.x.numpy()), atol=1e-12)


@given(graphs_with_holes())
def test_sparse_is_dense(data: Data) -> None:
    S = operator(data, dtype=torch.float64)
    thin = to_sparse(data)
    filled = fill_with_neighbour_mean(thin.x, S, observed=thin.get("observed"))
    filled = filled.to_dense() if is_sparse(filled) else filled
    np.testing.assert_allclose(filled, fill_with_neighbour_mean(data.x, S), atol=1e-12)


def test_rows_and_entries_that_are_marked() -> None:
    """`observed` counts for dense features too, beside their NaN."""
    data = missing.uniform(synthetic(50, num_features=20), 0.3)
    S = operator(data)
    rows = torch.arange(50) % 3 > 0
    data.x[~rows] = torch.nan
    expected = fill_with_neighbour_mean(data.x, S)
    shown = data.x.clone()
    shown[~rows] = 7.0
    assert fill_with_neighbour_mean(shown, S, observed=rows).equal(expected)
    marked = ~data.x.isnan()
    shown = torch.where(marked, data.x, 7.0)
    assert fill_with_neighbour_mean(shown, S, observed=marked).equal(expected)


def test_little_observed_stays_sparse() -> None:
    data = missing.uniform(synthetic(300, num_features=400, sparse=True), 0.999)
    filled = fill_with_neighbour_mean(data.x, operator(data), observed=data.observed)
    assert filled.is_sparse_csr
