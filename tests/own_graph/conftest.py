"""A graph with answers: classes that both the edges and the features follow, and tables of it."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from goodie import synthetic
from goodie.data.tables import Options, TableGraph, read_graph

N, CLASSES = 300, 3


class Written(NamedTuple):
    """Two files, and what they hide."""

    nodes: Path
    edges: Path
    truth: np.ndarray

    def read(self) -> TableGraph:
        return read_graph(self.nodes, self.edges, Options(label="class"))


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("tables")
    data = synthetic(N, CLASSES, average_degree=8.0, num_features=0, random_state=3)
    rng = np.random.default_rng(0)
    y = data.y.numpy()
    ids = np.array([f"node {number}" for number in range(N)])
    columns = {
        "age": pl.Series((40 + 10 * y + rng.normal(0, 4, N)).round()).cast(pl.Int64),
        "size": pl.Series((y + rng.normal(0, 0.5, N)).round(3)),
        "city": pl.Series(np.array(["Oslo", "Rome", "Bern"])[(y + (rng.random(N) < 0.2)) % 3]),
        "member": pl.Series(np.where(y + rng.normal(0, 0.5, N) > 1, "yes", "no")),
        "noise": pl.Series(rng.normal(0, 1, N).round(3)),
        "since": pl.Series([f"20{10 + one:02}-03-0{1 + one}" for one in y]),
    }
    for name, column in columns.items():
        columns[name] = column.set(pl.Series(rng.random(N) < 0.6), None)
    known = (rng.random(N) < 0.5) & (np.arange(N) >= 3)
    columns["class"] = pl.Series(np.array(["a", "b", "c"])[y]).set(pl.Series(~known), None)
    pl.DataFrame({"name": ids, **columns}).write_csv(folder / "nodes.csv")
    a, b = data.edge_index.numpy()
    once = (a < b) & (a >= 3)  # three nodes that nobody knows
    pl.DataFrame({"from": ids[a[once]], "to": ids[b[once]]}).write_csv(folder / "edges.csv")
    return Written(folder / "nodes.csv", folder / "edges.csv", np.array(["a", "b", "c"])[y])
