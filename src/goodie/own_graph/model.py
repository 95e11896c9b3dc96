"""A model fitted on tables: a classifier, and what it needs to read other tables."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import torch
from jaxtyping import Int
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.tables.encoding import Encoding, dumps
from goodie.data.tables.files import read_sheet
from goodie.data.tables.graph import TableGraph, from_sheets
from goodie.data.tables.options import Options
from goodie.errors import InputError
from goodie.estimators.base import GraphClassifier
from goodie.estimators.goodie import GoodieClassifier
from goodie.estimators.node import NodeClassifier
from goodie.report import Account, stored

# Raised when the layout of tables.json changes.
FORMAT = 1
TABLES, NODES = "tables.json", "nodes.parquet"

ESTIMATORS: dict[str, type[GraphClassifier]] = {
    "GoodieClassifier": GoodieClassifier,
    "NodeClassifier": NodeClassifier,
}

# Types in which labels are kept.
LABELS: dict[str, Any] = {
    "String": pl.String,
    "Int64": pl.Int64,
    "Float64": pl.Float64,
    "Boolean": pl.Boolean,
}


@dataclass(frozen=True, eq=False)
class TableModel:
    """What `fit` makes, and `save` and `load` keep.

    Attributes:
        classifier: fitted on the encoded graph.
        encoding: of the features.
        options: how the tables were read.
        classes: the labels as they came, in the order of the probabilities.
        facts: what fitting found, as JSON has it; see `goodie.own_graph.fitting.fit`.
        nodes: what is said of every node fitted on, a row each; None in a model without.
        account: what a report shows; None in a model from a folder, where it is a file.
    """

    classifier: GraphClassifier
    encoding: Encoding
    options: Options
    classes: pl.Series
    facts: dict[str, Any]
    nodes: pl.DataFrame | None = None
    account: Account | None = None

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
        """The graph as the classifier takes it."""
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

    def save(self, folder: str | Path) -> None:
        """Write the model as a folder of safetensors, JSON and Parquet."""
        page = {
            "format": FORMAT,
            "estimator": type(self.classifier).__name__,
            "encoding": self.encoding.to_json(),
            "options": self.options.to_json(),
            "classes": {"type": str(self.classes.dtype), "names": self.classes.to_list()},
            "facts": self.facts,
        }
        text = dumps(page)
        nodes = self.nodes
        beside = {TABLES: lambda path: path.write_text(text, encoding="utf-8")}
        if nodes is not None:
            beside[NODES] = lambda path: nodes.write_parquet(path)
        account = self.account
        if account is not None:
            beside[stored.NAME] = lambda path: path.write_text(stored.dumps(account))
        self.classifier.save(folder, beside=beside)

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "cpu") -> "TableModel":
        """A model that `save` wrote. Nothing in the folder is run."""
        folder = Path(folder)
        if not folder.is_dir():
            raise InputError(
                f"there is no folder {folder}; `goodie fit … --out {folder}` makes one"
            )
        page = _read(folder)
        classifier = ESTIMATORS[page["estimator"]].load(folder, device=device)
        try:
            kind, names = page["classes"]["type"], page["classes"]["names"]
            classes = pl.Series("label", names, dtype=LABELS[kind], strict=True)
            facts = page["facts"]
            if not isinstance(facts, dict):
                raise ValueError("its facts are no facts")
            encoding = Encoding.from_json(page["encoding"])
            options = Options.from_json(page["options"])
        except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
            raise InputError(f"{folder / TABLES} is damaged: {error}") from error
        if len(classes) != len(classifier.classes_) or classes.null_count():
            raise InputError(f"{folder / TABLES} is damaged: it is not of this model's classes")
        path = folder / NODES
        nodes = read_sheet(path).frame if path.is_file() else None
        return cls(classifier, encoding, options, classes, facts, nodes)


def _read(folder: Path) -> dict[str, Any]:
    """The page of the tables, its form checked."""
    path = folder / TABLES
    try:
        page = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{folder} is not a model of tables: it holds no {TABLES} (`goodie fit` makes one)"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is not whole: {error}") from error
    if not isinstance(page, dict) or "format" not in page:
        raise InputError(f"{path} was not written by goodie fit")
    if page["format"] != FORMAT:
        raise InputError(
            f"{path} has format {page['format']!r}; this version reads {FORMAT}: it was written by "
            "another version of goodie"
        )
    if not isinstance(page.get("estimator"), str) or page["estimator"] not in ESTIMATORS:
        raise InputError(f"{path} is damaged: there is no estimator {page.get('estimator')!r}")
    return page
