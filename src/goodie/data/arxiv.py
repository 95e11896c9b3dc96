"""ogbn-arxiv from OGB's archive layout, without the `ogb` package (which phones home on import)."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data, InMemoryDataset
from torch_geometric.utils import to_undirected

NUM_FEATURES = 128
FEATURES = "node-feat.csv.gz"


class Arxiv(InMemoryDataset):
    """The citation graph of ogbn-arxiv, undirected, with its official split by time.

    Reads `raw/edge.csv.gz`, `raw/node-label.csv.gz`, `raw/node-feat.csv.gz` and
    `split/time/{train,valid,test}.csv.gz` under `root`. Without the feature file it is a graph with
    every feature missing, which a warning says. `num_directed_edges` keeps the published count.
    """

    def __init__(self, root: str) -> None:
        super().__init__(root)
        if not self._has_features:
            warnings.warn(
                f"{FEATURES} is not in {self.raw_dir}: Arxiv is loaded with all of its features "
                "missing",
                stacklevel=3,
            )
        self.load(self.processed_paths[0])

    @property
    def raw_file_names(self) -> list[str]:
        """The raw files that must be there."""
        return ["edge.csv.gz", "node-label.csv.gz"]

    @property
    def processed_file_names(self) -> str:
        """Two names, so that features which arrive later are not overlooked."""
        return "data.pt" if self._has_features else "data_without_features.pt"

    def process(self) -> None:
        """Read the text files once."""
        raw, split = Path(self.raw_dir), Path(self.root) / "split" / "time"
        y = torch.from_numpy(_read(raw / "node-label.csv.gz", np.int64))
        edges = torch.from_numpy(_read(raw / "edge.csv.gz", np.int64).T.copy())
        n = len(y)
        x = (
            torch.from_numpy(_read(raw / FEATURES, np.float32))
            if self._has_features
            else torch.full((n, NUM_FEATURES), torch.nan)
        )
        data = Data(
            x=x,
            y=y,
            edge_index=to_undirected(edges, num_nodes=n),
            num_directed_edges=edges.shape[1],
        )
        for name, file in {"train": "train", "val": "valid", "test": "test"}.items():
            members = torch.zeros(n, dtype=torch.bool)
            members[torch.from_numpy(_read(split / f"{file}.csv.gz", np.int64))] = True
            data[f"{name}_mask"] = members
        self.save([data], self.processed_paths[0])

    @property
    def _has_features(self) -> bool:
        return (Path(self.raw_dir) / FEATURES).is_file()


def _read(path: Path, dtype: Any) -> np.ndarray:
    return np.loadtxt(path, delimiter=",", dtype=dtype)
