"""All pairs a tile at a time: exact, with memory that grows with the rows alone.

With s_ia = z_i · z_a / τ and any shift c, `lse_i = c + log Σ_{a≠i} E_ia`, `E_ia = exp(s_ia − c)`.
One shift for all pairs keeps E symmetric, so that a tile above the diagonal serves its rows and its
columns, with one exponential a pair. For the gradient, with g the incoming one and
q_i = g_i / Σ_a E_ia,

    ∂L/∂z_i = Σ_{a≠i} W_ia z_a / τ,   W_ia = E_ia (q_i + q_a),

which is symmetric again: tiles are computed once more and used both ways.

The shift is the largest |z_i|² / τ, which no pair exceeds. A row whose pairs all lie far below it
loses its sum to underflow; such rows (none where rows are normalised and have a near neighbour)
are computed apart, each with a shift of its own, so that the result is exact for any input.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.autograd.function import once_differentiable

# Entries of a tile: on a CPU it should stay in the cache between its product and its exponential,
# on a GPU it should fill the chip.
CPU_TILE = 1 << 19
GPU_TILE = 1 << 24


def blocked(
    z: Float[Tensor, "rows width"], temperature: float, *, block: int | None = None
) -> Float[Tensor, " rows"]:
    """`log Σ_{a≠i} exp(z_i · z_a / τ)`, rows and columns in tiles of `block` by `block`."""
    if block is None:
        block = int((GPU_TILE if z.is_cuda else CPU_TILE) ** 0.5)
    apply: Callable[..., Tensor] = _BlockedLogSumExp.apply
    return apply(z, temperature, block)


class _BlockedLogSumExp(torch.autograd.Function):
    """Keeps z and the row sums for the gradient, and no pair."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, temperature: float, block: int) -> Tensor:
        # Half-precision rows are widened: sums of many exponentials need the bits.
        wide = z.detach().to(torch.promote_types(z.dtype, torch.float32))
        tiles = _Tiles(wide, temperature, block)
        total = torch.zeros(len(wide), dtype=wide.dtype, device=wide.device)
        for rows, columns, tile in tiles:
            total[rows] += tile.sum(dim=1)
            if rows != columns:
                total[columns] += tile.sum(dim=0)
        far = total < tiles.smallest_sum()
        result = tiles.shift + total.log()
        if far.any():
            result[far] = torch.cat([lse for _, _, lse in _one_by_one(wide, far, temperature)])
        ctx.save_for_backward(z, total, far)
        ctx.temperature, ctx.block = temperature, block
        return result.to(z.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        z, total, far = ctx.saved_tensors
        wide, g = z.detach().to(total.dtype), gradient.to(total.dtype)
        q = torch.where(far, 0.0, g / total)
        out = torch.zeros_like(wide)
        for rows, columns, tile in _Tiles(wide, ctx.temperature, ctx.block):
            tile *= q[rows, None] + q[columns]
            out[rows] += tile @ wide[columns]
            if rows != columns:
                out[columns] += tile.T @ wide[rows]
        if far.any():
            for some, pairs, lse in _one_by_one(wide, far, ctx.temperature):
                share = (pairs - lse[:, None]).exp_().nan_to_num_(nan=0.0) * g[some, None]
                out[some] += share @ wide
                out += share.T @ wide[some]
        return (out / ctx.temperature).to(z.dtype), None, None


class _Tiles:
    """E on and above the diagonal, tile by tile; pairs of a row with itself count as zero."""

    def __init__(self, z: Float[Tensor, "rows width"], temperature: float, block: int) -> None:
        scaled = z / temperature
        self.shift = (scaled * z).sum(dim=1).max() if len(z) else z.new_zeros(())
        # One more column brings the shift into the product, which saves a pass over the tile.
        self._left = torch.cat([scaled, -self.shift.expand(len(z), 1)], dim=1)
        self._right = torch.cat([z, torch.ones_like(z[:, :1])], dim=1).T.contiguous()
        self._slices = [slice(i, min(i + block, len(z))) for i in range(0, len(z), block)]

    def __iter__(self) -> Iterator[tuple[slice, slice, Tensor]]:
        for number, rows in enumerate(self._slices):
            for columns in self._slices[number:]:
                tile = (self._left[rows] @ self._right[:, columns]).exp_()
                if rows == columns:
                    tile.fill_diagonal_(0.0)
                yield rows, columns, tile

    def smallest_sum(self) -> float:
        """A row sum from which what underflowed, at most every pair, is missing unnoticed."""
        limits = torch.finfo(self._left.dtype)
        return len(self._left) * limits.tiny / limits.eps


def _one_by_one(
    z: Float[Tensor, "rows width"], chosen: Bool[Tensor, " rows"], temperature: float
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """For a few rows at a time: which, their pairs s, and their log-sum-exp by its own shift."""
    height = max(1, (GPU_TILE if z.is_cuda else CPU_TILE) // max(1, len(z)))
    for some in chosen.nonzero()[:, 0].split(height):
        pairs = z[some] / temperature @ z.T
        pairs[torch.arange(len(some), device=z.device), some] = -torch.inf
        yield some, pairs, pairs.logsumexp(dim=1)
