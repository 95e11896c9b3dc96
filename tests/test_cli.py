import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import goodie
from goodie import paper
from goodie.data import datasets
from goodie.methods import METHODS
from goodie.study import cell
from helpers import Cli, Real

DIGITS = ("run", "--dataset", "digits", "--method", "lp")
KEYS = [
    *("dataset", "task", "method", "scenario", "missing_rate", "seeds", "metric"),
    *("test", "test_mean", "test_std", "val_mean", "seconds", "config"),
]

pytestmark = pytest.mark.usefixtures("home")


def answer(cli: Cli, *words: str) -> Any:
    """The one JSON value that `--json` writes to stdout, and nothing but it."""
    ran = cli(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


# --- goodie run -----------------------------------------------------------------------------------


def test_run_keeps_its_contract(cli: Cli) -> None:
    row = answer(cli, *DIGITS, "--seeds", "3", "--missing-rate", "0.5", "--scenario", "structural")
    assert list(row) == KEYS
    assert (row["dataset"], row["task"], row["method"]) == ("digits", "node", "lp")
    assert (row["scenario"], row["missing_rate"]) == ("structural", 0.5)
    assert row["seeds"] == [0, 1, 2]
    assert row["metric"] == "accuracy"
    assert len(row["test"]) == len(row["seconds"]) == 3
    assert len(set(row["test"])) > 1  # each seed its own split
    assert row["test_mean"] == pytest.approx(np.mean(row["test"]))
    assert row["test_std"] == pytest.approx(np.std(row["test"], ddof=0))
    assert 80 < row["test_mean"] < 100  # percent
    assert 80 < row["val_mean"] < 100
    assert all(seconds > 0 for seconds in row["seconds"])
    assert row["config"] == {"alpha": 0.9, "steps": 50, "form": "residual"}


def test_run_by_default_is_one_seed_uniform_and_complete(cli: Cli) -> None:
    row = answer(cli, *DIGITS)
    assert (row["seeds"], row["scenario"], row["missing_rate"]) == ([0], "uniform", 0.0)
    assert row["test_std"] == 0.0


def test_run_gives_the_same_numbers_again(cli: Cli) -> None:
    one, other = (answer(cli, *DIGITS, "--seeds", "2") for _ in range(2))
    assert one["test"] == other["test"]
    assert one["val_mean"] == other["val_mean"]


def test_run_scores_the_nodes_that_the_split_tests_on(cli: Cli) -> None:
    """Without a step, LP knows its training nodes only: elsewhere it says class 0."""
    data = datasets.load("digits")
    split = datasets.find("digits").split(data, seed=0)
    row = answer(cli, *DIGITS, "--set", "steps=0")
    assert row["test"] == [pytest.approx(100 * (data.y[split.test] == 0).double().mean().item())]
    assert row["val_mean"] == pytest.approx(100 * (data.y[split.val] == 0).double().mean().item())


@pytest.mark.parametrize("name", ["DIGITS", "Digits"])
def test_run_calls_a_dataset_by_its_own_name(name: str, cli: Cli) -> None:
    assert answer(cli, "run", "--dataset", name, "--method", "lp")["dataset"] == "digits"


@pytest.fixture
def paper_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the paper gave an α for digits."""
    monkeypatch.setattr(paper, "hyperparameters", lambda _: {"alpha": 0.5})


@pytest.mark.usefixtures("paper_says")
@pytest.mark.parametrize(
    ("file", "words", "expected"),
    [
        (None, [], {"alpha": 0.5, "steps": 50}),
        ("alpha = 0.6", [], {"alpha": 0.6, "steps": 50}),
        ("alpha = 0.6\nsteps = 5", ["alpha=0.7"], {"alpha": 0.7, "steps": 5}),
        (None, ["alpha=0.7", "steps=3", "alpha=0.8"], {"alpha": 0.8, "steps": 3}),
        (None, ["alpha=1"], {"alpha": 1.0, "steps": 50}),
        ('form = "reset"', [], {"alpha": 0.5, "form": "reset"}),
        (None, ["form=reset"], {"form": "reset"}),
    ],
    ids=["paper", "file", "file and set", "set twice", "int", "literal in file", "literal"],
)
def test_settings_are_defaults_then_the_papers_then_the_files_then_set(
    file: str | None, words: list[str], expected: dict[str, Any], cli: Cli, tmp_path: Path
) -> None:
    options = [part for word in words for part in ("--set", word)]
    if file is not None:
        (tmp_path / "settings.toml").write_text(file)
        options += ["--config", str(tmp_path / "settings.toml")]
    got = answer(cli, *DIGITS, *options)["config"]
    assert {key: got[key] for key in expected} == expected
    assert list(got) == ["alpha", "steps", "form"]


def test_settings_reach_the_method(cli: Cli) -> None:
    few, many = (answer(cli, *DIGITS, "--set", f"steps={steps}")["test_mean"] for steps in (1, 50))
    assert few < many - 5


@pytest.mark.parametrize("dataset", paper.numbers()["statistics"])
def test_the_papers_alpha_is_used_where_there_is_one(dataset: str) -> None:
    row = paper.hyperparameters(dataset)
    assert row is not None
    assert cell.resolve("lp", dataset, "uniform")["alpha"] == row["alpha"]


def test_run_without_json_is_a_sentence(cli: Cli) -> None:
    ran = cli(*DIGITS, "--seeds", "2", "--missing-rate", "0.9999")
    assert ran.code == 0
    text = " ".join(ran.out.split())
    row = answer(cli, *DIGITS, "--seeds", "2")
    assert text.startswith("lp on digits, 99.99% of the features missing (uniform): test accuracy ")
    assert f"{row['test_mean']:.2f} ± {row['test_std']:.2f} % over 2 seeds" in text


# --- mistakes -------------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[list[str], str]] = {
    "dataset": (["--dataset", "Kora"], "unknown dataset 'Kora'; there are Cora, CiteSeer, "),
    "method": (["--method", "magic"], "unknown method 'magic'; there are lp"),
    "scenario": (["--scenario", "none"], "unknown pattern 'none'; there are uniform, structural"),
    "task": (["--task", "graph"], "unknown task 'graph'; there are node, development"),
    "setting": (["--set", "alhpa=1"], "unknown setting 'alhpa'; there are alpha, steps, form"),
    "its type": (["--set", "steps=many"], "steps is 'many'; it must be int"),
    "its bool": (["--set", "steps=true"], "steps is True; it must be int"),
    "its choice": (["--set", "form=hard"], "form is 'hard'; it can be 'residual', 'reset'"),
    "its range": (["--set", "steps=-1"], "steps=-1"),
    "alpha": (["--set", "alpha=2"], "alpha"),
    "no assignment": (["--set", "alpha"], "'alpha' is not of the form key=value"),
    "no file": (["--config", "no/such.toml"], "cannot read no/such.toml: No such file"),
    "no device": (["--device", "abacus"], "unknown device 'abacus'; there are cpu and cuda"),
    "another device": (["--device", "meta"], "device"),
    "markup": (["--dataset", "[bold]x[/]"], "unknown dataset '[bold]x[/]'"),
    "broken markup": (["--dataset", "[/x]"], "unknown dataset '[/x]'"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_on_stderr(case: str, cli: Cli) -> None:
    words, message = MISTAKES[case]
    ran = cli(*DIGITS, *words, "--json")
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("error: ")
    assert message in ran.err


def test_cuda_without_a_gpu(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    ran = cli(*DIGITS, "--device", "cuda", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: device cuda was asked for, but torch finds no GPU here\n"


@pytest.mark.parametrize("content", [b"alpha 0.5", b'form = "\xff"', b"steps = 1.5", b"a = 1"])
def test_a_bad_file_is_one_line_on_stderr(content: bytes, cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    ran = cli(*DIGITS, "--config", str(path), "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


def test_a_cache_that_cannot_be_made_is_one_line_on_stderr(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("GOODIE_HOME", str(tmp_path / "file" / "home"))
    ran = cli("run", "--dataset", "Cora", "--method", "lp", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*DIGITS, "--missing-rate", "1.1"], "--missing-rate"),
        ([*DIGITS, "--missing-rate", "-0.1"], "--missing-rate"),
        ([*DIGITS, "--missing-rate", "nan"], "--missing-rate"),
        ([*DIGITS, "--missing-rate", "half"], "--missing-rate"),
        ([*DIGITS, "--seeds", "0"], "--seeds"),
        ([*DIGITS, "--what"], "--what"),
        (["run", "--dataset", "digits"], "--method"),
        (["walk"], "walk"),
    ],
    ids=lambda value: " ".join(value[-2:]) if isinstance(value, list) else "",
)
def test_words_that_are_no_command_are_named(words: list[str], message: str, cli: Cli) -> None:
    ran = cli(*words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err


# --- goodie datasets ------------------------------------------------------------------------------


def test_datasets_lists_all_whether_at_hand_or_not(cli: Cli, home: Path) -> None:
    rows = {row["name"]: row for row in answer(cli, "datasets")}
    assert list(rows) == list(datasets.DATASETS)
    needed = {"name", "nodes", "edges", "features", "classes", "cached", "source"}
    assert all(needed <= row.keys() for row in rows.values())
    for name, row in rows.items():
        built_in = name in ("digits", "synthetic")
        assert row["cached"] == built_in
        assert row["paper"] == paper.statistics(name)
        assert (row["nodes"] is None) == (not built_in)
    assert (rows["digits"]["nodes"], rows["digits"]["features"]) == (1797, 32)
    assert rows["digits"]["classes"] == 10
    assert rows["digits"]["edges"] == datasets.load("digits").num_edges // 2
    assert not home.exists()


def test_datasets_without_json_is_a_table(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    ran = cli("datasets")
    assert ran.code == 0
    lines = {line.split("│")[1].strip(): line for line in ran.out.splitlines() if "│" in line}
    assert list(lines) == list(datasets.DATASETS)
    assert "(2,485)" in lines["Cora"]  # the paper's, as it is not at hand
    assert "1,797" in lines["digits"]
    assert "(1,797)" not in lines["digits"]


@pytest.mark.slow
def test_datasets_has_table_1(cli: Cli, real: Real) -> None:
    names = ("Cora", "CiteSeer", "PubMed", "CS", "Physics", "Arxiv")
    for name in names:
        real.need(name)
    rows = {row["name"]: row for row in answer(cli, "datasets")}
    for name in names:
        row = rows[name]
        expected = paper.statistics(name)
        assert {key: row[key] for key in ("nodes", "edges", "features", "classes")} == expected
        assert row["cached"]
    assert rows["Arxiv"]["edges_undirected"] == 1_157_799


# --- goodie methods -------------------------------------------------------------------------------


def test_methods_says_what_each_is(cli: Cli) -> None:
    rows = answer(cli, "methods")
    assert [row["name"] for row in rows] == list(METHODS)
    for row in rows:
        kind = METHODS[row["name"]]
        assert list(row) == ["name", "family", "paper", "uses", "selects", "transductive"]
        assert (row["family"], row["paper"]) == (kind.family, kind.paper)
        assert row["uses"] == list(kind.uses)
        assert (row["selects"], row["transductive"]) == (kind.selects, kind.transductive)
    by_name = {row["name"]: row for row in rows}
    assert by_name["lp"]["uses"] == ["structure", "labels"]
    assert by_name["gcn-lpa"]["transductive"]
    assert not by_name["gcn"]["transductive"]


def test_methods_without_json_is_a_table(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    ran = cli("methods")
    assert ran.code == 0
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in ran.out.splitlines()]
    rows = {row[0]: row[1:] for row in cells if row}
    marks = {name: "*" if kind.transductive else "" for name, kind in METHODS.items()}
    assert list(rows) == [name + mark for name, mark in marks.items()]
    assert rows["mlp"] == ["features", "features, labels", "Rumelhart et al. 1986"]
    assert rows["gcn-lpa*"][2] == "Wang and Leskovec 2021"


def test_methods_are_what_run_takes(cli: Cli) -> None:
    ran = cli("run", "--dataset", "digits", "--method", "magic")
    assert ran.err == f"error: unknown method 'magic'; there are {', '.join(METHODS)}\n"


# --- the rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--help"], ["run", "datasets", "methods", "demo"]),
        (
            ["run", "--help"],
            [
                *("--dataset", "--method", "--scenario", "--missing-rate", "--seeds", "--task"),
                *("--set", "--config", "--device", "--json"),
            ],
        ),
        (["datasets", "--help"], ["--json"]),
        (["methods", "--help"], ["--json"]),
        (["demo", "--help"], ["digits"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_help_goes_to_stdout(words: list[str], expected: list[str], cli: Cli) -> None:
    ran = cli(*words)
    assert (ran.code, ran.err) == (0, "")
    assert all(word in ran.out for word in expected)


def test_version(cli: Cli) -> None:
    assert cli("--version") == (0, f"{goodie.__version__}\n", "")


@pytest.mark.slow
def test_demo_is_a_table_of_rates(cli: Cli) -> None:
    ran = cli("demo")
    assert ran.code == 0
    rows = [line for line in ran.out.splitlines() if line.startswith("│")]
    assert [row.split("│")[1].strip() for row in rows] == ["0%", "50%", "99%", "100%"]


def test_stdout_is_for_the_answer_alone() -> None:
    """In a process of its own, where warnings are not errors and nothing is captured."""
    words = [sys.executable, "-c", "from goodie.cli import main; main()", *DIGITS, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert list(json.loads(done.stdout)) == KEYS
    assert done.stdout.count("\n{") == 0


# --- goodie run --task link -----------------------------------------------------------------------


def test_links_keep_the_contract(cli: Cli) -> None:
    words = ("run", "--dataset", "synthetic", "--task", "link", "--method", "goodie")
    row = answer(cli, *words, "--seeds", "2", "--missing-rate", "0.9", "--set", "max_epochs=60")
    assert set(row) == {*KEYS, "ap_mean", "ap_std"}
    assert (row["task"], row["metric"], row["method"]) == ("link", "auc", "goodie")
    assert 55 < row["test_mean"] < 100
    assert 55 < row["ap_mean"] < 100
    assert row["ap_std"] >= 0
    assert row["config"]["hidden"] == 32
    told = cli(*words, "--set", "max_epochs=5")
    assert "average precision" in told.out


def test_what_predicts_no_links(cli: Cli) -> None:
    ran = cli("run", "--dataset", "digits", "--task", "link", "--method", "lp")
    assert ran.code == 2
    assert "'lp' does not predict links; there are gcn" in ran.err
