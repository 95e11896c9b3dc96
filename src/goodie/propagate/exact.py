"""Where propagation would end, by conjugate gradients instead of by many steps.

The limit of `Y ← base + gain ∘ (S Y)` solves `(I − G S)Y = base`, with G the gain as a diagonal.
For a symmetric S, and on the entries that G lets through, the matrix is symmetric, and positive
definite where every component holds a known entry (reset form) or α < 1 (residual form).
Components without a known entry have a singular system with right-hand side zero; conjugate
gradients started from zero leaves them there, which is the answer documented for them.
"""

import warnings
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from goodie.errors import InputError
from goodie.graph import Operator
from goodie.propagate.engine import Block, Diffused

MAX_PRODUCTS = 10_000

# What conjugate gradients allocate at the highest, in arrays of a block's size.
ARRAYS_ALLOCATED = 12


def solve(S: Operator, block: Block, *, tolerance: float | None = None) -> Diffused:
    """The fixed point of `Y ← base + gain ∘ (S Y)`.

    `gain` is a number below 1, or 0/1 with `base` zero wherever it is 1. For an S from
    `symmetric_form`.

    Args:
        S: symmetric operator.
        block: the columns; their start is not used.
        tolerance: stop a column when the norm of its residual has fallen to this share of the
            right-hand side's; by default 1e-5 in float32 and 1e-12 in float64.
    """
    _, base, gain = block
    if isinstance(gain, float):
        return conjugate_gradients(S, gain, base, tolerance=tolerance)
    # (I − S_uu) X_u = S_uk X_k on the unknown entries u; the known ones k are base.
    inflow = gain * (S @ base)
    unknown, steps, residual = conjugate_gradients(S, gain, inflow, tolerance=tolerance)
    return Diffused(base + unknown, steps, residual)


def conjugate_gradients(
    S: Operator,
    gain: Float[Tensor, "nodes #columns"] | float,
    right: Float[Tensor, "nodes columns"],
    *,
    tolerance: float | None = None,
) -> Diffused:
    """`(I − G S) X = right`, all columns at once, each with its own step lengths."""
    if tolerance is None:
        tolerance = 1e-12 if right.dtype == torch.float64 else 1e-5
    x = torch.zeros_like(right)
    r, p = right.clone(), right.clone()
    energy = (r * r).sum(0)  # ‖r‖², per column
    goal = tolerance**2 * energy
    steps = 0
    while bool((running := energy > goal).any()):
        if steps == MAX_PRODUCTS:
            warnings.warn(
                f"stopped after {steps} products with a relative residual above {tolerance:g}; "
                "use float64 or a larger tolerance",
                stacklevel=2,
            )
            break
        steps += 1
        q = p - gain * (S @ p)
        length = torch.where(running, energy / (p * q).sum(0), 0.0)
        x += length * p
        r -= length * q
        before, energy = energy, (r * r).sum(0)
        p = r + torch.where(running, energy / before, 0.0) * p
    relative = (energy / (right * right).sum(0)).nan_to_num(0.0).sqrt()
    return Diffused(x, steps, float(relative.max()) if relative.numel() else 0.0)


def symmetric_form(S: Operator) -> tuple[Operator, Float[Tensor, "nodes 1"]]:
    """The symmetric operator similar to S, and the s with `Z = s ∘ Y` for its solutions Z.

    D⁻¹A and A D⁻¹ are D^-½ (D^-½ A D^-½) D^½ and its transpose, so their systems are the symmetric
    one's in scaled unknowns.
    """
    if not S.undirected:
        raise InputError("an exact solve needs an undirected operator: operator(undirected=True)")
    one = torch.ones(S.num_nodes, 1, dtype=S.dtype, device=S.device)
    if S.normalisation == "symmetric":
        return S, one
    root = torch.where(S.degree > 0, S.degree, 1.0).sqrt()
    scale = root if S.normalisation == "row" else 1.0 / root
    crow, column, values = S.matrix.crow_indices(), S.matrix.col_indices(), S.matrix.values()
    row = torch.repeat_interleave(torch.arange(S.num_nodes, device=S.device), crow.diff())
    symmetric = (values * scale[row] / scale[column]).to(S.dtype)
    matrix = S.matrix.clone()
    matrix.values().copy_(symmetric)
    return replace(S, matrix=matrix, normalisation="symmetric"), scale[:, None].to(S.dtype)
