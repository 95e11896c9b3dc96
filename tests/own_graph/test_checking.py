"""`check`: counts against networkx and numpy, and the verdict where it is known."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import polars as pl
import pytest

from goodie.data.tables import Options, from_frames, read_graph
from goodie.own_graph import check
from own_graph.conftest import CLASSES, N, Written


@pytest.fixture(scope="module")
def found(written: Written) -> dict:
    return check(written.read())


def test_it_is_json(found: dict) -> None:
    json.dumps(found, allow_nan=False)


def test_sizes(found: dict, written: Written) -> None:
    graph = nx.Graph(pl.read_csv(written.edges).rows())
    graph.add_nodes_from(pl.read_csv(written.nodes)["name"])
    sizes = found["sizes"]
    assert sizes["nodes"] == N
    assert sizes["edges"] == sizes["distinct_edges"] == graph.number_of_edges()
    assert sizes["components"] == nx.number_connected_components(graph)
    assert sizes["largest_component"] == max(map(len, nx.connected_components(graph)))
    assert sizes["isolated"] == nx.number_of_isolates(graph)
    assert sizes["loops"] == 0


def test_homophily_of_labels_is_networkx_s(found: dict, written: Written) -> None:
    frame = pl.read_csv(written.nodes)
    label = dict(frame.select("name", "class").drop_nulls().iter_rows())
    pairs = [(u, v) for u, v in pl.read_csv(written.edges).rows() if u in label and v in label]
    graph = nx.Graph(pairs)
    nx.set_node_attributes(graph, label, "class")
    told = found["homophily"]["labels"]
    assert told["pairs"] == len(pairs)
    assert told["share"] == pytest.approx(np.mean([label[u] == label[v] for u, v in pairs]))
    assert told["adjusted"] == pytest.approx(nx.attribute_assortativity_coefficient(graph, "class"))


@pytest.mark.parametrize("name", ["age", "size", "city", "member", "noise"])
def test_neighbours_are_as_alike_as_networkx_says(name: str, found: dict, written: Written) -> None:
    value = dict(pl.read_csv(written.nodes).select("name", name).drop_nulls().iter_rows())
    edges = pl.read_csv(written.edges).rows()
    graph = nx.Graph([(u, v) for u, v in edges if u in value and v in value])
    nx.set_node_attributes(graph, value, "value")
    (column,) = (one for one in found["columns"] if one["name"] == name)
    if column["kind"] == "categorical":
        # Σ cov / Σ var over one-hot columns is what Newman calls the assortativity.
        expected = nx.attribute_assortativity_coefficient(graph, "value")
    else:
        ends = np.array([[value[u], value[v]] for u, v in graph.edges])
        numbers = ends == "yes" if name == "member" else ends.astype(float)
        both = np.concatenate([numbers, numbers[:, ::-1]]).astype(float)
        expected = np.corrcoef(both.T)[0, 1]
    assert column["neighbours_alike"] == pytest.approx(expected, abs=1e-4)


def test_columns(found: dict, written: Written) -> None:
    kinds = {one["name"]: one["kind"] for one in found["columns"]}
    assert kinds == {
        "age": "numeric",
        "size": "numeric",
        "city": "categorical",
        "member": "boolean",
        "noise": "numeric",
        "since": "date",
    }
    frame = pl.read_csv(written.nodes)
    for one in found["columns"]:
        assert one["holes"] == frame[one["name"]].null_count() / N
        assert one["distinct"] == frame[one["name"]].drop_nulls().n_unique()


def test_labels_and_who_is_out_of_reach(found: dict, written: Written) -> None:
    frame = pl.read_csv(written.nodes)
    counts = dict(frame["class"].drop_nulls().value_counts().iter_rows())
    assert found["labels"]["counts"] == counts
    assert len(counts) == CLASSES
    graph = nx.Graph(pl.read_csv(written.edges).rows())
    graph.add_nodes_from(frame["name"])
    labelled = set(frame["name"].filter(frame["class"].is_not_null()))
    lost = [part for part in nx.connected_components(graph) if not part & labelled]
    assert found["out_of_reach"] == {"components": len(lost), "nodes": sum(map(len, lost))}


def made(structure: bool, features: bool) -> dict:
    """A graph of two classes, told by its edges or not and by a column or not."""
    rng = np.random.default_rng(0)
    n = 600
    y = np.arange(n) % 2
    a = rng.integers(n, size=2400)
    b = rng.integers(n // 2, size=2400) * 2 + (y[a] if structure else rng.integers(2, size=2400))
    value = rng.normal(size=n) + 4 * y * features
    known = [str(label) if rng.random() < 0.5 else None for label in y]
    nodes = pl.DataFrame({"id": range(n), "value": value, "class": known})
    graph = from_frames(nodes, pl.DataFrame({"u": a, "v": b}), Options(label="class"))
    return check(graph)["usefulness"]


@pytest.mark.parametrize(
    ("structure", "features", "verdict"),
    [
        (True, False, {"structure"}),
        (False, True, {"features"}),
        (True, True, {"about equal"}),
        (False, False, {"neither", "about equal"}),
    ],
)
def test_the_verdict(structure: bool, features: bool, verdict: set) -> None:
    told = made(structure, features)
    assert told["more_useful"] in verdict
    assert set(told["accuracy"]) == {"lp", "mlp", "fp", "majority"}


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("none", "none"),
        ("rows", "whole rows"),
        ("entries", "single entries, by chance"),
        ("some", "some nodes show much more than others"),
    ],
)
def test_patterns_of_holes(pattern: str, said: str) -> None:
    rng = np.random.default_rng(0)
    n, width = 300, 12
    rate = {"none": 0.0, "rows": 0.5, "entries": 0.5}.get(pattern)
    hidden = rng.random((n, width)) < (rng.random((n, 1)) if rate is None else rate)
    if pattern == "rows":
        hidden[:] = hidden[:, :1]
    x = np.where(hidden, np.nan, rng.normal(size=(n, width)))
    frame = pl.DataFrame({f"c{i}": pl.Series(x[:, i]).fill_nan(None) for i in range(width)})
    nodes = frame.insert_column(0, pl.Series("id", range(n)))
    holes = check(from_frames(nodes, pl.DataFrame({"u": [0], "v": [1]})))["holes"]
    assert holes["pattern"] == said
    assert holes["share"] == pytest.approx(hidden.mean())
    assert holes["empty_rows"] == hidden.all(axis=1).sum()
    assert holes["complete_rows"] == (~hidden).all(axis=1).sum()


def test_without_labels_and_without_features(written: Written, tmp_path: Path) -> None:
    bare = check(read_graph(written.nodes, written.edges, Options(types={"class": "ignored"})))
    assert bare["labels"] is bare["usefulness"] is None
    pl.read_csv(written.nodes).select("name", "class").write_csv(tmp_path / "nodes.csv")
    graph = read_graph(tmp_path / "nodes.csv", written.edges, Options(label="class"))
    found = check(graph)
    assert found["holes"]["share"] is None
    assert found["usefulness"]["more_useful"] == "structure"


def test_too_few_labels_are_a_note() -> None:
    nodes = pl.DataFrame({"id": [0, 1], "class": ["x", "y"]})
    graph = from_frames(nodes, pl.DataFrame({"u": [0], "v": [1]}), Options(label="class"))
    found = check(graph)
    assert found["usefulness"] is None
    assert "too few" in found["notes"][-1]
