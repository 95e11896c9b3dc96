"""Each cell is run once; what fails is kept; who is interrupted goes on later."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from goodie.errors import InputError
from goodie.study import cell
from goodie.study.runner import Estimate, Outcome, estimate, run_cells
from goodie.study.store import COLUMNS, Row, Store
from study.toys import GRAPH, MINE, Interrupted, Toy, Unlucky, cells, lasting, register

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "rows.sqlite") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    threads = torch.get_num_threads()
    register(monkeypatch, Toy, Unlucky, Interrupted)
    yield
    torch.set_num_threads(threads)


def claims(store: Store) -> list[str]:
    file = sqlite3.connect(store.path)
    keys = [key for (key,) in file.execute("SELECT key FROM claims")]
    file.close()
    return keys


def test_cells_become_rows(store: Store) -> None:
    todo = cells(methods=["toy"], rates=[0.5], settings={"toy": {"gain": 3.0}})
    told: list[Row] = []
    assert run_cells(todo, store, progress=told.append) == Outcome(3, 0, 0, 0)
    assert lasting(told) == lasting(store.all())
    rows = store.get(map(cell.key, todo))
    for one, row in zip(todo, rows.values(), strict=True):
        assert list(row) == list(COLUMNS)
        result = cell.run(one)
        assert (row["val"], row["test"]) == (result.val, result.test)
        assert row["details"] == result.details
        assert (row["dataset"], row["method"], row["seed"]) == ("mine", "toy", one.seed)
        assert (row["scenario"], row["rate"]) == ("uniform", 0.5)
        assert row["settings"] == {"gain": 3.0, "width": 4}
        assert (row["status"], row["error"], row["device"]) == ("done", None, "cpu")
        assert (row["metric"], row["method_version"]) == ("accuracy", 1)
        assert row["data_hash"] == cell.data_hash(one)
        assert row["versions"]["torch"] == torch.__version__
        assert row["seconds"] > 0
        assert row["finished"] > 1.7e9


def test_nothing_is_run_twice(store: Store) -> None:
    run_cells(cells(methods=["toy"], seeds=2), store)
    assert run_cells(cells(methods=["toy"], seeds=4), store) == Outcome(2, 0, 2, 0)
    assert run_cells(cells(methods=["toy"], seeds=4), store) == Outcome(0, 0, 4, 0)
    assert Toy.fitted == [0, 1, 2, 3]


def test_a_cell_named_twice_is_run_once(store: Store) -> None:
    assert run_cells([*cells(methods=["toy"]), *cells(methods=["toy"])], store).done == 3
    assert Toy.fitted == [0, 1, 2]


@pytest.mark.parametrize("retry", [False, True])
def test_a_failure_is_kept_and_the_others_go_on(
    retry: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo = cells(methods=["unlucky"], seeds=4)
    assert run_cells(todo, store) == Outcome(2, 2, 0, 0)
    rows = {row["seed"]: row for row in store.all()}
    assert [rows[seed]["status"] for seed in range(4)] == ["done", "failed"] * 2
    assert rows[3]["error"].rstrip().endswith("RuntimeError: no luck with seed 3")
    assert rows[3]["error"].startswith("Traceback")
    assert rows[3]["test"] is rows[3]["val"] is rows[3]["seconds"] is None

    monkeypatch.setattr(Unlucky, "fit", Toy.fit)
    again = run_cells(todo, store, retry_failed=retry)
    assert again == (Outcome(2, 0, 2, 0) if retry else Outcome(0, 0, 4, 0))
    assert Unlucky.fitted == [0, 1, 2, 3] + [1, 3] * retry
    assert {row["status"] for row in store.all()} == ({"done"} if retry else {"done", "failed"})


@pytest.mark.parametrize(
    "details",
    [{"loss": torch.tensor(1.0)}, {"seen": {1, 2}}, {"loss": float("nan")}],
    ids=["tensor", "set", "nan"],
)
def test_details_that_are_not_json_fail_their_cell_alone(
    details: Any, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NaN is not JSON either, though Python writes it: other readers of exported rows choke."""
    monkeypatch.setattr(Unlucky, "details", lambda _: details)
    outcome = run_cells(cells(methods=["unlucky", "toy"], seeds=[0]), store)
    assert outcome == Outcome(1, 1, 0, 0)


def test_a_score_that_is_no_number_is_a_failure(store: Store) -> None:
    """Nobody to select by: the validation score is 0/0, and a mean over seeds would have a hole."""
    todo = cells(data={"mine": {**MINE, "val": 0.0}}, seeds=1)
    assert run_cells(todo, store) == Outcome(0, 1, 0, 0)
    (row,) = store.all()
    assert "valid" in row["error"]


def test_data_that_is_not_there_keeps_only_its_own_cells_from_running(store: Store) -> None:
    data = {"mine": MINE, "gone": {"file": "/no/where.pt"}}
    outcome = run_cells(cells(data=data, datasets=["gone", "mine"], seeds=2), store)
    assert (outcome.done, outcome.failed) == (2, 0)
    assert outcome.unreadable == {"gone": "there is no file /no/where.pt"}


def test_two_processes_give_the_rows_of_one(store: Store, tmp_path: Path) -> None:
    todo = cells(seeds=8, rates=[0.0, 0.9])
    assert run_cells(todo, store, jobs=2) == Outcome(16, 0, 0, 0)
    with Store(tmp_path / "one.sqlite") as one:
        run_cells(todo, one, jobs=1)
        assert lasting(store.all()) == lasting(one.all())
    assert claims(store) == []


