"""`goodie links`: the likeliest links that a user's own graph lacks."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from goodie.cli import tables
from goodie.cli.common import AsJson, Device, answer, check_apart, check_device, print_json
from goodie.cli.tables import number, percent
from goodie.errors import InputError

if TYPE_CHECKING:
    from goodie.data.tables.graph import TableGraph
    from goodie.own_graph.link_model import LinkModel

# Links that are printed; the file has them all.
SHOWN = 10

METHOD = "goodie"


def links(
    given: Annotated[
        list[Path],
        typer.Argument(
            metavar="[MODEL] NODES EDGES",
            help="Tables of the nodes and of the edges, CSV or Parquet; before them, maybe a "
            "folder that `--save` wrote, which is then not fitted again.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where to: .parquet, .csv, .tsv or .jsonl.")],
    top: Annotated[
        int, typer.Option(min=1, metavar="K", help="How many links; with --node, of each.")
    ] = 100,
    node: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Links of this node alone; repeatable."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Of the nodes' labels, if any: they help to tell."),
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="goodie, gcn, gcn-nm, fp or pcfi (default: goodie).")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the method; repeatable."),
    ] = None,
    refit: Annotated[
        bool | None,
        typer.Option(
            "--refit/--no-refit",
            help="Fit again with all edges once some have judged, which is the default; twice the "
            "time.",
        ),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="Folder to keep the model in.")
    ] = None,
    id_: tables.Id = None,
    source: tables.Source = None,
    target: tables.Target = None,
    weight: tables.Weight = None,
    types: tables.Types = None,
    holes: tables.Holes = None,
    unknown: Annotated[
        str | None,
        typer.Option(help="Edges to nodes not in the table: error or drop (default: error)."),
    ] = None,
    separator: tables.Separator = None,
    max_categories: tables.MaxCategories = 100,
    seed: tables.Seed = 0,
    device: Device = "cpu",
    as_json: AsJson = False,
) -> None:
    """Find the likeliest links that a graph of your own does not have.

    Fits a link predictor on the tables, or takes one that was kept, and writes the K likeliest
    pairs that no edge joins: both ids, in columns called like those of the edges, `probability`,
    and of GOODIE the share of each end's answer that comes from structure. The probability is that
    of a pair from a bag with as many joined pairs as random others; among all pairs of a graph,
    where few are joined, it is a score to rank by. Directions of edges are not told.

    A tenth of the edges, or a quarter where they are few, judge a model that has not seen them,
    beside the number of common neighbours and the product of degrees; then it is fitted again with
    all edges.

    Example: `goodie links nodes.csv edges.csv --top 50 --out links.csv`
    """
    from goodie.data.tables import write_table
    from goodie.data.tables.writing import check_output
    from goodie.methods.storage import check_folder
    from goodie.own_graph import likeliest_links

    folder, nodes, edges = _sorted(given)
    check_device(device)
    inputs = [nodes, edges]
    check_output(out, inputs=inputs)
    if folder is not None:
        check_apart(folder, out)
    if save is not None:
        check_folder(save)
        check_apart(save, out, nodes, edges)
    if folder is None:
        options = (id_, label, source, target, weight, types, holes, unknown, separator)
        graph = _read(nodes, edges, options, node)
        model = _fit(graph, method, settings, refit, max_categories, seed, device)
    else:
        _refuse(
            label=label, method=method, set=settings, refit=refit, save=save, type=types, hole=holes
        )
        names = {"id": id_, "source": source, "target": target, "weight": weight}
        model, graph = _load(folder, nodes, edges, names, unknown, separator, device)
    frame = likeliest_links(model, graph, top, nodes=node or None, say=tables.say)
    tables.say(f"writing {out}")
    if save is not None:
        model.save(save)
    write_table(frame, out, inputs=inputs)
    facts = model.facts
    noted = facts["notes"] if folder is None else list(graph.notes)
    if as_json:
        print_json(
            facts
            | {
                "out": str(out),
                "links": frame.height,
                "saved": None if save is None else str(save),
                "notes": noted,
            }
        )
        return
    tables.tell(noted)
    _print_judged(facts, now=folder is None)
    _print_links(frame.rows(), frame.columns)
    kept = "" if save is None else f" The model is in [bold]{escape(str(save))}[/]."
    answer.print(f"{frame.height:,} links in [bold]{escape(str(out))}[/].{kept}")


def _sorted(given: list[Path]) -> tuple[Path | None, Path, Path]:
    """The model, if there is one, and the tables."""
    if len(given) == 2:
        return None, given[0], given[1]
    if len(given) == 3:
        return given[0], given[1], given[2]
    raise InputError(
        f"{len(given)} paths were given; it takes two tables, NODES EDGES, or a model before them"
    )


def _refuse(**options: object) -> None:
    """Say what a model that is fitted already does not take."""
    for name, value in options.items():
        if value not in (None, []):
            raise InputError(f"--{name} is for fitting, and a model that is fitted was given")


def _read(
    nodes: Path, edges: Path, options: tuple[Any, ...], asked: list[str] | None
) -> "TableGraph":
    """The tables, and that those asked about are in them."""
    from goodie.data.tables import read_graph
    from goodie.own_graph.linking import rows_of

    id_, label, source, target, weight, types, holes, unknown, separator = options
    chosen = tables.options(
        id_, label, source, target, weight, False, types, holes, unknown or "error", separator
    )
    tables.say("reading")
    graph = read_graph(nodes, edges, chosen)
    rows_of(graph, asked or [])
    return graph


def _fit(
    graph: "TableGraph",
    method: str | None,
    settings: list[str] | None,
    refit: bool | None,
    max_categories: int,
    seed: int,
    device: str,
) -> "LinkModel":
    from goodie import config
    from goodie.own_graph import fit_links

    return fit_links(
        graph,
        method=method or METHOD,
        settings=config.parse_assignments(settings or []),
        refit=refit is not False,
        max_categories=max_categories,
        random_state=seed,
        device=device,
        say=tables.say,
    )


def _load(
    folder: Path,
    nodes: Path,
    edges: Path,
    names: dict[str, str | None],
    unknown: str | None,
    separator: str | None,
    device: str,
) -> "tuple[LinkModel, TableGraph]":
    from goodie.own_graph import LinkModel

    tables.say("reading")
    model = LinkModel.load(folder, device=device)
    changed: dict[str, Any] = {name: value for name, value in names.items() if value}
    if unknown:
        changed["unknown"] = unknown
    options = replace(model.options, separator=separator, **changed)
    return model, model.read(nodes, edges, options)


def _print_judged(facts: dict[str, Any], *, now: bool) -> None:
    """How good the model is: at length where it has just been judged."""
    sizes, parts = facts["sizes"], facts["parts"]
    own = facts["judged"][facts["method"]]
    then = "" if now else f": area under the ROC curve {percent(own['auc'])} when it was judged"
    labels = f", {sizes['labelled']:,} labels" if sizes["labelled"] else ""
    answer.print(
        f"[bold]{facts['method']}[/], fitted on {sizes['nodes']:,} nodes, {sizes['edges']:,} edges "
        f"and {sizes['columns']} columns{labels}{then}"
    )
    if not now:
        return
    table = Table("ranked by", "area under\nthe ROC curve", "average\nprecision")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, one in facts["judged"].items():
        table.add_row(name, percent(one["auc"]), percent(one["average_precision"]))
    answer.print(table)
    again = " Then it was fitted again with all edges." if facts["refitted"] else ""
    answer.print(
        f"[dim]Judged by {parts['judge']:,} of {parts['joined']:,} edges, which neither trained "
        f"nor selected, and as many random pairs that no edge joins.{again}[/]"
    )


def _print_links(rows: list[tuple[Any, ...]], names: list[str]) -> None:
    table = Table(*(escape(name.replace("_structure_share", "\nfrom structure")) for name in names))
    for place, column in enumerate(table.columns):
        column.justify = "right" if place > 1 else "left"
    for one, other, probability, *shares in rows[:SHOWN]:
        table.add_row(
            escape(str(one)),
            escape(str(other)),
            number(probability, 3),
            *(percent(share, 0) for share in shares),
        )
    answer.print(table)
    if len(rows) > SHOWN:
        answer.print(f"[dim]… and {len(rows) - SHOWN:,} more[/]")


def register(app: typer.Typer) -> None:
    """Make it a command."""
    app.command()(links)
