"""A model of labels fitted on tables: a classifier, and what it needs to read other tables."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from goodie.data.tables.files import read_sheet
from goodie.errors import InputError
from goodie.estimators.base import GraphClassifier
from goodie.estimators.goodie import GoodieClassifier
from goodie.estimators.node import NodeClassifier
from goodie.own_graph.reading import TABLES, Reader
from goodie.report import Account, stored

NODES = "nodes.parquet"

ESTIMATORS: dict[str, type[GraphClassifier]] = {
    "GoodieClassifier": GoodieClassifier,
    "NodeClassifier": NodeClassifier,
}


@dataclass(frozen=True, eq=False)
class TableModel(Reader):
    """What `fit` makes, and `save` and `load` keep.

    Its facts are those of `goodie.own_graph.fitting.fit`.

    Attributes:
        classifier: fitted on the encoded graph; its classes are the places of `classes`.
        nodes: what is said of every node fitted on, a row each; None in a model without.
        account: what a report shows; None in a model from a folder, where it is a file.
    """

    maker = "goodie fit"
    classifier: GraphClassifier
    nodes: pl.DataFrame | None = None
    account: Account | None = None

    def save(self, folder: str | Path) -> None:
        """Write the model as a folder of safetensors, JSON and Parquet."""
        text = self.page(self.classifier)
        nodes, account = self.nodes, self.account
        beside = {TABLES: lambda path: path.write_text(text, encoding="utf-8")}
        if nodes is not None:
            beside[NODES] = lambda path: nodes.write_parquet(path)
        if account is not None:
            beside[stored.NAME] = lambda path: path.write_text(stored.dumps(account))
        self.classifier.save(folder, beside=beside)

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "cpu") -> "TableModel":
        """A model that `save` wrote. Nothing in the folder is run."""
        folder = Path(folder)
        estimator, read = cls.read_page(folder)
        classifier = ESTIMATORS[estimator].load(folder, device=device)
        if len(read["classes"]) != len(classifier.classes_):
            raise InputError(f"{folder / TABLES} is damaged: it is not of this model's classes")
        path = folder / NODES
        nodes = read_sheet(path).frame if path.is_file() else None
        return cls(**read, classifier=classifier, nodes=nodes)
