"""Sums over the nodes of each class, as one sparse product."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goodie.nn.product import Constant


def class_sums(
    group: Int[Tensor, " nodes"], weights: Float[Tensor, "nodes kinds"], num_groups: int
) -> Constant:
    """The matrix that gives `Σ_{i∈c} w_i z_i` for each group c, one kind of weight after another.

    A product with it gives the same bits every time on a GPU too, where adding by index does not.

    Args:
        group: of every node, from 0.
        weights: w, a column for each kind of sum.
        num_groups: more than the largest group.

    Example:
        >>> sums = class_sums(torch.tensor([0, 1, 0]), torch.tensor([[1.0], [1.0], [0.5]]), 2)
        >>> (sums @ torch.tensor([[2.0], [3.0], [4.0]])).tolist()
        [[4.0], [3.0]]
    """
    n, kinds = weights.shape
    order = group.argsort(stable=True)
    begins = torch.bincount(group, minlength=num_groups).repeat(kinds).cumsum(0)
    matrix = torch.sparse_csr_tensor(
        torch.cat([begins.new_zeros(1), begins]),
        order.repeat(kinds),
        weights[order].T.flatten(),
        (kinds * num_groups, n),
        check_invariants=False,
    )
    transposed = torch.sparse_csr_tensor(
        torch.arange(0, kinds * n + 1, kinds, device=group.device),
        (group[:, None] + num_groups * torch.arange(kinds, device=group.device)).flatten(),
        weights.flatten(),
        (n, kinds * num_groups),
        check_invariants=False,
    )
    return Constant(matrix, transposed)
