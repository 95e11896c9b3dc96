"""`fit_links` and `likeliest_links`: what judges, what is told, what is kept."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

from goodie import GoodieLinkPredictor
from goodie.data.link_splits import split_links
from goodie.data.tables import Options, from_frames, read_graph
from goodie.data.tables.graph import TableGraph
from goodie.data.validate import validate
from goodie.errors import InputError, InvalidGraphError
from goodie.evaluate import ranking
from goodie.nn.decoder import pair_logits
from goodie.own_graph import LinkModel, TableModel, fit, fit_links, likeliest_links
from goodie.own_graph.link_rivals import rivals
from goodie.report import stored
from own_graph.conftest import N, Written

QUICK = {"max_epochs": 30}
NO_LABELS = pytest.mark.filterwarnings("ignore:no label is known")


@pytest.fixture(scope="module")
def graph(written: Written) -> TableGraph:
    return written.read()


@pytest.fixture(scope="module")
def model(graph: TableGraph) -> LinkModel:
    return fit_links(graph, settings=QUICK)


@pytest.fixture(scope="module")
def found(model: LinkModel, graph: TableGraph) -> pl.DataFrame:
    return likeliest_links(model, graph, 50)


def ring(count: int, **columns: list[object]) -> TableGraph:
    """Nodes numbered from 100, each joined to the next."""
    ids = list(range(100, 100 + count))
    edges = pl.DataFrame({"a": ids, "b": ids[1:] + ids[:1]})
    label = {"label": "label"} if "label" in columns else {}
    return from_frames(pl.DataFrame({"id": ids, **columns}), edges, Options(**label))


@pytest.mark.parametrize("refit", [True, False])
def test_those_that_judge_had_no_part_in_what_they_judge(graph: TableGraph, refit: bool) -> None:
    model = fit_links(graph, settings=QUICK, refit=refit, random_state=4)
    data = validate(graph.encode().data)
    split = split_links(data, val=0.0, test=0.1, random_state=4)
    judged = GoodieLinkPredictor(**QUICK, random_state=4).fit(split.data)
    z = torch.from_numpy(judged.embedding_)
    facts = model.facts
    for name, (auc, ap) in {
        "goodie": ranking(*(pair_logits(z, pairs) for pairs in split.test)),
        **rivals(split.data, split.test),
    }.items():
        assert facts["judged"][name] == {"auc": auc / 100, "average_precision": ap / 100}
    assert facts["refitted"] is refit
    assert facts["parts"] == {"joined": len(graph.edges), "judge": split.test.edges.shape[1]}
    expected = GoodieLinkPredictor(**QUICK, random_state=4).fit(data) if refit else judged
    np.testing.assert_array_equal(
        model.predictor.explain(data).embedding, expected.explain(data).embedding
    )
    json.dumps(facts, allow_nan=False)


def test_it_learns(model: LinkModel) -> None:
    judged = model.facts["judged"]
    assert judged["goodie"]["auc"] > max(0.7, judged["product of degrees"]["auc"])


def test_the_best_of_all_pairs(model: LinkModel, graph: TableGraph, found: pl.DataFrame) -> None:
    assert found.columns[:3] == ["from", "to", "probability"]
    z, structure = model.predictor.explain(model.data(graph))
    proba = 1 / (1 + np.exp(-(z.astype(np.float64) @ z.T)))
    proba[np.tril_indices(N)] = -1
    a, b = np.sort(graph.edges.ends, axis=0)
    proba[a, b] = -1
    np.testing.assert_allclose(
        found["probability"], -np.sort(-proba.ravel())[:50], rtol=1e-4, atol=1e-6
    )
    rows = {name: row for row, name in enumerate(graph.nodes.ids.to_list())}
    ends = np.array([[rows[one] for one in found[name]] for name in ("from", "to")])
    np.testing.assert_allclose(proba[ends[0], ends[1]], found["probability"], rtol=1e-4)
    assert structure is not None
    for name, end in zip(("from", "to"), ends, strict=True):
        np.testing.assert_array_equal(found[f"{name}_structure_share"], structure[end])


def test_of_some_nodes(model: LinkModel, graph: TableGraph) -> None:
    ids = ["node 9", "node 1", "node 9"]
    found = likeliest_links(model, graph, 3, nodes=ids)
    assert found["from"].to_list() == ["node 9"] * 3 + ["node 1"] * 3
    joined = set(zip(*(graph.nodes.ids.gather(end) for end in graph.edges.ends), strict=True))
    for one, other in found.select("from", "to").iter_rows():
        assert one != other
        assert not {(one, other), (other, one)} & joined
    for node in set(ids):
        own = found.filter(pl.col("from") == node)["probability"]
        assert own.is_sorted(descending=True)
    with pytest.raises(
        InputError, match=r"no node 'n', 'node' in .*nodes.csv; ids in column 'name' are such as"
    ):
        likeliest_links(model, graph, 3, nodes=["node 1", "n", "node"])


def test_a_saved_model_says_the_same(
    model: LinkModel, graph: TableGraph, found: pl.DataFrame, written: Written, tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    loaded = LinkModel.load(tmp_path / "model")
    assert loaded.facts == model.facts
    assert likeliest_links(loaded, loaded.read(written.nodes, written.edges), 50).equals(found)
    # Other tables: fewer labels, a class and a category that it has not seen, columns missing.
    fewer = pl.read_csv(written.nodes).select("name", "city", "class")
    fewer = fewer.with_columns(pl.col("class").replace("a", "z"))
    fewer.write_csv(tmp_path / "nodes.csv")
    with pytest.warns(UserWarning, match="taken for holes throughout"):
        other = likeliest_links(loaded, loaded.read(tmp_path / "nodes.csv", written.edges), 50)
    assert other.height == 50
    assert not other.equals(found)


@NO_LABELS
def test_ids_stay_what_they_are_and_labels_are_optional(tmp_path: Path) -> None:
    graph = ring(60, size=[number % 7 for number in range(60)])
    model = fit_links(graph, settings=QUICK)
    found = likeliest_links(model, graph, 5)
    assert found.schema["a"] == found.schema["b"] == pl.Int64
    assert found["a_structure_share"].to_list() == [0.0] * 5
    assert likeliest_links(model, graph, 2, nodes=["117"])["a"].to_list() == [117, 117]
    model.save(tmp_path / "model")
    loaded = LinkModel.load(tmp_path / "model")
    assert likeliest_links(loaded, graph, 5).equals(found)


def test_labels_alone_are_enough() -> None:
    graph = ring(60, label=["x" if number < 30 else "y" for number in range(60)])
    found = likeliest_links(fit_links(graph, settings=QUICK), graph, 5)
    assert found["a_structure_share"].to_list() == [1.0] * 5


def test_a_note_where_the_simple_way_is_better() -> None:
    """A lattice in which all is said by common neighbours, and features are noise."""
    ids = list(range(100))
    edges = pl.DataFrame({"a": ids * 3, "b": [(i + s) % 100 for s in (1, 2, 3) for i in ids]})
    noise = np.random.default_rng(0).normal(size=100)
    graph = from_frames(pl.DataFrame({"id": ids, "x": noise}), edges)
    model = fit_links(graph, method="gcn", settings={"max_epochs": 2})
    (note,) = model.facts["notes"]
    assert note.startswith("ranking by common neighbours tells the judging pairs apart better")
    found = likeliest_links(model, graph, 3)
    assert found.columns == ["a", "b", "probability"]


def test_few_edges() -> None:
    few = ring(40, size=list(range(40)))
    assert fit_links(few, method="gcn", settings=QUICK).facts["parts"]["judge"] == 10
    with pytest.raises(
        InputError, match=r"19 pairs of different nodes are joined in the edges, and 20 are"
    ):
        fit_links(ring(19, size=list(range(19))), settings=QUICK)


def test_what_cannot_be_told() -> None:
    with pytest.raises(InputError, match=r"no features in the nodes .*no labels: --label COLUMN"):
        fit_links(ring(30))
    labelled = ring(30, label=["x", "y"] * 15)
    with pytest.raises(InputError, match=r"that gcn could tell links by$"):
        fit_links(labelled, method="gcn")
    with pytest.raises(InputError, match="'lp' does not predict links; there are gcn"):
        fit_links(labelled, method="lp")
    with pytest.raises(InputError, match="max_epoch"):
        fit_links(labelled, settings={"max_epoch": 3})
    ids = list(range(7))
    every = [(a, b) for a in ids for b in ids if a < b]
    edges = pl.DataFrame({"a": [a for a, _ in every], "b": [b for _, b in every]})
    complete = from_frames(pl.DataFrame({"id": ids, "size": ids}), edges)
    with pytest.raises(InvalidGraphError, match="only 0 have none"):
        fit_links(complete)


@NO_LABELS
def test_columns_of_the_same_name(written: Written) -> None:
    graph = ring(30, size=list(range(30)))
    edges = graph.edges.sheet.frame.rename({"a": "probability"})
    graph = from_frames(graph.nodes.sheet.frame, edges)
    model = fit_links(graph, settings={"max_epochs": 2})
    with pytest.raises(InputError, match="'probability' and 'b' of the edges would share"):
        likeliest_links(model, graph, 1)


def test_models_of_another_kind(model: LinkModel, written: Written, tmp_path: Path) -> None:
    links, labels = tmp_path / "links", tmp_path / "labels"
    model.save(links)
    fit(read_graph(written.nodes, written.edges, Options(label="class")), method="lp").save(labels)
    with pytest.raises(InputError, match=r"`goodie links --save` made, and .* `goodie fit`"):
        TableModel.load(links)
    with pytest.raises(InputError, match=r"`goodie fit` made, and .* `goodie links --save`"):
        LinkModel.load(labels)
    with pytest.raises(InputError, match=r"a model of links, and a report is of one of labels"):
        stored.load(links)
    with pytest.raises(InputError, match=r"`goodie links --save .*gone` makes one"):
        LinkModel.load(tmp_path / "gone")
