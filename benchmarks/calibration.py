"""How far probabilities and label sets can be trusted; and by what their defaults were chosen.

`python -m benchmarks.calibration` runs what `results/calibration.jsonl` does not hold yet, row by
row, and writes `results/calibration.md` from the rows.

`choices` are made on development splits: of the protocol's development set with other seeds, half
of the validation nodes are judged. With what was chosen, `protocol` judges on the protocol's test
nodes, which are the same in all of its splits, and `drawn` on splits whose test nodes are drawn
anew each time, in the same numbers.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import degree
from tqdm import tqdm

from goodie import GoodieClassifier, missing
from goodie.calibrate.conformal import coverage, label_sets, strangeness, threshold
from goodie.calibrate.reliability import reliability
from goodie.calibrate.temperature import fit_temperature, negative_log_likelihood, tempered
from goodie.data import datasets, splits
from goodie.data.splits import Split
from goodie.study import provenance

RESULTS = Path(__file__).parent / "results"
ROWS, PAGE = RESULTS / "calibration.jsonl", RESULTS / "calibration.md"

DATASETS = ("Cora", "CiteSeer", "PubMed", "digits")
RATES = (0.0, 0.99)
SEEDS = 20
ALPHAS = (0.05, 0.1, 0.2)

# Of choices: seeds other than the protocol's, validation nodes, the share of them set aside.
CHOICE_SEEDS = range(1000, 1005)
SIZES = (20, 60, None)
SHARES = (0.0, 0.25, 0.5, 0.75)
SCORES = ("lac", "aps", "raps")

Row = dict[str, Any]


def main() -> None:
    """Run what is missing, then write the page."""
    rows = _read()
    there = {_key(row) for row in rows}
    wanted = [row for row in _wanted() if _key(row) not in there]
    for row in tqdm(wanted):
        row |= _choice(row) if row["part"] == "choices" else _promise(row)
        rows.append(row)
        with ROWS.open("a") as file:
            file.write(json.dumps(row) + "\n")
    PAGE.write_text("\n".join(page(rows)) + "\n")


def _wanted() -> Iterator[Row]:
    for dataset in DATASETS:
        for rate in RATES:
            for seed in CHOICE_SEEDS:
                for size in SIZES:
                    for share in SHARES:
                        yield {
                            "part": "choices",
                            "dataset": dataset,
                            "rate": rate,
                            "seed": seed,
                            "size": size,
                            "share": share,
                        }
    for part in ("drawn", "protocol"):
        for dataset in DATASETS:
            for rate in RATES:
                for seed in range(SEEDS):
                    yield {"part": part, "dataset": dataset, "rate": rate, "seed": seed}


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in ("part", "dataset", "rate", "seed", "size", "share"))


def _read() -> list[Row]:
    return [json.loads(line) for line in ROWS.read_text().splitlines()] if ROWS.exists() else []


def _choice(row: Row) -> Row:
    """A fit that sets a share of some validation nodes aside, judged on others."""
    data, seed = datasets.load(row["dataset"]), row["seed"]
    split = splits.development(datasets.find(row["dataset"]).split(data, seed), seed=seed)
    if row["size"] is not None:
        nodes = split.val.nonzero()[:, 0].numpy()
        kept = torch.zeros_like(split.val)
        kept[np.random.default_rng(seed).permutation(nodes)[: row["size"]]] = True
        split = split._replace(val=kept)
    model = _fitted(data, split, row["rate"], seed, row["share"])
    out = _judged(model, data, split.test)
    if row["size"] is None and row["share"] == 0.5:
        out["scores"] = _compare(model, data, split.test, seed)
    return out


def _promise(row: Row) -> Row:
    """The default, on test nodes."""
    data, seed = datasets.load(row["dataset"]), row["seed"]
    dataset = datasets.find(row["dataset"])
    split = dataset.split(data, seed)
    if row["part"] == "drawn":
        assert dataset.num_development is not None
        split = splits.paper(
            data.y,
            seed=seed,
            num_development=dataset.num_development,
            development_seed=seed,
        )
    return _judged(_fitted(data, split, row["rate"], seed), data, split.test)


def _fitted(
    data: Data, split: Split, rate: float, seed: int, share: float | None = None
) -> GoodieClassifier:
    problem = split.apply(missing.uniform(data, rate, random_state=seed) if rate else data)
    problem.y = torch.where(split.train | split.val, data.y, -1)
    aside = {} if share is None else {"calibration": share}
    return GoodieClassifier(random_state=seed, **aside).fit(problem)


def _judged(model: GoodieClassifier, data: Data, judged: Bool[Tensor, " nodes"]) -> Row:
    y = data.y[judged].numpy()
    assert model.proba_ is not None
    before = model.method_.proba_[judged].numpy()
    after = model.proba_[judged.numpy()]
    out: Row = {
        "judged": len(y),
        "calibrating": int(model.calibration_mask_.sum()),
        "accuracy": float((after.argmax(axis=1) == y).mean()),
        "temperature": model.temperature_,
        "error": [reliability(p, y).error for p in (before, after)],
        "nll": [negative_log_likelihood(p, y) for p in (before, after)],
    }
    if model.calibration_mask_.any():
        out["sets"] = {}
        for alpha in ALPHAS:
            for empty in (True, False):
                sets = model.predict_set(alpha=alpha, empty=empty)[judged.numpy()]
                held, size = coverage(sets, y)
                name = f"{alpha}" if empty else f"{alpha} filled"
                out["sets"][name] = {
                    "coverage": held,
                    "size": size,
                    "empty": float((~sets.any(axis=1)).mean()),
                }
    return out


def _compare(model: GoodieClassifier, data: Data, judged: Bool[Tensor, " nodes"], seed: int) -> Row:
    """Coverage and size of every score's sets, over all and where it is least."""
    raw = model.method_.proba_.numpy()
    asked = model.calibration_mask_
    y, there = data.y.numpy(), judged.numpy()
    neighbours = degree(data.edge_index[1], len(y)).numpy()
    quarter = np.searchsorted(np.quantile(neighbours, [0.25, 0.5, 0.75]), neighbours)
    out: Row = {}
    for heat in ("raw", "tempered"):
        p = raw if heat == "raw" else tempered(raw, fit_temperature(raw[asked], y[asked]))
        for score in SCORES:
            for drawn in (False, True) if score != "lac" else (False,):
                rng = np.random.default_rng(seed) if drawn else None
                strange = strangeness(p, score, rng=rng)
                limit = threshold(strange[asked, y[asked]], 0.1)
                sets = label_sets(strange, limit)
                held, size = coverage(sets[there], y[there])
                out[f"{heat} {score}{' drawn' if drawn else ''}"] = {
                    "coverage": held,
                    "size": size,
                    "empty": float((~sets[there].any(axis=1)).mean()),
                    "worst_class": _least(sets, y, there, y),
                    "worst_degree": _least(sets, y, there, quarter),
                }
    return out


