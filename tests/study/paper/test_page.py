"""The page of all tables and figures says what there is, and what is not."""

from pathlib import Path

import pytest

from goodie.errors import InputError
from goodie.study import rows as files
from goodie.study.paper import page
from goodie.study.paper.catalogue import THINGS, find
from goodie.study.paper.plan import plan, stored, words
from goodie.study.spec import shipped
from study.paper.made import of_study, plausible

ROOT = Path(__file__).parents[3]


def test_everything_that_the_paper_shows_has_a_name() -> None:
    tables = [f"table{number}" for number in range(1, 6)]
    figures = "fig1 fig-rates fig-fusion fig-attention fig-contrast fig-tsne fig-lambda fig-scaled"
    assert list(THINGS) == [*tables, *figures.split()]
    for thing in THINGS.values():
        assert thing.extra or thing.studies
        assert set(thing.studies) - {"table4"} <= set(shipped())
    with pytest.raises(InputError, match="no 'table9' in the paper; there are table1, "):
        find("table9")


def test_the_rates_figure_runs_what_the_issue_asks_for() -> None:
    cells = THINGS["fig-rates"].cells()
    small = [cell for cell in cells if cell.dataset == "Cora"]
    assert len({cell.method for cell in small}) == 15
    fp = [cell for cell in small if cell.method == "fp"]
    assert {cell.rate for cell in fp} == {0.0, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 0.9999, 1.0}
    seeds = {
        rate: sum(c.rate == rate and c.scenario == "uniform" for c in fp) for rate in (0.5, 0.9)
    }
    assert seeds == {0.5: 10, 0.9: 3}
    assert {cell.rate for cell in small if cell.method == "lp"} == {0.9999}
    assert {c.method for c in cells if c.dataset == "Physics"} == {"goodie", "lp", "fp", "gcn"}


def test_a_plan_leaves_out_what_is_not_asked_for(tmp_path: Path) -> None:
    thing = THINGS["table2"]
    some = [cell for cell in thing.cells() if cell.dataset == "Cora" and cell.seed == 0]
    rows = [plausible(cell) for cell in some]
    whole = plan(thing, rows, tmp_path)
    assert len(whole.evidence.rows) == len(some) == 8
    assert len(whole.missing) == whole.wanted - 8
    few = plan(thing, rows, tmp_path, datasets=["Cora", "CiteSeer"], seeds=1)
    assert words(few.missing) == [
        "goodie faithful on CiteSeer (4 cells)",
        "goodie balanced on CiteSeer (4 cells)",
    ]
    assert {cell.dataset for cell in whole.elsewhere} == {"WikiCS", "Arxiv"}
    assert "`goodie study run elsewhere`" in whole.absent()[-1]


def test_a_page_of_nothing_says_so(tmp_path: Path) -> None:
    text = page.text(tmp_path)
    assert "No figure of the paper was run yet." in text
    assert "Not made yet: `goodie paper fig-lambda` does." in text
    with pytest.raises(InputError, match="there is no folder"):
        page.write(tmp_path / "none", tmp_path)


def test_a_page_shows_what_it_writes(tmp_path: Path) -> None:
    rows, docs = tmp_path / "rows", tmp_path / "docs"
    rows.mkdir()
    files.write(of_study("fig-scaled") + of_study("table2"), rows / "some.jsonl")
    assert len(stored(rows)) == len(of_study("fig-scaled")) + len(of_study("table2"))
    target, *figures = page.write(rows, docs)
    text = target.read_text()
    assert {path.suffix for path in figures} == {".svg", ".png"}
    for path in figures:
        assert f"(figures/{path.name})" in text
    first = text.split("\n\n")[1]
    assert first.startswith("Accuracies beside the paper's")
    assert "The model as published (`faithful`) reproduces" in first
    assert "WikiCS and Arxiv with its features, whose files were not at hand" in text
    for note in THINGS["table2"].notes:
        assert f"- {note}" in text


def test_the_page_in_the_docs_is_that_of_the_rows() -> None:
    docs = ROOT / "docs"
    made = page.text(ROOT / "experiments")
    assert made == (docs / "reproduction.md").read_text(), "make tables"
