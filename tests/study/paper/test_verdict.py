"""Where ours and the printed figures agree is computed, and told as it is."""

import math

import pytest

from goodie import paper
from goodie.study.paper import verdict
from goodie.study.paper.beside import Ours
from goodie.study.paper.beside import verdict as judge
from study.paper.made import row


@pytest.mark.parametrize(
    ("gain", "told"),
    [
        (0.0, "reproduced"),
        (0.9, "reproduced"),
        (-0.9, "reproduced"),
        (1.0, "above"),
        (-1.0, "below"),
    ],
)
def test_two_standard_errors(gain: float, told: str) -> None:
    # Two means over ten seeds of population deviation 1: 2·√(1/9 + 1/9) = 0.943 and the rounding.
    assert 0.9 < 2 * math.sqrt(2 / 9) + 0.005 < 1.0
    assert judge(Ours(70.0 + gain, 1.0, 10), 70.0, 1.0) == told


def test_fewer_seeds_allow_more() -> None:
    assert judge(Ours(71.5, 1.0, 10), 70.0, 1.0) == "above"
    assert judge(Ours(71.5, 1.0, 3), 70.0, 1.0) == "reproduced"


def test_goodie_is_judged_by_table_2_and_the_others_by_table_3() -> None:
    published = paper.numbers()["goodie_by_missing_rate"]["Cora"]
    goodie = [row("goodie", "Cora", 0.9999, seed, published[2]) for seed in range(10)]
    others = [row("cs", "Cora", 0.9999, seed, 90.0) for seed in range(10)]
    some = verdict.node_classification(
        goodie, [*goodie, *others, row("gcn", "Cora", 0.9999, 0, 1.0)]
    )
    assert [(one.who, one.where, one.verdict) for one in some] == [
        ("goodie balanced", "Cora at 99.99 %", "reproduced"),
        ("cs", "Cora", "above"),
    ]
    assert [why for why in verdict.reasons(some) if "`cs`" in why]
    assert not [why for why in verdict.reasons(some) if "default" in why]


def test_link_prediction_is_judged_at_the_printed_precision() -> None:
    rows = [
        row("fp", "Cora", 0.9999, seed, test, task="link", details={"ap": ap})
        for seed, (test, ap) in enumerate([(82.4, 90.0)] * 10)
    ]
    auc, ap = verdict.link_prediction(rows)
    assert (auc.where, auc.verdict) == ("Cora, uniform, AUC", "reproduced")
    assert ap.verdict == "above"
    assert ap.gain == pytest.approx(8.0)


def test_sentences() -> None:
    some = [
        verdict.Comparison("cs", "Cora", 15.04, "above"),
        verdict.Comparison("cs", "CS", -3.26, "below"),
        verdict.Comparison("cs", "PubMed", 0.0, "reproduced"),
    ]
    assert verdict.sentence("`cs`", some) == (
        "`cs` reproduces 1 of 3 printed figures, beats 1 (Cora +15.0) and misses 1 (CS −3.3)"
    )
    assert verdict.mean_gain(some) == "+3.93"
