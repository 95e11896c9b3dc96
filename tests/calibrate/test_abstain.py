"""Who is told nothing, against a walk over the graph in plain Python."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie import missing, synthetic
from goodie.calibrate import informed_nodes
from goodie.data.observed import to_sparse
from goodie.data.validate import validate

ALL = ("features", "structure", "labels")


def by_walking(data: Data, sources: set[int]) -> list[bool]:
    neighbours: dict[int, set[int]] = {i: set() for i in range(data.num_nodes)}
    for a, b in data.edge_index.T.tolist():
        neighbours[a].add(b)
        neighbours[b].add(a)
    seen, left = set(sources), list(sources)
    while left:
        for other in neighbours[left.pop()] - seen:
            seen.add(other)
            left.append(other)
    return [i in seen for i in range(data.num_nodes)]


@pytest.mark.parametrize("rate", [0.9, 0.99, 1.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_by_walking(rate: float, sparse: bool) -> None:
    data = synthetic(150, 3, num_features=4, average_degree=1.0, random_state=3)
    data = validate(missing.uniform(data, rate))
    seeds = torch.arange(150) < 5
    shown = set(np.flatnonzero((data.x.nan_to_num(nan=0.0) != 0).any(dim=1).numpy()))
    graph = validate(to_sparse(data)) if sparse else data
    told = set(range(5))
    assert informed_nodes(graph, seeds, ALL).tolist() == by_walking(data, told | shown)
    assert informed_nodes(graph, seeds, ("structure", "labels")).tolist() == by_walking(data, told)
    alone = [i in shown for i in range(150)]
    assert informed_nodes(graph, seeds, ("features", "labels")).tolist() == alone


def test_an_observed_zero_says_no_more_than_a_hole() -> None:
    data = validate(Data(x=torch.zeros(2, 3), edge_index=torch.empty(2, 0, dtype=torch.long)))
    assert not informed_nodes(data, torch.zeros(2, dtype=torch.bool), ALL).any()
