"""One cell of an experiment: a method on a dataset under a missing pattern, with one seed."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data

from goodie import config, methods
from goodie.data import datasets, splits
from goodie.data.datasets import Dataset
from goodie.data.files import cache_folder
from goodie.data.fingerprint import fingerprint
from goodie.data.link_splits import split_links
from goodie.data.observed import to_sparse
from goodie.errors import InputError
from goodie.memory import watch_peak
from goodie.methods import links
from goodie.methods.base import Learner
from goodie.study import sources
from goodie.tasks import link, node

# `development` is node classification judged on validation nodes that did not select: what choices
# are made by, so that the test nodes' labels have no part in them.
# `link` is link prediction.
TASKS = ("node", "development", "link")


@dataclass(frozen=True)
class Cell:
    """What is run; everything that its result depends on, but for the data and the code.

    Attributes:
        dataset: a name that `datasets.load` takes, or that the study gives to a graph of its own.
        method: a name that `methods.get` takes.
        scenario: missing pattern.
        rate: share of the features that is missing.
        seed: of the split, the holes and the initial weights.
        settings: all settings of the method, resolved.
        task: one of `TASKS`.
        source: where a graph of the study's own comes from; see `sources.dataset`.
    """

    dataset: str
    method: str
    scenario: str = "uniform"
    rate: float = 0.0
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    task: str = "node"
    source: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InputError(f"unknown task {self.task!r}; there are {', '.join(TASKS)}")


@dataclass(frozen=True)
class Result:
    """What came out.

    Attributes:
        val: the task's metric on what selects, in percent.
        test: the same on what judges.
        seconds: of fitting and predicting.
        details: what the method says of its fit, such as epochs and attention shares; of links,
            average precision too.
        peak_memory: highest resident bytes of the process meanwhile; None where not known.
    """

    val: float
    test: float
    seconds: float
    details: Mapping[str, Any] = field(default_factory=dict)
    peak_memory: int | None = None


def resolve(
    method: str, dataset: str, scenario: str, *overrides: Mapping[str, Any], task: str = "node"
) -> dict[str, Any]:
    """All settings of a method on a dataset: defaults < the paper's < overrides, in their order."""
    kind = learner(method, task)
    chosen = {name: value for layer in overrides for name, value in layer.items()}
    of_paper = kind.paper_settings(dataset, scenario, chosen)
    return config.as_dict(config.build(kind.Settings, of_paper, *overrides))


def learner(method: str, task: str) -> type[Learner[Any]]:
    """The method of that name for a task."""
    return links.get(method) if task == "link" else methods.get(method)


def metric(task: str) -> str:
    """What `Result.val` and `Result.test` of a task are."""
    return link.METRIC if task == "link" else node.METRIC


def load(cell: Cell) -> Data:
    """The cell's graph, as its method wants it: sparse where features are not looked at.

    The last few are remembered, since the cells of a study come to the same graph many times; they
    are not to be written to.
    """
    sparse = "features" not in learner(cell.method, cell.task).uses
    return _load(cell.dataset, *_where(cell), sparse)


def key(cell: Cell) -> str:
    """Equal for cells that must give the same result, whatever the code's revision.

    Made of the configuration, the data's content and the method's version.
    """
    what = asdict(cell)
    source = what.pop("source")  # where the data lay; what it was is in its fingerprint
    if source is not None:
        what["split"] = {name: source[name] for name in ("train", "val") if name in source}
    what["data"] = data_hash(cell)
    what["version"] = learner(cell.method, cell.task).version_of(cell.settings)
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def data_hash(cell: Cell) -> str:
    """The content of the cell's graph, as one number."""
    return _hash(cell.dataset, *_where(cell))


def run(cell: Cell, *, device: torch.device | str = "cpu") -> Result:
    """Run a cell."""
    on_gpu = torch.device(device).type == "cuda"
    if on_gpu:
        torch.cuda.reset_peak_memory_stats(device)
    result = (_run_link if cell.task == "link" else _run_node)(cell, device)
    if on_gpu:
        peak = {"peak_gpu_memory": torch.cuda.max_memory_allocated(device)}
        result = replace(result, details={**result.details, **peak})
    return result


def _run_node(cell: Cell, device: torch.device | str) -> Result:
    data = load(cell)
    kind = methods.get(cell.method)
    split = _dataset(cell).split(data, cell.seed)
    if cell.task == "development":
        split = splits.development(split, seed=cell.seed)
    # What a method does not look at need not be taken from it.
    rate = cell.rate if "features" in kind.uses else 0.0
    problem = node.with_holes(data, split, scenario=cell.scenario, rate=rate, seed=cell.seed)
    with watch_peak() as peak:
        begin = time.perf_counter()
        method = kind(config.build(kind.Settings, cell.settings))
        method.fit(problem, seed=cell.seed, device=device)
        score = node.judge(method.proba_, problem, truth=data)
        seconds = time.perf_counter() - begin
    return Result(score.val, score.test, seconds, method.details(), peak())


def _run_link(cell: Cell, device: torch.device | str) -> Result:
    data = load(cell)
    kind = links.get(cell.method)
    nodes = _dataset(cell).split(data, cell.seed)
    edges = split_links(data, random_state=cell.seed)
    problem = link.with_holes(edges, nodes, scenario=cell.scenario, rate=cell.rate, seed=cell.seed)
    with watch_peak() as peak:
        begin = time.perf_counter()
        method = kind(config.build(kind.Settings, cell.settings))
        method.fit(problem, edges.val, seed=cell.seed, device=device)
        assert method.embedded_ is not None
        score = link.judge(method.embedded_, edges)
        seconds = time.perf_counter() - begin
    details = method.details() | {"val_ap": score.val.ap, "ap": score.test.ap}
    return Result(score.val.auc, score.test.auc, seconds, details, peak())


def _dataset(cell: Cell) -> Dataset:
    return sources.dataset(cell.dataset, cell.source)


def _where(cell: Cell) -> tuple[str, tuple[int, int] | None]:
    """Where a graph comes from, and the state its file is in, by which it is remembered."""
    state = None
    if cell.source is not None and "file" in cell.source and Path(cell.source["file"]).is_file():
        found = Path(cell.source["file"]).stat()
        state = found.st_mtime_ns, found.st_size
    return json.dumps(cell.source, sort_keys=True), state


@lru_cache(maxsize=2)
def _load(name: str, source: str, state: tuple[int, int] | None, sparse: bool) -> Data:
    found = sources.dataset(name, json.loads(source))
    if json.loads(source) is None:
        return datasets.load(name, sparse=sparse)
    data = found.read(found.folder(cache_folder()))
    return to_sparse(data) if sparse else data


@lru_cache
def _hash(name: str, source: str, state: tuple[int, int] | None) -> str:
    return fingerprint(_load(name, source, state, True))
