"""`python -m benchmarks.convergence`: epochs and seconds of GOODIE's presets until they stop."""

import argparse
import json
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from benchmarks.pairwise import RESULTS, machine
from goodie.study import cell

DATASETS = ("Cora", "CiteSeer", "PubMed", "CS", "Physics")
RATES = (0.5, 0.9999)
PRESETS = ("faithful", "balanced")
SEEDS = 3


def measure(dataset: str, rate: float, device: str) -> list[dict[str, Any]]:
    """Both presets on one graph, in turns; what the first fit of each costs more is left out."""
    fits = {
        preset: [
            cell.Cell(
                dataset,
                "goodie",
                rate=rate,
                seed=seed,
                settings=cell.resolve("goodie", dataset, "uniform", {"preset": preset}),
            )
            for seed in range(SEEDS)
        ]
        for preset in PRESETS
    }
    for preset in PRESETS:
        cell.run(fits[preset][0], device=device)
    found: dict[str, list[cell.Result]] = {preset: [] for preset in PRESETS}
    for turn in zip(*fits.values(), strict=True):
        for preset, one in zip(PRESETS, turn, strict=True):
            found[preset].append(cell.run(one, device=device))
    return [
        {
            "dataset": dataset,
            "rate": rate,
            "preset": preset,
            "best_epoch": [result.details["best_epoch"] for result in results],
            "epochs": [result.details["epochs"] for result in results],
            "seconds": [result.seconds for result in results],
        }
        for preset, results in found.items()
    ]


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Means over seeds."""
    lines = [
        "| dataset | missing | preset | best epoch | epochs | seconds of a whole fit |",
        "|---|--:|---|--:|--:|--:|",
    ]
    for row in rows:
        best, epochs, seconds = (fmean(row[name]) for name in ("best_epoch", "epochs", "seconds"))
        lines.append(
            f"| {row['dataset']} | {row['rate']:.2%} | `{row['preset']}` | {best:.0f} | "
            f"{epochs:.0f} | {seconds:.2f} |"
        )
    return lines


def main() -> None:
    """Measure, print, and write what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.convergence", description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--datasets", nargs="*", default=DATASETS)
    parser.add_argument("--to", type=Path, default=RESULTS, help="folder (default: %(default)s)")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for dataset in arguments.datasets:
        for rate in RATES:
            rows += measure(dataset, rate, arguments.device)
            print("\n".join(table(rows[-len(PRESETS) :])[2:]), flush=True)
    about = machine() if arguments.device == "cuda" else {"device": "cpu"}
    record = {"date": date.today().isoformat(), "machine": about, "rows": rows}
    arguments.to.mkdir(exist_ok=True, parents=True)
    (arguments.to / "convergence.json").write_text(json.dumps(record, indent=1) + "\n")
    page = [
        "# Convergence",
        "",
        f"Early stopping after 200 epochs without a better validation accuracy; means over {SEEDS} "
        "seeds. A whole fit is propagation, training and prediction.",
        "",
        *table(rows),
        "",
        f"{', '.join(map(str, about.values()))}; {record['date']}.",
        "",
    ]
    (arguments.to / "convergence.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
