"""A search looks at validation scores, and at nothing else."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from goodie.errors import InputError
from goodie.study import cell, runner
from goodie.study.cell import key, resolve
from goodie.study.search import Found, search
from goodie.study.spec import Spec, parse
from goodie.study.store import Store
from study.toys import Toy, Unlucky, register, table

pytest.importorskip("optuna", reason="no Optuna here: pip install 'goodie-graph[search]'")
pytestmark = pytest.mark.usefixtures("home")

WIDTHS = {"width": [1, 2, 3, 4]}
RANGE = {"gain": {"low": 0.1, "high": 10.0, "log": True}}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "rows.sqlite") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    threads = torch.get_num_threads()
    register(monkeypatch, Toy, Unlucky)
    yield
    torch.set_num_threads(threads)


def study(space: Any, **changes: Any) -> Spec:
    method = changes.get("methods", ["toy"])[0]
    return parse(table(**{"methods": ["toy"], "seeds": 2, "search": {method: space}} | changes))


@pytest.fixture
def _width_2_selects_width_3_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where 2 is best on the validation nodes, and 3 on the test nodes."""

    def run(one: cell.Cell, *, device: str = "cpu") -> cell.Result:
        width = one.settings["width"]
        return cell.Result(val=50.0 - abs(width - 2), test=99.0 * (width == 3), seconds=0.1)

    monkeypatch.setattr(runner, "run", run)


@pytest.mark.usefixtures("_width_2_selects_width_3_tests")
def test_validation_selects(store: Store) -> None:
    assert search(study(WIDTHS), "toy", store) == Found("toy", {"width": 2}, 50.0)


@pytest.mark.parametrize("corrupted", [0.0, 100.0])
def test_test_scores_do_not_matter(
    corrupted: float, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = search(study(RANGE), "toy", store, trials=6)
    honest = cell.run
    monkeypatch.setattr(
        runner,
        "run",
        lambda *a, **k: cell.Result(**vars(honest(*a, **k)) | {"test": corrupted}),
    )
    with Store(tmp_path / "other.sqlite") as other:
        assert search(study(RANGE), "toy", other, trials=6) == expected
        assert {row["test"] for row in other.all()} == {corrupted}


def test_the_best_is_the_mean_over_the_studys_cells(store: Store) -> None:
    spec = study(RANGE, rates=[0.0, 0.5])
    found = search(spec, "toy", store, trials=4)
    best = [row["val"] for row in store.all() if row["settings"]["gain"] == found.settings["gain"]]
    assert len(best) == len(spec.cells) == 4
    assert found.val == pytest.approx(sum(best) / 4, abs=1e-12)
    assert len(store.all()) == 4 * 4


def test_a_search_is_repeatable_and_runs_nothing_again(store: Store, tmp_path: Path) -> None:
    first = search(study(RANGE), "toy", store, trials=3)
    ran = len(Toy.fitted)
    assert ran == 3 * 2
    assert search(study(RANGE), "toy", store, trials=3) == first
    assert len(Toy.fitted) == ran
    longer = search(study(RANGE), "toy", store, trials=5)
    assert len(Toy.fitted) == ran + 2 * 2
    with Store(tmp_path / "other.sqlite") as other:
        assert search(study(RANGE), "toy", other, trials=5) == longer


def test_cells_of_the_study_itself_are_used(store: Store) -> None:
    spec = study({"width": [3, 4]}, settings={"toy": {"gain": 1.0}})
    runner.run_cells(spec.cells, store)
    search(spec, "toy", store, trials=8)
    assert sorted(Toy.fitted) == [0, 0, 1, 1]


def test_whole_bounds_of_a_fraction_span_fractions(store: Store) -> None:
    search(study({"gain": {"low": 0, "high": 1}}), "toy", store, trials=4)
    assert {row["settings"]["gain"] % 1 for row in store.all()} != {0.0}


def test_whole_bounds_of_a_whole_setting_span_whole_numbers(store: Store) -> None:
    search(study({"width": {"low": 2, "high": 5}}), "toy", store, trials=6)
    assert {row["settings"]["width"] for row in store.all()} <= {2, 3, 4, 5}


def test_cells_that_another_process_is_at_are_not_left_out_of_the_mean(store: Store) -> None:
    """A mean over the rest would select by other seeds, and be another one next time."""
    spec = study({"width": [3]}, settings={"toy": {"gain": 1.0}})
    parent = psutil.Process(os.getppid())
    other = Store(store.path)
    other._me = (other._me[0], parent.pid, parent.create_time())
    settings = resolve("toy", "mine", "uniform", {"gain": 1.0, "width": 3})
    assert other.claim(key(replace(spec.cells[1], settings=settings)))
    with pytest.raises(InputError, match="another process"):
        search(spec, "toy", store, trials=1)
    other.close()


def test_a_cell_that_fails_ends_the_search_with_its_error(store: Store) -> None:
    with pytest.raises(InputError, match="no luck with seed 1"):
        search(study(WIDTHS, methods=["unlucky"]), "unlucky", store)


def test_a_search_needs_its_package(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(InputError, match=r"pip install 'goodie-graph\[search\]'"):
        search(study(WIDTHS), "toy", store)


SPACES: dict[str, tuple[Any, str]] = {
    "empty": ({}, r"no \[search.toy\]"),
    "unknown setting": ({"widht": [1]}, "unknown setting 'widht'"),
    "wrong type": ({"width": ["x"]}, "width is 'x'"),
    "one value": ({"width": 3}, "width of the search is 3"),
    "half a range": ({"gain": {"low": 1.0}}, "gain of the search"),
    "more than a range": ({"gain": {"low": 1.0, "high": 2.0, "step": 1}}, "gain of the search"),
    "turned round": ({"gain": {"low": 2.0, "high": 1.0}}, "gain"),
    "words": ({"gain": {"low": "a", "high": "b"}}, "gain"),
    "log of nothing": ({"gain": {"low": 0.0, "high": 1.0, "log": True}}, "gain"),
    "no choice": ({"width": []}, "width"),
}


@pytest.mark.parametrize("case", SPACES)
def test_a_bad_space(case: str, store: Store) -> None:
    space, message = SPACES[case]
    with pytest.raises(InputError, match=message):
        search(study(space), "toy", store, trials=2)
    assert store.all() == []


def test_a_method_that_the_study_does_not_run(store: Store) -> None:
    with pytest.raises(InputError, match=r"no \[search.lp\], or does not run lp"):
        search(study(WIDTHS), "lp", store)
