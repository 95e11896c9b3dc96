"""The command line: reading words and printing answers, nothing else."""

import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from goodie.cli import check, fit, impute, links, predict, study
from goodie.cli.common import AsJson, answer, check_device, notes, print_json
from goodie.cli.paper import paper
from goodie.cli.report import report
from goodie.errors import GoodieError

app = typer.Typer(
    name="goodie",
    help="Learning on graphs whose node features are mostly missing.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for own_graph in (check, fit, predict, impute, links):
    own_graph.register(app)
app.add_typer(study.app, name="study")
app.command()(paper)
app.command()(report)


def _print_version(wanted: bool | None) -> None:
    if wanted:
        import goodie

        typer.echo(goodie.__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool | None,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = None,
) -> None:
    pass


@app.command()
def run(
    dataset: Annotated[str, typer.Option(help="As listed by `goodie datasets`.")],
    method: Annotated[str, typer.Option(help="As listed by `goodie methods`.")],
    scenario: Annotated[
        str,
        typer.Option(
            help="What goes missing: `uniform` (single entries), `structural` (whole rows), "
            "`by_degree`, `by_value`."
        ),
    ] = "uniform",
    missing_rate: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the features that is taken away.")
    ] = 0.0,
    seeds: Annotated[
        int, typer.Option(min=1, help="How many; N means seeds 0 to N−1, each its own split.")
    ] = 1,
    task: Annotated[
        str,
        typer.Option(
            help="`node`: classify nodes; `link`: tell edges from other pairs; `development`: "
            "classify, judged by validation nodes."
        ),
    ] = "node",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the method; repeatable."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="TOML file of settings; `--set` goes before it.")
    ] = None,
    device: Annotated[str, typer.Option(help="`cpu` or `cuda`.")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Run a method on a dataset and say how well it does.

    Settings are the method's defaults, then the paper's for this dataset, then those of `--config`,
    then those of `--set`. Accuracies are in percent; of links, the area under the ROC curve and the
    average precision.

    Example: `goodie run --dataset Cora --method lp --seeds 10`
    """
    from tqdm import tqdm

    from goodie import config as settings_of
    from goodie.study import cell, runner, summary

    check_device(device)
    layers = [settings_of.read_toml(config)] if config is not None else []
    layers.append(settings_of.parse_assignments(settings or []))
    resolved = cell.resolve(method, _name(dataset), scenario, *layers, task=task)
    cells = [
        cell.Cell(_name(dataset), method, scenario, missing_rate, seed, resolved, task)
        for seed in range(seeds)
    ]
    rows = [
        runner.fresh_row(one, cell.key(one), device)
        for one in tqdm(cells, desc="seeds", disable=not sys.stderr.isatty())
    ]
    (outcome,) = summary.summarise(rows)
    if as_json:
        print_json(outcome)
        return
    precision = ""
    if task == "link":
        precision = f", average precision {outcome['ap_mean']:.2f} ± {outcome['ap_std']:.2f} %,"
    answer.print(
        f"[bold]{method}[/] on [bold]{outcome['dataset']}[/], {missing_rate:.2%} of the features "
        f"missing ({scenario}): test {outcome['metric']} "
        f"[bold]{outcome['test_mean']:.2f} ± {outcome['test_std']:.2f} %[/]{precision} "
        f"over {seeds} {'seed' if seeds == 1 else 'seeds'} "
        f"(validation {outcome['val_mean']:.2f} %, {sum(outcome['seconds']):.1f} s)"
    )


@app.command()
def datasets(as_json: AsJson = False) -> None:
    """List the graphs that can be loaded by name, with their sizes.

    Sizes are counted on graphs that are cached or in `GOODIE_MIRROR`; for the others the paper's
    Table 1 stands in, in brackets. Nothing is downloaded.
    """
    from goodie.data.summary import summarise

    with notes.status("Counting nodes and edges …"):
        rows = summarise()
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    table = Table("name", "nodes", "edges", "features", "classes", "cached", "source")
    for column in table.columns[1:5]:
        column.justify = "right"
    for row in rows:
        sizes = [
            _count(getattr(row, key), row.paper, key)
            for key in ("nodes", "edges", "features", "classes")
        ]
        if row.edges != row.edges_undirected:
            sizes[1] += f" directed\n{row.edges_undirected:,} undirected"
        table.add_row(row.name, *sizes, "yes" if row.cached else "no", row.source)
    answer.print(table)
    answer.print(
        "[dim]In brackets: the paper's Table 1. Red: counted here, and differs from it.[/]"
    )


@app.command()
def methods(as_json: AsJson = False) -> None:
    """List the methods that `goodie run` runs, what they learn from and where they come from.

    A method that does not use features loses nothing when they go missing. `--json` has the titles
    of the papers, and whether a method needs validation nodes to select by.

    Example: `goodie run --method fp --dataset Cora --missing-rate 0.9`
    """
    from goodie.methods import METHODS

    if as_json:
        facts = ("name", "family", "paper", "uses", "selects", "transductive")
        print_json([{fact: getattr(kind, fact) for fact in facts} for kind in METHODS.values()])
        return
    table = Table("name", "family", "uses", "paper")
    for kind in METHODS.values():
        mark = "*" if kind.transductive else ""
        table.add_row(kind.name + mark, kind.family, ", ".join(kind.uses), _citation(kind.paper))
    answer.print(table)
    answer.print("[dim]* answers for the graph it was fitted on, and for no other[/]")


@app.command()
def demo() -> None:
    """See on scikit-learn's digits what is left when features go missing (under two minutes)."""
    from goodie import demo as tour

    table = Table(
        "missing",
        "LP\naccuracy",
        "GOODIE\naccuracy",
        "of it from\nstructure",
        "and from\nfeatures",
        *(f"error of\n{name}" for name in tour.IMPUTERS),
    )
    for column in table.columns:
        column.justify = "right"
    with notes.status("Hiding pixels, training and filling in …"):
        for row in tour.run():
            table.add_row(
                f"{row.rate:.0%}",
                f"{row.lp:.1f} %",
                f"{row.goodie:.1f} %",
                f"{row.structure:.0%}",
                f"{1 - row.structure:.0%}",
                *(f"{row.errors[name]:.3f}" if row.errors else "–" for name in tour.IMPUTERS),
            )
    answer.print(
        "Handwritten digits: the graph joins images whose [bold]left[/] halves look alike, the "
        "features are the pixels of the [bold]right[/] halves, and 20 images a digit are labelled."
    )
    answer.print(table)
    answer.print(
        "Label propagation (LP) does not look at the features, so it does not mind that they are "
        "gone. GOODIE weighs structure against features node by node; shares are means. The last "
        "columns are the error of filling the hidden pixels in (0: perfect; 1: no better than one "
        "number for all)."
    )


def main() -> None:
    """Run the command line; input that makes no sense ends in one line, not in a traceback."""
    with warnings.catch_warnings():
        warnings.showwarning = _note
        try:
            app()
        except GoodieError as error:
            message = f"[bold red]error:[/] {escape(str(error))}"
            notes.print(message, highlight=False, soft_wrap=True)
            sys.exit(2)


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a sentence, without the line of code it comes from."""
    notes.print(f"[yellow]note:[/] {escape(str(message))}", highlight=False, soft_wrap=True)


def _name(dataset: str) -> str:
    from goodie.data.datasets import find

    return find(dataset).name


def _citation(paper: str) -> str:
    """Authors and year of `authors, title, year`, or of several such."""
    parts = [one.split(", ") for one in paper.split("; ")]
    return "; ".join(f"{part[0]} {part[-1]}" for part in parts)


def _count(value: int | None, paper: dict[str, int] | None, key: str) -> str:
    published = None if paper is None else paper[key]
    if value is None:
        return "?" if published is None else f"({published:,})"
    return f"[red]{value:,}[/]" if published not in (None, value) else f"{value:,}"
