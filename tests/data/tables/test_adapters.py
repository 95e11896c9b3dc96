"""Graphs from other libraries and back are the same graphs."""

import networkx as nx
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
    from_networkx,
    from_numpy,
    from_pandas,
    from_pyg,
    from_scipy,
    to_networkx,
    to_numpy,
    to_pandas,
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


def test_networkx_and_back() -> None:
    graph = nx.DiGraph()
    graph.add_node("a", age=31, city="Rome")
    graph.add_node(7, age=None)
    graph.add_edge("a", 7, weight=2.5)
    tables = from_networkx(graph, label="city")
    assert tables.nodes.ids.to_list() == ["a", "7"]
    assert tables.edges.directed
    back = to_networkx(tables)
    assert dict(back.nodes(data=True)) == {"a": {"age": 31, "city": "Rome"}, "7": {}}
    assert list(back.edges(data=True)) == [("a", "7", {"weight": 2.5})]


def test_networkx_karate() -> None:
    club = nx.karate_club_graph()
    tables = from_networkx(club, label="club")
    A = nx.adjacency_matrix(club).toarray()
    assert np.array_equal(to_scipy(tables).toarray(), A)


class Column:
    def __init__(self, values: list) -> None:
        self.values = values

    def tolist(self) -> list:
        return self.values


class Frame(dict):
    """What is asked of a pandas data frame, where there is none."""

    @property
    def columns(self) -> list:
        return list(self)


def test_data_frames_by_what_they_answer() -> None:
    nodes = Frame(id=Column(["a", "b"]), age=Column([1.0, float("nan")]), odd=Column([1, "x"]))
    graph = from_pandas(nodes, Frame(u=Column(["a"]), v=Column(["b"])))
    assert graph.nodes.sheet.frame.rows() == [("a", 1.0, "1"), ("b", None, "x")]


def test_pandas_and_back() -> None:
    pd = pytest.importorskip("pandas")
    nodes = pd.DataFrame(
        {"id": ["a", "b"], "age": [1.0, None], "when": pd.to_datetime(["2020-01-01", None])}
    )
    edges = pd.DataFrame({"u": ["a"], "v": ["b"]})
    graph = from_pandas(nodes, edges)
    assert [column.kind for column in graph.nodes.columns] == ["numeric", "date"]
    back, back_edges = to_pandas(graph)
    pd.testing.assert_frame_equal(back, nodes, check_dtype=False)
    pd.testing.assert_frame_equal(back_edges, edges, check_dtype=False)


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
