"""`goodie report`: from a model's folder to one page."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from goodie.cli.common import AsJson, answer, check_apart, notes, print_json

# What was judged on, as a sentence has it.
JUDGED = {
    "test": "test nodes",
    "judges": "judges",
    "calibration": "nodes set aside to calibrate",
    "selection": "nodes that also selected the model, which flatters it",
}


def report(
    model: Annotated[Path, typer.Argument(help="Folder of a fitted model, as `fit` writes it.")],
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("report.html"),
    as_json: AsJson = False,
) -> None:
    """Write one HTML page: how good the answers are, how far to trust them, whence they come.

    The page needs no network and no other file, so that it can be sent and kept. It shows the data
    and its holes, accuracy with intervals, the reliability of the probabilities, label sets, what
    came from structure and what from features, a map of the nodes, and those that the model is
    unsure of.

    Example: `goodie report model/ --out report.html`
    """
    from goodie.report import load, write

    check_apart(model, out)
    with notes.status("Reading the model …"):
        account = load(model)
    with notes.status("Writing the page …"):
        write(account, out)
    verdict = account.verdict
    summary: dict[str, Any] = {
        "report": str(out),
        "bytes": out.stat().st_size,
        "nodes": account.graph.nodes,
        "missing": account.holes.missing,
        "abstaining": account.abstaining,
        "judged_on": None,
    }
    if verdict is not None:
        summary |= {
            "judged_on": verdict.on,
            "judged": verdict.accuracy.nodes,
            "accuracy": verdict.accuracy.share,
            "accuracy_interval": [verdict.accuracy.low, verdict.accuracy.high],
            "calibration_error": {"before": verdict.before.error, "after": verdict.after.error},
            "temperature": verdict.temperature,
            "coverage": {f"{1 - one.alpha:g}": one.coverage.share for one in verdict.sets},
        }
    if as_json:
        print_json(summary)
        return
    answer.print(
        f"[bold]{escape(str(out))}[/], {summary['bytes'] / 1e6:.1f} MB, open it in a browser.",
        highlight=False,
        soft_wrap=True,
    )
    if verdict is None:
        answer.print("No node has a label that was kept back, so nothing is judged.")
        return
    right = verdict.accuracy
    answer.print(
        f"Right on [bold]{right.share:.1%}[/] ({right.low:.1%} to {right.high:.1%}) of "
        f"{right.nodes:,} {JUDGED[verdict.on]}; calibration error {verdict.before.error:.1%}, "
        f"{verdict.after.error:.1%} at the temperature.",
        highlight=False,
    )
