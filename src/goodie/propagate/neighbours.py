"""The simplest filling there is: the mean over the neighbours."""

from dataclasses import replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goodie.graph import Operator
from goodie.propagate.columns import read_columns
from goodie.propagate.engine import block_width, column_blocks


def fill_with_neighbour_mean(
    x: Float[Tensor, "nodes features"],
    S: Operator,
    *,
    observed: Bool[Tensor, "nodes *features"] | None = None,
    memory_budget: int | None = None,
) -> Float[Tensor, "nodes features"]:
    """Each hole becomes the mean of what is observed of it over the node and its neighbours.

    Zero where nothing is. The imputation of GCN-NM: one step, unweighted, from the observed values
    alone. Only the pattern of S is used.

    Args:
        x: dense with NaN in the holes, or sparse CSR, whose absent entries are observed zeros.
        S: from `goodie.operator`, in the precision of x.
        observed: which rows or entries are known; for dense x in addition to not being NaN, for
            sparse x alone (None: all are).
        memory_budget: bytes that the blocks in work may take, beside input and result.

    Returns:
        The features without holes; sparse if x was and little of it can become non-zero.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> x = torch.tensor([[1.0], [float("nan")], [4.0]])
        >>> fill_with_neighbour_mean(x, operator(path)).flatten().tolist()
        [1.0, 2.5, 4.0]
    """
    P = unweighted(S)
    held = read_columns(x, observed)
    for part in column_blocks(len(held.live), block_width(S, memory_budget)):
        columns = held.live[part]
        values, known = (block.to(S.device) for block in held.read(columns))
        count = P @ known.to(values)
        held.write(columns, torch.where(known, values, (P @ values) / count.clamp_(min=1.0)))
    return held.result()


def unweighted(S: Operator) -> Operator:
    """The pattern of an operator: a product sums over what a node hears from.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> (unweighted(operator(path)) @ torch.ones(3, 1)).flatten().tolist()
        [2.0, 3.0, 2.0]
    """
    ones = S.matrix.clone()
    ones.values().fill_(1.0)
    return replace(S, matrix=ones)