@pytest.mark.parametrize("where", ["in a cell", "between cells"])
def test_an_interrupt_keeps_what_is_done_and_frees_the_rest(where: str, tmp_path: Path) -> None:
    def stop(_: Row) -> None:
        if len(store.all()) == 2:
            raise KeyboardInterrupt

    name = "interrupted" if where == "in a cell" else "toy"
    todo = cells(methods=[name], seeds=4)
    path = tmp_path / "other.sqlite"
    with pytest.raises(KeyboardInterrupt), Store(path) as store:
        run_cells(todo, store, progress=stop)
    with Store(path) as store:
        assert sorted(row["seed"] for row in store.all()) == [0, 1]
        assert claims(store) == []
        kind = {"interrupted": Interrupted, "toy": Toy}[name]
        before = len(kind.fitted)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Interrupted, "fit", Toy.fit)
            assert run_cells(todo, store) == Outcome(2, 0, 2, 0)
        assert sorted(kind.fitted[before:]) == [2, 3]


def test_an_interrupt_with_two_processes(tmp_path: Path) -> None:
    def stop(_: Row) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "other.sqlite"
    with pytest.raises(KeyboardInterrupt), Store(path) as store:
        run_cells(cells(seeds=20), store, jobs=2, progress=stop)
    with Store(path) as store:
        kept = len(store.all())
        assert 1 <= kept < 20
        assert claims(store) == []
        assert run_cells(cells(seeds=20), store) == Outcome(20 - kept, 0, kept, 0)


def test_what_another_process_is_at_is_left_to_it(store: Store) -> None:
    todo = cells(methods=["toy"])
    parent = psutil.Process(os.getppid())
    other = Store(store.path)
    other._me = (other._me[0], parent.pid, parent.create_time())
    assert other.claim(cell.key(todo[1]))
    assert run_cells(todo, store) == Outcome(2, 0, 0, 1)
    assert Toy.fitted == [0, 2]
    other.close()
    assert run_cells(todo, store) == Outcome(1, 0, 2, 0)


@pytest.mark.parametrize("jobs", [0, -1])
def test_somebody_must_work(jobs: int, store: Store) -> None:
    with pytest.raises(InputError, match=f"jobs is {jobs}"):
        run_cells(cells(), store, jobs=jobs)


def test_an_unknown_backend(store: Store) -> None:
    with pytest.raises(InputError, match="abacus"):
        run_cells(cells(), store, jobs=2, backend="abacus")
    assert claims(store) == []


# --- estimate -------------------------------------------------------------------------------------


def test_an_estimate_runs_nothing_and_counts_by_rows_like_it(store: Store) -> None:
    assert estimate(cells(methods=["toy"]), store) == Estimate(3, 0, 0.0, 3)
    assert Toy.fitted == []
    run_cells(cells(methods=["toy"]), store)
    store.write([row | {"seconds": 10.0 ** row["seed"]} for row in store.all()])

    toy = cells(methods=["toy"], seeds=5)
    assert estimate(toy, store) == Estimate(2, 3, 20.0, 0)
    both = cells(methods=["toy", "lp"], seeds=5)
    assert estimate(both, store) == Estimate(7, 3, 20.0, 5)
    elsewhere = cells(methods=["toy"], data={"other": MINE}, datasets=["other"], seeds=2)
    assert estimate(elsewhere, store).seconds == 20.0
    assert len(store.all()) == 3
    assert claims(store) == []


def test_an_estimate_goes_by_the_same_dataset_first(store: Store) -> None:
    data = {"mine": MINE, "other": {"synthetic": {**GRAPH, "num_nodes": 90}}}
    run_cells(cells(methods=["toy"], data=data, datasets=["mine", "other"], seeds=1), store)
    took = {"mine": 1.0, "other": 100.0}
    store.write([row | {"seconds": took[row["dataset"]]} for row in store.all()])
    assert estimate(cells(methods=["toy"], data=data, seeds=2), store).seconds == 1.0


def test_an_estimate_of_failures(store: Store) -> None:
    todo = cells(methods=["unlucky"], seeds=4)
    run_cells(todo, store)
    assert estimate(todo, store).pending == 0
    assert estimate(todo, store, retry_failed=True).pending == 2


def test_an_estimate_asks_the_store_once_for_each_kind_of_cell(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`study run` makes one too; with a query a cell, 10,000 cells would take minutes."""
    asked: list[Any] = []
    ask = Store.median_seconds
    monkeypatch.setattr(
        Store, "median_seconds", lambda self, like: asked.append(like) or ask(self, like)
    )
    estimate(cells(seeds=50), store)
    assert len(asked) <= 4


def test_an_estimate_goes_by_the_rows_most_alike(tmp_path: Path) -> None:
    asked = cells(methods=["lp"], settings={"lp": {"alpha": [0.5, 0.9]}})
    with Store(tmp_path / "rows.sqlite") as store:
        run_cells([one for one in asked if one.seed == 0], store)
        for row in store.all():
            slow = row["settings"]["alpha"] == 0.9
            store.write([row | {"seconds": 100.0 if slow else 1.0}])
        assert estimate(asked, store).seconds == pytest.approx(2 * 1.0 + 2 * 100.0)
        # no row is of a GPU: that of a CPU is better than none, but which it is cannot be told
        assert estimate(asked, store, device="cuda").unknown == 0
