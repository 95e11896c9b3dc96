"""`goodie study` as a user meets it: answers on stdout, the rest on stderr, and an exit code."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from goodie.study.spec import shipped
from goodie.study.store import Row, Store, default_path
from helpers import Cli
from study.toys import MINE, Toy, Unlucky, lasting, register, table, toml

README = Path(__file__).parents[1] / "README.md"

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    threads = torch.get_num_threads()
    register(monkeypatch, Toy, Unlucky)
    monkeypatch.setattr("torch.set_num_threads", lambda _: None)
    assert torch.get_num_threads() == threads


@pytest.fixture
def spec(tmp_path: Path) -> str:
    return str(toml(tmp_path / "mine.toml", about="A study", rates=[0.0, 0.5]))


def ran(cli: Cli, spec: str, *words: str) -> str:
    """Run a study with success; what it says of it."""
    done = cli("study", "run", spec, "--jobs", "1", *words)
    assert (done.code, done.out) == (0, ""), done.err
    return done.err


def test_list_names_what_comes_with_the_package(cli: Cli) -> None:
    done = cli("study", "list")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines() if line[:1].strip()] == shipped()
    assert "(51 cells)" in done.out


def test_run_runs_once_and_keeps_rows_in_the_cache(cli: Cli, spec: str, home: Path) -> None:
    assert ran(cli, spec) == "6 run, 0 failed, 0 there already\n"
    assert default_path().is_relative_to(home)
    assert ran(cli, spec) == "0 run, 0 failed, 6 there already\n"
    with Store(default_path()) as store:
        assert len(store.all()) == 6


def test_another_store_is_another_matter(cli: Cli, spec: str, tmp_path: Path) -> None:
    ran(cli, spec)
    path = tmp_path / "folder" / "other.sqlite"
    assert ran(cli, spec, "--store", str(path)).startswith("6 run")
    with Store(path) as one, Store(default_path()) as other:
        assert lasting(one.all()) == lasting(other.all())


def test_a_dry_run_runs_nothing(cli: Cli, spec: str, tmp_path: Path) -> None:
    dry = cli("study", "run", spec, "--dry-run")
    assert (dry.code, dry.err) == (0, "")
    assert dry.out == (
        "mine: 6 cells to run, 0 there already.\n"
        "6 cells are of methods that no row tells the time of.\n"
    )
    show = cli("study", "show", spec, "--json")
    assert json.loads(show.out) == []

    ran(cli, spec)
    with Store(default_path()) as store:
        store.write([row | {"seconds": 600.0} for row in store.all()])
    more = str(toml(tmp_path / "more.toml", rates=[0.0, 0.5], seeds=9))
    dry = cli("study", "run", more, "--dry-run", "--jobs", "3")
    assert dry.out == (
        "more: 12 cells to run, 6 there already.\n"
        "About 40 min on 3 processes, by the rows there are.\n"
    )
    with Store(default_path()) as store:
        assert len(store.all()) == 6


@pytest.mark.parametrize(
    ("seconds", "expected"), [(30.0, "60 s"), (120.0, "4 min"), (5400.0, "3.0 h")]
)
def test_a_time_is_told_as_people_tell_it(
    seconds: float, expected: str, cli: Cli, tmp_path: Path
) -> None:
    ran(cli, str(toml(tmp_path / "mine.toml", seeds=1)))
    with Store(default_path()) as store:
        store.write([row | {"seconds": seconds} for row in store.all()])
    dry = cli("study", "run", str(toml(tmp_path / "mine.toml")), "--dry-run", "--jobs", "1")
    assert f"About {expected} on 1 process," in dry.out


def test_show_takes_seeds_together(cli: Cli, spec: str) -> None:
    ran(cli, spec)
    shown = cli("study", "show", spec, "--json")
    assert (shown.code, shown.err) == (0, "")
    rows = json.loads(shown.out)
    assert [(row["missing_rate"], row["seeds"]) for row in rows] == [
        (0.0, [0, 1, 2]),
        (0.5, [0, 1, 2]),
    ]
    with Store(default_path()) as store:
        test = [row["test"] for row in store.all() if row["rate"] == 0.5]
    assert sorted(rows[1]["test"]) == sorted(test)
    assert rows[1]["test_mean"] == pytest.approx(np.mean(test))
    assert rows[1]["test_std"] == pytest.approx(np.std(test))

    text = cli("study", "show", spec)
    assert (text.code, text.err) == (0, "")
    lines = [line for line in text.out.splitlines() if line.startswith("│")]
    for line, row in zip(lines, rows, strict=True):
        cells = [word.strip() for word in line.strip("│").split("│")]
        assert cells[:5] == ["mine", "lp", "uniform", f"{row['missing_rate']:.2%}", "3"]
        assert cells[6] == f"{row['test_mean']:.2f} ± {row['test_std']:.2f}"


def test_show_tells_settings_apart(cli: Cli, tmp_path: Path) -> None:
    spec = str(toml(tmp_path / "mine.toml", settings={"lp": {"alpha": [0.5, 0.9]}}))
    ran(cli, spec)
    out = cli("study", "show", spec).out
    assert re.findall(r"lp \((.*?)\)", out) == ["alpha=0.5", "alpha=0.9"]


@pytest.mark.parametrize("as_json", [False, True])
def test_show_says_what_is_lacking(as_json: bool, cli: Cli, spec: str, tmp_path: Path) -> None:
    ran(cli, str(toml(tmp_path / "less.toml", rates=[0.5])))
    shown = cli("study", "show", spec, *(["--json"] if as_json else []))
    assert shown.code == 0
    assert shown.err == "3 of 6 cells have not been run\n"


def test_failures_are_told_and_kept(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = str(toml(tmp_path / "bad [b].toml", methods=["unlucky"]))
    done = cli("study", "run", spec, "--jobs", "1")
    assert (done.code, done.out) == (2, "")
    failed = "failed: unlucky on mine, uniform 0.00%, seed 1: RuntimeError: no luck with seed 1"
    assert failed in done.err
    assert "2 run, 1 failed, 0 there already" in done.err
    assert "--retry-failed" in done.err
    shown = cli("study", "show", spec)
    assert "RuntimeError: no luck with seed 1" in shown.out
    monkeypatch.setattr(Unlucky, "fit", Toy.fit)
    assert ran(cli, spec, "--retry-failed").startswith("1 run, 0 failed, 2 there already")


def test_stored_failures_are_not_success(cli: Cli, tmp_path: Path) -> None:
    """A script that runs a study twice is not to go on as if all were well."""
    spec = str(toml(tmp_path / "bad.toml", methods=["unlucky"]))
    cli("study", "run", spec, "--jobs", "1")
    again = cli("study", "run", spec, "--jobs", "1")
    assert again.code == 2
    assert "1 cell failed" in again.err


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_rows_go_out_and_come_back(ending: str, cli: Cli, spec: str, tmp_path: Path) -> None:
    ran(cli, spec)
    out, again = tmp_path / f"rows.{ending}", tmp_path / f"again.{ending}"
    sent = cli("study", "export", spec, str(out))
    assert (sent.code, sent.out) == (0, "")
    assert sent.err.replace("\n", "") == f"6 rows in {out}"
    other = ("--store", str(tmp_path / "other.sqlite"))
    assert cli("study", "import", str(out), *other).code == 0
    assert ran(cli, spec, *other) == "0 run, 0 failed, 6 there already\n"
    assert cli("study", "export", spec, str(again), *other).code == 0
    assert again.read_bytes() == out.read_bytes()


def test_export_is_of_this_studys_finished_rows(cli: Cli, spec: str, tmp_path: Path) -> None:
    ran(cli, spec)
    unlucky = str(toml(tmp_path / "unlucky.toml", methods=["unlucky"]))
    cli("study", "run", unlucky, "--jobs", "1")
    out = tmp_path / "rows.jsonl"
    cli("study", "export", unlucky, str(out))
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["method"], row["seed"]) for row in rows] == [("unlucky", 0), ("unlucky", 2)]


def test_search_prints_the_best_settings(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    spec = str(toml(tmp_path / "s.toml", search={"lp": {"alpha": [0.1, 0.9]}}))
    done = cli("study", "search", spec, "--trials", "3", "--jobs", "1", "--json")
    assert done.code == 0, done.err
    (best,) = json.loads(done.out)
    assert (best["method"], list(best)) == ("lp", ["method", "val_mean", "settings"])
    assert best["settings"]["alpha"] in (0.1, 0.9)
    text = cli("study", "search", spec, "--trials", "3", "--jobs", "1")
    words = f"lp: alpha = {best['settings']['alpha']} (validation {best['val_mean']:.2f} %)"
    assert text.out.strip() == words


# --- mistakes -------------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[list[str], str]] = {
    "study": (["run", "nowhere"], "no study of that name"),
    "device": (["run", "SPEC", "--device", "abacus"], "unknown device 'abacus'"),
    "jobs": (["run", "SPEC", "--jobs", "-1"], "jobs"),
    "backend": (["run", "SPEC", "--backend", "abacus"], "abacus"),
    "address": (["run", "SPEC", "--address", "x"], "--backend dask"),
    "store": (["run", "SPEC", "--store", "SPEC"], "is not a store of rows"),
    "store in a file": (["run", "SPEC", "--store", "SPEC/rows.sqlite"], "rows.sqlite"),
    "show's store": (["show", "SPEC", "--store", "SPEC"], "is not a store of rows"),
    "ending": (["export", "SPEC", "rows.xlsx"], "ends in none of .jsonl, .csv, .parquet"),
    "place": (["export", "SPEC", "SPEC/rows.csv"], "rows.csv"),
    "no rows": (["import", "no/where.jsonl"], "there is no file"),
    "no search": (["search", "SPEC"], "search"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_on_stderr(case: str, cli: Cli, spec: str) -> None:
    words, message = MISTAKES[case]
    done = cli("study", *(word.replace("SPEC", spec) for word in words))
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    if "Usage:" not in done.err:  # a word that typer itself refuses
        assert re.fullmatch(r"error: .*\n", done.err)


def test_looking_at_a_study_makes_no_store(cli: Cli, spec: str, tmp_path: Path) -> None:
    """A mistyped --store would look as if nothing had been run."""
    store = tmp_path / "mistyped.sqlite"
    cli("study", "show", spec, "--store", str(store))
    assert not store.exists()


def test_a_full_disk_is_one_line_on_stderr(
    cli: Cli, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Store.write

    def full(store: Store, rows: list[Row]) -> None:
        store._connection.execute("PRAGMA max_page_count = 1")  # no more than there are
        write(store, [{**row, "error": "x" * 100_000} for row in rows])

    monkeypatch.setattr(Store, "write", full)
    done = cli("study", "run", spec, "--jobs", "1")
    assert (done.code, done.out) == (2, "")
    assert "database or disk is full" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--help"], ["list", "run", "show", "export", "import", "search"]),
        (["run", "--help"], ["--jobs", "--backend", "--retry-failed", "--dry-run", "--store"]),
    ],
)
def test_help(words: list[str], expected: list[str], cli: Cli) -> None:
    done = cli("study", *words)
    assert (done.code, done.err) == (0, "")
    assert all(word in done.out for word in expected)


@pytest.mark.slow
def test_the_readmes_study_runs(cli: Cli, tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", README.read_text(), flags=re.DOTALL)
    if not blocks:
        pytest.skip("README.md shows no study yet")
    for number, block in enumerate(blocks):
        path = tmp_path / f"readme-{number}.toml"
        path.write_text(block)
        assert len(block.splitlines()) <= 12
        assert ", 0 failed, 0 there already" in ran(cli, str(path))
        assert json.loads(cli("study", "show", str(path), "--json").out)


def test_the_toys_file_says_what_the_toys_table_says(tmp_path: Path) -> None:
    from goodie.study.spec import find, parse

    assert find(str(toml(tmp_path / "mine.toml"))).cells == parse(table()).cells
    assert MINE["train"] == 0.2
