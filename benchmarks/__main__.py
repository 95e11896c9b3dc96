"""`make bench`: run the benchmarks and write what they found to benchmarks/results/."""

import argparse
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks import (
    methods,
    propagation,
    recommend,
    scaling,
    studies,
    table3,
    tables,
    training,
)
from benchmarks.measure import machine

RESULTS = Path(__file__).parent / "results"
SUITES = (
    "propagation",
    "scaling",
    "large",
    "training",
    "methods",
    "studies",
    "tables",
    "recommend",
)

# Hours rather than minutes: run if named.
LONG = ("table3",)
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def main() -> None:
    """Run the suites named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "suites",
        nargs="*",
        help=f"of {', '.join((*SUITES, *LONG))}; all but {', '.join(LONG)} if none is named",
    )
    parser.add_argument(
        "--memory-budget",
        type=_bytes,
        default=_bytes("512M"),
        help="working memory of `large`, such as 256M or 1G (default: 512M)",
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="DATASET",
        help="of `propagation` and `methods`, measure this dataset alone; the other rows stay as "
        "they were; of `table3`, run on it alone and write nothing",
    )
    arguments = parser.parse_args()
    unknown = set(arguments.suites) - {*SUITES, *LONG}
    if unknown:
        parser.error(f"unknown suite {', '.join(unknown)}; there are {', '.join((*SUITES, *LONG))}")

    about = machine()
    for suite in arguments.suites or SUITES:
        print(f"{suite} …", flush=True)
        if suite == "propagation":
            rows = _merged(suite, propagation.run(arguments.only))
            _write(suite, about, rows, propagation.table(rows))
        elif suite == "scaling":
            rows = scaling.run()
            _write(suite, about, rows, scaling.table(rows))
        elif suite == "training":
            rows = training.run()
            _write(suite, about, rows, training.table(rows))
        elif suite == "methods":
            rows = _merged(suite, methods.run(arguments.only))
            _write(suite, about, rows, methods.table(rows))
        elif suite == "table3" and arguments.only:
            print("\n".join(table3.table(table3.run(arguments.only, seeds=1))))
        elif suite == "table3":
            rows = table3.run()
            _write(suite, about, rows, table3.table(rows))
        elif suite == "recommend":
            rows = recommend.run()
            _write(suite, about, rows, recommend.table(rows))
        elif suite == "studies":
            rows = studies.run()
            _write(suite, about, rows, studies.table(rows))
        elif suite == "tables":
            rows = tables.run()
            _write(suite, about, rows, tables.table(rows))
        else:
            bandwidth = about["copy_gb_per_second"] * 1e9
            row = scaling.run_large(arguments.memory_budget, bandwidth)
            _write(suite, about, [row], scaling.large_table(row))


def _write(suite: str, about: dict[str, Any], rows: list[Any], table: list[str]) -> None:
    RESULTS.mkdir(exist_ok=True)
    record = {"date": date.today().isoformat(), "machine": about, "rows": rows}
    (RESULTS / f"{suite}.json").write_text(json.dumps(record, indent=1) + "\n")
    facts = (
        f"{about['processor']}, {about['threads']} threads, copy bandwidth "
        f"{about['copy_gb_per_second']} GB/s (read and written); torch {about['torch']}, "
        f"PyG {about['torch-geometric']}; {record['date']}."
    )
    page = [f"# {suite.capitalize()}", "", *table, "", facts, ""]
    (RESULTS / f"{suite}.md").write_text("\n".join(page))
    print("\n".join(page), flush=True)


def _merged(suite: str, rows: list[Any]) -> list[Any]:
    """The rows that were there before, with those measured now in their places."""
    path = RESULTS / f"{suite}.json"
    before = json.loads(path.read_text())["rows"] if path.exists() else []
    cases = {row["case"]: row for row in [*before, *rows]}
    return list(cases.values())


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 256M or 1G")
    return int(float(match[1]) * UNITS[match[2].upper()])


if __name__ == "__main__":
    main()
