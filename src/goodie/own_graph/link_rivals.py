"""How likely a link is by the edges alone: what a link predictor has to beat."""

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.pairs import Told
from goodie.evaluate import Ranking, ranking
from goodie.graph import adjacency

# Pairs whose neighbours are held at a time.
BLOCK = 1 << 15


def rivals(data: Data, told: Told) -> dict[str, Ranking]:
    """How well simple scores tell edges from other pairs.

    Args:
        data: the graph without the edges that are judged.
        told: the pairs that are judged.
    """
    A = _joined(data)
    return {
        "common neighbours": ranking(*(common_neighbours(A, pairs) for pairs in told)),
        "product of degrees": ranking(*(degree_product(A, pairs) for pairs in told)),
    }


def common_neighbours(A: sp.csr_array, pairs: Int[Tensor, "2 pairs"]) -> Float[Tensor, " pairs"]:
    """How many nodes are joined to both (Liben-Nowell and Kleinberg, 2003)."""
    one, other = pairs.numpy()
    counts = [
        A[one[at : at + BLOCK]].multiply(A[other[at : at + BLOCK]]).sum(axis=1)
        for at in range(0, len(one), BLOCK)
    ]
    return torch.from_numpy(np.concatenate([np.zeros(0), *counts]))


def degree_product(A: sp.csr_array, pairs: Int[Tensor, "2 pairs"]) -> Float[Tensor, " pairs"]:
    """The product of both degrees: who knows many is met by many (Barabási and Albert, 1999)."""
    degree = np.diff(A.indptr).astype(np.float64)
    one, other = pairs.numpy()
    return torch.from_numpy(degree[one] * degree[other])


def _joined(data: Data) -> sp.csr_array:
    """1 where an edge joins two nodes, in either direction; no loops."""
    A = adjacency(data, self_loops=False, undirected=True).tocoo()
    row, column = A.coords
    apart = row != column
    ones = np.ones(int(apart.sum()))
    return sp.csr_array((ones, (row[apart], column[apart])), shape=A.shape)
