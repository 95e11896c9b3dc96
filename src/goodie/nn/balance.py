"""Bringing what enters the two branches to one scale."""

import torch
from jaxtyping import Float
from torch import Tensor

from goodie.sparse import is_sparse


def to_unit_sums(x: Float[Tensor, "nodes columns"]) -> Float[Tensor, "nodes columns"]:
    """Rows divided by their sums; rows of zeros stay.

    Example:
        >>> to_unit_sums(torch.tensor([[0.001, 0.003], [0.0, 0.0]])).tolist()
        [[0.25, 0.75], [0.0, 0.0]]
    """
    total = x.sum(dim=1, keepdim=True)
    return torch.where(total > 0, x / total, 0.0)


def unit_scale(x: Float[Tensor, "nodes columns"], width: int, hidden: int) -> float:
    """The factor at which a linear layer's outputs start with mean square 1; 1 for a zero x.

    Glorot weights have variance 2 / (width + hidden), so an output has |x_i|² times that.

    Args:
        x: what enters the layer; columns of zeros may be left out.
        width: how many columns it has with them.
        hidden: how many outputs.
    """
    values = x.values() if is_sparse(x) else x
    # A norm, unlike a sum of squares in double precision, takes no copy of x.
    energy = float(torch.linalg.vector_norm(values, dtype=torch.float64)) ** 2 / max(1, x.shape[0])
    return ((width + hidden) / (2.0 * energy)) ** 0.5 if energy > 0 else 1.0
