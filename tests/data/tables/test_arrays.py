"""Graphs from arrays, matrices and PyG and back are the same graphs."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.utils import coalesce

from goodie import missing, synthetic
from goodie.data.tables import (
    Options,
    from_frames,
    from_numpy,
    from_pyg,
    from_scipy,
    to_numpy,
    to_pyg,
    to_scipy,
)
from goodie.errors import InputError


@pytest.fixture
def data():
    holed = missing.uniform(synthetic(50, 3, num_features=6), 0.5)
    holed.y[20:] = -1
    return holed


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.nan_to_num(99.0), b.nan_to_num(99.0))


def test_pyg_and_back(data) -> None:
    back = to_pyg(from_pyg(data))
    assert same(back.x, data.x)
    assert torch.equal(coalesce(back.edge_index), data.edge_index)
    assert torch.equal(back.y, data.y)


def test_pyg_with_directions_and_weights(data) -> None:
    data.edge_index = data.edge_index[:, ::3]
    data.edge_weight = torch.arange(data.edge_index.shape[1]) / 2
    graph = from_pyg(data)
    assert graph.edges.directed
    back = to_pyg(graph)
    assert torch.equal(back.edge_index, data.edge_index)
    assert torch.equal(back.edge_weight, data.edge_weight)


def test_scipy_and_back(data) -> None:
    A = sp.random_array((50, 50), density=0.1, rng=np.random.default_rng(0), format="csr")
    for matrix in (A, A + A.T, (A + A.T).sign(), sp.csr_matrix(A)):
        graph = from_scipy(matrix, data.x.numpy())
        assert abs(to_scipy(graph) - sp.csr_array(matrix)).max() < 1e-7
        assert graph.edges.directed == bool((matrix != matrix.T).nnz)


def test_numpy_and_back(data) -> None:
    ids = [f"n{i}" for i in range(50)]
    y = np.array(["x", "y", ""])[np.arange(50) % 3]
    edges = data.edge_index.numpy()
    graph = from_numpy(data.x.double().numpy(), edges, y=y, ids=ids, names=list("abcdef"))
    arrays = to_numpy(graph)
    assert np.array_equal(arrays.x, data.x.double().numpy(), equal_nan=True)
    assert np.array_equal(arrays.edge_index, edges)
    assert arrays.ids == ids
    assert arrays.names == tuple("abcdef")
    labels = graph.nodes.labels
    assert labels is not None
    assert labels.classes.to_list() == ["x", "y"]
    assert arrays.y is not None
    assert arrays.y[:3].tolist() == [0, 1, -1]


def test_refusals() -> None:
    x, edges = np.zeros((2, 1)), np.array([[0], [1]])
    for message, act in {
        "edges name row 2": lambda: from_numpy(x, edges + 1),
        "1 ids for 2 rows": lambda: from_numpy(x, edges, ids=["a"]),
        "as many different names": lambda: from_numpy(x, edges, names=["id"]),
        "as wide as it is high": lambda: from_scipy(sp.csr_array(np.zeros((2, 3))), x),
    }.items():
        with pytest.raises(InputError, match=message):
            act()


def test_a_graph_in_polars() -> None:
    nodes = pl.DataFrame({"n": [1, 2], "c": ["x", None]})
    graph = from_frames(nodes, pl.DataFrame({"u": [1], "v": [2]}), Options(id="n"))
    assert to_numpy(graph).names == ("c=x",)
    assert to_numpy(graph).x[0].tolist() == [1.0]
