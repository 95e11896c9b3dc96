"""The default: beside its parts, and what each of them does."""

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any

from goodie import config
from goodie.methods.goodie import Settings
from goodie.study.rows import ordered
from goodie.study.store import Row
from goodie.study.summary import summarise
from goodie.study.tables.changed import changed


def parts(rows: Sequence[Row]) -> str:
    """The default beside label propagation alone and feature propagation alone, seed by seed."""
    found: dict[tuple[str, str, float], dict[str, dict[int, float]]] = {}
    for row in ordered(rows):
        if row["status"] == "done" and row["settings"].get("preset", "balanced") == "balanced":
            problem = found.setdefault((row["scenario"], row["dataset"], row["rate"]), {})
            problem.setdefault(row["method"], {})[row["seed"]] = row["test"]
    lines = [
        "| missing | dataset | rate | `goodie` | − `lp` | − `fp` | − the better |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for (scenario, dataset, rate), by_method in found.items():
        seeds = by_method.get("goodie", {}).keys()
        if any(by_method.get(rival, {}).keys() != seeds for rival in ("lp", "fp")):
            continue
        ours, lp, fp = ([by_method[m][seed] for seed in seeds] for m in ("goodie", "lp", "fp"))
        told = " | ".join(_paired(ours, alone) for alone in (lp, fp, max(lp, fp, key=fmean)))
        lines.append(f"| {scenario} | {dataset} | {rate:.2%} | {fmean(ours):.2f} | {told} |")
    return "\n".join(lines)


def _paired(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The mean difference over seeds, and its standard error."""
    gains = [a - b for a, b in zip(ours, theirs, strict=True)]
    error = pstdev(gains) / max(1, len(gains) - 1) ** 0.5
    return f"{fmean(gains):+.2f} ± {error:.2f}"


def development(rows: Sequence[Row]) -> str:
    """Variants of GOODIE on development nodes: means over datasets, for each rate.

    A variant that was not run on all datasets is told as its difference to the default on its own.
    """
    cells = [cell for cell in summarise(rows) if cell["task"] == "development"]
    default = config.as_dict(Settings())
    problems: dict[str, dict[float, dict[str, dict[str, Any]]]] = {}
    for cell in cells:
        by_rate = problems.setdefault(_variant(cell, default), {})
        by_rate.setdefault(cell["missing_rate"], {})[cell["dataset"]] = cell
    rates = sorted({rate for by_rate in problems.values() for rate in by_rate})
    heads = " | ".join(f"{rate:.2%}" for rate in rates)
    lines = [f"| | {heads} | seconds |", "|---" + "|--:" * (len(rates) + 1) + "|"]
    graphs = {cell["dataset"] for cell in cells}
    for variant, by_rate in problems.items():
        told = []
        for rate in rates:
            found = by_rate.get(rate, {})
            if not found:
                told.append("–")
            elif found.keys() == graphs:
                told.append(f"{fmean(cell['test_mean'] for cell in found.values()):.2f}")
            else:
                beside = problems["the default"][rate]
                gains = [found[name]["test_mean"] - beside[name]["test_mean"] for name in found]
                told.append(f"{fmean(gains):+.2f} ({', '.join(found)})")
        every = [cell for found in by_rate.values() for cell in found.values()]
        seconds = fmean(second for cell in every for second in cell["seconds"])
        lines.append(f"| {variant} | {' | '.join(told)} | {seconds:.1f} |")
    return "\n".join(lines)


def _variant(cell: dict[str, Any], default: Mapping[str, Any]) -> str:
    """In which settings a cell differs from GOODIE's default; those of the dataset aside."""
    if cell["method"] != "goodie":
        return f"`{cell['method']}`"
    of_dataset = ["alpha", "tau"]
    if cell["config"]["contrast"] in ("none", "auto"):
        of_dataset.append("contrast_weight")  # of which nothing is left
    usual = {**default, **{name: cell["config"][name] for name in of_dataset}}
    return changed(cell["config"], usual) or "the default"
