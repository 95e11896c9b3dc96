"""The README's first screen is true."""

import re
import shlex
from pathlib import Path

import polars as pl
import pytest

from helpers import Cli

README = Path(__file__).parents[1] / "README.md"


def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})
    said, filled = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"(8[5-9]|9\d)% right, \d+% of it from the graph's structure", said)
    assert re.fullmatch(r"5\d{4} holes filled, 100% within reach", filled)


def test_its_commands_and_names_exist() -> None:
    import goodie

    text = README.read_text()
    makefile = (README.parent / "Makefile").read_text()
    for target in re.findall(r"^\$ make (\w+)", text, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
    for name in re.findall(r"`goodie\.(\w+)", text):
        assert hasattr(goodie, name), name


def test_its_tour_of_two_tables_runs(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    n = 150
    ids = [f"paper {number}" for number in range(n)]
    topic = ["tea" if number % 2 else "coffee" for number in range(n)]
    year = [str(2000 + number % 20) if number % 3 else None for number in range(n)]
    pl.DataFrame({"id": ids, "topic": topic, "year": year}).write_csv("nodes.csv")
    pl.DataFrame({"citing": ids[4:] + ids[2:], "cited": ids[:-4] + ids[:-2]}).write_csv("edges.csv")
    lines = re.findall(r"^\$ goodie (?!study )(.*)$", README.read_text(), flags=re.MULTILINE)
    ran = [shlex.split(line, comments=True) for line in lines]
    assert [words[0] for words in ran] == ["check", "fit", "predict", "impute", "links", "report"]
    for words in ran:
        done = cli(*words)
        assert done.code == 0, done.err
    written = {"topics.csv", "filled.csv", "links.csv", "report.html", "model"}
    assert written < {path.name for path in tmp_path.iterdir()}


def test_its_links_lead_somewhere() -> None:
    for page in [README, *README.parent.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} → {target}"


def test_its_numbers_are_those_of_the_rows() -> None:
    from goodie.study import rows
    from goodie.study.summary import summarise

    text = " ".join(README.read_text().split())
    for cell in summarise(rows.read(README.parent / "experiments" / "lp.jsonl")):
        printed = f"{cell['dataset']} {cell['test_mean']:.2f} ± {cell['test_std']:.2f}"
        assert printed in text


def test_the_functions_that_the_methods_page_names_exist() -> None:
    import importlib

    page = (README.parent / "docs" / "methods.md").read_text()
    names = set(re.findall(r"`(goodie(?:\.\w+)+)", page)) - {"goodie.losses"}
    assert len(names) > 15
    for name in names:
        if name.endswith(".toml"):
            continue
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_the_tables_in_the_docs_are_those_of_the_rows() -> None:
    from goodie.study.tables import rendered

    for page in README.parent.glob("docs/**/*.md"):
        text = page.read_text()
        assert rendered(text, README.parent / "experiments") == text, f"{page}: make tables"
