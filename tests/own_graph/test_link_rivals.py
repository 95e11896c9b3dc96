"""Scores by the edges alone, against NetworkX; and what they are worth on a graph made for them."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie.data.pairs import Told
from goodie.graph import adjacency
from goodie.own_graph import link_rivals
from goodie.own_graph.link_rivals import common_neighbours, degree_product, rivals


def test_they_are_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_rivals, "BLOCK", 7)
    graph = nx.gnm_random_graph(30, 90, seed=0)
    pairs = torch.from_numpy(np.array(list(nx.non_edges(graph))).T)
    data = Data(edge_index=torch.tensor(list(graph.edges)).T, num_nodes=30)
    A = adjacency(data, self_loops=False, undirected=True)
    common = [len(list(nx.common_neighbors(graph, *pair))) for pair in pairs.T.tolist()]
    assert common_neighbours(A, pairs).tolist() == common
    product = [score for *_, score in nx.preferential_attachment(graph, pairs.T.tolist())]
    assert degree_product(A, pairs).tolist() == product


def test_weights_loops_and_repetitions_count_for_nothing() -> None:
    # A square, 0–1–2–3, whose diagonals are asked about, and whose edges come in odd ways.
    odd = torch.tensor([[0, 1, 1, 2, 3, 3, 0], [1, 0, 2, 3, 0, 3, 1]])
    data = Data(edge_index=odd, edge_weight=torch.arange(1.0, 8.0), num_nodes=6)
    told = Told(torch.tensor([[0, 1], [2, 3]]), torch.tensor([[4, 0], [5, 4]]))
    found = rivals(data, told)
    assert list(found) == ["common neighbours", "product of degrees"]
    assert found["common neighbours"] == found["product of degrees"] == (100.0, 100.0)


def test_no_pairs() -> None:
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    A = adjacency(data, self_loops=False, undirected=True)
    assert common_neighbours(A, torch.empty(2, 0, dtype=torch.long)).shape == (0,)
