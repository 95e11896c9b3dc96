"""Bringing what enters the two branches to one scale."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.observed import to_sparse
from goodie.sparse import is_sparse

# What the sizes of a row's entries add up to, in either branch. Adam moves every weight by about
# the learning rate whatever enters, so this is how fast a branch learns; equal sums, equal pace.
ROW_SIZE = 8.0


def to_unit_sums(x: Float[Tensor, "nodes columns"]) -> Float[Tensor, "nodes columns"]:
    """Rows divided by their sums; rows of zeros stay.

    Example:
        >>> to_unit_sums(torch.tensor([[0.001, 0.003], [0.0, 0.0]])).tolist()
        [[0.25, 0.75], [0.0, 0.0]]
    """
    total = x.sum(dim=1, keepdim=True)
    return torch.where(total > 0, x / total, 0.0)


def size_of_a_full_row(data: Data) -> float:
    """Σ_d |x_id|, mean over nodes, as it would be if nothing were missing; 0 if all is.

    What is observed is taken as a fair sample. So features of which one in ten thousand is left,
    and propagation has spread thinly, stay as faint as that leaves them.

    Args:
        data: with features and their holes.

    Example:
        >>> size_of_a_full_row(Data(x=torch.tensor([[1.0, -3.0], [torch.nan, torch.nan]])))
        4.0
    """
    thin = to_sparse(data)
    x, marked = thin.x, thin.get("observed")
    sizes, known = x.values().abs().double(), float(x.numel())
    if marked is not None:
        marked = (marked.to_dense() if is_sparse(marked) else marked).view(len(x), -1)
        known = float(marked.sum()) * x.shape[1] / marked.shape[1]
        row = torch.arange(len(x)).repeat_interleave(x.crow_indices().diff())
        column = x.col_indices() if marked.shape[1] > 1 else torch.zeros_like(row)
        sizes = sizes * marked[row, column]
    return float(sizes.sum()) / known * x.shape[1] if known else 0.0
