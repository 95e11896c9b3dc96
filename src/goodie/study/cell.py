"""One cell of an experiment: a method on a dataset under a missing pattern, with one seed."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch_geometric.data import Data

from goodie import config, methods
from goodie.data import datasets
from goodie.errors import InputError
from goodie.tasks import node


@dataclass(frozen=True)
class Cell:
    """What is run; everything that its result depends on, but for the data and the code.

    Attributes:
        dataset: a name that `datasets.load` takes.
        method: a name that `methods.get` takes.
        scenario: missing pattern.
        rate: share of the features that is missing.
        seed: of the split, the holes and the initial weights.
        settings: all settings of the method, resolved.
        task: `node`.
    """

    dataset: str
    method: str
    scenario: str = "uniform"
    rate: float = 0.0
    seed: int = 0
    settings: Mapping[str, Any] | None = None
    task: str = "node"


@dataclass(frozen=True)
class Result:
    """What came out: accuracies in percent, and the seconds of fitting and predicting."""

    val: float
    test: float
    seconds: float


def resolve(
    method: str, dataset: str, scenario: str, *overrides: Mapping[str, Any]
) -> dict[str, Any]:
    """All settings of a method on a dataset: defaults < the paper's < overrides, in their order."""
    kind = methods.get(method)
    return config.as_dict(
        config.build(kind.Settings, kind.paper_settings(dataset, scenario), *overrides)
    )


def load_for(method: str, dataset: str) -> Data:
    """A dataset as a method wants it: dense features where it looks at them."""
    return datasets.load(dataset, sparse="features" not in methods.get(method).uses)


def run(cell: Cell, data: Data, *, device: torch.device | str = "cpu") -> Result:
    """Run a cell on its loaded dataset."""
    if cell.task != "node":
        raise InputError(f"unknown task {cell.task!r}; there is node")
    kind = methods.get(cell.method)
    split = datasets.find(cell.dataset).split(data, cell.seed)
    # What a method does not look at need not be taken from it.
    rate = cell.rate if "features" in kind.uses else 0.0
    problem = node.with_holes(data, split, scenario=cell.scenario, rate=rate, seed=cell.seed)

    begin = time.perf_counter()
    method = kind(config.build(kind.Settings, cell.settings or {}))
    method.fit(problem, seed=cell.seed, device=device)
    score = node.judge(method, problem, truth=data)
    return Result(score.val, score.test, time.perf_counter() - begin)
