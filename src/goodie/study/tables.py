"""Tables of the docs, made from rows: ours beside the paper's.

`python -m goodie.study.tables PAGE…` (`make tables`) makes them anew in Markdown pages, between
`<!-- NAME: begin -->` and `<!-- NAME: end -->`.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from goodie import config, paper
from goodie.errors import InputError
from goodie.methods import METHODS
from goodie.methods.goodie import Settings
from goodie.study import rows as files
from goodie.study.cell import resolve
from goodie.study.rows import ordered
from goodie.study.store import Row
from goodie.study.summary import summarise

# The rates of the paper's Table 2, in its order.
TABLE_2_RATES = (0.0, 0.5, 0.9999, 1.0)

# Where Table 3 is compared; on the first five every method can be run.
TABLE_3_GRAPHS = ("Cora", "CiteSeer", "PubMed", "CS", "Physics", "Arxiv")

# In this version of GOODIE alone `faithful` had no biases.
UNBIASED = 2


def table2(rows: Sequence[Row]) -> str:
    """GOODIE's presets beside Table 2: mean ± deviation over seeds, and the difference of means."""
    cells = {
        (cell["dataset"], cell["missing_rate"], cell["config"]["preset"]): cell
        for cell in summarise(rows)
        if cell["method"] == "goodie" and cell["scenario"] == "uniform"
    }
    presets = ("faithful", "balanced")
    lines = [
        "| dataset | missing | paper | `faithful` | | `balanced` | |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    gained: dict[str, list[float]] = {preset: [] for preset in presets}
    for dataset, published in paper.numbers()["goodie_by_missing_rate"].items():
        for rate, number in zip(TABLE_2_RATES, published, strict=True):
            ours = [cells.get((dataset, rate, preset)) for preset in presets]
            if not any(ours):
                continue
            for preset, cell in zip(presets, ours, strict=True):
                if cell is not None:
                    gained[preset].append(cell["test_mean"] - number)
            told = " | ".join(_beside(cell, number) for cell in ours)
            lines.append(f"| {dataset} | {rate:.2%} | {number:.2f} | {told} |")
    mean = " | ".join(
        f"| {fmean(gains):+.2f} over {len(gains)}" if gains else "|" for gains in gained.values()
    )
    lines.append(f"| mean difference | | | {mean} |")
    return "\n".join(lines)


def _beside(cell: dict[str, Any] | None, published: float) -> str:
    if cell is None:
        return "– | –"
    return f"{_figure(cell)} | {cell['test_mean'] - published:+.2f}"


def _figure(cell: dict[str, Any]) -> str:
    return f"{cell['test_mean']:.2f} ± {cell['test_std']:.2f}"


def table3(rows: Sequence[Row]) -> str:
    """Every method at 99.99 % missing, and below it the printed figure where there is one.

    A printed figure more than two printed deviations from ours is bold.
    """
    ours: dict[tuple[str, str], dict[str, Any]] = {}
    for cell in summarise(rows):
        # Methods that look at no feature are the same at every rate.
        if cell["scenario"] == "uniform" and (
            cell["missing_rate"] == 0.9999 or cell["dataset"] == "Arxiv"
        ):
            ours[_name(cell), cell["dataset"]] = cell
    printed = paper.numbers()["accuracy_at_9999"]
    lines = ["| | " + " | ".join(TABLE_3_GRAPHS) + " |", "|---" + "|--:" * 6 + "|"]
    order = list(METHODS)
    for name in sorted({name for name, _ in ours}, key=lambda name: order.index(name.split()[0])):
        cells = [ours.get((name, graph)) for graph in TABLE_3_GRAPHS]
        told = " | ".join("–" if cell is None else _figure(cell) + _few(cell) for cell in cells)
        lines.append(f"| `{name}` | {told} |")
        of_paper = printed.get(name.split()[0])
        if of_paper is not None:
            figures = zip(cells, (of_paper[graph] for graph in TABLE_3_GRAPHS), strict=True)
            told = " | ".join(_printed(cell, *figure) for cell, figure in figures)
            lines.append(f"| printed | {told} |")
    return "\n".join(lines)


def variants(rows: Sequence[Row]) -> str:
    """Methods with other settings than Table 3's, beside the printed figures."""
    printed = paper.numbers()["accuracy_at_9999"]
    lines = ["| method | dataset | changed | ours | printed |", "|---|---|---|--:|--:|"]
    for cell in summarise(rows):
        usual = resolve(cell["method"], cell["dataset"], cell["scenario"])
        changed = _changed(cell["config"], usual)
        mean, deviation = printed[cell["method"]][cell["dataset"]]
        lines.append(
            f"| `{cell['method']}` | {cell['dataset']} | {changed} | {_figure(cell)}{_few(cell)} | "
            f"{mean:.2f} ± {deviation:.2f} |"
        )
    return "\n".join(lines)


def _changed(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """The settings that are not the usual ones."""
    changed = ((name, value) for name, value in settings.items() if value != usual[name])
    return ", ".join(f"`{name} = {value}`" for name, value in changed)


def _name(cell: dict[str, Any]) -> str:
    """A method, with its preset if it has any."""
    preset = cell["config"].get("preset")
    return cell["method"] if preset is None else f"{cell['method']} {preset}"


def _few(cell: dict[str, Any]) -> str:
    """How many seeds it is of, where that is not ten."""
    count = len(cell["seeds"])
    return "" if count == 10 else f" ({count})"


def _printed(cell: dict[str, Any] | None, mean: float, deviation: float) -> str:
    figure = f"{mean:.2f} ± {deviation:.2f}"
    # Printed figures are rounded, so that a deviation of 0.00 may be one of half a digit.
    far = cell is not None and abs(cell["test_mean"] - mean) > max(2 * deviation, 0.005)
    return f"**{figure}**" if far else figure


def fragile(rows: Sequence[Row]) -> str:
    """The paper's model with and without contrast, with and without biases, and to the letter."""
    names = {
        "`faithful`": (False, "faithful", True),
        "no contrast": (False, "faithful", False),
        "no biases": (True, "faithful", True),
        "neither": (True, "faithful", False),
        "`letter`, no contrast": (True, "letter", False),
    }
    cells = {}
    for unbiased in (False, True):
        some = [row for row in rows if _is_unbiased(row) == unbiased]
        for cell in summarise(some):
            contrasted = cell["config"]["contrast"] != "none"
            kind = unbiased, cell["config"]["preset"], contrasted
            cells[cell["dataset"], cell["missing_rate"], kind] = cell
    lines = [
        "| dataset | missing | paper | " + " | | ".join(names) + " | |",
        "|---|--:|--:" + "|--:|--:" * len(names) + "|",
    ]
    for dataset, published in paper.numbers()["goodie_by_missing_rate"].items():
        for rate, number in zip(TABLE_2_RATES, published, strict=True):
            kinds = [cells.get((dataset, rate, kind)) for kind in names.values()]
            if any(kinds):
                told = " | ".join(_beside(cell, number) for cell in kinds)
                lines.append(f"| {dataset} | {rate:.2%} | {number:.2f} | {told} |")
    return "\n".join(lines)


def _is_unbiased(row: Row) -> bool:
    preset: str = row["settings"]["preset"]
    return preset == "letter" or (preset == "faithful" and int(row["method_version"]) == UNBIASED)


def exact(rows: Sequence[Row]) -> str:
    """The default with a contrast: over all pairs, between prototypes, and none."""
    details: dict[str, list[Row]] = {}
    for row in rows:
        details.setdefault(json.dumps(row["settings"], sort_keys=True), []).append(row)
    lines = [
        "| dataset | missing | λ | contrast | accuracy | epochs | ms an epoch | GPU memory |",
        "|---|--:|--:|---|--:|--:|--:|--:|",
    ]
    for cell in summarise(rows):
        settings = cell["config"]
        same = [
            row["details"]
            for row in details[json.dumps(settings, sort_keys=True)]
            if (row["dataset"], row["rate"]) == (cell["dataset"], cell["missing_rate"])
        ]
        epochs = [found["epochs"] for found in same]
        weight = "" if settings["contrast"] == "none" else f"{settings['contrast_weight']:g}"
        lines.append(
            f"| {cell['dataset']} | {cell['missing_rate']:.2%} | {weight} | "
            f"`{settings['contrast']}` | {_figure(cell)}{_few(cell)} | {fmean(epochs):.0f} | "
            f"{1e3 * sum(cell['seconds']) / sum(epochs):.1f} | "
            f"{max(found['peak_gpu_memory'] for found in same) / 2**30:.1f} GiB |"
        )
    return "\n".join(lines)


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
    return _changed(cell["config"], usual) or "the default"


def _paired(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The mean difference over seeds, and its standard error."""
    gains = [a - b for a, b in zip(ours, theirs, strict=True)]
    error = pstdev(gains) / max(1, len(gains) - 1) ** 0.5
    return f"{fmean(gains):+.2f} ± {error:.2f}"


# For each table its rows' files under experiments/, and what makes it of them.
TABLES: dict[str, tuple[tuple[str, ...], Callable[[Sequence[Row]], str]]] = {
    "table 2": (("table2.jsonl", "balanced.jsonl"), table2),
    "table 3": (("table3.jsonl", "balanced.jsonl"), table3),
    "variants": (("table3-variants.jsonl",), variants),
    "parts": (("balanced.jsonl",), parts),
    "development": (("development.jsonl",), development),
    "exact": (("exact.jsonl",), exact),
    "fragile": (("table2.jsonl", "without-biases.jsonl", "fragile.jsonl"), fragile),
}


def rendered(page: str, experiments: Path) -> str:
    """A page with its tables made anew."""
    for name, (sources, make) in TABLES.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        if begin in page:
            before, _, rest = page.partition(begin)
            after = rest.partition(end)[2]
            table = make([row for file in sources for row in files.read(experiments / file)])
            page = f"{before}{begin}\n{table}\n{end}{after}"
    return page


def main(pages: list[str]) -> None:
    """Make the tables of these pages anew; rows are read from `experiments/` beside."""
    for page in map(Path, pages):
        if not page.is_file():
            raise InputError(f"there is no page {page}")
        page.write_text(rendered(page.read_text(), Path("experiments")))


if __name__ == "__main__":
    main(sys.argv[1:])
