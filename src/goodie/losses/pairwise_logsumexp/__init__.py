"""`log Σ_{a≠i} exp(z_i · z_a / τ)` for every row: the one quadratic piece of a contrastive loss."""

import os
import warnings
from functools import cache
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from goodie.errors import InputError
from goodie.losses.pairwise_logsumexp.blocked import blocked
from goodie.losses.pairwise_logsumexp.reference import reference

Backend = Literal["auto", "reference", "blocked", "triton"]
Precision = Literal["tf32", "compensated", "ieee"]

FUSED_TYPES = (torch.float32, torch.bfloat16, torch.float16)
FUSED_WIDTH = 256


def pairwise_logsumexp(
    z: Float[Tensor, "rows width"],
    temperature: float = 1.0,
    *,
    backend: Backend = "auto",
    precision: Precision = "compensated",
) -> Float[Tensor, " rows"]:
    """`log Σ_{a≠i} exp(z_i · z_a / τ)` for every row i of z, with gradients.

    Every backend gives the same bits for the same z again, on the same machine.

    Args:
        z: the rows; used as they are, so normalise them first if that is meant.
        temperature: τ, above zero.
        backend: `reference` is the formula written down, N×N in memory; `blocked` never holds all
            pairs, in exchange for computing them a second time for the gradient; `triton` does that
            in one kernel, on a GPU, for up to 256 columns of float32, bfloat16 or float16. `auto`
            is `triton` where it can be and `blocked` elsewhere.
        precision: of the products in `triton`; the others compute in z's own, at least float32.
            `compensated` is near float32; `tf32` has tf32's 10 bits of mantissa, in half the time;
            `ieee` is float32 itself, and slower than `blocked`. Errors: docs/decisions/0006.

    Returns:
        One number a row; −∞, an empty sum, where there is one row only.

    Example:
        >>> import torch
        >>> z = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        >>> pairwise_logsumexp(z)
        tensor([1.3133, 0.6931, 1.3133])
    """
    if not temperature > 0:
        raise InputError(f"temperature={temperature}; it must be above zero")
    if precision not in get_args(Precision):
        there = ", ".join(get_args(Precision))
        raise InputError(f"unknown precision {precision!r}; there are {there}")
    way = chosen(backend, z)
    if way == "reference":
        return reference(z, temperature)
    if way == "blocked":
        return blocked(z, temperature)

    from goodie.losses.pairwise_logsumexp.triton import fused

    return fused(z, temperature, precision)


def chosen(backend: Backend, z: Float[Tensor, "rows width"]) -> Backend:
    """The backend that `auto` stands for with such rows; any other is itself, or refused."""
    if backend not in get_args(Backend):
        raise InputError(f"unknown backend {backend!r}; there are {', '.join(get_args(Backend))}")
    if backend == "auto":
        if not z.is_cuda or _obstacle(z):
            return "blocked"
        missing = _missing()
        if missing:
            _warn(missing)
        return "blocked" if missing else "triton"
    if backend == "triton":
        obstacle = _obstacle(z) or _missing()
        if obstacle:
            raise InputError(f"backend='triton' cannot be used: {obstacle}")
    return backend


def _obstacle(z: Tensor) -> str | None:
    """Why these rows cannot go through the fused kernels."""
    if not z.is_cuda and os.environ.get("TRITON_INTERPRET") != "1":
        return f"z is on {z.device}, not on a GPU"
    if z.dtype not in FUSED_TYPES:
        return f"z is {z.dtype}; it takes {', '.join(str(t) for t in FUSED_TYPES)}"
    if z.shape[1] > FUSED_WIDTH:
        return f"z has {z.shape[1]} columns; it takes up to {FUSED_WIDTH}"
    return None


@cache
def _missing() -> str | None:
    """Why the fused kernels cannot be imported."""
    try:
        import goodie.losses.pairwise_logsumexp.triton  # noqa: F401
    except ImportError as error:
        return f"Triton cannot be imported ({error})"
    return None


@cache
def _warn(missing: str) -> None:
    warnings.warn(
        f"{missing}: log-sum-exps over all pairs take the blocked way, which is slower",
        stacklevel=4,
    )
