"""Tables in the docs say what the rows say."""

from pathlib import Path

import pytest

from goodie import paper
from goodie.study import rows as files
from goodie.study.cell import resolve
from goodie.study.store import Row
from goodie.study.tables import default, exact, pages, reproduced, variants
from study.paper.made import cells, of_study, row


def test_variants_say_what_is_changed() -> None:
    usual = resolve("cs", "Cora", "uniform")
    rows = [row("cs", "Cora", 0.9999, 0, 79.0, **{**usual, "smooth_alpha": 0.99})]
    mean, deviation = paper.numbers()["accuracy_at_9999"]["cs"]["Cora"]
    (*_, line) = map(cells, variants.variants(rows).splitlines())
    assert line[:3] == ["`cs`", "Cora", "`smooth_alpha = 0.99`"]
    assert line[3:] == ["79.00 ± 0.00 (1)", f"{mean:.2f} ± {deviation:.2f}"]


def test_parts_are_compared_seed_by_seed() -> None:
    rows = [row("goodie", "Cora", 0.5, seed, 80.0 + seed) for seed in (0, 1)]
    rows += [row("lp", "Cora", 0.5, seed, 70.0) for seed in (0, 1)]
    rows += [row("fp", "Cora", 0.5, seed, 79.0 + 3 * seed) for seed in (0, 1)]
    rows += [row("goodie", "PubMed", 0.5, 0, 80.0)]  # without its parts there is nothing to say
    rows += [row("goodie", "Cora", 0.5, seed, 1.0, preset="faithful") for seed in (0, 1)]
    _, _, line = map(cells, default.parts(rows).splitlines())
    assert line == [
        "uniform", "Cora", "50.00%", "80.50", "+10.50 ± 0.50", "+0.00 ± 1.00", "+0.00 ± 1.00",
    ]  # fmt: skip


def test_development_says_what_each_variant_changes() -> None:
    here = {"task": "development"}
    rows = [row("goodie", graph, 0.0, 0, 80.0, **here) for graph in ("Cora", "digits")]
    rows += [row("goodie", "Cora", 0.0, 0, 70.0, withheld_parts=0, alpha=0.5, **here)]
    rows += [row("lp", graph, 0.5, 0, 60.0, **here) for graph in ("Cora", "digits")]
    _, _, *lines = map(cells, default.development(rows).splitlines())
    assert sorted(lines) == [
        ["`lp`", "–", "60.00", "2.0"],
        ["`withheld_parts = 0`", "-10.00 (Cora)", "–", "2.0"],
        ["the default", "80.00", "–", "2.0"],
    ]


def test_pages_are_rendered_between_their_marks(tmp_path: Path, monkeypatch) -> None:
    files.write([row("lp", "Cora", 0.5, 0, 70.0)], tmp_path / "some.jsonl")
    made = {"here": (("some.jsonl",), lambda rows: f"{len(rows)} row")}
    monkeypatch.setattr(pages, "TABLES", made)
    page = "a\n<!-- here: begin -->\nold\n<!-- here: end -->\nb"
    assert pages.rendered(page, tmp_path) == page.replace("old", "1 row")
    assert pages.rendered("nothing here", tmp_path) == "nothing here"


def test_a_page_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="there is no page"):
        pages.main(["nowhere.md"])


def test_numbers_rest_on_functions() -> None:
    _, _, *lines = map(
        cells, reproduced.reproduced(of_study("table2") + of_study("table3")).splitlines()
    )
    run = {line[0]: int(line[2]) for line in lines}
    assert run["Table 3, LP"] == 6
    assert run["Table 2, Eq. 9"] == 4 * 4  # all pairs on four graphs
    assert run["Table 2, Eq. 13"] == 4 + 1  # Physics, and Arxiv without features
    for line in lines:
        assert sum(map(int, line[3:6])) == int(line[2])


def test_fragile_tells_biases_and_contrast_apart() -> None:
    def said(accuracy: float, version: int, **settings: str) -> Row:
        one = row("goodie", "Cora", 1.0, 0, accuracy, **{"contrast": "pseudo", **settings})
        return one | {"method_version": version}

    rows = [
        said(70.0, 1, preset="faithful"),
        said(72.0, 3, preset="faithful", contrast="none"),
        said(50.0, 2, preset="faithful"),
        said(75.0, 2, preset="faithful", contrast="none"),
        said(74.0, 2, preset="letter", contrast="none"),
    ]
    number = paper.numbers()["goodie_by_missing_rate"]["Cora"][3]
    (line,) = list(map(cells, variants.fragile(rows).splitlines()))[2:]
    assert line[:3] == ["Cora", "100.00%", f"{number:.2f}"]
    means = (70, 72, 50, 75, 74)
    assert line[3::2] == [f"{mean:.2f} ± 0.00 (1)" for mean in means]
    assert line[4::2] == [f"{mean - number:+.2f}" for mean in means]


def test_exact_tells_contrasts_apart() -> None:
    rows = [
        row("goodie", "Cora", 1.0, seed, accuracy, contrast=contrast, contrast_weight=0.3)
        | {"seconds": 2.0, "details": {"epochs": 100, "peak_gpu_memory": 2**30}}
        for contrast, accuracies in {"none": (70.0, 72.0), "pseudo": (80.0,)}.items()
        for seed, accuracy in enumerate(accuracies)
    ]
    lines = list(map(cells, exact.exact(rows).splitlines()))[2:]
    assert [line[3:] for line in lines] == [
        ["`none`", "71.00 ± 1.00 (2)", "100", "20.0", "1.0 GiB"],
        ["`pseudo`", "80.00 ± 0.00 (1)", "100", "20.0", "1.0 GiB"],
    ]
