"""The paper's tables say what the rows say, beside what the paper says."""

import json
from pathlib import Path

import pytest

from goodie import paper
from goodie.study.paper import table1, table2, table3, table4, table5
from goodie.study.paper.evidence import Evidence
from goodie.study.paper.table import Table, latex
from study.paper.made import lines, row

NOWHERE = Path("nowhere")


def test_table_1_counts_and_says_where_the_paper_differs(tmp_path: Path) -> None:
    sizes = paper.statistics("Cora")
    assert sizes is not None
    (tmp_path / table1.FILE).write_text(
        json.dumps({"Cora": sizes, "Arxiv": {**paper.statistics("Arxiv"), "edges": 5}})
    )
    found = {line[0]: line[1:] for line in table1.make(Evidence([], tmp_path)).tables[0].rows}
    assert found["Cora"] == ["2,485", "5,069", "1,433", "7"]
    assert found["Arxiv"][1] == "5 (1,166,243)"
    assert found["WikiCS"][0] == "– (11,701)"
    assert "the size of WikiCS" in table1.lacking(tmp_path)
    assert "the size of Cora" not in table1.lacking(tmp_path)


def test_table_2_sets_ours_beside_the_papers() -> None:
    published = paper.numbers()["goodie_by_missing_rate"]["Cora"]
    rows = [row("goodie", "Cora", 0.5, seed, published[1] + 1 + seed) for seed in (0, 2)]
    rows.append(row("goodie", "Cora", 1.0, 0, published[3] - 1))
    rows.append(row("goodie", "Cora", 1.0, 0, published[3], preset="faithful"))
    rows.append(row("goodie", "Cora", 0.0, 0, published[3] + 2, preset="faithful"))
    full, half, none, mean = lines(table2.table(rows).markdown())
    assert half == [
        "Cora", "50.00%", f"{published[1]:.2f}", f"{published[1] - published[0]:+.2f}",
        "–", "–", "–", f"{published[1] + 2:.2f} ± 1.00 (2)", "–", "+2.00",
    ]  # fmt: skip
    assert full[3:7] == ["", f"{published[3] + 2:.2f} ± 0.00 (1)", "", "-0.08"]
    assert none[4:7] == [f"{published[3]:.2f} ± 0.00 (1)", "-2.00", "+0.00"]
    assert none[7:] == [f"{published[3] - 1:.2f} ± 0.00 (1)", "–", "-1.00"]
    assert mean[-1] == "+0.50 over 2"


def test_table_2_says_what_was_not_run() -> None:
    rows = [row("goodie", "Cora", 0.5, 0, 80.0)]
    whole = list(lines(table2.table(rows, whole=True).markdown()))
    assert len(whole) == 7 * 4 + 1
    (wikics,) = (line for line in whole if line[:2] == ["WikiCS", "50.00%"])
    assert wikics[4] == wikics[7] == "not run here"


def test_table_3_ends_in_averages_over_what_is_there() -> None:
    printed = paper.numbers()["accuracy_at_9999"]["fp"]
    rows = [row("fp", "Cora", 0.9999, seed, 60.0) for seed in range(10)]
    rows += [row("fp", "PubMed", 0.9999, 0, 70.0), row("fp", "CS", 0.5, 0, 99.0)]
    table = list(lines(table3.as_printed(rows).markdown()))
    fp = 2 + table3.COLUMNS.index("fp")
    cora, of_paper, less = table[:3]
    assert (cora[0], cora[fp], cora[2]) == ("Cora", "60.00 ± 0.00", "–")
    assert of_paper[fp] == f"{printed['Cora'][0]:.2f} ± {printed['Cora'][1]:.2f}"
    assert less[fp] == f"{60 - printed['Cora'][0]:+.2f}"
    ours, theirs, difference, whole = table[-4:]
    mean = (printed["Cora"][0] + printed["PubMed"][0]) / 2
    assert (ours[0], ours[fp]) == ("Average", "65.00 (2)")
    assert (theirs[fp], difference[fp]) == (f"{mean:.2f} (2)", f"{65 - mean:+.2f}")
    assert whole[:3] == ["Average", "as printed", "38.78"]
    cs = next(line for line in table if line[0] == "CS")
    assert cs[1:] == ["ours", *["not run here"] * len(table3.COLUMNS)]


