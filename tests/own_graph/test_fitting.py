"""`fit` and `predict`: what is learned from, who judges, what is kept, what comes back."""

import json
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
import polars as pl
import pytest
import torch

from goodie.data.tables import Options, read_graph, write_table
from goodie.errors import InputError
from goodie.estimators.base import GraphClassifier
from goodie.own_graph import TableModel, fit, predict
from goodie.own_graph.model import NODES
from goodie.own_graph.reading import TABLES
from own_graph.conftest import CLASSES, N, Written

QUICK = {"max_epochs": 30}


@pytest.fixture(scope="module")
def model(written: Written) -> TableModel:
    return fit(written.read(), settings=QUICK)


@pytest.fixture
def saved(model: TableModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "model")
    return tmp_path / "model"


def test_facts(model: TableModel) -> None:
    facts = model.facts
    assert list(facts["accuracy"]) == ["goodie", "lp", "fp", "majority"]
    judged = {one["judged"] for one in facts["accuracy"].values()}
    assert judged == {facts["parts"]["judge"]}
    assert sum(facts["parts"].values()) == facts["sizes"]["labelled"]
    assert facts["refitted"]
    assert not facts["optimistic"]
    assert facts["accuracy"]["goodie"]["accuracy"] > facts["accuracy"]["majority"]["high"]
    json.dumps(facts, allow_nan=False)


def test_it_learns(model: TableModel, written: Written) -> None:
    said = model.nodes
    assert said is not None
    unknown = said["part"] == ""
    right = (said["label"] == pl.Series(written.truth)).filter(unknown)
    assert right.mean() > 0.85


def test_every_node_is_told_of(model: TableModel, written: Written) -> None:
    said = model.nodes
    assert said is not None
    assert said["id"].to_list() == [f"node {number}" for number in range(N)]
    parts = dict(said["part"].value_counts().iter_rows())
    assert {name: parts[name] for name in ("train", "select", "judge")} == model.facts["parts"]
    assert (said["known"].is_null() == (said["part"] == "")).all()
    judges = said["part"] == "judge"
    assert (said["judged_prediction"].is_not_null() == judges).all()
    right = (said["judged_prediction"] == said["known"]).filter(judges).sum()
    assert right == model.facts["accuracy"]["goodie"]["right"]
    probability = said.select([f"p_{name}" for name in "abc"]).to_numpy()
    assert np.allclose(probability.sum(axis=1), 1, atol=1e-5)
    assert (said["structure_share"] + said["feature_share"] - 1).abs().max() == 0
    assert said["degree"][:3].to_list() == [0, 0, 0]
    edges = pl.read_csv(written.edges)
    graph = nx.Graph(edges.rows())
    graph.add_nodes_from(said["id"])
    train = set(said["id"].filter(said["part"].is_in(["train", "judge"])))
    within = {name for part in nx.connected_components(graph) if part & train for name in part}
    assert said["label_within_reach"].to_list() == [name in within for name in said["id"]]
    assert not said["label_within_reach"][:3].any()
    ends = pl.concat([edges["from"], edges["to"].rename("from")])
    counts = dict(ends.value_counts().iter_rows())
    assert said["degree"].to_list() == [counts.get(name, 0) for name in said["id"]]
    shown = pl.read_csv(written.nodes).drop("name", "class")
    share = shown.select(pl.mean_horizontal(pl.all().is_not_null())).to_series()
    assert said["observed_share"].to_list() == pytest.approx(share.to_list())
    account = model.account
    assert account is not None
    assert account.graph.features == len(shown.columns)
    observed = {column.name: column.observed for column in account.holes.columns}
    assert observed == pytest.approx(
        {name: 1 - shown[name].is_null().mean() for name in shown.columns}
    )


