"""What the paper leaves open, settled another way."""

from collections.abc import Sequence

from goodie import paper
from goodie.study.cell import resolve
from goodie.study.paper.beside import difference, of_rows, ours, shown
from goodie.study.paper.table2 import RATES
from goodie.study.store import Row
from goodie.study.summary import summarise
from goodie.study.tables.changed import changed

# In this version of GOODIE alone `faithful` had no biases.
UNBIASED = 2


def variants(rows: Sequence[Row]) -> str:
    """Methods with other settings than Table 3's, beside the printed figures."""
    printed = paper.numbers()["accuracy_at_9999"]
    lines = ["| method | dataset | changed | ours | printed |", "|---|---|---|--:|--:|"]
    for cell in summarise(rows):
        usual = resolve(cell["method"], cell["dataset"], cell["scenario"])
        unusual = changed(cell["config"], usual)
        mean, deviation = printed[cell["method"]][cell["dataset"]]
        lines.append(
            f"| `{cell['method']}` | {cell['dataset']} | {unusual} | {ours(cell['test'])} | "
            f"{mean:.2f} ± {deviation:.2f} |"
        )
    return "\n".join(lines)


def fragile(rows: Sequence[Row]) -> str:
    """The paper's model with and without contrast, with and without biases, and to the letter."""
    names = {
        "`faithful`": (False, "faithful", True),
        "no contrast": (False, "faithful", False),
        "no biases": (True, "faithful", True),
        "neither": (True, "faithful", False),
        "`letter`, no contrast": (True, "letter", False),
    }
    found: dict[tuple[str, float, tuple[bool, str, bool]], list[Row]] = {}
    for row in rows:
        preset, contrast = row["settings"]["preset"], row["settings"]["contrast"]
        unbiased = preset == "letter" or row["method_version"] == UNBIASED
        kind = unbiased, preset, contrast != "none"
        found.setdefault((row["dataset"], row["rate"], kind), []).append(row)
    lines = [
        "| dataset | missing | paper | " + " | | ".join(names) + " | |",
        "|---|--:|--:" + "|--:|--:" * len(names) + "|",
    ]
    for dataset, published in paper.numbers()["goodie_by_missing_rate"].items():
        for rate, number in zip(RATES, published, strict=True):
            kinds = [of_rows(found.get((dataset, rate, kind), ())) for kind in names.values()]
            if any(kinds):
                told = " | ".join(f"{shown(cell)} | {difference(cell, number)}" for cell in kinds)
                lines.append(f"| {dataset} | {rate:.2%} | {number:.2f} | {told} |")
    return "\n".join(lines)
