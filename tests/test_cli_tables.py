"""`goodie check`, `fit`, `predict` and `impute` as a user calls them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers import Cli

pytestmark = pytest.mark.usefixtures("home")

FIT = ("--label", "topic", "--set", "max_epochs=20")


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files in the folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    n = 200
    names = [f"paper {number}" for number in range(n)]
    topic = ["tea" if number % 2 else "coffee" for number in range(n)]
    frame = pl.DataFrame(
        {
            "id": names,
            "year": [2000 + number % 20 if number % 3 else None for number in range(n)],
            "topic": [label if number % 5 else None for number, label in enumerate(topic)],
        }
    )
    frame.write_csv("nodes.csv")
    pl.DataFrame({"citing": names[:-4], "cited": names[4:]}).write_csv("edges.csv")
    return tmp_path


def answer(cli: Cli, *words: str) -> Any:
    """The one JSON value on stdout, and nothing but it."""
    ran = cli(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"home"}


def test_the_whole_way(cli: Cli, tables: Path) -> None:
    found = answer(cli, "check", "nodes.csv", "edges.csv", "--label", "topic")
    assert found["sizes"]["nodes"] == 200
    assert found["usefulness"]["more_useful"] == "structure"
    assert files(tables) == {"nodes.csv", "edges.csv"}

    fitted = answer(cli, "fit", "nodes.csv", "edges.csv", *FIT, "--out", "model")
    assert fitted["accuracy"]["goodie"]["accuracy"] > 0.9
    assert fitted["out"] == "model"
    assert files(tables) == {"nodes.csv", "edges.csv", "model"}

    told = answer(cli, "predict", "model", "nodes.csv", "edges.csv", "--out", "p.parquet")
    assert told["nodes"] == sum(told["labels"].values()) == 200
    frame = pl.read_parquet("p.parquet")
    assert frame.columns[:4] == ["id", "label", "p_coffee", "p_tea"]
    expected = ["tea" if number % 2 else "coffee" for number in range(200)]
    assert (frame["label"] == pl.Series(expected)).mean() > 0.95

    filled = answer(cli, "impute", "nodes.csv", "edges.csv", "--label", "topic", "--out", "f.csv")
    assert filled["filled"] == 67
    assert pl.read_csv("f.csv")["year"].null_count() == 0


def test_tables_for_people(cli: Cli, tables: Path) -> None:
    ran = cli("check", "nodes.csv", "edges.csv", "--label", "topic")
    assert "200 nodes, 196 edges" in ran.out
    assert "structure tells more of the labels" in ran.out
    assert "reading …" in ran.err
    ran = cli("fit", "nodes.csv", "edges.csv", *FIT, "--out", "model")
    assert "validation accuracy" in ran.out
    assert all(name in ran.out for name in ("goodie", "lp", "fp", "majority", "95 % interval"))
    ran = cli("predict", "model", "nodes.csv", "edges.csv", "--out", "p.csv")
    assert "200 nodes in p.csv" in ran.out
    ran = cli("impute", "nodes.csv", "edges.csv", "--label", "topic", "--out", "f.csv")
    assert "67 holes filled, in f.csv" in ran.out


@pytest.mark.parametrize("command", ["check", "fit", "predict", "impute"])
def test_help_has_an_example_that_is_parsed(command: str, cli: Cli, tables: Path) -> None:
    ran = cli(command, "--help")
    words = " ".join(ran.out.split())
    example = words.split(f"Example: goodie {command} ")[1].split(" ╭")[0]
    quick = ("--method", "lp") if command == "fit" else ()
    ran = cli(command, *example.split(), *quick)
    if command == "predict":
        assert "there is no folder model" in ran.err
    else:
        assert (ran.code, ran.err.startswith("reading")) == (0, True), ran.err


def test_other_columns_than_the_usual(cli: Cli, tables: Path) -> None:
    frame = pl.read_csv("nodes.csv")
    frame.select("topic", code=pl.int_range(200), year=pl.col("year").fill_null(-1)).write_csv(
        "n.tsv", separator="\t"
    )
    pl.DataFrame({"w": [1.5], "a": [0], "b": [1], "x": [2]}).write_csv("e.tsv", separator="\t")
    words = ("--id", "code", "--source", "a", "--target", "b", "--weight", "w", "--hole", "-1")
    found = answer(cli, "check", "n.tsv", "e.tsv", *words, "--type", "topic=ignored", "--directed")
    assert found["sizes"]["weighted"]
    assert found["sizes"]["directed"]
    year, topic = sorted(found["columns"], key=lambda one: one["kind"], reverse=True)
    assert (year["name"], topic["kind"]) == ("year", "ignored")
    assert year["holes"] == pytest.approx(67 / 200)


def test_errors_are_one_line_and_leave_nothing(cli: Cli, tables: Path) -> None:
    before = files(tables)
    for words, said in (
        (("check", "nodes.csv", "gone.csv"), "there is no file gone.csv"),
        (("check", "nodes.csv", "edges.csv", "--label", "tpic"), "no column 'tpic'"),
        (("check", "nodes.csv", "edges.csv", "--type", "year"), "COLUMN=TYPE"),
        (("fit", "nodes.csv", "edges.csv", "--label", "year", "--out", "."), "left alone"),
        (
            ("fit", "nodes.csv", "edges.csv", "--label", "topic", "--method", "x", "--out", "m"),
            "unknown method 'x'",
        ),
        (("predict", "model", "nodes.csv", "edges.csv", "--out", "p.csv"), "no folder model"),
        (("predict", "model", "nodes.csv", "edges.csv", "--out", "nodes.csv"), "is an input"),
        (("impute", "nodes.csv", "edges.csv", "--out", "edges.csv"), "is an input"),
        (("impute", "nodes.csv", "edges.csv", "--out", "f.xlsx"), "ends in none of"),
    ):
        ran = cli(*words)
        assert ran.code == 2
        assert ran.out == ""
        assert said in ran.err
        assert ran.err.strip().splitlines()[-1].startswith("error:")
        assert files(tables) == before


def test_predictions_do_not_go_into_the_model(cli: Cli, tables: Path) -> None:
    cli("fit", "nodes.csv", "edges.csv", "--label", "topic", "--method", "lp", "--out", "model")
    ran = cli("predict", "model", "nodes.csv", "edges.csv", "--out", "model/nodes.parquet")
    assert "is an input" in ran.err


def test_a_model_does_not_replace_the_tables_it_is_fitted_on(cli: Cli, tables: Path) -> None:
    lp = ("--label", "topic", "--method", "lp", "--out", "model")
    cli("fit", "nodes.csv", "edges.csv", *lp)
    Path("nodes.csv").rename("model/nodes.csv")
    ran = cli("fit", "model/nodes.csv", "edges.csv", *lp)
    assert ran.code == 2
    assert "which holds the model alone" in ran.err
    assert Path("model/nodes.csv").is_file()


def test_notes_are_told_on_stderr(cli: Cli, tables: Path) -> None:
    text = Path("nodes.csv").read_text() + "odd,inf,\n"
    Path("nodes.csv").write_text(text)
    ran = cli("check", "nodes.csv", "edges.csv")
    assert "note: taken for holes: 1 infinite value of 'year'" in ran.err


def test_an_interrupted_fit_leaves_no_model(tables: Path) -> None:
    """Stopped while it trains; the model that was there before is there still."""
    Path("model").mkdir()
    for name in ("model.json", "weights.safetensors"):
        Path("model", name).write_text("old")
    words = ["fit", "nodes.csv", "edges.csv", "--label", "topic", "--out", "model"]
    words += ["--set", "max_epochs=1000000", "--set", "patience=1000000"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from goodie.cli import main; main()", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("fitting"):
            break
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.stderr.close()
    assert process.wait(timeout=60) != 0
    assert files(tables) == {"nodes.csv", "edges.csv", "model"}
    assert Path("model", "model.json").read_text() == "old"