def test_judges_labels_change_nothing_but_the_score(written: Written, tmp_path: Path) -> None:
    first = fit(written.read(), refit=False, settings=QUICK)
    assert first.nodes is not None
    judge = first.nodes["part"] == "judge"
    frame = pl.read_csv(written.nodes, infer_schema=False)
    turned = frame["class"].replace({"a": "b", "b": "a"})
    changed = pl.when(judge).then(turned).otherwise(frame["class"]).alias("class")
    frame.with_columns(changed).write_csv(tmp_path / "nodes.csv")
    graph = read_graph(tmp_path / "nodes.csv", written.edges, Options(label="class"))
    # The same nodes judge where each class has as many of them as before.
    import goodie.own_graph.fitting as module
    from goodie.own_graph.judging import Parts, deal_parts

    labels = written.read().nodes.labels
    assert labels is not None
    parts: Parts = deal_parts(labels.y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "deal_parts", lambda *_, **__: parts)
        second = fit(graph, refit=False, settings=QUICK)
    assert second.nodes is not None
    assert second.encoding == first.encoding
    told = [name for name in first.nodes.columns if name.startswith("p_")]
    assert second.nodes.select(told).equals(first.nodes.select(told))
    assert second.facts["accuracy"] != first.facts["accuracy"]


def test_the_encoding_is_of_training_nodes(model: TableModel) -> None:
    """Of those that train in the end, the judges among them."""
    said = model.nodes
    assert said is not None
    train = said["part"].is_in(["train", "judge"]).to_numpy()
    (size,) = (one for one in model.encoding.columns if one.name == "size")
    from goodie.data.tables.columns import Scaled

    assert isinstance(size, Scaled)
    mask = torch.from_numpy(model.classifier.train_mask_)
    assert np.array_equal(mask.numpy(), train)


def test_a_saved_model_says_the_same(model: TableModel, saved: Path, written: Written) -> None:
    loaded = TableModel.load(saved)
    assert loaded.encoding == model.encoding
    assert loaded.options == model.options
    assert loaded.facts == json.loads(json.dumps(model.facts))
    assert loaded.nodes is not None
    assert model.nodes is not None
    assert loaded.nodes.equals(model.nodes)
    frame = predict(loaded, loaded.read(written.nodes, written.edges))
    assert frame.equals(model.nodes.select(frame.columns))


def test_the_folder_is_safetensors_json_and_parquet(saved: Path) -> None:
    assert {path.name for path in saved.iterdir()} == {
        "model.json",
        "weights.safetensors",
        TABLES,
        NODES,
        "account.json",
    }


def test_other_tables_bring_their_labels(saved: Path, written: Written, tmp_path: Path) -> None:
    """Other nodes, columns in another order and one more, a label column: all labels are known."""
    frame = pl.read_csv(written.nodes, infer_schema=False)[50:]
    other = frame.select([*reversed(frame.columns)]).with_columns(extra=pl.lit("x"))
    other.write_csv(tmp_path / "nodes.csv")
    names = frame["name"]
    edges = pl.read_csv(written.edges)
    inside = edges.filter(edges["from"].is_in(names.implode()) & edges["to"].is_in(names.implode()))
    inside.write_csv(tmp_path / "edges.csv")
    model = TableModel.load(saved)
    graph = model.read(tmp_path / "nodes.csv", tmp_path / "edges.csv")
    said = predict(model, graph)
    unknown = said["known"].is_null()
    truth = pl.Series(written.truth[50:])
    assert (said["label"] == truth).filter(unknown).mean() > 0.8
    known = model.classifier.explain(model.data(graph)).known
    assert np.array_equal(known, ~unknown.to_numpy())

    bare = other.drop("class")
    bare.write_csv(tmp_path / "nodes.csv")
    said = predict(model, model.read(tmp_path / "nodes.csv", tmp_path / "edges.csv"))
    assert not said["label_within_reach"].any()  # no label, so none is within reach
    assert (said["structure_share"] == 0).all()


def test_new_labels_on_the_same_graph_are_said_to_be_unused(
    saved: Path, written: Written, tmp_path: Path
) -> None:
    frame = pl.read_csv(written.nodes, infer_schema=False)
    full = frame.with_columns(pl.Series("class", written.truth))
    full.write_csv(tmp_path / "nodes.csv")
    model = TableModel.load(saved)
    with pytest.warns(UserWarning, match=f"{frame['class'].null_count()} labels that it was not"):
        predict(model, model.read(tmp_path / "nodes.csv", written.edges))


