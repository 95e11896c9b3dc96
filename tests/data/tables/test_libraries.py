"""Graphs from NetworkX and pandas and back are the same graphs."""

import networkx as nx
import numpy as np
import pytest

from goodie.data.tables import (
    from_networkx,
    from_pandas,
    to_networkx,
    to_pandas,
    to_scipy,
)


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
