"""Every loader on real raw files where there are some, else on small ones made in their format."""

import gzip
import hashlib
import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse.csgraph import connected_components
from torch_geometric.data import Data
from torch_geometric.utils import contains_self_loops, is_undirected, to_scipy_sparse_matrix

from goodie import observed, paper
from goodie.data import datasets, splits
from goodie.data.validate import validate
from goodie.errors import DatasetUnavailableError, InputError
from helpers import Real

slow = pytest.mark.slow
WITH_FEATURES = [
    "Cora",
    "CiteSeer",
    "PubMed",
    pytest.param("CS", marks=slow),
    pytest.param("Physics", marks=slow),
]
no_features = "ignore:node-feat.csv.gz is not in:UserWarning"


# --- real files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_FEATURES)
def test_sizes_are_those_of_table_1(name: str, real: Real) -> None:
    data = real.load(name, sparse=True)
    one, other = data.edge_index
    assert {
        "nodes": data.num_nodes,
        "edges": int((one < other).sum()),
        "features": data.x.shape[1],
        "classes": len(data.y.unique()),
    } == paper.statistics(name)


@pytest.mark.parametrize("name", WITH_FEATURES)
def test_a_graph_is_one_undirected_component_and_valid(name: str, real: Real) -> None:
    data = real.load(name, sparse=True)
    assert is_undirected(data.edge_index)
    assert not contains_self_loops(data.edge_index)
    assert connected_components(to_scipy_sparse_matrix(data.edge_index))[0] == 1
    assert data.y.unique().tolist() == list(range(int(data.y.max()) + 1))
    assert validate(data).num_nodes == data.num_nodes


@pytest.mark.parametrize("name", WITH_FEATURES)
def test_dense_equals_sparse(name: str, real: Real) -> None:
    dense, sparse = (real.load(name, sparse=flag) for flag in (False, True))
    assert sparse.x.layout == torch.sparse_csr
    assert dense.x.layout == torch.strided
    assert dense.x.dtype == sparse.x.dtype == torch.float32
    assert torch.equal(sparse.x.to_dense(), dense.x)
    assert sparse.x.values().count_nonzero() == dense.x.count_nonzero() == len(sparse.x.values())
    assert torch.equal(sparse.edge_index, dense.edge_index)
    assert torch.equal(sparse.y, dense.y)


@pytest.mark.parametrize("name", WITH_FEATURES)
def test_the_protocols_split_fits(name: str, real: Real) -> None:
    data = real.load(name, sparse=True)
    split = datasets.find(name).split(data, seed=0)
    num_development = 5000 if name == "CS" else 1500
    assert split.test.sum() == data.num_nodes - num_development
    assert torch.bincount(data.y[split.train]).tolist() == [20] * (int(data.y.max()) + 1)


@pytest.fixture
def arxiv(real: Real) -> Data:
    real.need("Arxiv")
    with pytest.warns(
        UserWarning, match=r"node-feat\.csv\.gz is not in .*all of its features miss"
    ):
        return real.load("Arxiv")


@slow
def test_arxiv(arxiv: Data) -> None:
    assert arxiv.num_nodes == 169_343
    assert arxiv.x.shape == (169_343, 128)
    assert not observed(arxiv).any()
    assert arxiv.num_directed_edges == 1_166_243
    one, other = arxiv.edge_index
    assert int((one < other).sum()) == 1_157_799
    assert is_undirected(arxiv.edge_index)
    assert len(arxiv.y.unique()) == 40
    sizes = [int(arxiv[f"{part}_mask"].sum()) for part in ("train", "val", "test")]
    assert sizes == [90_941, 29_799, 48_603]
    split = datasets.find("Arxiv").split(arxiv, seed=3)
    assert torch.equal(split.test, arxiv.test_mask)
    assert validate(arxiv, classify=True).num_nodes == 169_343


