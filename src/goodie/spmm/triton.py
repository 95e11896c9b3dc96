"""The kernels of `goodie.spmm`: every sum has an order of its own that never changes."""

from typing import no_type_check

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor

from goodie.spmm import Chunks

# Columns that a block takes at once, and entries.
WIDEST, ENTRIES = 64, 16


def multiply(
    matrix: Float[Tensor, "rows columns"],
    chunks: Chunks,
    x: Float[Tensor, "columns width"],
    out: Float[Tensor, "rows width"],
) -> Float[Tensor, "rows width"]:
    """`matrix @ x`, written to `out`."""
    width = x.shape[1]
    if out.numel() == 0:
        return out
    wide = min(WIDEST, triton.next_power_of_2(width))
    across = triton.cdiv(width, wide)
    num_long = len(chunks.long_rows)
    parts = x.new_empty(len(chunks.begin) - len(out) + num_long, width)
    with torch.cuda.device_of(x):
        sum_pieces[(len(chunks.begin), across)](
            matrix.values(), matrix.col_indices(), x, chunks.begin, chunks.end, chunks.slot,
            out, parts, width, out.stride(0), ENTRIES, wide,
        )  # fmt: skip
        if num_long:
            sum_parts[(num_long, across)](
                parts, chunks.long_rows, chunks.first_part, out, width, out.stride(0), wide
            )
    return out


@triton.jit(do_not_specialize=["width", "stride"])
@no_type_check
def sum_pieces(
    values, columns, x, begin, end, slot, out, parts, width, stride,
    ENTRIES: tl.constexpr, WIDE: tl.constexpr,
):  # fmt: skip
    """Σ of a piece's entries times their rows of x: a row of the result, or a part of one."""
    piece = tl.program_id(0)
    wide = tl.program_id(1) * WIDE + tl.arange(0, WIDE)
    last = tl.load(end + piece)
    total = tl.zeros([WIDE], dtype=x.dtype.element_ty)
    for start in range(tl.load(begin + piece), last, ENTRIES):
        at = start + tl.arange(0, ENTRIES)
        column = tl.load(columns + at, mask=at < last, other=0).to(tl.int64)
        value = tl.load(values + at, mask=at < last, other=0.0)
        inside = (at < last)[:, None] & (wide < width)[None, :]
        of_x = tl.load(x + column[:, None] * width + wide[None, :], mask=inside, other=0.0)
        total += tl.sum(value[:, None] * of_x, 0)
    where = tl.load(slot + piece)
    if where >= 0:
        tl.store(out + where * stride + wide, total, mask=wide < width)
    else:
        tl.store(parts + (-1 - where) * width + wide, total, mask=wide < width)


@triton.jit(do_not_specialize=["width", "stride"])
@no_type_check
def sum_parts(parts, long_rows, first_part, out, width, stride, WIDE: tl.constexpr):
    """A long row's parts added up, in order."""
    number = tl.program_id(0)
    wide = tl.program_id(1) * WIDE + tl.arange(0, WIDE)
    total = tl.zeros([WIDE], dtype=out.dtype.element_ty)
    for part in range(tl.load(first_part + number), tl.load(first_part + number + 1)):
        total += tl.load(parts + part * width + wide, mask=wide < width, other=0.0)
    row = tl.load(long_rows + number)
    tl.store(out + row * stride + wide, total, mask=wide < width)
