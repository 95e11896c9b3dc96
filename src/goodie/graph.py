"""The one place where an adjacency is built and normalised."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.edges import edge_weight
from goodie.errors import InputError
from goodie.sparse import csr_to_scipy, csr_to_torch
from goodie.spmm import Multiplier, multiplier

Normalisation = Literal["symmetric", "row", "column"]


@dataclass(frozen=True, eq=False)
class Operator:
    """A normalised adjacency S, ready to multiply, and what it was made from.

    `matrix` is N×N in CSR; row i gathers what reaches node i. `degree` is the (weighted) degree
    that normalised it, loops counted; 0 marks a node that nothing reaches.
    """

    matrix: Float[Tensor, "nodes nodes"]
    degree: Float[Tensor, " nodes"]
    normalisation: Normalisation
    undirected: bool

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return int(self.matrix.shape[0])

    @property
    def dtype(self) -> torch.dtype:
        """Precision of the entries."""
        return self.matrix.dtype

    @property
    def device(self) -> torch.device:
        """Where the matrix lives."""
        return self.matrix.device

    def __matmul__(self, x: Float[Tensor, "nodes columns"]) -> Float[Tensor, "nodes columns"]:
        return self.multiplier @ x

    @cached_property
    def multiplier(self) -> Multiplier:
        """The matrix, ready to multiply."""
        return multiplier(self.matrix)

    def to(self, device: torch.device | str) -> "Operator":
        """The same operator on another device."""
        return replace(self, matrix=self.matrix.to(device), degree=self.degree.to(device))

    @cached_property
    def component(self) -> Int[Tensor, " nodes"]:
        """The number, from 0, of the connected component that each node lies in."""
        pattern = csr_to_scipy(self.matrix)
        # SciPy reads no weights here but would copy them to float64: one, repeated without being
        # stored, is float64 already.
        pattern.data = np.broadcast_to(np.float64(1.0), pattern.nnz)
        # Where edges go both ways strong components are all components, and SciPy finds them
        # without the transpose that it would make to forget directions.
        _, labels = sp.csgraph.connected_components(
            pattern, directed=self.undirected, connection="strong"
        )
        return torch.from_numpy(labels).long().to(self.device)


def operator(
    data: Data,
    *,
    normalisation: Normalisation = "symmetric",
    self_loops: bool = True,
    undirected: bool = True,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Operator:
    """The normalised adjacency of a graph.

    With A[i, j] the weight of the edge j → i and D the diagonal of A's row sums (column sums for
    `column`): `symmetric` is D^-½ A D^-½, `row` is D⁻¹A, `column` is A D⁻¹; a node of degree 0 gets
    zeros.

    Args:
        data: `edge_index`, and `edge_weight` or a one-column `edge_attr`. Repeated edges count
            once where there are no weights, and with the sum of their weights where there are.
        normalisation: `symmetric`, `row` or `column`.
        self_loops: give every node that has no loop one of weight 1; loops already there keep
            their weight.
        undirected: let an edge count in both directions, with the larger weight where the two
            differ. False keeps directions.
        dtype: precision of the entries; they are computed in float64 and rounded once.
        device: where the operator is put; the graph's device if None.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> operator(path, normalisation="row", self_loops=False).matrix.to_dense()
        tensor([[0.0000, 1.0000, 0.0000],
                [0.5000, 0.0000, 0.5000],
                [0.0000, 1.0000, 0.0000]])
    """
    if normalisation not in get_args(Normalisation):
        raise InputError(
            f"unknown normalisation {normalisation!r}; there are "
            f"{', '.join(get_args(Normalisation))}"
        )
    A = adjacency(data, self_loops=self_loops, undirected=undirected)
    degree = np.asarray(A.sum(axis=0 if normalisation == "column" else 1))
    with np.errstate(divide="ignore"):
        inverse = np.where(degree > 0, 1.0 / degree, 0.0)

    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    if normalisation == "symmetric":
        root = np.sqrt(inverse)
        A.data *= root[rows] * root[A.indices]
    else:
        A.data *= inverse[rows] if normalisation == "row" else inverse[A.indices]
    S = Operator(csr_to_torch(A, dtype=dtype), torch.from_numpy(degree), normalisation, undirected)
    return S.to(data.edge_index.device if device is None else device)


def adjacency(data: Data, *, self_loops: bool, undirected: bool) -> sp.csr_array:
    """A as float64 CSR, A[i, j] the weight of the edge j → i; see `operator` for the rest."""
    source, target = data.edge_index.cpu().numpy()
    weight = edge_weight(data)
    values = np.ones(len(source)) if weight is None else weight.cpu().numpy().astype(np.float64)
    n = int(data.num_nodes)
    A = sp.coo_array((values, (target, source)), shape=(n, n)).tocsr()  # sums duplicates
    if weight is None:
        A.data[:] = 1.0
    if undirected:
        A = A.maximum(A.T.tocsr())
    A.eliminate_zeros()
    if self_loops:
        A = A + sp.diags_array((A.diagonal() == 0).astype(np.float64), format="csr")
        A.eliminate_zeros()
    A.sort_indices()
    return A
