"""A cell's key says what its result depends on, and its result depends on nothing else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from goodie.data import datasets
from goodie.data.fingerprint import fingerprint
from goodie.errors import InputError
from goodie.study import cell, provenance
from goodie.study.cell import Cell, key, metric, resolve, run
from study.toys import GRAPH, MINE, Toy, register, saved, with_masks

pytestmark = pytest.mark.usefixtures("home")

BASE = Cell("mine", "toy", "uniform", 0.5, 1, {"gain": 1.0, "width": 4}, source=MINE)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, Toy)


def from_file(path: Path, **changes: Any) -> Cell:
    return replace(BASE, source={"file": str(path)}, **changes)


# --- the key --------------------------------------------------------------------------------------

MATTERS: dict[str, dict[str, Any]] = {
    "dataset": {"dataset": "digits", "source": None},
    "method": {"method": "lp"},
    "pattern": {"scenario": "structural"},
    "rate": {"rate": 0.25},
    "seed": {"seed": 2},
    "setting": {"settings": {"gain": 2.0, "width": 4}},
    "graph": {"source": {**MINE, "synthetic": {**GRAPH, "random_state": 1}}},
    "share to train on": {"source": {**MINE, "train": 0.5}},
    "share to select by": {"source": {**MINE, "val": 0.5}},
}


@pytest.mark.parametrize("what", MATTERS)
def test_the_key_changes_with(what: str) -> None:
    assert key(replace(BASE, **MATTERS[what])) != key(BASE)


def test_the_key_changes_with_the_methods_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(BASE)
    monkeypatch.setattr(Toy, "version", 2)
    assert key(BASE) != before


@pytest.mark.parametrize("part", ["x", "y", "edge_index", "edge_weight", "train_mask"])
def test_the_key_changes_with_every_part_of_the_graph(part: str, tmp_path: Path) -> None:
    data, other = with_masks(), with_masks()
    data.edge_weight = torch.ones(data.num_edges)
    other.edge_weight = torch.ones(data.num_edges)
    other[part] = other[part].clone()
    if part == "edge_index":
        other.edge_index, other.edge_weight = other.edge_index[:, 1:], other.edge_weight[1:]
    elif part == "train_mask":
        other.train_mask[0] = False
    else:
        other[part][0] = (other[part][0] + 1) % 3
    one, two = (saved(d, tmp_path / n) for d, n in ((data, "one.pt"), (other, "two.pt")))
    assert key(from_file(one)) != key(from_file(two))


def test_the_key_changes_when_a_file_does(tmp_path: Path) -> None:
    """In one session too, as in a notebook."""
    path = saved(with_masks(0), tmp_path / "mine.pt")
    before, score = key(from_file(path)), cell.run(from_file(path))
    saved(with_masks(1), path)
    assert key(from_file(path)) != before
    assert cell.run(from_file(path)) != score


def test_our_graph_split_otherwise_has_another_key(tmp_path: Path) -> None:
    """A user's copy of digits is split by shares, ours by the protocol."""
    path = saved(datasets.load("digits"), tmp_path / "digits.pt")
    ours = Cell("digits", "lp", settings=cell.resolve("lp", "digits", "uniform"))
    theirs = replace(ours, source={"file": str(path)})
    assert cell.data_hash(ours) == cell.data_hash(theirs)
    assert key(ours) != key(theirs)


@pytest.mark.parametrize(
    "turned",
    [{"settings": {"width": 4, "gain": 1.0}}, {"source": dict(reversed(MINE.items()))}],
    ids=lambda turned: next(iter(turned)),
)
def test_the_key_stays_with_whatever_order(turned: dict[str, Any]) -> None:
    assert key(replace(BASE, **turned)) == key(BASE)


