"""Bringing what enters the two branches to one scale."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.observed import stored_and_observed
from goodie.propagate.columns import row_slices
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
    x, marked = data.x, data.get("observed")
    marked = marked.to_dense() if marked is not None else None
    if is_sparse(x):
        size = x.values()[stored_and_observed(x, marked)].abs().sum(dtype=torch.float64)
        # A mark may stand for a row, so it is their share that counts.
        share = 1.0 if marked is None else int(marked.sum()) / max(1, marked.numel())
    else:
        size, known = torch.zeros(2, dtype=torch.float64)
        for rows in row_slices((x.shape[0], x.shape[1])):  # a mask of all would be a copy of x
            shown = ~x[rows].isnan()
            if marked is not None:
                shown &= marked[rows].view(len(shown), -1)
            size += torch.where(shown, x[rows], 0.0).abs().sum(dtype=torch.float64)
            known += shown.sum()
        share = float(known) / max(1, x.numel())
    return float(size) / max(1, len(x)) / share if share > 0 else 0.0
