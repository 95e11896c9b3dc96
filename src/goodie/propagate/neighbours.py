"""The simplest filling there is: the mean over the neighbours."""

import torch
from jaxtyping import Float
from torch import Tensor

from goodie.graph import Operator
from goodie.propagate.engine import block_width, column_blocks
from goodie.spmm import multiplier


def fill_with_neighbour_mean(
    x: Float[Tensor, "nodes features"], S: Operator, *, memory_budget: int | None = None
) -> Float[Tensor, "nodes features"]:
    """Each hole becomes the mean of what is observed of it over the node and its neighbours.

    Zero where nothing is. The imputation of GCN-NM: one step, unweighted, from the observed values
    alone. Only the pattern of S is used.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> x = torch.tensor([[1.0], [float("nan")], [4.0]])
        >>> fill_with_neighbour_mean(x, operator(path)).flatten().tolist()
        [1.0, 2.5, 4.0]
    """
    ones = S.matrix.clone()
    ones.values().fill_(1.0)
    pattern = multiplier(ones)
    out = torch.empty_like(x)
    for columns in column_blocks(x.shape[1], block_width(S, memory_budget)):
        block = x[:, columns]
        known = ~block.isnan()
        total = pattern @ block.nan_to_num(nan=0.0)
        count = pattern @ known.to(x)
        out[:, columns] = torch.where(known, block, total / count.clamp_(min=1.0))
    return out