def test_table_3_marks_what_is_far_from_the_printed_figure() -> None:
    mean, deviation = paper.numbers()["accuracy_at_9999"]["fp"]["Cora"]
    rows = [row("fp", "Cora", 0.9999, seed, mean + 2.1 * deviation) for seed in range(10)]
    rows += [row("fp", "CiteSeer", 0.9999, seed, 51.0) for seed in range(3)]
    rows += [row("fp", "Cora", 0.5, 0, 99.0), row("mlp", "Cora", 0.9999, 0, 20.0)]
    rows += [row("lp", "Cora", 0.3, seed, 70.0) for seed in range(2)]
    rows += [row("lp", "Cora", 0.9999, 0, 10.0)]  # fewer seeds of what must be the same
    lp, _, mlp, ours, printed = lines(table3.every_method(rows).markdown())
    assert ours[:3] == ["`fp`", f"{mean + 2.1 * deviation:.2f} ± 0.00", "51.00 ± 0.00 (3)"]
    assert printed[1] == f"**{mean:.2f} ± {deviation:.2f}**"
    assert not printed[2].startswith("**")
    assert mlp[1] == "20.00 ± 0.00 (1)"
    assert lp[1] == "70.00 ± 0.00 (2)"


def test_table_4_turns_percent_into_the_papers_unit() -> None:
    link = {"task": "link", "scenario": "structural"}
    rows = [
        row("fp", "Cora", 0.9999, seed, 60.0 + seed, details={"ap": 50.0}, **link)
        for seed in (0, 2)
    ]
    rows.append(row("goodie", "Cora", 0.9999, 0, 90.0, details={"ap": 91.0}, **link))
    rows.append(row("fp", "Cora", 0.9999, 0, 80.0))  # another task
    table = list(lines(table4.table(rows).markdown()))
    start = next(i for i, line in enumerate(table) if line[:3] == ["structural", "Cora", "AUC"])
    auc, of_paper, less, ap, *_ = table[start:]
    assert auc[4:] == ["0.610 ± 0.010 (2)", "0.900 ± 0.000 (1)"]
    assert of_paper[4:] == ["0.60 ± 0.12", "0.84 ± 0.02"]
    assert less[4:] == ["+0.010", "+0.060"]
    assert ap[2:] == ["AP", "ours", "0.500 ± 0.000 (2)", "0.910 ± 0.000 (1)"]
    assert len(table) == 2 * 4 * 2 * 3  # patterns, graphs, metrics, lines


def test_table_5_has_the_papers_settings_and_the_lambda_that_validation_chooses() -> None:
    rows = [
        row("goodie", "Cora", 0.9999, seed, score, preset="faithful", contrast_weight=weight)
        for weight, score in ((1.0, 70.0), (0.1, 75.0), (10.0, 60.0))
        for seed in (0, 1)
    ]
    rows.append(row("goodie", "Cora", 0.5, 0, 99.0, preset="faithful", contrast_weight=10.0))
    found = {line[0]: line for line in table5.make(Evidence(rows, NOWHERE)).tables[0].rows}
    assert found["Cora"][4:] == ["1 / 1", "pairs", "1 / 1", "0.1 / –", "0.99, 0.01"]
    assert found["Physics"][3:7] == ["classes", "1e-05 / 0.001", "classes", "1e-05 / 0.001"]


def test_latex_is_what_markdown_is() -> None:
    table = Table(
        "70 % & more", ["", "a_b"], [["**x**", "+1.50"], ["`y_z`", "2 ± 1"]], rules=frozenset({1})
    )
    text = table.latex()
    assert r"\caption{70 \% \& more}" in text
    assert r"\begin{tabular}{lr}" in text
    assert r"\textbf{x} & $+1.50$ \\" in text
    assert "\\midrule\n\\texttt{y\\_z} & 2 $\\pm$ 1 \\\\" in text


@pytest.mark.parametrize(
    ("cell", "told"),
    [("–", "--"), ("-0.5", "$-0.5$"), ("12-13", "12-13"), ("λ #1", r"$\lambda$ \#1")],
)
def test_signs_in_latex(cell: str, told: str) -> None:
    assert latex(cell) == told
