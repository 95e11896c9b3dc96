"""What the commands on a user's own tables share: their options, and how notes are told."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from goodie.cli.common import notes

if TYPE_CHECKING:
    from goodie.data.tables.options import Options

Nodes = Annotated[
    Path, typer.Argument(help="Table of the nodes, CSV or Parquet: an id and features, a row each.")
]
Edges = Annotated[
    Path, typer.Argument(help="Table of the edges, CSV or Parquet: two ids, maybe a weight.")
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COLUMN", help="Of the nodes' ids (default: `id`, or else the first)."
    ),
]
Label = Annotated[
    str | None,
    typer.Option("--label", metavar="COLUMN", help="Of the nodes' labels; empty: unknown."),
]
Source = Annotated[
    str | None,
    typer.Option(
        "--source", metavar="COLUMN", help="Of one end of an edge (default: `source`, `from`, …)."
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", metavar="COLUMN", help="Of the other (default: `target`, `to`, …)."),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight", metavar="COLUMN", help="Of the edges' weights (default: `weight`, if any)."
    ),
]
Directed = Annotated[
    bool,
    typer.Option(
        "--directed",
        help="Keep the edges' directions. The methods let an edge count both ways all the same.",
    ),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COLUMN=TYPE",
        help="What a column holds, where it is not to be found out: `numeric`, `boolean`, `date`, "
        "`categorical`, or `ignored`; repeatable.",
    ),
]
Holes = Annotated[
    list[str] | None,
    typer.Option(
        "--hole",
        metavar="WORD",
        help="Stands for a missing value, beside nothing, `NA`, `NaN`, `null`, `?`; repeatable.",
    ),
]
Unknown = Annotated[
    str, typer.Option("--unknown", help="Edges to nodes that are not in the table: error or drop.")
]
Separator = Annotated[
    str | None,
    typer.Option(help="Between the fields of a CSV (default: found out from its first line)."),
]
MaxCategories = Annotated[
    int,
    typer.Option(min=1, help="Categorical columns that show more are left out, as texts."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of everything that is drawn.")]


def options(
    id_: str | None,
    label: str | None,
    source: str | None,
    target: str | None,
    weight: str | None,
    directed: bool,
    types: list[str] | None,
    holes: list[str] | None,
    unknown: str,
    separator: str | None,
) -> "Options":
    """What the words on the command line ask for."""
    from goodie.data.tables.options import Options, parse_types

    return Options(
        id=id_,
        label=label,
        source=source,
        target=target,
        weight=weight,
        directed=directed,
        types=parse_types(types or []),
        holes=tuple(holes or ()),
        unknown=unknown,
        separator="\t" if separator == "\\t" else separator,
    )


def say(what: str) -> None:
    """Tell on stderr what is going on."""
    notes.print(f"[dim]{escape(what)} …[/]", highlight=False)


def tell(sentences: Any) -> None:
    """Tell on stderr what was noticed."""
    for sentence in sentences:
        notes.print(f"[yellow]note:[/] {escape(sentence)}", highlight=False, soft_wrap=True)


def percent(share: float | None, digits: int = 1) -> str:
    """A share for a table; a dash where there is none."""
    return "–" if share is None else f"{100 * share:.{digits}f} %"


def number(value: float | None, digits: int = 2) -> str:
    """A number for a table; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"
