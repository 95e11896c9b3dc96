"""A row answers every cell that must have its result, and no other."""

from dataclasses import replace

import pytest

from goodie.study.cell import Cell, resolve
from goodie.study.paper.gather import answer, gather
from study.paper.made import of_cell

GOODIE = resolve("goodie", "Cora", "uniform")
FP = Cell("Cora", "fp", "uniform", 0.5, 0, resolve("fp", "Cora", "uniform"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (FP, replace(FP, seed=1), False),
        (FP, replace(FP, rate=0.9), False),
        (FP, replace(FP, scenario="structural"), False),
        (FP, replace(FP, task="development"), False),
        (FP, replace(FP, dataset="PubMed"), False),
        (FP, replace(FP, settings={**FP.settings, "lr": 0.1}), False),
        # with nothing or everything missing the patterns are one
        (replace(FP, rate=1.0), replace(FP, rate=1.0, scenario="structural"), True),
        (replace(FP, rate=0.0), replace(FP, rate=1.0), False),
        # no feature is looked at
        (Cell("Cora", "lp", "uniform", 0.5), Cell("Cora", "lp", "structural", 0.9), True),
        (Cell("Cora", "lp", "uniform", 0.5, 0), Cell("Cora", "lp", "uniform", 0.5, 1), False),
        # λ of no contrast
        (
            Cell("Cora", "goodie", settings={**GOODIE, "contrast": "none", "contrast_weight": 1.0}),
            Cell("Cora", "goodie", settings={**GOODIE, "contrast": "none", "contrast_weight": 0.1}),
            True,
        ),
        (
            Cell("Cora", "goodie", settings={**GOODIE, "contrast": "weak", "contrast_weight": 1.0}),
            Cell("Cora", "goodie", settings={**GOODIE, "contrast": "weak", "contrast_weight": 0.1}),
            False,
        ),
    ],
)
def test_answers(one: Cell, other: Cell, same: bool) -> None:
    assert (answer(one) == answer(other)) is same


def test_twins_are_run_once_and_shown_as_asked() -> None:
    ends = [replace(FP, rate=1.0, scenario=scenario) for scenario in ("uniform", "structural")]
    nothing = gather(ends, [])
    assert (nothing.rows, len(nothing.missing), nothing.wanted) == ([], 1, 1)
    there = gather([ends[0], FP], [of_cell(ends[1], 20.0)])
    (found,) = there.rows
    assert (found["scenario"], found["test"]) == ("uniform", 20.0)
    assert there.missing == [FP]


def test_what_does_not_answer() -> None:
    good = of_cell(FP, 80.0)
    for wrong in (
        {"status": "failed"},
        {"method_version": good["method_version"] - 1},
        {"data_hash": "other"},
    ):
        assert gather([FP], [good | wrong], hashes={"Cora": "0"}).missing == [FP]
    assert gather([FP], [good | {"data_hash": "other"}]).rows  # where the graph is not here
    assert gather([FP], [good | {"method": "gone"}]).missing == [FP]


def test_the_latest_answers() -> None:
    rows = [of_cell(FP, 1.0, finished=2.0), of_cell(FP, 2.0, finished=1.0)]
    assert gather([FP], rows).rows[0]["test"] == 1.0