def _least(
    sets: Bool[np.ndarray, "nodes classes"],
    y: Int[np.ndarray, " nodes"],
    judged: Bool[np.ndarray, " nodes"],
    group: Int[np.ndarray, " nodes"],
) -> float:
    """The coverage of the group that is covered least."""
    groups = [judged & (group == one) for one in np.unique(group[judged])]
    return min(coverage(sets[members], y[members])[0] for members in groups)


def page(rows: list[Row]) -> list[str]:
    """The tables."""
    choices = [row for row in rows if row["part"] == "choices"]
    return [
        "# Calibration",
        "",
        f"`GoodieClassifier` by default, over {SEEDS} splits a line: 20 training nodes a class, "
        "the other development nodes for validation, a quarter of which calibrates, judged on all "
        "others. ± is the standard deviation over splits. Calibration error: expected, in 15 bins "
        "of equal width; T: the temperature. Rows: `calibration.jsonl`.",
        "",
        "## Splits drawn anew",
        "",
        *_promises([row for row in rows if row["part"] == "drawn"]),
        "",
        "## The paper's protocol",
        "",
        "Its splits share one set of test nodes, so that what is peculiar to these does not "
        "average out.",
        "",
        *_promises([row for row in rows if row["part"] == "protocol"]),
        "",
        "## Choices",
        "",
        "On development splits: half of the protocol's validation nodes are judged, of the others "
        f"some select and some are set aside; {len(CHOICE_SEEDS)} seeds that are not the "
        "protocol's, four datasets, two rates.",
        "",
        "What setting nodes aside costs: accuracy on judged nodes in percent, by the number of "
        "validation nodes and the share of them that is set aside.",
        "",
        *_shares(choices),
        "",
        "Which score: sets at 90 %, from half of all validation nodes. *Worst*: coverage of the "
        "class, and of the quarter of nodes by degree, that is covered least.",
        "",
        *_scores(choices),
        "",
        ", ".join(f"{name} {version}" for name, version in provenance.versions().items()) + ".",
    ]


