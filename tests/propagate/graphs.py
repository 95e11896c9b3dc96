"""Random graphs with holes, for property tests."""

import numpy as np
import torch
from hypothesis import strategies as st
from torch_geometric.data import Data

from oracles import propagation as oracle


@st.composite
def graphs_with_holes(draw: st.DrawFn, max_nodes: int = 12, max_features: int = 9) -> Data:
    """Small undirected graphs, connected or not, weighted or not; x with zeros and NaN."""
    n = draw(st.integers(1, max_nodes))
    features = draw(st.integers(0, max_features))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = np.argwhere(np.triu(rng.random((n, n)) < draw(st.sampled_from([0.0, 0.1, 0.3])), 1))
    edges = torch.from_numpy(np.concatenate([pairs, pairs[:, ::-1]]).T.copy())
    x = np.where(rng.random((n, features)) < 0.4, 0.0, rng.normal(size=(n, features)))
    x[rng.random((n, features)) < draw(st.sampled_from([0.0, 0.5, 0.9, 1.0]))] = np.nan
    data = Data(x=torch.from_numpy(x), edge_index=edges, num_nodes=n)
    if draw(st.booleans()):
        weight = torch.from_numpy(rng.uniform(0.1, 3.0, size=len(pairs)))
        data.edge_weight = torch.cat([weight, weight])
    return data


def dense(data: Data, kind: str, *, self_loops: bool = True) -> np.ndarray:
    """The oracle's operator for a graph."""
    weight = data.edge_weight.numpy() if "edge_weight" in data else None
    A = oracle.adjacency(
        data.edge_index.numpy(), data.num_nodes, weight, undirected=True, self_loops=self_loops
    )
    return oracle.normalise(A, kind)
