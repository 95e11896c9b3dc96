"""`goodie predict`: what a model says of a user's own graph."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from goodie.cli import tables
from goodie.cli.common import AsJson, Device, answer, check_device, print_json
from goodie.cli.tables import number, percent


def predict(
    model: Annotated[Path, typer.Argument(help="Folder that `goodie fit` wrote.")],
    nodes: tables.Nodes,
    edges: tables.Edges,
    out: Annotated[Path, typer.Option(help="Where to: .parquet, .csv, .tsv or .jsonl.")],
    id_: tables.Id = None,
    source: tables.Source = None,
    target: tables.Target = None,
    weight: tables.Weight = None,
    unknown: Annotated[
        str | None,
        typer.Option(help="Edges to nodes not in the table: error or drop (default: as fitted)."),
    ] = None,
    separator: tables.Separator = None,
    device: Device = "cpu",
    as_json: AsJson = False,
) -> None:
    """Predict the label of every node, with what the answer rests on.

    Writes a row a node: `id`, `label`, `p_CLASS` (the probability of each class),
    `structure_share` and `feature_share` (of the methods, GOODIE alone tells), `label_within_reach`
    (false: no labelled node is connected to it) and `known` (its label in the table). Columns are
    read and encoded as they were in fitting. On the tables fitted on, the labels fitted with are an
    input; on others, all labels in the table are.

    Example: `goodie predict model/ nodes.csv edges.csv --out predictions.parquet`
    """
    from goodie.data.tables import write_table
    from goodie.data.tables.writing import check_output
    from goodie.own_graph import TableModel
    from goodie.own_graph import predict as ask
    from goodie.own_graph.predicting import summarise

    check_device(device)
    inputs = [nodes, edges, *model.glob("*")]
    check_output(out, inputs=inputs)
    tables.say("reading")
    loaded = TableModel.load(model, device=device)
    fitted = loaded.options
    options = replace(
        fitted,
        id=id_ or fitted.id,
        source=source or fitted.source,
        target=target or fitted.target,
        weight=weight or fitted.weight,
        unknown=unknown or fitted.unknown,
        separator=separator,
    )
    graph = loaded.read(nodes, edges, options)
    tables.say("predicting")
    frame = ask(loaded, graph)
    write_table(frame, out, inputs=inputs)

    summary = summarise(frame)
    if as_json:
        print_json({"out": str(out), **summary, "notes": list(graph.notes)})
        return
    tables.tell(graph.notes)
    table = Table("label", "nodes", "share")
    for column in table.columns[1:]:
        column.justify = "right"
    for label, count in summary["labels"].items():
        table.add_row(label, f"{count:,}", percent(count / frame.height))
    answer.print(table)
    share = summary["mean_structure_share"]
    from_where = "" if share is None else f", {percent(share, 0)} of the answers from structure"
    answer.print(
        f"{frame.height:,} nodes in [bold]{out}[/]: mean probability of the label "
        f"{number(summary['mean_probability'])}{from_where}; {summary['no_label_within_reach']:,} "
        "without a labelled node within reach"
    )


def register(app: typer.Typer) -> None:
    """Make it a command."""
    app.command()(predict)
