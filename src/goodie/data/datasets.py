"""The graphs that can be loaded by name: the paper's seven, and two that need no files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock
from torch_geometric.data import Data
from torch_geometric.datasets import Coauthor, Planetoid, WikiCS
from torch_geometric.transforms import BaseTransform, Compose, LargestConnectedComponents

from goodie.data import splits
from goodie.data.arxiv import Arxiv
from goodie.data.digits import digits
from goodie.data.files import RawFile, cache_folder, fetch, mirror_folder, present
from goodie.data.observed import to_sparse
from goodie.data.sources import RAW_FILES
from goodie.data.synthetic import synthetic
from goodie.errors import DatasetUnavailableError, InputError
from goodie.sparse import is_sparse, to_csr


class SparseFeatures(BaseTransform):
    """Store bag-of-words features as CSR, which for Coauthor Physics is 2 % of the dense size."""

    def forward(self, data: Data) -> Data:
        """Replace dense x by CSR."""
        data.x = to_csr(data.x)
        return data


# Largest component first: node order is PyG's, on which the protocol's split depends.
_BAG_OF_WORDS = Compose([LargestConnectedComponents(), SparseFeatures()])


@dataclass(frozen=True)
class Dataset:
    """A graph that can be loaded by name.

    Attributes:
        name: as in the paper's tables.
        read: makes the graph, given its folder in the cache.
        source: where it comes from, for a reader.
        num_development: nodes that the protocol sets aside for training and validation; None where
            the official split is used.
        files: raw files it needs; none for a built-in graph.
        mirror_name: name of its folder in a mirror, where that is not its own.
        own_split: how it is split, where neither of the above holds.
    """

    name: str
    read: Callable[[Path], Data]
    source: str
    num_development: int | None = 1500
    files: tuple[RawFile, ...] = ()
    mirror_name: str | None = None
    own_split: Callable[[Data, int], splits.Split] | None = None

    def folder(self, root: Path) -> Path:
        """Where the graph is cached."""
        return root / self.name

    def is_cached(self, root: Path) -> bool:
        """Whether it loads without a mirror and without a network."""
        return present(self.files, self.folder(root))

    def mirror(self) -> Path | None:
        """Its folder in the mirror, if there is one that holds all it needs."""
        mirror = mirror_folder()
        if mirror is None:
            return None
        folder = mirror / (self.mirror_name or self.name)
        return folder if present(self.files, folder) else None

    def split(self, data: Data, seed: int) -> splits.Split:
        """The split for this seed: the paper's protocol, unless the graph has its own way."""
        if self.own_split is not None:
            return self.own_split(data, seed)
        if self.num_development is None:
            return splits.official(data, seed=seed)
        return splits.paper(data.y, seed=seed, num_development=self.num_development)


def _planetoid(name: str) -> Callable[[Path], Data]:
    # PyG appends the name to the root by itself.
    return lambda folder: Planetoid(str(folder.parent), name, pre_transform=_BAG_OF_WORDS)[0]


def _coauthor(name: str) -> Callable[[Path], Data]:
    return lambda folder: Coauthor(str(folder.parent), name, pre_transform=_BAG_OF_WORDS)[0]


def _dataset(name: str, read: Callable[[Path], Data], source: str, **options: Any) -> Dataset:
    return Dataset(name, read, source, files=RAW_FILES.get(name, ()), **options)


_PUBLIC = "github.com/kimiyoung/planetoid"
_SHCHUR = "github.com/shchur/gnn-benchmark"

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        _dataset("Cora", _planetoid("Cora"), _PUBLIC),
        _dataset("CiteSeer", _planetoid("CiteSeer"), _PUBLIC),
        _dataset("PubMed", _planetoid("PubMed"), _PUBLIC),
        _dataset(
            "WikiCS",
            lambda folder: WikiCS(str(folder), is_undirected=True)[0],
            "github.com/pmernyei/wiki-cs-dataset",
        ),
        # With 1500 development nodes, a class of CS has fewer than 20 to train on.
        _dataset("CS", _coauthor("CS"), _SHCHUR, num_development=5000),
        _dataset("Physics", _coauthor("Physics"), _SHCHUR),
        _dataset(
            "Arxiv",
            lambda folder: Arxiv(str(folder))[0],
            "ogb.stanford.edu (ogbn-arxiv)",
            num_development=None,
            mirror_name="ogbn_arxiv",
        ),
        _dataset("digits", lambda _: digits(), "scikit-learn", num_development=700),
        _dataset("synthetic", lambda _: synthetic(), "made here", num_development=500),
    )
}


def _read_from_files(dataset: Dataset, folder: Path) -> Data:
    """Bring the raw files in and read them, one process at a time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            fetch(dataset.files, folder, dataset.mirror())
            return dataset.read(folder)
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise DatasetUnavailableError(
            f"cannot write to the cache folder {folder} ({error.strerror}); "
            "name another one with GOODIE_HOME"
        ) from error


def find(name: str) -> Dataset:
    """The dataset of that name, whatever its capitals."""
    for dataset in DATASETS.values():
        if dataset.name.lower() == name.lower():
            return dataset
    raise InputError(f"unknown dataset {name!r}; there are {', '.join(DATASETS)}")


def load(name: str, root: str | Path | None = None, *, sparse: bool = False) -> Data:
    """Load a graph by name: Cora, CiteSeer, PubMed, WikiCS, CS, Physics, Arxiv, digits, synthetic.

    Raw files come from the cache, else from `GOODIE_MIRROR`, else from their public homes. All
    graphs are undirected; all but WikiCS and Arxiv are reduced to their largest component.

    Args:
        name: capitals don't matter.
        root: cache folder; `GOODIE_HOME`, or `goodie` in the user's cache folder, if None.
        sparse: give features as CSR, as bag-of-words matrices are kept, rather than dense.

    Example:
        >>> load("digits")
        Data(x=[1797, 32], edge_index=[2, 19480], y=[1797])
    """
    dataset = find(name)
    folder = dataset.folder(Path(root) if root is not None else cache_folder())
    data = _read_from_files(dataset, folder) if dataset.files else dataset.read(folder)
    if sparse:
        return to_sparse(data)
    if is_sparse(data.x):
        data.x = data.x.to_dense()
    return data
