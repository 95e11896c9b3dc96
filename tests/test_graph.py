"""The operator against dense float64 algebra."""

from inspect import unwrap

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import to_dense_adj

from goodie.errors import InputError
from goodie.graph import operator
from oracles import propagation as oracle

# A triangle with a tail, a node that loops, a node alone; one edge stored in one direction only.
EDGES = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 4], [1, 0, 2, 1, 0, 2, 3, 4]])
WEIGHTS = torch.tensor([1.0, 1.0, 0.5, 0.5, 2.0, 2.0, 3.0, 0.25])
N = 6


def graph(**attributes: torch.Tensor) -> Data:
    return Data(edge_index=EDGES, num_nodes=N, **attributes)


@pytest.mark.parametrize("kind", ["symmetric", "row", "column"])
@pytest.mark.parametrize("self_loops", [True, False])
@pytest.mark.parametrize("undirected", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_is_the_oracle(kind: str, self_loops: bool, undirected: bool, weighted: bool) -> None:
    data = graph(edge_weight=WEIGHTS) if weighted else graph()
    S = operator(
        data,
        normalisation=kind,
        self_loops=self_loops,
        undirected=undirected,
        dtype=torch.float64,
    )
    A = oracle.adjacency(
        EDGES.numpy(),
        N,
        WEIGHTS.numpy() if weighted else None,
        undirected=undirected,
        self_loops=self_loops,
    )
    np.testing.assert_allclose(S.matrix.to_dense(), oracle.normalise(A, kind), atol=1e-15)


def test_is_pygs_normalisation_on_an_undirected_graph() -> None:
    edges = torch.cat([EDGES[:, :6], torch.tensor([[4], [4]])], dim=1)
    ours = operator(Data(edge_index=edges, num_nodes=N)).matrix.to_dense()
    theirs, weight = gcn_norm(edges, num_nodes=N)
    theirs = to_dense_adj(theirs, edge_attr=weight, max_num_nodes=N)[0]
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-7)


def test_isolated_nodes_get_zeros_and_their_loop() -> None:
    without = operator(graph(), self_loops=False).matrix.to_dense()
    assert not without[5].any()
    assert operator(graph()).matrix.to_dense()[5].tolist() == [0, 0, 0, 0, 0, 1]


def test_repeated_edges_count_once_without_weights_and_add_up_with_them() -> None:
    edges = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 0, 0, 2]])
    plain = operator(Data(edge_index=edges, num_nodes=3), normalisation="row", self_loops=False)
    assert plain.matrix.to_dense()[1].tolist() == [0.5, 0, 0.5]
    weighted = Data(edge_index=edges, edge_weight=torch.ones(5), num_nodes=3)
    row = operator(weighted, normalisation="row", self_loops=False).matrix.to_dense()[1]
    torch.testing.assert_close(row, torch.tensor([2 / 3, 0, 1 / 3]))


def test_edges_of_weight_zero_are_none() -> None:
    data = Data(
        edge_index=torch.tensor([[0, 1], [1, 2]]), edge_weight=torch.tensor([0.0, 1]), num_nodes=3
    )
    assert operator(data).component.tolist() == [0, 1, 1]


def test_indices_take_32_bits() -> None:
    assert operator(graph()).matrix.col_indices().dtype == torch.int32


def test_leaves_its_input_alone() -> None:
    data = graph(edge_weight=WEIGHTS.clone())
    operator(data)
    assert data.edge_index.equal(EDGES)
    assert data.edge_weight.equal(WEIGHTS)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_keeps_the_precision_asked_for(dtype: torch.dtype) -> None:
    assert operator(graph(), dtype=dtype).dtype == dtype


def test_no_edges() -> None:
    data = Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=2)
    assert operator(data).matrix.to_dense().tolist() == [[1, 0], [0, 1]]
    assert operator(data, self_loops=False).component.tolist() == [0, 1]


def test_refuses_an_unknown_normalisation() -> None:
    with pytest.raises(InputError, match="'rows'; there are symmetric, row, column"):
        unwrap(operator)(graph(), normalisation="rows")  # past the type checks of the tests
