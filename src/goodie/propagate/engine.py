"""The one diffusion behind label and feature propagation, column block by column block.

Both iterate `Y ← base + gain ∘ (S Y)`: with `base = (1 − α)Y₀` and `gain = α` it is the residual
form of label propagation; with `base` the known values and `gain` 1 on what is unknown and 0
elsewhere it is the reset form of either. Columns never meet, so they are taken in blocks narrow
enough that a block stays in the cache over all steps; that, and one fused update a step, is the
whole speed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goodie.errors import InputError
from goodie.graph import Operator

# What a block's four arrays in use (two iterates, base, gain) may take together: on a CPU well
# within a last-level cache, on a GPU enough columns to keep it busy.
CPU_BLOCK_BYTES = 10 << 20
GPU_BLOCK_BYTES = 1 << 30
ARRAYS_IN_USE = 4

# What a block allocates at its highest, masks and the copy that is written back counted.
ARRAYS_ALLOCATED = 6

Progress = Callable[[int, int], None]


class Block(NamedTuple):
    """Some columns of a diffusion: where they start, what a step adds, what it lets through."""

    start: Float[Tensor, "nodes columns"]
    base: Float[Tensor, "nodes columns"]
    gain: Float[Tensor, "nodes #columns"] | float


class Diffused(NamedTuple):
    """Diffused columns, the steps that the slowest of them took, and what was left to do."""

    values: Float[Tensor, "nodes columns"]
    steps: int
    residual: float


@dataclass(frozen=True, eq=False)
class Propagated:
    """What a propagation gives back.

    Attributes:
        values: the propagated matrix.
        steps: products with the operator, in the column that took most.
        residual: how far from a fixed point it stopped, in the worst column: the largest change in
            the last step, or, for an exact solve, the norm of the residual over that of the
            right-hand side.
        reached: where a known value could arrive at all. [nodes] for labels, [nodes, features] for
            features. Elsewhere `values` is zero, and means nothing.
    """

    values: Float[Tensor, "nodes columns"]
    steps: int
    residual: float
    reached: Bool[Tensor, "nodes *columns"]


def iterate(
    S: Operator,
    block: Block,
    *,
    steps: int,
    tolerance: float | None = None,
    clip: tuple[float, float] | None = None,
) -> Diffused:
    """`Y ← base + gain ∘ (S Y)`, `steps` times, or until no entry of a column moves by more.

    With a tolerance each column stops by itself, so that the result does not depend on which
    columns share a block. `clip` keeps every step within two bounds.
    """
    now, base, gain = block
    then = torch.empty_like(now)
    settled: Tensor | None = None
    running = torch.ones(now.shape[1], dtype=torch.bool, device=now.device)
    taken, change = 0, torch.zeros(now.shape[1], dtype=now.dtype, device=now.device)

    for step in range(1, steps + 1):
        S.multiplier.into(then, now)
        if isinstance(gain, float):
            torch.add(base, then, alpha=gain, out=then)
        else:
            torch.addcmul(base, then, gain, out=then)
        if clip is not None:
            then.clamp_(*clip)
        taken = step
        if tolerance is not None or step == steps:
            moved = (then - now).abs().amax(dim=0)
            change = torch.where(running, moved, change)
        # The block's start is the caller's (and often `base` itself): never written to.
        now, then = then, (torch.empty_like(now) if step == 1 else now)
        if tolerance is not None:
            settled = now.clone() if settled is None else torch.where(running, now, settled)
            running &= moved > tolerance
            if not running.any():
                break

    values = now if settled is None else settled
    return Diffused(values, taken, float(change.max()) if change.numel() else 0.0)


def column_blocks(
    num_columns: int, width: int, progress: Progress | None = None
) -> Iterator[slice]:
    """Consecutive slices of `width` columns, reporting columns done and columns in all."""
    for begin in range(0, num_columns, width):
        end = min(begin + width, num_columns)
        yield slice(begin, end)
        if progress is not None:
            progress(end, num_columns)


def block_width(
    S: Operator, memory_budget: int | None = None, *, arrays: int = ARRAYS_ALLOCATED
) -> int:
    """How many columns to diffuse at a time.

    Args:
        S: the operator, for its size, precision and device.
        memory_budget: bytes that the working arrays may take, beside the input and the result.
        arrays: how many of the block's size there are at the highest.
    """
    array = S.num_nodes * S.dtype.itemsize
    target = GPU_BLOCK_BYTES if S.device.type == "cuda" else CPU_BLOCK_BYTES
    # Eight floats fill a vector register; narrower blocks waste the product.
    width = max(8, target // (ARRAYS_IN_USE * array) // 8 * 8)
    if memory_budget is None:
        return width
    affordable = memory_budget // (arrays * array)
    if affordable < 1:
        raise InputError(
            f"a memory budget of {memory_budget:,} bytes is less than one column needs "
            f"({arrays * array:,} bytes for {S.num_nodes:,} nodes)"
        )
    return min(width, affordable if affordable < 8 else affordable // 8 * 8)


def check(*, steps: int = 0, tolerance: float | None = None, alpha: float = 0.0) -> None:
    """Refuse what no propagation can do."""
    if not 0.0 <= alpha <= 1.0:
        raise InputError(f"alpha={alpha}; a share lies between 0 and 1")
    if steps < 0:
        raise InputError(f"steps={steps}; a propagation takes 0 steps or more")
    if tolerance is not None and not tolerance > 0:
        raise InputError(
            f"tolerance={tolerance}; it must be above zero (None: all steps are taken)"
        )
