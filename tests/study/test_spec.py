"""A study's TOML becomes the cells that it says, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from goodie.data import datasets
from goodie.errors import InputError
from goodie.study import cell, spec
from study.toys import GRAPH, MINE, Toy, register, saved, table, toml, with_masks

pytestmark = pytest.mark.usefixtures("home")


def spans(**changes: Any) -> list[tuple[Any, ...]]:
    return [
        (c.dataset, c.method, c.scenario, c.rate, c.seed)
        for c in spec.parse(table(**changes)).cells
    ]


# --- expansion ------------------------------------------------------------------------------------


def test_every_list_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, Toy)
    got = spans(
        datasets=["mine", "digits"],
        methods=["lp", "toy"],
        scenarios=["uniform", "structural"],
        rates=[0, 0.5],
        seeds=[3, 5],
    )
    assert len(got) == len(set(got)) == 2**5
    assert {row[0] for row in got} == {"mine", "digits"}
    assert {row[3:] for row in got} == {(0.0, 3), (0.0, 5), (0.5, 3), (0.5, 5)}


def test_what_a_study_does_not_say() -> None:
    study = spec.parse({"datasets": ["digits"], "methods": ["lp"]}, name="file")
    assert [c.seed for c in study.cells] == list(range(10))
    first = study.cells[0]
    assert (first.task, first.scenario, first.rate, first.source) == ("node", "uniform", 0.0, None)
    assert (study.name, study.about, dict(study.search)) == ("file", "", {})


@pytest.mark.parametrize(("seeds", "expected"), [(2, [0, 1]), ([7, 1, 7], [7, 1])])
def test_seeds_are_a_number_or_a_list(seeds: Any, expected: list[int]) -> None:
    assert [row[4] for row in spans(seeds=seeds)] == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"methods": ["lp", "lp"]},
        {"datasets": ["mine", "mine"]},
        {"rates": [0, 0.0]},
        {"settings": {"lp": {"alpha": [1, 1.0]}}},
        {"grids": [{}, {"seeds": [2, 0]}]},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_no_cell_is_there_twice(changes: dict[str, Any]) -> None:
    assert sorted(row[4] for row in spans(**changes)) == [0, 1, 2]


def test_a_dataset_of_ours_has_one_name() -> None:
    assert spans(datasets=["DIGITS", "digits"], seeds=1) == [("digits", "lp", "uniform", 0.0, 0)]


def test_grids_take_from_the_top_what_they_do_not_say() -> None:
    got = spans(rates=[0.5], seeds=2, grids=[{}, {"rates": [0.9], "seeds": [7]}, {"seeds": [8]}])
    assert [row[3:] for row in got] == [(0.5, 0), (0.5, 1), (0.9, 7), (0.5, 8)]


def test_a_grid_of_fewer_methods_leaves_the_others_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    register(monkeypatch, Toy)
    study = table(
        methods=["lp", "toy"],
        settings={"toy": {"gain": 2.0}},
        grids=[{}, {"methods": ["lp"], "rates": [0.9]}],
    )
    assert len(spec.parse(study).cells) == 3 + 3 + 3


def test_settings_combine_over_the_papers() -> None:
    study = table(
        datasets=["CiteSeer"], seeds=1, settings={"lp": {"steps": [1, 2], "form": "reset"}}
    )
    got = [dict(c.settings) for c in spec.parse(study).cells]
    alpha = cell.resolve("lp", "CiteSeer", "uniform")["alpha"]
    assert got == [{"alpha": alpha, "steps": steps, "form": "reset"} for steps in (1, 2)]


# --- a user's own data ----------------------------------------------------------------------------


def test_a_file_is_found_from_the_specs_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = with_masks()
    saved(data, tmp_path / "there" / "graphs" / "mine.pt")
    path = toml(tmp_path / "there" / "own.toml", data={"mine": {"file": "graphs/mine.pt"}}, seeds=1)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    study = spec.find(f"../there/{path.name}")
    assert study.name == "own"
    (one,) = study.cells
    monkeypatch.chdir("/")
    got = cell.load(one)
    assert got.y.equal(data.y)
    assert got.edge_index.equal(data.edge_index)
    assert got.x.to_dense().equal(data.x)


@pytest.mark.parametrize("split", ["its masks", "shares", "default shares"])
def test_own_data_is_split_by_its_masks_or_by_shares(split: str, tmp_path: Path) -> None:
    data = with_masks()
    shares = {"train": 0.5, "val": 0.25} if split == "shares" else {}
    if split != "its masks":
        for name in ("train_mask", "val_mask", "test_mask"):
            del data[name]
    source = {"file": str(saved(data, tmp_path / "mine.pt")), **shares}
    (one,) = spec.parse(table(data={"mine": source}, seeds=[4])).cells
    got = cell.sources.dataset(one.dataset, one.source).split(cell.load(one), one.seed)
    expected = {"its masks": (20, 20), "shares": (30, 15), "default shares": (6, 6)}[split]
    assert (int(got.train.sum()), int(got.val.sum())) == expected
    assert int(got.test.sum()) == 60 - sum(expected)


def test_a_graph_without_features_runs_where_features_are_not_looked_at(tmp_path: Path) -> None:
    data = with_masks()
    del data.x
    source = {"file": str(saved(data, tmp_path / "bare.pt"))}
    one, *_ = spec.parse(table(data={"mine": source})).cells
    assert cell.run(one).test > 0


def test_a_file_cannot_run_code(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "sprung",)

    path = saved({"x": Trap()}, tmp_path / "trap.pt")
    one, *_ = spec.parse(table(data={"mine": {"file": str(path)}})).cells
    with pytest.raises(InputError) as refusal:
        cell.load(one)
    assert not (tmp_path / "sprung").exists()
    message = str(refusal.value)
    assert "trap.pt is not a graph" in message
    assert "\n" not in message
    assert "set `weights_only`" not in message  # torch's advice to be robbed
    torch.load(path, weights_only=False)  # it would have been
    assert (tmp_path / "sprung").exists()


FILES: dict[str, tuple[Any, str]] = {
    "nothing": (None, "there is no file"),
    "no archive": (b"not a graph", "is not a graph saved with torch.save"),
    "a tensor": (torch.ones(2), "holds a Tensor, expected a PyG Data"),
    "an impossible graph": (with_masks().update({"y": torch.full((60,), -2)}), "-2"),
    "half a split": (with_masks().update({"train_mask": torch.ones(3) > 0}), "train_mask"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_bad_file(case: str, tmp_path: Path) -> None:
    content, message = FILES[case]
    path = tmp_path / "bad.pt"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        saved(content, path)
    one, *_ = spec.parse(table(data={"mine": {"file": str(path)}})).cells
    with pytest.raises(InputError, match=message):
        cell.key(one)


# --- mistakes -------------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "key": ({"methodes": ["lp"]}, "the study has methodes; it can have name, about"),
    "key of a grid": ({"grids": [{"name": "x"}]}, "a grid of the study has name"),
    "no datasets": ({"datasets": []}, "names no datasets"),
    "no methods": ({"methods": []}, "names no methods"),
    "no method of a grid": ({"grids": [{"methods": []}]}, "names no methods"),
    "dataset": ({"datasets": ["Kora"]}, "unknown dataset 'Kora'"),
    "dataset for a list": ({"datasets": "mine"}, "datasets"),
    "method": ({"methods": ["magic"]}, "unknown method 'magic'"),
    "scenario": ({"scenarios": ["holes"]}, "unknown pattern 'holes'"),
    "task": ({"task": "graph"}, "unknown task 'graph'"),
    "rate for a list": ({"rates": 0.5}, "rates"),
    "rate of words": ({"rates": ["half"]}, "half"),
    "rate above 1": ({"rates": [1.5]}, "1.5"),
    "rate below 0": ({"rates": [-0.1]}, "-0.1"),
    "rate that is none": ({"rates": [float("nan")]}, "nan"),
    "seeds of words": ({"seeds": ["one"]}, "one"),
    "seeds in part": ({"seeds": 1.5}, "1.5"),
    "seeds yes": ({"seeds": True}, "seeds"),
    "no seeds": ({"seeds": 0}, "seeds"),
    "seed below 0": ({"seeds": [-1]}, "-1"),
    "setting": ({"settings": {"lp": {"alhpa": 1}}}, "unknown setting 'alhpa'"),
    "type of a setting": ({"settings": {"lp": {"steps": [1, "x"]}}}, "steps is 'x'"),
    "settings of another": ({"settings": {"gcn": {}}}, "settings for gcn"),
    "settings for a table": ({"settings": {"lp": 3}}, "lp"),
    "grids for a list": ({"grids": {"rates": [0.1]}}, "grids"),
    "data for a table": ({"data": {"mine": "mine.pt"}}, "mine"),
    "data of nothing": ({"data": {"mine": {}}}, r"\[data.mine\] has nothing"),
    "data of both": ({"data": {"mine": {"file": "x", "synthetic": {}}}}, "either file or"),
    "data of else": ({"data": {"mine": {"file": "x", "url": "y"}}}, "either file or"),
    "data of a number": ({"data": {"mine": {"file": 3}}}, "mine"),
    "argument": ({"data": {"mine": {"synthetic": {"nodes": 3}}}}, "gives synthetic nodes"),
    "arguments for a table": ({"data": {"mine": {"synthetic": 100}}}, "mine"),
    "share": ({"data": {"mine": {**MINE, "train": 2}}}, "train"),
    "share of words": ({"data": {"mine": {**MINE, "train": "half"}}}, "train"),
    "name": ({"name": 5}, "name"),
    "search for a table": ({"search": ["alpha"]}, "search"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_named_before_anything_runs(case: str) -> None:
    changes, message = MISTAKES[case]
    with pytest.raises(InputError, match=message):
        spec.parse(table(**changes))


@pytest.mark.parametrize("case", ["value", "type"])
def test_impossible_arguments_of_a_synthetic_graph(case: str) -> None:
    wrong = {"value": {"num_nodes": -1}, "type": {"num_nodes": "many"}}[case]
    with pytest.raises(InputError, match="num_nodes"):
        cell.key(spec.parse(table(data={"mine": {"synthetic": {**GRAPH, **wrong}}})).cells[0])


@pytest.mark.parametrize(
    ("word", "message"),
    [("nowhere", "no study of that name; with the package come"), ("no/where.toml", "cannot read")],
)
def test_a_study_that_is_not_there(word: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        spec.find(word)


@pytest.mark.parametrize("content", [b"rates = [", b'name = "\xff"', b"a = 1\na = 2"])
def test_a_file_that_is_not_toml(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(content)
    with pytest.raises(InputError, match="is not TOML"):
        spec.find(str(tmp_path / "bad.toml"))


# --- what comes with the package ------------------------------------------------------------------


@pytest.mark.parametrize("name", spec.shipped())
def test_a_shipped_study_is_sound(name: str) -> None:
    study = spec.find(name)
    assert study.name == name
    assert study.about
    assert study.cells
    # Nothing that another machine may lack: graphs that load by name, or are made.
    by_name = {c.dataset for c in study.cells if c.source is None}
    assert by_name <= set(datasets.DATASETS)
    assert all(set(c.source) == {"synthetic"} for c in study.cells if c.source is not None)
    json.dumps([dict(c.settings) for c in study.cells])


def test_the_papers_lp_column_is_shipped() -> None:
    cells = spec.find("lp").cells
    assert len(cells) == 51
    assert {c.rate for c in cells} == {0.9999}