def _promises(rows: list[Row]) -> list[str]:
    out = [
        "| | missing | accuracy | coverage at 80 % | at 90 % | at 95 % | classes at 90 % | empty "
        "| 90 %, none empty | calibration error before | after | T |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for dataset in DATASETS:
        for rate in RATES:
            some = [row for row in rows if (row["dataset"], row["rate"]) == (dataset, rate)]
            if not some:
                continue
            held = [
                np.array([r["sets"][str(a)]["coverage"] for r in some]) for a in (0.2, 0.1, 0.05)
            ]
            error = np.array([row["error"] for row in some]).mean(axis=0)
            out.append(
                f"| {dataset} | {rate:.0%} | {_mean(some, 'accuracy'):.1f} | "
                + " | ".join(
                    f"{100 * one.mean():.1f} ± {100 * one.std(ddof=1):.1f}" for one in held
                )
                + f" | {fmean(r['sets']['0.1']['size'] for r in some):.2f}"
                f" | {fmean(r['sets']['0.1']['empty'] for r in some):.1%}"
                f" | {100 * fmean(r['sets']['0.1 filled']['coverage'] for r in some):.1f}"
                f" | {error[0]:.3f} | {error[1]:.3f}"
                f" | {fmean(r['temperature'] for r in some):.2f} |"
            )
    return out


def _shares(rows: list[Row]) -> list[str]:
    out = [
        "| validation nodes | " + " | ".join(f"{share:.0%} aside" for share in SHARES) + " |",
        "|---|" + "--:|" * len(SHARES),
    ]
    for size in SIZES:
        cells = []
        for share in SHARES:
            some = [row for row in rows if (row["size"], row["share"]) == (size, share)]
            cell = f"{_mean(some, 'accuracy'):.2f}" if some else "–"
            if some and share:
                off = [abs(r["sets"]["0.1"]["coverage"] - 0.9) for r in some]
                error = fmean(r["error"][1] for r in some)
                cell += f" (coverage off by {100 * fmean(off):.1f}, error {error:.3f})"
            elif some:
                cell += f" (error {fmean(r['error'][0] for r in some):.3f})"
            cells.append(cell)
        out.append(f"| {'all' if size is None else size} | " + " | ".join(cells) + " |")
    return out


def _scores(rows: list[Row]) -> list[str]:
    out = [
        "| | coverage | classes | empty | worst class | worst degree |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    some = [row["scores"] for row in rows if "scores" in row]
    for name in some[0] if some else ():
        values = {key: 100 * fmean(one[name][key] for one in some) for key in some[0][name]}
        out.append(
            f"| {name} | {values['coverage']:.1f} | {values['size'] / 100:.2f} | "
            f"{values['empty']:.1f} % | {values['worst_class']:.1f} | "
            f"{values['worst_degree']:.1f} |"
        )
    return out


def _mean(rows: list[Row], name: str) -> Float[np.ndarray, ""] | float:
    return 100 * fmean(row[name] for row in rows)


if __name__ == "__main__":
    main()
