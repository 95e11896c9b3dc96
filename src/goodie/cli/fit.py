"""`goodie fit`: a model of a user's own graph."""

from pathlib import Path
from typing import Annotated

import typer

from goodie.cli import tables
from goodie.cli.check import print_accuracy
from goodie.cli.common import AsJson, Device, answer, check_apart, check_device, print_json
from goodie.cli.tables import percent


def fit(
    nodes: tables.Nodes,
    edges: tables.Edges,
    label: Annotated[
        str, typer.Option(metavar="COLUMN", help="Of the nodes' labels; empty: to be predicted.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of the model; replaced if it holds one.")],
    method: Annotated[str, typer.Option(help="As listed by `goodie methods`.")] = "goodie",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the method; repeatable."),
    ] = None,
    refit: Annotated[
        bool,
        typer.Option(
            help="Fit again with the judges' labels once they have judged; twice the time."
        ),
    ] = True,
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
    """Learn to predict the labels of a graph of your own, and say how well that goes.

    A fifth of the labelled nodes judge: they are told by a model that has not seen their labels,
    and so they are by label propagation (lp), feature propagation (fp) and the most frequent class
    (majority). Then the model is fitted again with the judges' labels among those it learns from;
    `--no-refit` keeps the one that was judged. Columns are encoded by what training nodes show.

    Example: `goodie fit nodes.csv edges.csv --label topic --out model/`
    """
    from goodie import config
    from goodie.data.tables import read_graph
    from goodie.methods.storage import check_folder
    from goodie.own_graph import fit as learn

    check_device(device)
    check_folder(out)
    check_apart(out, nodes, edges)
    chosen = tables.options(
        id_, label, source, target, weight, directed, types, holes, unknown, separator
    )
    tables.say("reading")
    graph = read_graph(nodes, edges, chosen)
    model = learn(
        graph,
        method=method,
        settings=config.parse_assignments(settings or []),
        refit=refit,
        max_categories=max_categories,
        random_state=seed,
        device=device,
        say=tables.say,
    )
    tables.say(f"writing {out}")
    model.save(out)
    facts = model.facts
    if as_json:
        print_json(facts | {"out": str(out)})
        return
    tables.tell(facts["notes"])
    sizes, parts, own = facts["sizes"], facts["parts"], facts["accuracy"][method]
    answer.print(
        f"[bold]{method}[/] on {sizes['nodes']:,} nodes, {sizes['edges']:,} edges and "
        f"{sizes['columns']} columns; {sizes['labelled']:,} labelled nodes of {sizes['classes']} "
        f"classes ({parts['train']:,} train, {parts['select']:,} select, {parts['judge']:,} "
        f"judge): validation accuracy [bold]{percent(own['accuracy'])}[/], between "
        f"{percent(own['low'])} and {percent(own['high'])}"
    )
    print_accuracy(facts["accuracy"], facts["optimistic"])
    again = " It has since learned from the judges too." if facts["refitted"] else ""
    answer.print(f"The model is in [bold]{out}[/] ({facts['seconds']:.1f} s).{again}")


def register(app: typer.Typer) -> None:
    """Make it a command."""
    app.command()(fit)
