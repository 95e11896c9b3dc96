"""Table 5: settings, the paper's and ours, and the λ that validation would choose here."""

from collections.abc import Iterable
from statistics import fmean
from typing import Any

from goodie import paper
from goodie.study.cell import resolve
from goodie.study.paper.beside import NONE
from goodie.study.paper.evidence import Evidence, Made
from goodie.study.paper.table import Table
from goodie.study.store import Row

RATE = 0.9999
SCENARIOS = ("uniform", "structural")


def make(evidence: Evidence) -> Made:
    """What the paper prints, what the presets have, and what the λ figure's rows choose."""
    best = chosen(evidence.rows)
    lines = []
    for dataset, row in paper.numbers()["hyperparameters"].items():
        faithful = [_settings(dataset, scenario, "faithful") for scenario in SCENARIOS]
        default = _settings(dataset, "uniform", "balanced")
        lines.append(
            [
                dataset,
                f"{row['alpha']:g}",
                f"{row['tau']:g}",
                "classes" if row["scaled"] else "pairs",
                f"{row['lambda_uniform']:g} / {row['lambda_structural']:g}",
                "classes" if faithful[0]["contrast"] == "prototype" else "pairs",
                " / ".join(f"{one['contrast_weight']:g}" for one in faithful),
                " / ".join(
                    f"{best[dataset, s]:g}" if (dataset, s) in best else NONE for s in SCENARIOS
                ),
                f"{default['alpha']:g}, {default['tau']:g}",
            ]
        )
    heads = (
        "dataset",
        "α",
        "τ",
        "loss",
        "λ",
        "`faithful`: loss",
        "`faithful`: λ",
        "λ by validation here",
        "`balanced`: α, τ",
    )
    title = (
        "Settings of GOODIE as printed, and as the presets have them; λ for uniform / structural. "
        "The λ of the best mean validation accuracy at 99.99 % missing, of 0.00001 to 10, "
        "is by the rows of the λ figure. `balanced` has no contrast, so no λ."
    )
    return Made([Table(title, heads, lines)])


def chosen(rows: Iterable[Row]) -> dict[tuple[str, str], float]:
    """The λ of the best mean validation accuracy, by dataset and scenario."""
    scores: dict[tuple[str, str], dict[float, list[float]]] = {}
    for row in rows:
        if row["rate"] == RATE and row["status"] == "done":
            by_weight = scores.setdefault((row["dataset"], row["scenario"]), {})
            by_weight.setdefault(row["settings"]["contrast_weight"], []).append(row["val"])
    return {
        at: max(by_weight, key=lambda weight: fmean(by_weight[weight]))
        for at, by_weight in scores.items()
        if len(by_weight) > 1
    }


def _settings(dataset: str, scenario: str, preset: str) -> dict[str, Any]:
    return resolve("goodie", dataset, scenario, {"preset": preset})
