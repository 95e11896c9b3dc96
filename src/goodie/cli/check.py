"""`goodie check`: what two tables hold."""

from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from goodie.cli import tables
from goodie.cli.common import AsJson, answer, print_json
from goodie.cli.tables import number, percent

# Columns of a wide table that are listed; `--json` has them all.
SHOWN = 25


def check(
    nodes: tables.Nodes,
    edges: tables.Edges,
    label: tables.Label = None,
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
    as_json: AsJson = False,
) -> None:
    """Look at a graph of your own: what is there, what is missing, and what tells the labels.

    Reads both tables, says what each column was taken for, and with `--label` holds a fifth of the
    labels out to see whether the structure of the graph or the features tell them better. Nothing
    is written.

    Example: `goodie check nodes.csv edges.csv --label topic`
    """
    from goodie.data.tables import read_graph
    from goodie.own_graph import check as look

    chosen = tables.options(
        id_, label, source, target, weight, directed, types, holes, unknown, separator
    )
    tables.say("reading")
    graph = read_graph(nodes, edges, chosen)
    found = look(graph, max_categories=max_categories, random_state=seed, say=tables.say)
    if as_json:
        print_json(found)
        return
    tables.tell(found["notes"])
    _print_sizes(found)
    _print_columns(found["columns"])
    _print_holes(found["holes"])
    if found["labels"] is not None:
        _print_labels(found)
    if found["usefulness"] is not None:
        print_accuracy(
            found["usefulness"]["accuracy"],
            found["usefulness"]["optimistic"],
            {"lp": "labels of neighbours", "mlp": "own features", "fp": "features along edges"},
        )
        verdict = {
            "structure": "The [bold]structure[/] tells more of the labels than the features do.",
            "features": "The [bold]features[/] tell more of the labels than the structure does.",
            "about equal": "Structure and features tell about as much of the labels.",
            "neither": "Neither structure nor features beat the most frequent class.",
        }
        answer.print(verdict[found["usefulness"]["more_useful"]])


def print_accuracy(
    accuracy: dict[str, dict[str, Any]], optimistic: bool, what: dict[str, str] | None = None
) -> None:
    """Accuracies with their intervals, the best first."""
    judges = next(iter(accuracy.values()))["judged"]
    table = Table("method", "right", "accuracy", "95 % interval")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, one in sorted(accuracy.items(), key=lambda item: -item[1]["right"]):
        told = (what or {}).get(name)
        table.add_row(
            name if told is None else f"{name} ({told})",
            f"{one['right']} of {one['judged']}",
            percent(one["accuracy"]),
            f"{percent(one['low'])} – {percent(one['high'])}",
        )
    answer.print(table)
    who = (
        f"Judged by the {judges} nodes that select the epoch, as labels are few: optimistic."
        if optimistic
        else f"Judged by {judges} labelled nodes that neither trained nor selected."
    )
    answer.print(f"[dim]{who}[/]")


def _print_sizes(found: dict[str, Any]) -> None:
    sizes = found["sizes"]
    extras = [
        f"{sizes[key]:,} {what}"
        for key, what in (("loops", "loops"), ("isolated", "nodes without an edge"))
        if sizes[key]
    ]
    if sizes["distinct_edges"] + sizes["loops"] < sizes["edges"]:
        extras.append(f"{sizes['distinct_edges']:,} edges distinct")
    answer.print(
        f"[bold]{sizes['nodes']:,}[/] nodes, [bold]{sizes['edges']:,}[/] "
        f"{'directed ' if sizes['directed'] else ''}{'weighted ' if sizes['weighted'] else ''}"
        f"edges, [bold]{sizes['columns']}[/] feature columns ({sizes['encoded_columns']} encoded); "
        f"{sizes['components']:,} connected "
        f"{'component' if sizes['components'] == 1 else 'components'}, the largest of "
        f"{sizes['largest_component']:,}" + "".join(f"; {one}" for one in extras)
    )


def _print_columns(columns: list[dict[str, Any]]) -> None:
    if not columns:
        return
    table = Table("column", "type", "holes", "distinct", "values", "neighbours\nalike")
    for place in (2, 3, 5):
        table.columns[place].justify = "right"
    for one in columns[:SHOWN]:
        table.add_row(
            escape(one["name"]),
            one["kind"],
            percent(one["holes"]),
            str(one.get("distinct", "–")),
            escape(_values(one)),
            number(one.get("neighbours_alike")),
        )
    answer.print(table)
    if len(columns) > SHOWN:
        answer.print(f"[dim]… and {len(columns) - SHOWN} more columns (--json has all)[/]")


def _values(column: dict[str, Any]) -> str:
    if "most_frequent" in column:
        return f"mostly {column['most_frequent']}"
    if "mean" in column:
        return f"{percent(column['mean'], 0)} yes"
    if "from" in column:
        low, high = column["from"], column["to"]
        return f"{low:g} to {high:g}" if isinstance(low, float) else f"{low} to {high}"
    return ""


def _print_holes(holes: dict[str, Any]) -> None:
    if holes["share"] is None:
        answer.print("There are no features.")
        return
    answer.print(
        f"[bold]{percent(holes['share'])}[/] of the features are missing; pattern: "
        f"{holes['pattern']} ({holes['empty_rows']:,} nodes show nothing, "
        f"{holes['complete_rows']:,} everything; correlation of what a node shows with its degree "
        f"{number(holes['correlation_with_degree'])})"
    )


def _print_labels(found: dict[str, Any]) -> None:
    labels, reach, homophily = found["labels"], found["out_of_reach"], found["homophily"]
    counts = sorted(labels["counts"].items(), key=lambda item: -item[1])
    shown = ", ".join(f"{escape(name)} {count:,}" for name, count in counts[:12])
    more = f" and {len(counts) - 12} more classes" if len(counts) > 12 else ""
    answer.print(
        f"[bold]{labels['labelled']:,}[/] nodes are labelled, {labels['unknown']:,} are not: "
        f"{shown}{more}"
    )
    if reach["nodes"]:
        answer.print(
            f"{reach['nodes']:,} nodes in {reach['components']:,} components have no labelled node "
            "within reach: features alone will answer for them"
        )
    told = homophily["labels"]
    if told is not None:
        answer.print(
            f"Labelled neighbours have the same label {percent(told['share'])} of the time "
            f"({percent(told['by_chance'])} by chance; {told['pairs']:,} pairs); their features "
            f"correlate by {number(homophily['features'])} on average"
        )


def register(app: typer.Typer) -> None:
    """Make it a command."""
    app.command()(check)
