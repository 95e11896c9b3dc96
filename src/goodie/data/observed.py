"""What is known of the features: one answer for NaN holes, masks and sparse matrices."""

from copy import copy

import torch
from jaxtyping import Bool, Num
from torch import Tensor
from torch_geometric.data import Data

from goodie.sparse import is_sparse, to_csr


def observed(data: Data) -> Bool[Tensor, "nodes features"]:
    """Which feature entries are known, as a dense mask (True = observed).

    Dense `x`: everything but NaN, and, where `data.observed` is given, only what it marks. Sparse
    `x`: what `data.observed` marks (rows, entries, or everything where it is absent): an entry that
    a sparse matrix does not store is an observed zero, not a hole.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> observed(Data(x=torch.tensor([[1.0, float("nan")]]))).tolist()
        [[True, False]]
    """
    x = data.x
    known: Tensor = (
        torch.ones(x.shape, dtype=torch.bool, device=x.device) if is_sparse(x) else ~x.isnan()
    )
    marked: Tensor | None = data.get("observed")
    if marked is None:
        return known
    if is_sparse(marked):
        marked = marked.to_dense()
    if marked.dim() == 1:
        marked = marked[:, None]
    return known & marked


def to_sparse(data: Data) -> Data:
    """The same graph with CSR features, its holes marked in `data.observed` if it has any.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> thin = to_sparse(Data(x=torch.tensor([[1.0, 0.0, float("nan")]])))
        >>> thin.x.values().tolist(), thin.observed.tolist()
        ([1.0], [[True, True, False]])
    """
    if is_sparse(data.x):
        return data
    out = copy(data)
    known = observed(data)
    out.x = to_csr(data.x.masked_fill(~known, 0.0))
    if not known.all():
        # Whole rows take a mark each, where that says it all.
        rows = known.all(dim=1)
        out.observed = rows if known.equal(rows[:, None].expand_as(known)) else known
    return out


def stored_and_observed(
    x: Num[Tensor, "nodes features"], marked: Bool[Tensor, "nodes *features"] | None
) -> Bool[Tensor, " entries"]:
    """Which of the entries that a CSR matrix stores are observed.

    Args:
        x: CSR.
        marked: `data.observed`.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [2.0, 3.0]]).to_sparse_csr()
        >>> stored_and_observed(x, torch.tensor([True, False])).tolist()
        [True, False, False]
    """
    crow, column = x.crow_indices(), x.col_indices().long()
    if marked is None:
        return torch.ones_like(column, dtype=torch.bool)
    row = torch.arange(len(x), device=crow.device).repeat_interleave(crow.diff())
    marked = marked.to_dense() if is_sparse(marked) else marked
    stays: Tensor = marked[row] if marked.dim() == 1 else marked[row, column]
    return stays