@slow
@pytest.mark.filterwarnings(no_features)
def test_arxiv_sparse_has_nothing_observed_either(real: Real) -> None:
    data = real.load("Arxiv", sparse=True)
    assert data.x.layout == torch.sparse_csr
    assert data.x.values().numel() == 0
    assert not observed(data).any()
    assert validate(data).num_nodes == 169_343


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("name", ["Cora", "CiteSeer"])
def test_the_mirror_is_read_only_and_needed_once(
    name: str, mirror: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOODIE_MIRROR", str(mirror))
    real = Real(mirror, home)
    before = listing(mirror)
    first = real.load(name)
    assert listing(mirror) == before
    raw = {path.name for path in (home / name / "raw").iterdir()}
    assert raw == {path.name for path in (mirror / name / "raw").iterdir()}

    monkeypatch.delenv("GOODIE_MIRROR")
    assert datasets.find(name).is_cached(home)
    second = datasets.load(name)
    assert all(torch.equal(first[key], second[key]) for key in ("x", "edge_index", "y"))


def test_root_goes_before_goodie_home(
    mirror: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOODIE_MIRROR", str(mirror))
    Real(mirror, home).need("Cora")
    datasets.load("cora", str(tmp_path / "mine"))
    assert (tmp_path / "mine" / "Cora" / "raw").is_dir()
    assert not home.exists()


# --- small files in the format of the real ones ---------------------------------------------------


@pytest.fixture
def small(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty mirror beside an empty cache."""
    folder = tmp_path / "mirror"
    monkeypatch.setenv("GOODIE_MIRROR", str(folder))
    return folder


ARXIV_EDGES = [
    (0, 1),
    (1, 0),
    (1, 2),
    (4, 2),
    (5, 4),
]  # node 3 is isolated, 0 – 1 in both directions
ARXIV_X = np.arange(6 * 128).reshape(6, 128) / 8


def write_csv(path: Path, rows: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt") as file:
        for row in rows:
            file.write(",".join(map(str, np.atleast_1d(row))) + "\n")


def write_arxiv(mirror: Path, *, features: bool = True) -> None:
    folder = mirror / "ogbn_arxiv"
    write_csv(folder / "raw" / "edge.csv.gz", ARXIV_EDGES)
    write_csv(folder / "raw" / "node-label.csv.gz", [4, 5, 28, 8, 27, 26])
    write_csv(folder / "raw" / "num-node-list.csv.gz", [6])
    for name, members in {"train": [5, 0, 1], "valid": [3], "test": [2, 4]}.items():
        write_csv(folder / "split" / "time" / f"{name}.csv.gz", members)
    if features:
        write_arxiv_features(folder / "raw")


def write_arxiv_features(raw: Path) -> None:
    write_csv(raw / "node-feat.csv.gz", ARXIV_X)


def test_arxiv_with_features(small: Path) -> None:
    write_arxiv(small)
    data = datasets.load("arxiv")
    assert data.x.dtype == torch.float32
    np.testing.assert_array_equal(data.x.numpy(), ARXIV_X)
    assert data.y.tolist() == [4, 5, 28, 8, 27, 26]
    pairs = set(map(tuple, data.edge_index.T.tolist()))
    assert pairs == {(a, b) for edge in ARXIV_EDGES for a, b in (edge, edge[::-1])}
    assert data.edge_index.shape[1] == 8
    assert data.num_directed_edges == 5
    assert data.train_mask.nonzero()[:, 0].tolist() == [0, 1, 5]
    assert data.val_mask.nonzero()[:, 0].tolist() == [3]
    assert data.test_mask.nonzero()[:, 0].tolist() == [2, 4]


def test_arxiv_with_features_is_sparse_on_demand(small: Path) -> None:
    write_arxiv(small)
    np.testing.assert_array_equal(datasets.load("arxiv", sparse=True).x.to_dense(), ARXIV_X)


def test_arxiv_without_features_says_so_every_time(small: Path) -> None:
    write_arxiv(small, features=False)
    for _ in range(2):
        with pytest.warns(UserWarning, match=r"node-feat\.csv\.gz is not in .*Arxiv.raw") as caught:
            data = datasets.load("Arxiv")
        assert len(caught) == 1
        assert data.x.shape == (6, 128)
        assert data.x.isnan().all()


@pytest.mark.filterwarnings(no_features)
def test_arxiv_without_features_is_sparse_on_demand(small: Path) -> None:
    """In CSR an entry that is not stored is an observed zero, so `observed` must say otherwise."""
    write_arxiv(small, features=False)
    data = datasets.load("Arxiv", sparse=True)
    assert data.x.shape == (6, 128)
    assert not observed(data).any()
    assert validate(data).num_nodes == 6


@pytest.mark.filterwarnings(no_features)
@pytest.mark.parametrize("where", ["mirror", "home"])
def test_features_that_arrive_later_are_not_overlooked(where: str, small: Path, home: Path) -> None:
    write_arxiv(small, features=False)
    assert datasets.load("Arxiv").x.isnan().all()
    write_arxiv_features({"mirror": small / "ogbn_arxiv", "home": home / "Arxiv"}[where] / "raw")
    np.testing.assert_array_equal(datasets.load("Arxiv").x, ARXIV_X)


def write_wikics(mirror: Path) -> dict[str, Any]:
    """30 nodes on a ring whose links are stored once; 20 splits, as the real file has."""
    n, rng = 30, np.random.default_rng(0)
    order = [rng.permutation(25) for _ in range(20)]

    def masks(begin: int, end: int) -> list[list[bool]]:
        return [np.isin(np.arange(n), nodes[begin:end]).tolist() for nodes in order]

    content = {
        "features": rng.standard_normal((n, 300)).tolist(),
        "labels": (np.arange(n) % 10).tolist(),
        "links": [[(i + 1) % n] for i in range(n)],
        "train_masks": masks(0, 10),
        "stopping_masks": masks(10, 15),
        "val_masks": masks(15, 25),
        "test_mask": (np.arange(n) >= 25).tolist(),
    }
    raw = mirror / "WikiCS" / "raw"
    raw.mkdir(parents=True)
    (raw / "data.json").write_text(json.dumps(content))
    return content


@pytest.mark.parametrize("sparse", [False, True])
def test_wikics(small: Path, sparse: bool) -> None:
    content = write_wikics(small)
    data = datasets.load("WikiCS", sparse=sparse)
    np.testing.assert_allclose(data.x.to_dense(), content["features"], rtol=1e-6)
    assert data.y.tolist() == content["labels"]
    ring = {(i, (i + 1) % 30) for i in range(30)}
    assert set(map(tuple, data.edge_index.T.tolist())) == ring | {(b, a) for a, b in ring}
    assert data.edge_index.shape[1] == 60
    for seed in (0, 3, 23):
        split = splits.official(data, seed=seed)
        assert split.train.tolist() == content["train_masks"][seed % 20]
        assert split.val.tolist() == content["val_masks"][seed % 20]
        assert split.test.tolist() == content["test_mask"]


# --- every name -----------------------------------------------------------------------------------


def test_there_are_the_papers_seven_and_two_of_our_own() -> None:
    ours = {"digits", "synthetic"}
    assert set(datasets.DATASETS) == {*paper.numbers()["statistics"], *ours}
    assert {name for name, dataset in datasets.DATASETS.items() if not dataset.files} == ours


@pytest.mark.parametrize("name", datasets.DATASETS)
@pytest.mark.parametrize("change", [str.lower, str.upper, str.swapcase])
def test_capitals_do_not_matter(name: str, change: Callable[[str], str]) -> None:
    assert datasets.find(change(name)).name == name


def test_an_unknown_name_is_refused_with_those_there_are(home: Path) -> None:
    with pytest.raises(InputError, match=r"unknown dataset 'Kora'; there are Cora, .*synthetic$"):
        datasets.load("Kora")
    assert not home.exists()


@pytest.mark.parametrize("name", ["digits", "synthetic"])
def test_built_in_graphs_need_no_files(name: str, home: Path) -> None:
    dense, sparse = datasets.load(name), datasets.load(name, sparse=True)
    assert torch.equal(sparse.x.to_dense(), dense.x)
    assert is_undirected(dense.edge_index)
    split = datasets.find(name).split(dense, seed=0)
    assert validate(split.apply(dense), classify=True).num_nodes == dense.num_nodes
    assert datasets.find(name).is_cached(home)
    assert not home.exists()


@pytest.mark.parametrize("name", [name for name, d in datasets.DATASETS.items() if d.files])
def test_files_are_in_the_mirrors_layout_and_have_a_hash_where_one_can_be_known(name: str) -> None:
    for file in datasets.find(name).files:
        assert file.url.startswith("https://")
        assert not Path(file.path).is_absolute()
        assert Path(file.path).parts[0] in ("raw", "split")
        assert (file.sha256 is None) == (name == "WikiCS")


def test_the_hashes_are_those_of_the_real_files(mirror: Path) -> None:
    """A download of what lies in the mirror would be taken for right."""
    for name in ("Cora", "CiteSeer", "PubMed", "CS", "Physics"):
        for file in datasets.find(name).files:
            path = mirror / name / file.path
            if path.is_file():
                assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256


def test_a_load_that_fails_can_be_tried_again(small: Path, home: Path) -> None:
    """A damaged file is an error, and a good one in its place is then enough."""
    write_arxiv(small)
    labels = small / "ogbn_arxiv" / "raw" / "node-label.csv.gz"
    good = labels.read_bytes()
    write_csv(labels, ["four", "five"])
    with pytest.raises(ValueError, match="four"):
        datasets.load("Arxiv")
    shutil.rmtree(home / "Arxiv" / "raw")
    labels.write_bytes(good)
    assert datasets.load("Arxiv").num_nodes == 6


def test_a_dataset_out_of_reach_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import urllib.request
    from urllib.error import URLError

    def no_network(*_: Any, **__: Any) -> None:
        raise URLError("Name or service not known")

    monkeypatch.setattr(urllib.request, "urlopen", no_network)
    with pytest.raises(DatasetUnavailableError, match=r"Name or service.*GOODIE_MIRROR"):
        datasets.load("Cora")
    assert not datasets.find("Cora").is_cached(home)


def test_loading_does_not_touch_the_global_generators(small: Path) -> None:
    write_arxiv(small)
    before = torch.get_rng_state(), np.random.get_state()[1].tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("Arxiv", "digits", "synthetic"):
            datasets.load(name)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert np.random.get_state()[1].tolist() == before[1]
