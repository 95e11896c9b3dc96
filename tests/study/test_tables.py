"""Tables say what the rows say."""

from pathlib import Path

import pytest

from goodie import config, paper
from goodie.methods.goodie import Settings
from goodie.study import rows as files
from goodie.study import tables
from goodie.study.cell import resolve
from goodie.study.store import COLUMNS


def row(method: str, dataset: str, rate: float, seed: int, test: float, **changed) -> dict:
    what = {"task": "node", "scenario": "uniform"}
    what |= {name: changed.pop(name) for name in what if name in changed}
    settings = config.as_dict(Settings()) | changed if method == "goodie" else changed
    blank = {name: kind() for name, kind in COLUMNS.items()}
    return blank | what | {
        "key": repr((method, dataset, rate, seed, changed, what)),
        "method": method,
        "dataset": dataset,
        "rate": rate,
        "seed": seed,
        "test": test,
        "val": test,
        "seconds": 2.0,
        "settings": settings,
        "status": "done",
        "data_hash": "0",
    }  # fmt: skip


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_table_2_sets_ours_beside_the_papers() -> None:
    published = paper.numbers()["goodie_by_missing_rate"]["Cora"]
    rows = [row("goodie", "Cora", 0.5, seed, published[1] + 1 + seed) for seed in (0, 2)]
    rows.append(row("goodie", "Cora", 1.0, 0, published[3] - 1))
    rows.append(row("goodie", "Cora", 1.0, 0, published[3], preset="faithful"))
    _, _, half, none, mean = map(cells, tables.table2(rows).splitlines())
    ours = f"{published[1] + 2:.2f} ± 1.00"
    assert half == ["Cora", "50.00%", f"{published[1]:.2f}", "–", "–", ours, "+2.00"]
    assert none[4:] == ["+0.00", f"{published[3] - 1:.2f} ± 0.00", "-1.00"]
    assert mean[-1] == "+0.50 over 2"


def test_table_3_marks_what_is_far_from_the_printed_figure() -> None:
    mean, deviation = paper.numbers()["accuracy_at_9999"]["fp"]["Cora"]
    rows = [row("fp", "Cora", 0.9999, seed, mean + 2.1 * deviation) for seed in range(10)]
    rows += [row("fp", "CiteSeer", 0.9999, seed, 51.0) for seed in range(3)]
    rows += [row("fp", "Cora", 0.5, 0, 99.0), row("mlp", "Cora", 0.9999, 0, 20.0)]
    _, _, mlp, ours, printed = map(cells, tables.table3(rows).splitlines())
    assert ours[:3] == ["`fp`", f"{mean + 2.1 * deviation:.2f} ± 0.00", "51.00 ± 0.00 (3)"]
    assert printed[1] == f"**{mean:.2f} ± {deviation:.2f}**"
    assert not printed[2].startswith("**")
    assert mlp[1] == "20.00 ± 0.00 (1)"


def test_variants_say_what_is_changed() -> None:
    usual = resolve("cs", "Cora", "uniform")
    rows = [row("cs", "Cora", 0.9999, 0, 79.0, **{**usual, "smooth_alpha": 0.99})]
    mean, deviation = paper.numbers()["accuracy_at_9999"]["cs"]["Cora"]
    (*_, line) = map(cells, tables.variants(rows).splitlines())
    assert line[:3] == ["`cs`", "Cora", "`smooth_alpha = 0.99`"]
    assert line[3:] == ["79.00 ± 0.00 (1)", f"{mean:.2f} ± {deviation:.2f}"]


def test_parts_are_compared_seed_by_seed() -> None:
    rows = [row("goodie", "Cora", 0.5, seed, 80.0 + seed) for seed in (0, 1)]
    rows += [row("lp", "Cora", 0.5, seed, 70.0) for seed in (0, 1)]
    rows += [row("fp", "Cora", 0.5, seed, 79.0 + 3 * seed) for seed in (0, 1)]
    rows += [row("goodie", "PubMed", 0.5, 0, 80.0)]  # without its parts there is nothing to say
    rows += [row("goodie", "Cora", 0.5, seed, 1.0, preset="faithful") for seed in (0, 1)]
    _, _, line = map(cells, tables.parts(rows).splitlines())
    assert line == [
        "uniform", "Cora", "50.00%", "80.50", "+10.50 ± 0.50", "+0.00 ± 1.00", "+0.00 ± 1.00",
    ]  # fmt: skip


def test_development_says_what_each_variant_changes() -> None:
    here = {"task": "development"}
    rows = [row("goodie", graph, 0.0, 0, 80.0, **here) for graph in ("Cora", "digits")]
    rows += [row("goodie", "Cora", 0.0, 0, 70.0, withheld_parts=0, alpha=0.5, **here)]
    rows += [row("lp", graph, 0.5, 0, 60.0, **here) for graph in ("Cora", "digits")]
    _, _, *lines = map(cells, tables.development(rows).splitlines())
    assert sorted(lines) == [
        ["`lp`", "–", "60.00", "2.0"],
        ["`withheld_parts = 0`", "-10.00 (Cora)", "–", "2.0"],
        ["the default", "80.00", "–", "2.0"],
    ]


def test_pages_are_rendered_between_their_marks(tmp_path: Path, monkeypatch) -> None:
    files.write([row("lp", "Cora", 0.5, 0, 70.0)], tmp_path / "some.jsonl")
    made = {"here": (("some.jsonl",), lambda rows: f"{len(rows)} row")}
    monkeypatch.setattr(tables, "TABLES", made)
    page = "a\n<!-- here: begin -->\nold\n<!-- here: end -->\nb"
    assert tables.rendered(page, tmp_path) == page.replace("old", "1 row")
    assert tables.rendered("nothing here", tmp_path) == "nothing here"


def test_a_page_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="there is no page"):
        tables.main(["nowhere.md"])
