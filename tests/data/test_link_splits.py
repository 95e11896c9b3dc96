"""Edges set aside: shares, disjoint parts, nothing left behind."""

import pytest
import torch
from torch_geometric.data import Data

from goodie import synthetic
from goodie.data.link_splits import split_links, without_edges
from goodie.data.pairs import edge_pairs
from goodie.data.validate import validate
from goodie.errors import InputError, InvalidGraphError

Pair = tuple[int, int]


def graph() -> Data:
    return validate(synthetic(200, 3, average_degree=6.0, random_state=2))


def as_set(pairs: torch.Tensor) -> set[Pair]:
    return {(int(min(a, b)), int(max(a, b))) for a, b in pairs.T if a != b}


def test_parts() -> None:
    data = graph()
    every = as_set(data.edge_index)
    split = split_links(data, random_state=1)
    train = as_set(split.data.edge_index)
    parts = [train, *(as_set(pairs) for told in split[1:] for pairs in told)]
    assert sum(map(len, parts)) == len(set().union(*parts))  # no pair is in two
    _, val, val_others, test, test_others = parts
    assert train | val | test == every
    assert not every & (val_others | test_others)
    assert len(val) == len(val_others) == round(0.05 * len(every))
    assert len(test) == len(test_others) == round(0.10 * len(every))
    # An edge goes with its reverse.
    assert split.data.edge_index.shape[1] == 2 * len(train)


def test_the_seed_decides() -> None:
    one, same, other = (split_links(graph(), random_state=seed) for seed in (1, 1, 2))
    assert one.test.edges.equal(same.test.edges)
    assert one.val.others.equal(same.val.others)
    assert not one.test.edges.equal(other.test.edges)


def test_the_graph_keeps_all_else() -> None:
    data = graph()
    data.edge_weight = torch.rand(
        data.edge_index.shape[1], generator=torch.Generator().manual_seed(0)
    )
    before = data.edge_index.clone()
    split = split_links(data)
    assert data.edge_index.equal(before)
    assert split.data.y.equal(data.y)
    torch.testing.assert_close(split.data.x, data.x, equal_nan=True)
    weights = {
        (int(a), int(b)): float(w)
        for (a, b), w in zip(data.edge_index.T, data.edge_weight, strict=True)
    }
    kept = zip(split.data.edge_index.T, split.data.edge_weight, strict=True)
    assert all(weights[int(a), int(b)] == float(w) for (a, b), w in kept)


def test_without_edges_takes_both_directions() -> None:
    data = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 2]]), num_nodes=3)
    assert without_edges(data, torch.tensor([[1], [0]])).edge_index.tolist() == [[1, 2], [2, 2]]
    assert edge_pairs(data.edge_index, 3).shape[1] == 2


@pytest.mark.parametrize("shares", [(0.5, 0.5), (-0.1, 0.1), (0.9, 0.2)])
def test_shares_that_are_none(shares: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="must be shares"):
        split_links(graph(), val=shares[0], test=shares[1])


def test_too_few_edges() -> None:
    pair = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=5)
    with pytest.raises(InvalidGraphError, match="1 edges are too few"):
        split_links(pair)