def test_the_key_stays_wherever_the_file_lies_and_however_it_is_kept(tmp_path: Path) -> None:
    thin = with_masks()
    thin.x = thin.x.to_sparse_csr()
    places = [saved(with_masks(), tmp_path / name / "x.pt") for name in "ab"]
    places.append(saved(thin, tmp_path / "sparse.pt"))
    assert len({key(from_file(place)) for place in places}) == 1


def test_the_key_stays_with_the_codes_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(BASE)
    monkeypatch.setattr(provenance, "git_revision", lambda: "another")
    monkeypatch.setattr(provenance, "versions", dict)
    assert key(BASE) == before


def test_an_unknown_task() -> None:
    with pytest.raises(InputError, match="unknown task 'graph'"):
        Cell("digits", "lp", task="graph")


# --- the result -----------------------------------------------------------------------------------


def outcome(one: Cell) -> tuple[float, float, dict[str, Any]]:
    result = cell.run(one)
    return result.val, result.test, dict(result.details)


def test_the_same_cell_gives_the_same_bits_whatever_ran_before() -> None:
    others = [
        replace(BASE, rate=0.0),
        replace(BASE, method="lp", settings={}),
        replace(BASE, scenario="structural", rate=1.0, seed=0),
    ]
    before = fingerprint(cell.load(BASE)), fingerprint(cell.load(others[1]))
    first = outcome(BASE)
    for other in others:
        outcome(other)
    assert outcome(BASE) == first
    assert (fingerprint(cell.load(BASE)), fingerprint(cell.load(others[1]))) == before
    cell._load.cache_clear()
    assert outcome(BASE) == first


@pytest.mark.parametrize(
    "change",
    [{"seed": 2}, {"rate": 0.0}, {"settings": {"gain": -1.0}}, {"scenario": "structural"}],
    ids=lambda change: next(iter(change)),
)
def test_what_is_in_a_cell_reaches_its_result(change: dict[str, Any]) -> None:
    assert outcome(replace(BASE, **change)) != outcome(BASE)


def test_a_method_gets_holes_and_no_label_to_test_on() -> None:
    seen = cell.run(BASE).details
    assert seen["labels_to_test_on"] == 0
    assert 0.4 < seen["holes"] / (60 * 12) < 0.6


@pytest.mark.parametrize("method", ["toy", "lp"])
def test_labels_to_test_on_change_the_test_score_alone(method: str, tmp_path: Path) -> None:
    got = []
    for shift in range(3):
        data = with_masks()
        data.y[40:] = (data.y[40:] + shift) % 3
        path = saved(data, tmp_path / f"{shift}.pt")
        got.append(outcome(from_file(path, method=method, settings={})))
    val, test, details = zip(*got, strict=True)
    assert val == val[:1] * 3
    assert details == details[:1] * 3
    assert sum(test) == pytest.approx(100)  # each prediction is right in one of the three


def test_a_result_says_what_it_took() -> None:
    result = cell.run(BASE)
    assert result.seconds > 0
    assert result.peak_memory is None or result.peak_memory > 1_000_000


def test_a_link_cell_is_judged_by_pairs_set_aside() -> None:
    settings = resolve("fp", "synthetic", "uniform", {"max_epochs": 30}, task="link")
    cell = Cell("synthetic", "fp", rate=0.5, seed=1, settings=settings, task="link")
    result = run(cell)
    assert 0 <= result.test <= 100
    assert set(result.details) >= {"ap", "val_ap", "epochs"}
    assert result.details["epochs"] == 30
    same_node = Cell("synthetic", "fp", rate=0.5, seed=1, settings=settings)
    assert key(cell) != key(same_node)
    assert metric("link") == "auc"
    assert run(cell).test == result.test


def test_links_have_their_own_settings_and_versions() -> None:
    assert resolve("goodie", "Cora", "uniform", task="link")["width"] == 16
    assert "width" not in resolve("goodie", "Cora", "uniform")
    faithful = {"preset": "faithful"}
    assert resolve("goodie", "Cora", "structural", faithful, task="link")["contrast"] == "pseudo"
