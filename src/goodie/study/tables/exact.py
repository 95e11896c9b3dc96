"""What the contrast over all pairs gives and costs."""

from collections.abc import Sequence
from statistics import fmean

from goodie.study.paper.beside import of_rows
from goodie.study.rows import ordered
from goodie.study.store import Row


def exact(rows: Sequence[Row]) -> str:
    """The default with a contrast: over all pairs, between prototypes, and none."""
    found: dict[tuple[str, float, float, str], list[Row]] = {}
    for row in ordered(rows):
        settings = row["settings"]
        weight = 0.0 if settings["contrast"] == "none" else settings["contrast_weight"]
        kind = row["dataset"], row["rate"], weight, settings["contrast"]
        found.setdefault(kind, []).append(row)
    lines = [
        "| dataset | missing | λ | contrast | accuracy | epochs | ms an epoch | GPU memory |",
        "|---|--:|--:|---|--:|--:|--:|--:|",
    ]
    for (dataset, rate, weight, contrast), same in sorted(found.items()):
        epochs = [row["details"]["epochs"] for row in same]
        memory = max(row["details"]["peak_gpu_memory"] for row in same)
        lines.append(
            f"| {dataset} | {rate:.2%} | {weight:g} | `{contrast}` | {of_rows(same)} | "
            f"{fmean(epochs):.0f} | {1e3 * sum(row['seconds'] for row in same) / sum(epochs):.1f} |"
            f" {memory / 2**30:.1f} GiB |"
        )
    return "\n".join(lines)
