"""`goodie impute`: the holes of a user's own table, filled."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from goodie.cli import tables
from goodie.cli.check import SHOWN
from goodie.cli.common import AsJson, Device, answer, check_device, print_json
from goodie.cli.tables import number, percent


def impute(
    nodes: tables.Nodes,
    edges: tables.Edges,
    out: Annotated[Path, typer.Option(help="Where to: .parquet, .csv, .tsv or .jsonl.")],
    label: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Of labels, if any: no feature, and left as it is."),
    ] = None,
    id_: tables.Id = None,
    source: tables.Source = None,
    target: tables.Target = None,
    weight: tables.Weight = None,
    directed: tables.Directed = False,
    types: tables.Types = None,
    holes: tables.Holes = None,
    unknown: tables.Unknown = "error",
    separator: tables.Separator = None,
    max_categories: tables.MaxCategories = 100,
    seed: tables.Seed = 0,
    device: Device = "cpu",
    as_json: AsJson = False,
) -> None:
    """Fill every hole of the features from the neighbours, and say how well that goes.

    Writes the table of nodes without holes, in the columns' own units and categories, observed
    values as they were; then, for each column that had holes, `COLUMN_confidence`: the share of a
    plain guess's error that was gone where observed entries of the column, as far from the next
    observed one, had been hidden. 1 is exact; 0 is no better than the column's mean (or most
    frequent category), which is what stands there.

    Example: `goodie impute nodes.csv edges.csv --label topic --out filled.parquet`
    """
    from goodie.data.tables import read_graph, write_table
    from goodie.data.tables.writing import check_output
    from goodie.own_graph import impute as fill

    check_device(device)
    check_output(out, inputs=[nodes, edges])
    chosen = tables.options(
        id_, label, source, target, weight, directed, types, holes, unknown, separator
    )
    tables.say("reading")
    graph = read_graph(nodes, edges, chosen)
    done = fill(
        graph,
        text=out.suffix.lower() in (".csv", ".tsv"),
        max_categories=max_categories,
        random_state=seed,
        device=device,
        say=tables.say,
    )
    tables.say(f"writing {out}")
    write_table(done.frame, out, inputs=[nodes, edges])
    filled = sum(column["holes"] for column in done.columns)
    if as_json:
        print_json(
            {
                "out": str(out),
                "filled": filled,
                "gain": done.gain,
                "columns": done.columns,
                "notes": list(done.notes),
            }
        )
        return
    tables.tell(done.notes)
    table = Table("column", "holes", "filled by", "error", "of plain\nguess", "gain", "confidence")
    for column in (1, *range(3, 7)):
        table.columns[column].justify = "right"
    for one in done.columns[:SHOWN]:
        table.add_row(
            escape(one["name"]),
            f"{one['holes']:,}",
            one["filled_by"],
            number(one.get("error"), 3),
            number(one.get("plain_error"), 3),
            percent(one.get("gain"), 0),
            number(one["confidence"]),
        )
    answer.print(table)
    if len(done.columns) > SHOWN:
        answer.print(f"[dim]… and {len(done.columns) - SHOWN} more columns (--json has all)[/]")
    by_guess = sum(one["filled_by"] != "neighbours" for one in done.columns)
    answer.print(
        f"{filled:,} holes filled, in [bold]{out}[/]. On observed entries that were hidden, "
        f"[bold]{percent(done.gain)}[/] of the squared error of the columns' means is gone; "
        f"{by_guess} of {len(done.columns)} columns were no better, and got their means."
    )


def register(app: typer.Typer) -> None:
    """Make it a command."""
    app.command()(impute)
