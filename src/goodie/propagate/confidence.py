"""Filling by confidence: what was observed near by counts more, and columns help each other."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goodie.errors import InputError
from goodie.graph import Operator
from goodie.propagate.columns import Columns, read_columns
from goodie.propagate.engine import Block, block_width, check, column_blocks, iterate
from goodie.propagate.neighbours import unweighted
from goodie.sparse import is_sparse, live_columns

# Entries of a slice of rows where channels meet: each slice reads all correlations once.
SLICE_ENTRIES = 1 << 24

# A channel whose standard deviation is a smaller share of its largest value is constant but for
# rounding, and what would correlate is the rounding.
CONSTANT = {torch.float32: 1e-5, torch.float64: 1e-12}


class Reach(NamedTuple):
    """How far each entry of some channels is from an observed one.

    Attributes:
        hops: for each distinct pattern of observed nodes; −1 out of reach.
        pattern: that of each channel.
    """

    hops: Int[Tensor, "nodes patterns"]
    pattern: Int[Tensor, " channels"]


def fill_by_confidence(
    x: Float[Tensor, "nodes features"],
    S: Operator,
    *,
    observed: Bool[Tensor, "nodes *features"] | None = None,
    steps: int = 100,
    decay: float = 0.9,
    strength: float = 1.0,
) -> Float[Tensor, "nodes features"]:
    """Pseudo-confidence-based feature imputation (Um et al., 2023).

    With S_id the hops from node i to the nearest one that shows channel d, the confidence in x_id
    is a^S_id, and zero where no node within reach shows it. Holes start at zero and take, 100 times
    over the node and its neighbours,

        x_id ← Σ_j a^S_jd x_jd / Σ_j a^S_jd,

    observed entries staying what they are; then channels correct each other once,

        X ← X + b (1 − a^S) ∘ [(a^S ∘ (X − mean)) R],

    where R holds the correlations of the channels, zero on its diagonal and for channels that are
    constant. The published code gives what is out of reach full confidence instead of none.

    A channel without an observed non-zero is zero throughout and takes no part. Confidences below
    the smallest number of the precision (beyond 828 hops for a = 0.9 in float32) count as zero.

    Args:
        x: dense with NaN in the holes, or sparse CSR, whose absent entries are observed zeros.
        S: from `goodie.operator`, with loops, in the precision of x; only its pattern is used.
        observed: which rows or entries are known; for dense x in addition to not being NaN, for
            sparse x alone (None: all are).
        steps: of the diffusion.
        decay: a.
        strength: b.

    Returns:
        The features without holes; sparse if x was and at most a third of it can be non-zero.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=4)
        >>> x = torch.tensor([[1.0], [float("nan")], [3.0], [float("nan")]])
        >>> fill_by_confidence(x, operator(path)).flatten().round(decimals=4).tolist()
        [1.0, 2.0, 3.0, 0.0]
    """
    check(steps=steps)
    if not 0.0 < decay <= 1.0:
        raise InputError(f"decay={decay}; a confidence falls by a factor above 0 and up to 1")
    held = read_columns(x, observed)
    num_live = len(held.live)
    if num_live == 0:
        return held.result()
    P = unweighted(S)
    width = block_width(S)
    confidence = confidences(decay, S.num_nodes, S.dtype).to(S.device)
    # Channels without holes change no more, but others are corrected by them.
    channels = torch.cat([held.live, _complete(x, held)])
    reach = find_reach(held, channels, P, limit=len(confidence) - 2)

    values = torch.empty(S.num_nodes, len(channels), dtype=S.dtype, device=S.device)
    for part in column_blocks(len(channels), width):
        start, known = (block.to(S.device) for block in held.read(channels[part]))
        trust = confidence[reach.hops[:, reach.pattern[part]].int()]
        values[:, part] = diffuse(P, start, known, trust, steps=steps)

    mean, R = correlation(values)
    for rows in _row_slices(values):
        trust = confidence[reach.hops[rows][:, reach.pattern].int()]
        values[rows] += strength * correction(values[rows], trust, mean, R)
    for part in column_blocks(num_live, width):
        held.write(held.live[part], values[:, :num_live][:, part])
    return held.result()


def hops_to(
    P: Operator, sources: Bool[Tensor, "nodes columns"], *, limit: int
) -> Int[Tensor, "nodes columns"]:
    """Hops from each node to the nearest source of each column, −1 beyond the limit.

    One search for all columns: a product moves every column's frontier by a hop.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=4)
        >>> sources = torch.tensor([[True, False], [False, False], [False, True], [False, False]])
        >>> hops_to(operator(path), sources, limit=9).T.tolist()
        [[0, 1, 2, -1], [2, 1, 0, -1]]
    """
    kind = torch.int16 if limit <= torch.iinfo(torch.int16).max else torch.int32
    hops = sources.to(kind) - 1
    frontier = sources
    for hop in range(1, limit + 1):
        frontier = (P @ frontier.to(P.dtype) > 0) & (hops < 0)
        if not frontier.any():
            break
        hops.masked_fill_(frontier, hop)
    return hops


def find_reach(
    held: Columns, channels: Int[Tensor, " channels"], P: Operator, *, limit: int
) -> Reach:
    """The hops of some channels; those that show the same nodes share one search."""
    seen: dict[bytes, int] = {}
    pattern: list[int] = []
    hops: list[Tensor] = []
    for part in column_blocks(len(channels), block_width(P)):
        _, known = held.read(channels[part])
        packed = np.packbits(known.cpu().numpy(), axis=0)
        fresh: list[int] = []
        for column in range(packed.shape[1]):
            key = packed[:, column].tobytes()
            if key not in seen:
                seen[key] = len(seen)
                fresh.append(column)
            pattern.append(seen[key])
        if fresh:
            hops.append(hops_to(P, known[:, fresh].to(P.device), limit=limit))
    return Reach(torch.cat(hops, dim=1), torch.tensor(pattern, device=P.device))


def confidences(decay: float, num_nodes: int, dtype: torch.dtype) -> Float[Tensor, " hops"]:
    """a^S for S from 0 to the longest path or the smallest number; at −1, the last place, zero.

    Example:
        >>> confidences(0.5, 3, torch.float32).tolist()
        [1.0, 0.5, 0.25, 0.0]
    """
    longest = num_nodes - 1
    if decay < 1.0:
        longest = min(longest, int(math.log(torch.finfo(dtype).tiny) / math.log(decay)))
    powers = decay ** torch.arange(longest + 1, dtype=torch.float64)
    return torch.cat([powers, powers.new_zeros(1)]).to(dtype)


def diffuse(
    P: Operator,
    values: Float[Tensor, "nodes channels"],
    known: Bool[Tensor, "nodes channels"],
    confidence: Float[Tensor, "nodes channels"],
    *,
    steps: int,
) -> Float[Tensor, "nodes channels"]:
    """`x_id ← Σ_j c_jd x_jd / Σ_j c_jd` over what node i hears from, observed entries reset.

    In Y = c ∘ x a step is the engine's, `Y ← base + gain ∘ (P Y)`: the weights, which differ from
    channel to channel, are in the gain, and the denominator in it is computed once.

    Args:
        P: ones where a node hears from another or itself.
        values: zero in the holes.
        known: what is observed.
        confidence: c, 1 where observed.
        steps: how many.
    """
    around = P @ confidence
    gain = torch.where(known | (around == 0), 0.0, confidence / around)
    weighted = iterate(P, Block(start=values, base=values, gain=gain), steps=steps).values
    return torch.where(confidence > 0, weighted / confidence, 0.0)


def correlation(
    x: Float[Tensor, "nodes channels"],
) -> tuple[Float[Tensor, " channels"], Float[Tensor, "channels channels"]]:
    """Means of the channels, and R: their correlations, zero on the diagonal and for constants.

    Example:
        >>> x = torch.tensor([[0.0, 1.0, 5.0], [1.0, 0.0, 5.0], [2.0, -1.0, 5.0]])
        >>> R = correlation(x)[1]
        >>> R.round(decimals=4).abs().tolist(), bool(R[0, 1] < 0)
        ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]], True)
    """
    n, width = x.shape
    total = torch.zeros(width, dtype=torch.float64, device=x.device)
    largest = torch.zeros(width, dtype=x.dtype, device=x.device)
    for rows in _row_slices(x):
        total += x[rows].sum(dim=0, dtype=torch.float64)
        largest = torch.maximum(largest, x[rows].abs().amax(dim=0))
    mean = (total / n).to(x.dtype)
    gram = torch.zeros(width, width, dtype=x.dtype, device=x.device)
    for rows in _row_slices(x):
        centred = x[rows] - mean
        gram.addmm_(centred.T, centred)
    size = gram.diagonal().sqrt()
    varies = size > CONSTANT[x.dtype] * n**0.5 * largest
    scale = torch.where(varies, 1.0 / size, 0.0)
    return mean, gram.mul_(scale).mul_(scale[:, None]).fill_diagonal_(0.0)


def correction(
    x: Float[Tensor, "nodes channels"],
    confidence: Float[Tensor, "nodes channels"],
    mean: Float[Tensor, " channels"],
    R: Float[Tensor, "channels channels"],
) -> Float[Tensor, "nodes channels"]:
    """`(1 − c) ∘ [(c ∘ (x − mean)) R]`: what the other channels would change, for some nodes."""
    return (1.0 - confidence) * ((confidence * (x - mean)) @ R)


def _complete(x: Float[Tensor, "nodes features"], held: Columns) -> Int[Tensor, " complete"]:
    """Columns that are not live and may yet hold something else than zeros: those without holes."""
    shown = live_columns(x) if is_sparse(x) else (x.abs() > 0).any(dim=0).nonzero()[:, 0]
    return shown[~torch.isin(shown, held.live)]


def _row_slices(x: Float[Tensor, "nodes channels"]) -> Iterator[slice]:
    height = max(1, SLICE_ENTRIES // max(1, x.shape[1]))
    for begin in range(0, x.shape[0], height):
        yield slice(begin, begin + height)