def test_labels_come_back_as_they_came(written: Written, tmp_path: Path) -> None:
    frame = pl.read_csv(written.nodes)
    numbers = frame.with_columns(
        pl.col("class").replace_strict({"a": 7, "b": -3, "c": 10}, default=None)
    )
    numbers.write_parquet(tmp_path / "nodes.parquet")
    graph = read_graph(tmp_path / "nodes.parquet", written.edges, Options(label="class"))
    model = fit(graph, method="lp")
    model.save(tmp_path / "model")
    model = TableModel.load(tmp_path / "model")
    said = predict(model, model.read(tmp_path / "nodes.parquet", written.edges))
    assert said["label"].dtype == pl.Int64
    assert set(said["label"]) == {7, -3, 10}
    assert [name for name in said.columns if name[:2] == "p_"] == ["p_-3", "p_7", "p_10"]
    assert said["structure_share"].null_count() == N


@pytest.mark.parametrize("method", ["lp", "mlp", "gcn-nm", "cs"])
def test_any_method_will_do(method: str, written: Written, tmp_path: Path) -> None:
    quick = {} if method in ("lp", "cs") else {"max_epochs": 5}
    model = fit(written.read(), method=method, settings=quick)
    assert method in model.facts["accuracy"]
    model.save(tmp_path / "model")
    loaded = TableModel.load(tmp_path / "model")
    frame = predict(loaded, loaded.read(written.nodes, written.edges))
    assert model.nodes is not None
    assert frame.equals(model.nodes.select(frame.columns))


def test_without_features_the_structure_answers(written: Written, tmp_path: Path) -> None:
    frame = pl.read_csv(written.nodes).select("name", "class")
    write_table(frame, tmp_path / "nodes.csv")
    graph = read_graph(tmp_path / "nodes.csv", written.edges, Options(label="class"))
    model = fit(graph, settings={"max_epochs": 200})
    assert model.facts["accuracy"]["goodie"]["accuracy"] > 0.7


def test_few_labels(written: Written, tmp_path: Path) -> None:
    frame = pl.read_csv(written.nodes)
    rare = frame.with_columns(
        pl.when(pl.int_range(N) < 60).then(pl.col("class")).otherwise(None).alias("class")
    )
    rare.write_csv(tmp_path / "nodes.csv")
    graph = read_graph(tmp_path / "nodes.csv", written.edges, Options(label="class"))
    model = fit(graph, settings=QUICK)
    assert model.facts["optimistic"]
    assert not model.facts["refitted"]
    assert model.nodes is not None
    assert set(model.nodes["part"]) == {"", "train", "select"}
    lp = fit(graph, method="lp")  # selects nobody, so that all can be learned from
    assert lp.facts["refitted"]
    assert lp.classifier.train_mask_.sum() == lp.facts["sizes"]["labelled"]


def test_an_interrupt_ends_it(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    """Training takes an interrupt for a wish to end early; a fit is then not gone on with."""
    import goodie.train as module

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_finite", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fit(written.read(), settings=QUICK)


def test_refusals(written: Written) -> None:
    with pytest.raises(InputError, match="--label COLUMN"):
        fit(read_graph(written.nodes, written.edges))
    with pytest.raises(InputError, match="unknown method 'god'"):
        fit(written.read(), method="god")
    with pytest.raises(InputError, match="unknown setting 'alfa'"):
        fit(written.read(), settings={"alfa": 1})


def test_spoiled_tables_are_refused(saved: Path, tmp_path: Path) -> None:
    page = json.loads((saved / TABLES).read_text())
    for number, change in enumerate(
        [
            {"classes": {"type": "String", "names": ["a"]}},
            {"classes": {"type": "Object", "names": ["a", "b", "c"]}},
            {"classes": {"type": "Int64", "names": ["a", "b", "c"]}},
            {"encoding": {}},
            {"options": {}},
            {"estimator": "Pickle"},
            {"facts": 3},
        ]
    ):
        copy = tmp_path / str(number)
        shutil.copytree(saved, copy)
        (copy / TABLES).write_text(json.dumps(page | change))
        with pytest.raises(InputError):
            TableModel.load(copy)


def test_classifiers_load_it_too(saved: Path, model: TableModel) -> None:
    from goodie import GoodieClassifier

    loaded: GraphClassifier = GoodieClassifier.load(saved)
    assert len(loaded.classes_) == CLASSES
