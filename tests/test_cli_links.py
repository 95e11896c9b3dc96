"""`goodie links` as a user calls it."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from helpers import Cli

pytestmark = pytest.mark.usefixtures("home")

QUICK = ("--set", "max_epochs=20")
FIT = ("links", "nodes.csv", "edges.csv", "--label", "topic", *QUICK)


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files in the folder that the command runs in: papers that cite the four before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    n = 120
    names = [f"paper {number}" for number in range(n)]
    topic = ["tea" if number < n // 2 else "coffee" for number in range(n)]
    frame = {"id": names, "topic": [x if i % 5 else None for i, x in enumerate(topic)]}
    frame["year"] = [str(2000 + i % 20) if i % 3 else None for i in range(n)]
    pl.DataFrame(frame).write_csv("nodes.csv")
    pairs = [(a, a - s) for a in range(n) for s in range(1, 5) if a >= s]
    edges = {"citing": [names[a] for a, _ in pairs], "cited": [names[b] for _, b in pairs]}
    pl.DataFrame(edges).write_csv("edges.csv")
    return tmp_path


def told(cli: Cli, *words: str) -> Any:
    """The one JSON value on stdout, and nothing but it."""
    ran = cli(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"home"}


def test_the_whole_way(cli: Cli, tables: Path) -> None:
    first = told(cli, *FIT, "--top", "7", "--out", "l.parquet", "--save", "model")
    assert first["links"] == 7
    assert (first["out"], first["saved"]) == ("l.parquet", "model")
    assert list(first["judged"]) == ["goodie", "common neighbours", "product of degrees"]
    frame = pl.read_parquet("l.parquet")
    assert frame.columns == [
        "citing",
        "cited",
        "probability",
        "citing_structure_share",
        "cited_structure_share",
    ]
    assert files(tables) == {"nodes.csv", "edges.csv", "model", "l.parquet"}

    words = ("links", "model", "nodes.csv", "edges.csv")
    again = told(cli, *words, "--top", "7", "--out", "again.parquet")
    assert again["judged"] == first["judged"]
    assert pl.read_parquet("again.parquet").equals(frame)

    some = ("--node", "paper 3", "--node", "paper 90")
    assert told(cli, *words, *some, "--top", "2", "--out", "some.csv")["links"] == 4
    assert pl.read_csv("some.csv")["citing"].to_list() == ["paper 3"] * 2 + ["paper 90"] * 2
    ran = cli(*words, *some, "--out", "some.csv")
    auc = f"{100 * first['judged']['goodie']['auc']:.1f} %"
    assert f"ROC curve {auc} when it was judged" in " ".join(ran.out.split())
    assert "common neighbours" not in ran.out


def test_for_people(cli: Cli, tables: Path) -> None:
    ran = cli(*FIT, "--method", "gcn", "--no-refit", "--top", "30", "--out", "links.jsonl")
    said = " ".join(ran.out.split())
    assert "gcn, fitted on 120 nodes, 470 edges and 1 columns, 96 labels" in said
    assert "Judged by 47 of 470 edges, which neither trained nor selected" in said
    assert "fitted again" not in said
    assert all(name in said for name in ("common neighbours", "ROC curve", "… and 20 more"))
    assert said.endswith("30 links in links.jsonl.")
    assert "fitting gcn …" in ran.err
    assert pl.read_ndjson("links.jsonl").columns == ["citing", "cited", "probability"]


def test_help_has_an_example_that_is_parsed(cli: Cli, tables: Path) -> None:
    words = " ".join(cli("links", "--help").out.split())
    example = words.split("Example: goodie links ")[1].split(" ╭")[0]
    ran = cli("links", *example.split(), "--method", "gcn", *QUICK)
    assert ran.code == 0, ran.err
    assert pl.read_csv("links.csv").height == 50


def test_errors_are_one_line_and_leave_nothing(cli: Cli, tables: Path) -> None:
    cli(*FIT, "--out", "l.csv", "--save", "model")
    cli("fit", "nodes.csv", "edges.csv", "--label", "topic", "--method", "lp", "--out", "labels")
    before = files(tables)
    new, old = ("links", "nodes.csv", "edges.csv"), ("links", "model", "nodes.csv", "edges.csv")
    for words, said in (
        (("links", "nodes.csv", "--out", "o.csv"), "1 paths were given"),
        ((*new, "--out", "edges.csv"), "is an input"),
        ((*new, "--out", "o.xlsx"), "ends in none of"),
        ((*old, "--out", "model/weights.csv"), "is in model, which holds the model alone"),
        ((*new, "--out", "m/o.csv", "--save", "m"), "m/o.csv is in m"),
        ((*new, "--out", "o.csv", "--save", "."), "left alone"),
        ((*new, "--out", "o.csv", "--method", "lp"), "'lp' does not predict links"),
        ((*new, *QUICK, "--out", "o.csv", "--node", "paper x"), "no node 'paper x'"),
        ((*old, "--out", "o.csv", "--node", "paper x"), "no node 'paper x'"),
        ((*old, "--out", "o.csv", "--method", "gcn"), "--method is for fitting"),
        ((*old, "--out", "o.csv", "--no-refit"), "--refit is for fitting"),
        ((*old, "--out", "o.csv", "--hole", "x"), "--hole is for fitting"),
        (("links", "labels", *new[1:], "--out", "o.csv"), "a model that `goodie fit` made"),
        (("predict", *old[1:], "--out", "o.csv"), "a model that `goodie links --save` made"),
        (("report", "model", "--out", "r.html"), "a model of links"),
    ):
        ran = cli(*words)
        assert (ran.code, ran.out) == (2, ""), words
        assert said in ran.err
        assert ran.err.strip().splitlines()[-1].startswith("error:")
        assert files(tables) == before


def test_an_unknown_node_is_told_before_any_work(cli: Cli, tables: Path) -> None:
    ran = cli("links", "nodes.csv", "edges.csv", "--out", "o.csv", "--node", "paper x")
    assert "fitting" not in ran.err
