"""What a temperature learned from a handful of nodes is worth, and rules that hold it back.

`python -m benchmarks.temperature` runs what `results/temperature.jsonl` does not hold yet and
writes `results/temperature.md` from the rows. Models are fitted on development splits, a few
validation nodes left to them, of which the estimator sets a quarter aside; half of the protocol's
validation nodes are judged.
"""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.optimize import brentq
from scipy.special import log_softmax, softmax
from tqdm import tqdm

from goodie import NodeClassifier, missing
from goodie.calibrate.reliability import reliability
from goodie.calibrate.temperature import (
    COLDEST,
    HOTTEST,
    fit_temperature,
    likeliest_temperature,
    negative_log_likelihood,
    tempered,
)
from goodie.data import datasets, splits
from goodie.study import provenance

RESULTS = Path(__file__).parent / "results"
ROWS, PAGE = RESULTS / "temperature.jsonl", RESULTS / "temperature.md"

DATASETS, RATES = ("Cora", "CiteSeer", "digits"), (0.0, 0.99)
SEEDS = range(1000, 1020)  # none of the protocol's
KINDS = (("goodie", 20), ("goodie", 60), ("fp", 60), ("goodie", 120))

Row = dict[str, Any]
Rule = Callable[[Float[np.ndarray, "nodes classes"], Int[np.ndarray, " nodes"]], float]


def _towards_one(nodes: int) -> Rule:
    """The likeliest temperature if some more nodes had said that 1 is right."""

    def rule(p: Float[np.ndarray, "nodes classes"], y: Int[np.ndarray, " nodes"]) -> float:
        n, z = len(y), np.log(p.astype(np.float64).clip(1e-7))
        own = (softmax(z, axis=1) * z).sum(axis=1).mean()
        target = n * z[np.arange(n), y].mean() + z.mean() + nodes * own

        def slope(sharpness: float) -> float:
            said = (softmax(sharpness * z, axis=1) * z).sum(axis=1).mean()
            return float(said - target / (n + 1 + nodes))

        low, high = 1 / HOTTEST, 1 / COLDEST
        if slope(low) >= 0 or slope(high) <= 0:
            return HOTTEST if slope(low) >= 0 else COLDEST
        return 1 / float(brentq(slope, low, high))

    return rule


def _log_normal(spread: float) -> Rule:
    """The most probable temperature if its logarithm were normal, about 0, beforehand."""

    def rule(p: Float[np.ndarray, "nodes classes"], y: Int[np.ndarray, " nodes"]) -> float:
        n, z = len(y), np.log(p.astype(np.float64).clip(1e-7))
        logs = np.linspace(np.log(COLDEST), np.log(HOTTEST), 1001)
        said = log_softmax(z / np.exp(logs)[:, None, None], axis=2)
        likely = n / (n + 1) * (said[:, np.arange(n), y].sum(axis=1) + said.mean(axis=(1, 2)))
        return float(np.exp(logs[np.argmax(likely - logs**2 / (2 * spread**2))]))

    return rule


RULES: dict[str, Rule] = {
    "1": lambda p, y: 1.0,
    "the likeliest": likeliest_temperature,
    "the likeliest, proven": fit_temperature,
    "1 more node for 1": _towards_one(1),
    "3 more nodes for 1": _towards_one(3),
    "log T normal, spread 1": _log_normal(1.0),
    "log T normal, spread ½": _log_normal(0.5),
}


def main() -> None:
    """Run what is missing, then write the page."""
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()] if ROWS.exists() else []
    there = {_key(row) for row in rows}
    for (method, size), seed, dataset, rate in tqdm(
        list(product(KINDS, SEEDS, DATASETS, RATES)), desc="fits"
    ):
        row: Row = {
            "method": method,
            "size": size,
            "seed": seed,
            "dataset": dataset,
            "rate": rate,
        }
        if _key(row) in there:
            continue
        row |= _run(row)
        rows.append(row)
        with ROWS.open("a") as file:
            file.write(json.dumps(row) + "\n")
    PAGE.write_text("\n".join(page(rows)) + "\n")


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("method", "size", "seed", "dataset", "rate"))


def _run(row: Row) -> Row:
    """A fit with few validation nodes, and each rule's temperature on those set aside."""
    data, seed = datasets.load(row["dataset"]), row["seed"]
    split = splits.development(datasets.find(row["dataset"]).split(data, seed), seed=seed)
    nodes = split.val.nonzero()[:, 0].numpy()
    val = torch.zeros_like(split.val)
    val[np.random.default_rng(seed).permutation(nodes)[: row["size"]]] = True
    holed = missing.uniform(data, row["rate"], random_state=seed) if row["rate"] else data
    problem = split._replace(val=val).apply(holed)
    problem.y = torch.where(split.train | val, data.y, -1)
    model = NodeClassifier(method=row["method"], random_state=seed).fit(problem)
    raw, y = model.method_.proba_.numpy(), data.y.numpy()
    asked, judged = model.calibration_mask_ & ~model.abstains_, split.test.numpy()
    out: Row = {"calibrating": int(asked.sum()), "rules": {}}
    for name, rule in RULES.items():
        temperature = rule(raw[asked], y[asked])
        p = tempered(raw[judged], temperature)
        out["rules"][name] = {
            "temperature": temperature,
            "error": reliability(p, y[judged]).error,
            "nll": negative_log_likelihood(p, y[judged]),
        }
    return out


def page(rows: list[Row]) -> list[str]:
    """The tables."""
    out = [
        "# A temperature from a handful of nodes",
        "",
        f"Expected calibration error, mean over {len(SEEDS)} development splits of "
        f"{', '.join(DATASETS)} with all features and with 1 %. *Worst*: how much larger it is "
        "than without a temperature, on the dataset and rate where that is most. Rows: "
        "`temperature.jsonl`.",
    ]
    for method, size in KINDS:
        some = [row for row in rows if (row["method"], row["size"]) == (method, size)]
        if not some:
            continue
        asked = fmean(row["calibrating"] for row in some)
        out += [
            "",
            f"## {method}, {size} validation nodes",
            "",
            f"{asked:.0f} of them calibrate, on average.",
            "",
            "| temperature | error | worst | of digits, 1 % | log-likelihood |",
            "|---|--:|--:|--:|--:|",
        ]
        for rule in RULES:
            by_cell = [
                (
                    fmean(row["rules"][rule]["error"] for row in cell),
                    fmean(row["rules"]["1"]["error"] for row in cell),
                )
                for dataset, rate in product(DATASETS, RATES)
                if (cell := [r for r in some if (r["dataset"], r["rate"]) == (dataset, rate)])
            ]
            nll = fmean(row["rules"][rule]["nll"] for row in some)
            out.append(
                f"| {rule} | {fmean(error for error, _ in by_cell):.3f} | "
                f"{max(error - plain for error, plain in by_cell):+.3f} | {by_cell[-1][0]:.3f} | "
                f"{-nll:.3f} |"
            )
    versions = provenance.versions()
    return [*out, "", ", ".join(f"{name} {number}" for name, number in versions.items()) + "."]


if __name__ == "__main__":
    main()
