"""The kernels of `goodie.losses.pairwise_logsumexp.triton`, where the equations are.

Compiled once whatever the sizes. `no_type_check` keeps the tests' run-time type checker from
wrapping what Triton must read the source of.

Names they share: n rows of z by WIDTH columns, zeros included; `high` and `low` the halves of z,
`low` only where SPLIT; `high_tiles`, `low_tiles` the same through the copy engine, COLUMNS rows at
a time; `scalars` the scale of z, what turns a product into a power of two, and the shift c as one.
"""

from typing import no_type_check

import triton
import triton.language as tl

LN_2: tl.constexpr = tl.constexpr(0.6931471805599453)

SIZES = ["n", "width", "groups", "full", "parts"]


@triton.jit(do_not_specialize=SIZES)
@no_type_check
def split_rows(
    z, longest, rate, room, scalars, high, low, far, n, width,
    SPLIT: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Both halves of scale · z, with zeros around, and the scalars; `rate` is log₂e / τ."""
    length = tl.load(longest)
    # A power of two by its exponent bits: scale · longest is in [2¹³, 2¹⁴).
    exponent = 267 - (length.to(tl.int32, bitcast=True) >> 23)
    scale = (tl.minimum(exponent, 254) << 23).to(tl.float32, bitcast=True)
    if tl.program_id(0) == 0:
        tl.store(scalars, scale)
        tl.store(scalars + 1, rate / scale / scale)
        tl.store(scalars + 2, tl.maximum(length * length * rate - room, 0.0))
        tl.store(far, 0)
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, WIDTH)
    inside = (rows < n)[:, None] & (columns < width)[None, :]
    value = tl.load(z + rows[:, None] * width + columns[None, :], mask=inside, other=0.0)
    value = value.to(tl.float32) * scale
    first = value.to(high.dtype.element_ty)
    at = rows[:, None] * WIDTH + columns[None, :]
    tl.store(high + at, first)
    if SPLIT:
        tl.store(low + at, (value - first.to(tl.float32)).to(low.dtype.element_ty))


@triton.jit
@no_type_check
def _share(groups, full, parts, RATIO: tl.constexpr):
    """The row block of this item, its first and last tile, and how many of the block need a mask.

    Tiles are counted from those on the diagonal, then those in the last row block's columns, then
    the others; the first two kinds need a mask.
    """
    item = tl.program_id(0)
    late = tl.maximum(item - full, 0)
    group = tl.minimum(item, full + late // parts)
    part = late % parts
    cut = tl.where(item < full, 1, parts)
    tiles = groups * RATIO
    first = (part * tiles) // cut
    last = ((part + 1) * tiles) // cut
    masked = tl.where(group == groups - 1, RATIO, 2 * RATIO)
    return group, first, last, masked


@triton.jit
@no_type_check
def _masked(tile, group, groups, RATIO: tl.constexpr):
    """The column block of a tile that needs a mask."""
    return tl.where(tile < RATIO, group * RATIO + tile, (groups - 2) * RATIO + tile)


@triton.jit
@no_type_check
def _plain(tile, group, masked, RATIO: tl.constexpr):
    """The column block of a tile that needs none."""
    other = tile - masked
    return other + tl.where(other >= group * RATIO, RATIO, 0)


@triton.jit
@no_type_check
def _load(high, low, block, SPLIT: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Both halves of a block of rows; the same twice where there is one."""
    at = tl.arange(0, ROWS)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    start = block.to(tl.int64) * (ROWS * WIDTH)
    first = tl.load(high + start + at)
    rest = first
    if SPLIT:
        rest = tl.load(low + start + at)
    return first, rest


@triton.jit
@no_type_check
def _fetch(high_tiles, low_tiles, row, SPLIT: tl.constexpr):
    """The same through the copy engine."""
    first = high_tiles.load([row, 0])
    rest = first
    if SPLIT:
        rest = low_tiles.load([row, 0])
    return first, rest


@triton.jit
@no_type_check
def _product(a, a_rest, b, b_rest, out, SPLIT_A: tl.constexpr, SPLIT_B: tl.constexpr):
    """The product of a and b added to out, its small parts first."""
    if SPLIT_B:
        out = tl.dot(a, b_rest, out, input_precision="ieee")
    if SPLIT_A:
        out = tl.dot(a_rest, b, out, input_precision="ieee")
    return tl.dot(a, b, out, input_precision="ieee")


@triton.jit
@no_type_check
def _scores(a, a_rest, b, b_rest, SPLIT: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """z_i · z_a of a tile, scaled."""
    nothing = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    return _product(a, a_rest, tl.trans(b), tl.trans(b_rest), nothing, SPLIT, SPLIT)


@triton.jit
@no_type_check
def _pairs(group, block, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Which of a tile's pairs count."""
    rows = group * ROWS + tl.arange(0, ROWS)
    columns = block * COLUMNS + tl.arange(0, COLUMNS)
    return (rows[:, None] != columns[None, :]) & (columns < n)[None, :]


@triton.jit(do_not_specialize=SIZES)
@no_type_check
def sum_rows(
    high, low, high_tiles, low_tiles, scalars, sums, n, groups, full, parts,
    SPLIT: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Σ_a E_ia over this item's tiles."""
    RATIO: tl.constexpr = ROWS // COLUMNS
    group, first, last, masked = _share(groups, full, parts, RATIO)
    factor, shift = tl.load(scalars + 1), tl.load(scalars + 2)
    a, a_rest = _load(high, low, group, SPLIT, ROWS, WIDTH)
    total = tl.zeros([ROWS], dtype=tl.float32)
    for tile in range(first, tl.minimum(last, masked)):
        block = _masked(tile, group, groups, RATIO)
        b, b_rest = _fetch(high_tiles, low_tiles, block * COLUMNS, SPLIT)
        s = _scores(a, a_rest, b, b_rest, SPLIT, ROWS, COLUMNS)
        count = _pairs(group, block, n, ROWS, COLUMNS)
        total += tl.sum(tl.where(count, tl.exp2(s * factor - shift), 0.0), 1)
    for tile in range(tl.maximum(first, masked), last):
        block = _plain(tile, group, masked, RATIO)
        b, b_rest = _fetch(high_tiles, low_tiles, block * COLUMNS, SPLIT)
        s = _scores(a, a_rest, b, b_rest, SPLIT, ROWS, COLUMNS)
        total += tl.sum(tl.exp2(s * factor - shift), 1)
    tl.store(sums + tl.program_id(0) * ROWS + tl.arange(0, ROWS), total)


@triton.jit(do_not_specialize=SIZES)
@no_type_check
def finish_rows(
    high, low, high_tiles, low_tiles, scalars, sums, lse, result, far, least,
    n, groups, full, parts,
    SPLIT: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The log-sum-exps, as powers of two too; of a block in which a sum was lost, computed anew."""
    RATIO: tl.constexpr = ROWS // COLUMNS
    group = tl.program_id(0)
    factor, shift = tl.load(scalars + 1), tl.load(scalars + 2)
    local = tl.arange(0, ROWS)
    rows = group * ROWS + local
    late = tl.maximum(group - full, 0)
    start = tl.minimum(group, full) + late * parts
    total = tl.zeros([ROWS], dtype=tl.float32)
    for part in range(tl.where(group < full, 1, parts)):
        total += tl.load(sums + (start + part) * ROWS + local)
    power = shift + tl.log2(total)
    if tl.max(tl.where((total < least) & (rows < n), 1, 0), 0) == 1:
        tl.store(far, 1)
        a, a_rest = _load(high, low, group, SPLIT, ROWS, WIDTH)
        most = tl.full([ROWS], float("-inf"), dtype=tl.float32)
        total = tl.zeros([ROWS], dtype=tl.float32)
        for block in range(groups * RATIO):
            b, b_rest = _fetch(high_tiles, low_tiles, block * COLUMNS, SPLIT)
            s = _scores(a, a_rest, b, b_rest, SPLIT, ROWS, COLUMNS) * factor
            s = tl.where(_pairs(group, block, n, ROWS, COLUMNS), s, float("-inf"))
            before = most
            most = tl.maximum(most, tl.max(s, 1))
            base = tl.where(most == float("-inf"), 0.0, most)
            total = total * tl.exp2(before - base) + tl.sum(tl.exp2(s - base[:, None]), 1)
        power = most + tl.where(total > 0, tl.log2(total), 0.0)
    tl.store(lse + rows, power, mask=rows < n)
    tl.store(result + rows, (power * LN_2).to(result.dtype.element_ty), mask=rows < n)


@triton.jit(do_not_specialize=SIZES)
@no_type_check
def weigh_rows(gradient, largest, lse, scalars, temperature, g, q, unit, n, ROWS: tl.constexpr):
    """Both kinds of weights, g at most 2¹⁴ and q = g exp(c − lse); unit, to undo all scaling."""
    top = tl.load(largest)
    top = tl.where(top == 0.0, 1.0, top)
    if tl.program_id(0) == 0:
        tl.store(unit, top / 16384.0 / temperature / tl.load(scalars))
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    value = tl.load(gradient + rows, mask=rows < n, other=0.0).to(tl.float32) * (16384.0 / top)
    power = tl.load(lse + rows, mask=rows < n, other=0.0)
    tl.store(g + rows, value, mask=rows < n)
    tl.store(q + rows, value * tl.exp2(tl.load(scalars + 2) - power), mask=rows < n)


@triton.jit
@no_type_check
def _weights(s, factor, shift, own, other, own_lse, other_lse, FAR: tl.constexpr):
    """W of a tile, scaled: own and other are q, or where rows are far g."""
    if FAR:
        s = s * factor
        left = tl.exp2(s - own_lse[:, None]) * own[:, None]
        return left + tl.exp2(s - other_lse[None, :]) * other[None, :]
    return tl.exp2(s * factor - shift) * (own[:, None] + other[None, :])


@triton.jit
@no_type_check
def _pulled(w, b, b_rest, out, SPLIT_W: tl.constexpr, SPLIT: tl.constexpr):
    """W z of a tile added to out.

    The matrix units round what they add up towards zero. Where W is in halves, therefore, they add
    within a tile only.
    """
    first = w.to(b.dtype)
    if not SPLIT_W:
        return tl.dot(first, b, out, input_precision="ieee")
    rest = (w - first.to(tl.float32)).to(b.dtype)
    nothing = tl.zeros_like(out)
    return out + _product(first, rest, b, b_rest, nothing, SPLIT_W, SPLIT)


@triton.jit(do_not_specialize=SIZES)
@no_type_check
def pull_rows(
    high, low, high_tiles, low_tiles, weight_tiles, lse_tiles, scalars, weight, lse, unit, far,
    partial, out, width, n, groups, full, parts,
    FAR: tl.constexpr, SPLIT_W: tl.constexpr, SPLIT: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Σ_a W_ia z_a over this item's tiles; nothing where the other kind of W is wanted."""
    if (tl.load(far) != 0) != FAR:
        return
    RATIO: tl.constexpr = ROWS // COLUMNS
    group, first, last, masked = _share(groups, full, parts, RATIO)
    factor, shift = tl.load(scalars + 1), tl.load(scalars + 2)
    local = tl.arange(0, ROWS)
    rows = group * ROWS + local
    own = tl.load(weight + rows, mask=rows < n, other=0.0)
    own_lse = tl.load(lse + rows, mask=rows < n, other=0.0)
    a, a_rest = _load(high, low, group, SPLIT, ROWS, WIDTH)
    result = tl.zeros([ROWS, WIDTH], dtype=tl.float32)
    for tile in range(first, tl.minimum(last, masked)):
        block = _masked(tile, group, groups, RATIO)
        b, b_rest = _fetch(high_tiles, low_tiles, block * COLUMNS, SPLIT)
        other = weight_tiles.load([block * COLUMNS])
        other_lse = lse_tiles.load([block * COLUMNS])
        s = _scores(a, a_rest, b, b_rest, SPLIT, ROWS, COLUMNS)
        w = _weights(s, factor, shift, own, other, own_lse, other_lse, FAR)
        w = tl.where(_pairs(group, block, n, ROWS, COLUMNS), w, 0.0)
        result = _pulled(w, b, b_rest, result, SPLIT_W, SPLIT)
    for tile in range(tl.maximum(first, masked), last):
        block = _plain(tile, group, masked, RATIO)
        b, b_rest = _fetch(high_tiles, low_tiles, block * COLUMNS, SPLIT)
        other = weight_tiles.load([block * COLUMNS])
        other_lse = other
        if FAR:
            other_lse = lse_tiles.load([block * COLUMNS])
        s = _scores(a, a_rest, b, b_rest, SPLIT, ROWS, COLUMNS)
        w = _weights(s, factor, shift, own, other, own_lse, other_lse, FAR)
        result = _pulled(w, b, b_rest, result, SPLIT_W, SPLIT)
    wide = tl.arange(0, WIDTH)
    if tl.program_id(0) < full:
        inside = (rows < n)[:, None] & (wide < width)[None, :]
        at = rows.to(tl.int64)[:, None] * width + wide[None, :]
        tl.store(out + at, (result * tl.load(unit)).to(out.dtype.element_ty), mask=inside)
    else:
        own_part = partial + (tl.program_id(0) - full).to(tl.int64) * (ROWS * WIDTH)
        tl.store(own_part + local[:, None] * WIDTH + wide[None, :], result)


@triton.jit(do_not_specialize=SIZES)
@no_type_check
def gather_parts(
    partial, unit, out, width, n, groups, full, parts,
    ROWS: tl.constexpr, SLICE: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """The parts of a row block added up, in order."""
    block = tl.program_id(0)
    local = tl.program_id(1) * SLICE + tl.arange(0, SLICE)
    wide = tl.arange(0, WIDTH)
    at = (block * parts).to(tl.int64) * (ROWS * WIDTH) + local[:, None] * WIDTH + wide[None, :]
    result = tl.zeros([SLICE, WIDTH], dtype=tl.float32)
    for _ in range(parts):
        result += tl.load(partial + at)
        at += ROWS * WIDTH
    rows = (full + block) * ROWS + local
    inside = (rows < n)[:, None] & (wide < width)[None, :]
    at = rows.to(tl.int64)[:, None] * width + wide[None, :]
    tl.store(out + at, (result * tl.load(unit)).to(out.dtype.element_ty), mask=inside)
