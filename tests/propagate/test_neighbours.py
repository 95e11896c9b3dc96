"""Neighbour means against the oracle."""

import numpy as np
import torch
from hypothesis import given
from torch_geometric.data import Data

from goodie import fill_with_neighbour_mean, operator
from oracles import propagation as oracle
from propagate.graphs import graphs_with_holes


@given(graphs_with_holes())
def test_is_the_oracle(data: Data) -> None:
    ours = fill_with_neighbour_mean(data.x, operator(data, dtype=torch.float64))
    A = oracle.adjacency(data.edge_index.numpy(), data.num_nodes)
    np.testing.assert_allclose(ours, oracle.neighbour_mean(A, data.x.numpy()), atol=1e-12)
