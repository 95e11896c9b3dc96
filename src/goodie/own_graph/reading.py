"""What a model keeps of the tables it was fitted on: how others are read, and `tables.json`."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import torch
from jaxtyping import Int
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.tables.encoding import Encoding, dumps
from goodie.data.tables.files import read_sheet
from goodie.data.tables.graph import Problem, TableGraph, from_sheets
from goodie.data.tables.options import Options
from goodie.errors import InputError

# Raised when the layout of tables.json changes.
FORMAT = 1
TABLES = "tables.json"

# Who fitted a model, by its estimator.
MAKERS = {
    "GoodieClassifier": "goodie fit",
    "NodeClassifier": "goodie fit",
    "GoodieLinkPredictor": "goodie links --save",
    "LinkPredictor": "goodie links --save",
}

# Types in which labels are kept.
LABELS: dict[str, Any] = {
    "String": pl.String,
    "Int64": pl.Int64,
    "Float64": pl.Float64,
    "Boolean": pl.Boolean,
}


@dataclass(frozen=True, eq=False)
class Reader:
    """A model's side towards tables.

    Attributes:
        encoding: of the features.
        options: how the tables were read.
        classes: the labels as they came, in the order of their numbers.
        facts: what fitting found, as JSON has it.
    """

    encoding: Encoding
    options: Options
    classes: pl.Series
    facts: dict[str, Any]

    maker: ClassVar[str]

    def read(
        self, nodes: str | Path, edges: str | Path, options: Options | None = None
    ) -> TableGraph:
        """Two tables, their columns taken for what those fitted on were.

        Args:
            nodes: file of the nodes; it may lack the labels.
            edges: file of the edges.
            options: how to read them; as those fitted on if None.
        """
        options = options or self.options
        sheet = read_sheet(nodes, separator=options.separator)
        columns = sheet.frame.columns
        if options.label not in columns:
            options = replace(options, label=None)
        known = self.encoding.kinds
        taken = (options.id, options.label)
        types = {name: known.get(name, "ignored") for name in columns if name not in taken}
        options = replace(options, types=types)
        return from_sheets(sheet, read_sheet(edges, separator=options.separator), options)

    def data(self, graph: TableGraph) -> Data:
        """The graph as the model takes it."""
        data = graph.data(self.encoding)
        data.y = self.places(graph)
        return data

    def places(self, graph: TableGraph) -> Int[Tensor, " nodes"]:
        """The place of each node's label among the model's classes, −1 for others and unknown."""
        labels = graph.nodes.labels
        if labels is None:
            return torch.full((len(graph.nodes),), -1)
        own = {str(name): place for place, name in enumerate(self.classes.to_list())}
        # One more, for −1 to point at.
        place = torch.tensor([own.get(name, -1) for name in labels.names] + [-1])
        return place[labels.y]

    def page(self, estimator: object) -> str:
        """What `tables.json` holds, beside a saved estimator."""
        return dumps(
            {
                "format": FORMAT,
                "estimator": type(estimator).__name__,
                "encoding": self.encoding.to_json(),
                "options": self.options.to_json(),
                "classes": {"type": str(self.classes.dtype), "names": self.classes.to_list()},
                "facts": self.facts,
            }
        )

    @classmethod
    def read_page(cls, folder: Path) -> tuple[str, dict[str, Any]]:
        """The estimator's name in a folder's `tables.json`, and the fields of a `Reader`."""
        page = _page(folder, cls.maker)
        path = folder / TABLES
        try:
            kind, names = page["classes"]["type"], page["classes"]["names"]
            classes = pl.Series("label", names, dtype=LABELS[kind], strict=True)
            if not isinstance(page["facts"], dict):
                raise ValueError("its facts are no facts")
            if classes.null_count():
                raise ValueError("a class has no name")
            read = {
                "encoding": Encoding.from_json(page["encoding"]),
                "options": Options.from_json(page["options"]),
                "classes": classes,
                "facts": page["facts"],
            }
        except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
            raise InputError(f"{path} is damaged: {error}") from error
        return page["estimator"], read


def with_types(graph: TableGraph, problem: Problem) -> Options:
    """How another table is to be read."""
    return replace(graph.options, types=problem.encoding.kinds)


def _page(folder: Path, maker: str) -> dict[str, Any]:
    """The page of the tables, its form checked, and that it is of a model of this maker."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}; `{_usage(maker, folder)}` makes one")
    path = folder / TABLES
    try:
        page = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{folder} is not a model of tables: it holds no {TABLES} (`{maker}` makes one)"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is not whole: {error}") from error
    if not isinstance(page, dict) or "format" not in page:
        raise InputError(f"{path} was not written by {maker}")
    if page["format"] != FORMAT:
        raise InputError(
            f"{path} has format {page['format']!r}; this version reads {FORMAT}: it was written by "
            "another version of goodie"
        )
    estimator = page.get("estimator")
    if not isinstance(estimator, str) or estimator not in MAKERS:
        raise InputError(f"{path} is damaged: there is no estimator {estimator!r}")
    if MAKERS[estimator] != maker:
        raise InputError(
            f"{folder} holds a model that `{MAKERS[estimator]}` made, and this needs one of "
            f"`{maker}`"
        )
    return page


def _usage(maker: str, folder: Path) -> str:
    return f"{maker} {folder}" if maker.endswith("--save") else f"{maker} … --out {folder}"
