r"""All pairs on a GPU, fused as attention kernels are: no pair ever reaches memory.

With s_ia = z_i · z_a / τ, a shift c common to all pairs and E_ia = exp(s_ia − c),

    lse_i = c + log Σ_{a≠i} E_ia,
    ∂L/∂z_i = Σ_{a≠i} W_ia z_a / τ,   W_ia = E_ia (q_i + q_a),   q_i = g_i exp(c − lse_i),

g the incoming gradient. W is symmetric: one sweep gathers what a row gets as a row and what it gets
as a column, with two products and one exponential a pair where attention's gradient takes five and
one. Every row adds up in an order of its own that never changes: same input, same bits.

c = max(0, max|z|² / τ − 69) lets no sum overflow, and loses a row's only where lse_i lies some 130
below the largest |z|² / τ. A block with such a row is done once more with running maxima, and then
the gradient is taken from the log-sum-exps alone, for all rows:

    W_ia = g_i exp(s_ia − lse_i) + g_a exp(s_ia − lse_a).

Precisions, by what a product's operands keep; sums are in float32 always:

- `tf32`: the 10 bits of mantissa that tf32 has, but carried in float16, which the matrix units take
  at twice the speed. Its narrow range is made up for by scaling: z by a power of two that brings
  its longest row to a length in [2¹³, 2¹⁴), W so that no entry exceeds 2¹⁵. What is smaller than
  the largest by 2⁻²⁸ and more loses bits one by one, what is by 2⁻³⁹ is zero.
- `compensated`: 21 bits, x = high + low, both as above, and x y ≈ high high + high low + low high.
- `ieee`: float32, on the units that are no matrix units.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

import torch
import triton
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable
from triton.tools.tensor_descriptor import TensorDescriptor

from goodie.losses.pairwise_logsumexp.triton_kernels import (
    finish_rows,
    gather_parts,
    pull_rows,
    split_rows,
    sum_rows,
    weigh_rows,
)

LOG2_E = 1.4426950408889634
# The largest E is 2¹⁰⁰, so that up to 2²⁷ of them have a sum in float32.
ROOM = 100.0
# Rows of z's halves are a multiple of this, which the rows of every plan divide.
ALIGNED = 128


class Plan(NamedTuple):
    """How a kernel is cut: tiles of `rows` by `columns`, `resident` blocks on a multiprocessor."""

    rows: int
    columns: int
    warps: int
    stages: int
    registers: int | None
    resident: int

    @property
    def options(self) -> dict[str, int]:
        """For the compiler."""
        limit = {} if self.registers is None else {"maxnreg": self.registers}
        return {"num_warps": self.warps, "num_stages": self.stages, **limit}


class Shares(NamedTuple):
    """Who does which of `groups` row blocks: the first `full` whole, each one after in `parts`."""

    groups: int
    full: int
    parts: int

    @property
    def tail(self) -> int:
        """Row blocks done in parts."""
        return self.groups - self.full

    @property
    def items(self) -> int:
        """Pieces of work, each a block of the grid."""
        return self.full + self.tail * self.parts


def fused(
    z: Float[Tensor, "rows width"],
    temperature: float,
    precision: Literal["tf32", "compensated", "ieee"],
) -> Float[Tensor, " rows"]:
    """`log Σ_{a≠i} exp(z_i · z_a / τ)`, for z of up to 256 columns in 32 bits or 16."""
    apply: Callable[..., Tensor] = _Fused.apply
    with torch.cuda.device_of(z):
        return apply(z, temperature, precision) if len(z) else z.sum(dim=1)


class _Fused(torch.autograd.Function):
    """Keeps z in halves and the log-sum-exps for the gradient, and no pair."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, temperature: float, precision: str) -> Tensor:
        z = z.detach().contiguous()
        (n, width), padded = z.shape, max(16, triton.next_power_of_2(z.shape[1]))
        # 16 bits are one half as they are.
        split = precision == "compensated" and z.dtype == torch.float32

        single = partial(torch.empty, dtype=torch.float32, device=z.device)
        longest = torch.linalg.vector_norm(z, dim=1, dtype=torch.float32).amax()
        blocks = triton.cdiv(n, ALIGNED) * 8
        half = torch.float32 if precision == "ieee" else torch.float16
        high = torch.empty(blocks * ALIGNED // 8, padded, dtype=half, device=z.device)
        low = torch.empty_like(high) if split else high
        scalars, far = single(3), torch.empty(1, dtype=torch.int32, device=z.device)
        split_rows[(blocks,)](
            z, longest, LOG2_E / temperature, ROOM, scalars, high, low, far, n, width,
            split, ALIGNED // 8, padded,
        )  # fmt: skip

        plan, shares = _work(n, padded, precision, split, z.device, backward=False)
        cut = (n, *shares, split, plan.rows, plan.columns, padded)
        halves = (high, low, *_tiles(plan, high, low), scalars)
        sums = single(shares.items, plan.rows)
        sum_rows[(shares.items,)](*halves, sums, *cut, **plan.options)
        lse, result = single(n), z.new_empty(n)
        # A sum from which what underflowed, at most every pair, is missing unnoticed.
        least = n * torch.finfo(torch.float32).tiny / torch.finfo(torch.float32).eps
        finish_rows[(shares.groups,)](*halves, sums, lse, result, far, least, *cut, **plan.options)

        ctx.save_for_backward(high, low, scalars, lse, far)
        ctx.width, ctx.temperature, ctx.precision, ctx.split = width, temperature, precision, split
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        high, low, scalars, lse, far = ctx.saved_tensors
        n, padded = len(lse), high.shape[1]
        gradient = gradient.contiguous()

        largest = torch.linalg.vector_norm(gradient, ord=torch.inf, dtype=torch.float32)
        g, q, unit = torch.empty_like(lse), torch.empty_like(lse), torch.empty_like(largest)
        weigh_rows[(triton.cdiv(n, 1024),)](
            gradient, largest, lse, scalars, ctx.temperature, g, q, unit, n, 1024
        )

        plan, shares = _work(n, padded, ctx.precision, ctx.split, lse.device, backward=True)
        parts = lse.new_empty(shares.tail * shares.parts, plan.rows, padded)
        out = gradient.new_empty(n, ctx.width)
        # Which of the two is wanted is known to the device alone; the other returns at once.
        for weight, is_far in ((q, False), (g, True)):
            pull_rows[(shares.items,)](
                high, low, *_tiles(plan, high, low, weight, lse), scalars, weight, lse, unit, far,
                parts, out, ctx.width, n, *shares, is_far, ctx.precision == "compensated",
                ctx.split, plan.rows, plan.columns, padded, **plan.options,
            )  # fmt: skip
        if shares.tail:
            gather_parts[(shares.tail, plan.rows // 16)](
                parts, unit, out, ctx.width, n, *shares, plan.rows, 16, padded
            )
        return out, None, None


def _tiles(plan: Plan, *arrays: Tensor) -> list[TensorDescriptor]:
    return [
        TensorDescriptor.from_tensor(array, [plan.columns, *array.shape[1:]]) for array in arrays
    ]


def _work(
    n: int, width: int, precision: str, split: bool, device: torch.device, *, backward: bool
) -> tuple[Plan, Shares]:
    """The plan of a kernel and its shares."""
    plan = _plan(width, precision, split, backward=backward)
    at_once = 4
    if device.type == "cuda":
        at_once = torch.cuda.get_device_properties(device).multi_processor_count * plan.resident
    return plan, _shares(triton.cdiv(n, plan.rows), plan.rows // plan.columns, at_once)


def _plan(width: int, precision: str, split: bool, *, backward: bool) -> Plan:
    """The fastest of those tried on an H200 (docs/decisions/0006)."""
    if precision == "ieee":
        return Plan(32, 32, 4, 2, None, 4) if width > 64 else Plan(64, 32, 4, 2, None, 3)
    if width > 128:
        return Plan(64, 32, 4, 2, None, 1)
    if width > 64:
        return Plan(64, 64, 4, 2, None, 2)
    if backward:
        return Plan(64, 64, 4, 2 if split else 4, 128, 4)
    return Plan(128, 64, 8, 2 if split else 3, 80, 3)


@lru_cache
def _shares(groups: int, ratio: int, at_once: int) -> Shares:
    """Whole row blocks as long as they fill the chip; what is left over is cut to fill it too."""
    tail, tiles = groups % at_once, groups * ratio
    # A part costs its tiles, and about two tiles' time to begin and to end.
    cost = {
        parts: -(-tail * parts // at_once) * (-(-tiles // parts) + 2)
        for parts in range(1, 1 + min(tiles, 4 * at_once // max(tail, 1)))
    }
    return Shares(groups, groups - tail, min(cost, key=lambda parts: (cost[parts], parts)))
