"""Two tables as one graph: ids of any type, labels, edges looked up."""

import numpy as np
import polars as pl
import pytest
import torch

from goodie.data.tables import Options, from_frames
from goodie.data.tables.graph import TableGraph
from goodie.data.tables.options import parse_types
from goodie.errors import InputError
from goodie.graph import operator


def graph(nodes: dict, edges: dict, **options) -> TableGraph:
    return from_frames(pl.DataFrame(nodes), pl.DataFrame(edges), Options(**options))


@pytest.mark.parametrize(
    ("ids", "named"),
    [
        (["a", "b", "007"], ["007", "a"]),
        ([3, 1, 10**18], [10**18, 3]),
        ([3, 1, 2], ["2", "3"]),  # numbers in one table, text in the other
        (["3", "1", "2"], [2, 3]),
        ([3.0, 1.0, 2.0], ["2", "3"]),
        ([0.5, 1.5, 2.5], [2.5, 0.5]),
    ],
)
def test_ids_are_found_whatever_they_are_and_kept(ids: list, named: list) -> None:
    found = graph({"id": ids}, {"u": named[:1], "v": named[1:]})
    assert found.edges.ends.T.tolist() == [[2, 0]]
    assert found.nodes.ids.to_list() == ids
    assert found.nodes.ids.dtype == pl.Series(ids).dtype


def test_edges_go_both_ways_unless_directed() -> None:
    nodes, edges = {"id": [0, 1, 2]}, {"u": [0, 1, 2], "v": [1, 2, 2]}
    both = graph(nodes, edges)
    assert both.edges.edge_index.tolist() == [[0, 1, 2, 1, 2], [1, 2, 2, 0, 1]]
    one = graph(nodes, edges, directed=True)
    assert one.edges.edge_index.tolist() == [[0, 1, 2], [1, 2, 2]]


def test_the_operator_is_that_of_the_edges() -> None:
    """An edge with weight 3, one twice with 1 and 1, and none: A is as if written down."""
    found = graph(
        {"id": list("abc")}, {"u": list("abc"), "v": list("bcb"), "weight": [3.0, 1.0, 1.0]}
    )
    S = operator(found.encode().data, normalisation="row", self_loops=False)
    expected = torch.tensor([[0, 1, 0], [0.6, 0, 0.4], [0, 1, 0]])
    assert torch.allclose(S.matrix.to_dense(), expected)


def test_columns_are_found_by_their_names() -> None:
    found = graph({"x": [1.0, 2.0], "ID": [1, 2]}, {"w": [0, 0], "to": [1, 2], "From": [2, 1]})
    assert found.nodes.ids.name == "ID"
    assert found.options.source == "From"
    assert found.options.target == "to"
    assert found.notes == ("columns of the edges that are not used: w",)


def test_labels_are_numbered_in_order_and_holes_unknown() -> None:
    texts = graph({"id": range(4), "y": ["10", "9", "", "10"]}, {"u": [0], "v": [1]}, label="y")
    assert texts.nodes.labels is not None
    assert texts.nodes.labels.classes.to_list() == ["9", "10"]  # as numbers, as they all are
    assert texts.nodes.labels.y.tolist() == [1, 0, -1, 1]
    numbers = graph({"id": range(3), "y": [7, None, 3]}, {"u": [0], "v": [1]}, label="y")
    assert numbers.nodes.labels is not None
    assert numbers.nodes.labels.classes.to_list() == [3, 7]
    assert "y" not in [column.name for column in numbers.nodes.columns]


def test_words_that_were_taken_for_holes_are_told() -> None:
    found = graph(
        {"id": ["NA", "b"], "v": ["NA", "1"], "w": ["-", "NA"]}, {"u": [], "v": []}, holes=("-",)
    )
    assert found.nodes.ids.to_list() == ["NA", "b"]  # an id is what it is
    assert found.notes == ("taken for holes: 'NA' (2 cells), '-' (1 cell)",)


def test_isolated_nodes_are_those_that_no_edge_joins_to_another() -> None:
    found = graph({"id": list("abcd")}, {"u": ["a", "c"], "v": ["b", "c"]})
    assert found.isolated.tolist() == [False, False, True, True]


def test_the_encoding_is_of_training_nodes() -> None:
    found = graph({"id": range(3), "v": [1.0, 3.0, 100.0]}, {"u": [0], "v": [1]})
    problem = found.encode(torch.tensor([True, True, False]))
    assert problem.x[:, 0].tolist() == [-1.0, 1.0, 10.0]


def test_what_would_not_fit_is_refused() -> None:
    names = {f"c{i}": [f"{i}-{j % 50}" for j in range(60)] for i in range(3)}
    found = graph({"id": range(60), **names}, {"u": [0], "v": [1]})
    problem = found.encode()
    assert problem.data.x.shape == (60, 150)
    import goodie.data.tables.encoding as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGEST", 100)
        with pytest.raises(InputError, match="60 nodes by 150 encoded columns"):
            found.data(problem.encoding)


def test_a_million_edges_are_looked_up_in_no_time() -> None:
    n = 100_000
    ids = pl.Series([f"person {i:07}" for i in range(n)])
    rng = np.random.default_rng(0)
    u, v = rng.integers(n, size=(2, 300_000))
    found = from_frames(
        pl.DataFrame({"id": ids}), pl.DataFrame({"u": ids.gather(u), "v": ids.gather(v)})
    )
    assert np.array_equal(found.edges.ends, np.stack([u, v]))


def test_options_go_through_json() -> None:
    options = Options(label="y", types={"a": "date"}, holes=("-",), directed=True)
    assert Options.from_json(options.to_json()) == options
    for change in ({"types": 1}, {"holes": [1]}, {"id": 3}, {"directed": "no"}, {"odd": 1}):
        with pytest.raises(InputError):
            Options.from_json(options.to_json() | change)
    with pytest.raises(InputError, match="error or drop"):
        Options(unknown="ignore")


def test_types_from_words() -> None:
    assert parse_types(["a=b=date"]) == {"a=b": "date"}
    for word in ("date", "=date", "a=dates"):
        with pytest.raises(InputError):
            parse_types([word])
    with pytest.raises(InputError, match="takes no --type"):
        graph({"id": [1], "v": [1]}, {"u": [1], "v": [1]}, types={"id": "numeric"})
