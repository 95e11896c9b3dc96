"""`goodie paper` as a user meets it: what is there is not run again, what is missing is said."""

import json
from pathlib import Path

import pytest

from goodie.study import rows as files
from goodie.study.paper import catalogue
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.paper.figure import panels
from goodie.study.paper.table import Table
from goodie.study.store import Store, default_path
from helpers import Cli
from study.toys import Toy, Unlucky, cells, register

pytestmark = pytest.mark.usefixtures("home")


def make(evidence: Evidence) -> Made:
    """A table of how many rows there are, and an empty picture."""
    methods = sorted({row["method"] for row in evidence.rows})
    table = Table("Counted.", ["method", "rows"], [[m, str(len(evidence.rows))] for m in methods])
    return Made([table], {"toy": panels(["y"], ["x"])[0]})


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    register(monkeypatch, Toy, Unlucky)
    monkeypatch.setattr("torch.set_num_threads", lambda _: None)
    thing = catalogue.Thing("toy", "A toy.", make, ("toy",), notes=("Odd.",))
    monkeypatch.setattr(catalogue, "THINGS", {"toy": thing})
    asked = {"toy": cells(methods=["toy", "lp"], rates=[0.0, 0.5])}
    monkeypatch.setattr(catalogue, "_cells", lambda names: [c for n in names for c in asked[n]])


def paper(cli: Cli, *words: str, code: int = 0) -> str:
    done = cli("paper", *words, "--jobs", "1")
    assert done.code == code, done.err
    return done.out


def test_it_runs_once_what_no_row_answers_and_writes_all_forms(cli: Cli, tmp_path: Path) -> None:
    out = paper(cli, "toy")
    assert "| toy | 9 |" in out
    assert "- Odd." in out
    # label propagation looks at no feature: one rate of two was run
    assert len(Toy.fitted) == 6
    with Store(default_path()) as store:
        assert len(store.all()) == 6 + 3
    folder = tmp_path / "paper"
    assert sorted(path.name for path in folder.iterdir()) == [
        "toy.md", "toy.pdf", "toy.png", "toy.svg", "toy.tex",
    ]  # fmt: skip
    assert "| toy | 9 |" in (folder / "toy.md").read_text()
    assert r"\begin{tabular}" in (folder / "toy.tex").read_text()
    assert "| toy | 9 |" in paper(cli, "toy")
    assert len(Toy.fitted) == 6


def test_a_dry_run_lists_and_runs_nothing(cli: Cli, tmp_path: Path) -> None:
    out = paper(cli, "toy", "--dry-run")
    assert out.startswith("toy: 9 cells to run, 0 there already.\n")
    assert "  toy on mine (6 cells)" in out
    assert "  lp on mine (3 cells)" in out
    assert not (tmp_path / "paper").exists()
    found = json.loads(paper(cli, "toy", "--dry-run", "--json", "--seeds", "1"))
    assert found["pending"] == 3
    assert found["cells"] == ["toy on mine (2 cells)", "lp on mine (1 cell)"]
    assert json.loads(paper(cli, "toy", "--dry-run", "--json", "--dataset", "Cora"))["pending"] == 0
    assert Toy.fitted == []


def test_rows_of_a_checkout_are_not_run_again(cli: Cli, tmp_path: Path) -> None:
    paper(cli, "toy")
    with Store(default_path()) as store:
        files.write(
            [row for row in store.all() if row["seed"] > 0], tmp_path / "experiments/a.jsonl"
        )
    Toy.fitted.clear()
    other = str(tmp_path / "other.sqlite")
    found = json.loads(paper(cli, "toy", "--store", other, "--render-only", "--json"))
    assert (found["wanted"], found["missing"]) == (
        9,
        ["toy on mine (2 cells)", "lp on mine (1 cell)"],
    )
    assert Toy.fitted == []
    assert "| toy | 9 |" in paper(cli, "toy", "--store", other)
    assert sorted(Toy.fitted) == [0, 0]


def test_what_failed_is_said_and_left_out(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_cells", lambda _: list(cells(methods=["unlucky"])))
    done = cli("paper", "toy", "--jobs", "1")
    assert done.code == 0
    assert "| unlucky | 2 |" in done.out
    assert "1 failed" in done.err
    assert "Not there: unlucky on mine (1 cell)." in done.err


def test_names_and_folders_that_are_not_there(cli: Cli) -> None:
    for words, told in (
        (["table9"], "there is no 'table9' in the paper; there are toy"),
        (["toy", "--rows", "nowhere"], "there is no folder nowhere"),
        (["toy", "--dataset", "Coral"], "unknown dataset 'Coral'"),
    ):
        done = cli("paper", *words)
        assert done.code == 2
        assert told in done.err.replace("\n", " ")


def test_list_and_all(cli: Cli) -> None:
    assert json.loads(paper(cli, "list", "--json")) == [{"name": "toy", "about": "A toy."}]
    assert paper(cli, "list") == "toy  A toy.\n"
    (found,) = json.loads(paper(cli, "all", "--json", "--seeds", "1"))
    assert found["name"] == "toy"
    assert found["tables"][0]["rows"] == [["lp", "3"], ["toy", "3"]]
