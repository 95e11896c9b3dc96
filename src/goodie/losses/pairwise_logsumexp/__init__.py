"""`log Σ_{a≠i} exp(z_i · z_a / τ)` for every row: the one quadratic piece of a contrastive loss."""

from collections.abc import Callable
from typing import Literal, get_args

from jaxtyping import Float
from torch import Tensor

from goodie.errors import InputError
from goodie.losses.pairwise_logsumexp.blocked import blocked
from goodie.losses.pairwise_logsumexp.reference import reference

Backend = Literal["auto", "reference", "blocked"]

BACKENDS: dict[str, Callable[[Tensor, float], Tensor]] = {
    "auto": blocked,
    "reference": reference,
    "blocked": blocked,
}


def pairwise_logsumexp(
    z: Float[Tensor, "rows width"], temperature: float = 1.0, *, backend: Backend = "auto"
) -> Float[Tensor, " rows"]:
    """`log Σ_{a≠i} exp(z_i · z_a / τ)` for every row i of z, with gradients.

    Args:
        z: the rows; used as they are, so normalise them first if that is meant.
        temperature: τ, above zero.
        backend: `blocked` never holds all pairs, in exchange for computing them a second time for
            the gradient; `reference` is the formula written down, N×N in memory; `auto` chooses.

    Returns:
        One number a row; −∞, an empty sum, where there is one row only.

    Example:
        >>> import torch
        >>> z = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        >>> pairwise_logsumexp(z).round(decimals=4).tolist()
        [1.3133, 0.6931, 1.3133]
    """
    if not temperature > 0:
        raise InputError(f"temperature={temperature}; it must be above zero")
    if backend not in BACKENDS:
        raise InputError(f"unknown backend {backend!r}; there are {', '.join(get_args(Backend))}")
    return BACKENDS[backend](z, temperature)
