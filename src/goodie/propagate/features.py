"""Feature propagation: what is observed of the features, spread into their holes."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goodie.errors import InputError
from goodie.graph import Operator
from goodie.propagate.columns import Columns, read_columns, row_slices
from goodie.propagate.engine import (
    Block,
    Diffused,
    Progress,
    Propagated,
    block_width,
    check,
    column_blocks,
    iterate,
)
from goodie.propagate.exact import ARRAYS_ALLOCATED, solve, symmetric_form


def propagate_features(
    x: Float[Tensor, "nodes features"],
    S: Operator,
    *,
    observed: Bool[Tensor, "nodes *features"] | None = None,
    steps: int = 40,
    tolerance: float | None = None,
    memory_budget: int | None = None,
    progress: Progress | None = None,
) -> Propagated:
    """Fill the holes of the features from the neighbours (Rossi et al., 2022; Eq. 3 of the paper).

    `X ← SX`, then the observed entries are set back; holes start at zero. After the paper's 40
    steps this is still far from its limit where little is observed, and on purpose: the published
    results are those of 40 steps. For the limit see `solve_features`.

    Args:
        x: dense with NaN in the holes, or sparse CSR, whose absent entries are observed zeros.
        S: from `goodie.operator`, in the precision of x.
        observed: which rows or entries are known; for dense x in addition to not being NaN, for
            sparse x alone (None: all are).
        steps: how many; with a tolerance, how many at most.
        tolerance: stop a column when none of its entries moves by more in a step.
        memory_budget: bytes that the blocks in work may take, beside input and result; finding
            connected components takes some of its own.
        progress: called with the columns done and the columns in all.

    Returns:
        `values` without holes and with the observed entries bit for bit; sparse if x was and at
        most a third of it is non-zero. `reached` says, entry by entry, whether its component holds
        an observed entry of its column.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator, propagate_features
        >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> x = torch.tensor([[1.0], [float("nan")], [3.0]])
        >>> S = operator(path, normalisation="row", self_loops=False)
        >>> propagate_features(x, S).values.flatten().tolist()
        [1.0, 2.0, 3.0]
    """
    check(steps=steps, tolerance=tolerance)

    def run(block: Block) -> Diffused:
        return iterate(S, block, steps=steps, tolerance=tolerance)

    return _fill(x, S, observed, run, block_width(S, memory_budget), progress)


def solve_features(
    x: Float[Tensor, "nodes features"],
    S: Operator,
    *,
    observed: Bool[Tensor, "nodes *features"] | None = None,
    tolerance: float | None = None,
    memory_budget: int | None = None,
    progress: Progress | None = None,
) -> Propagated:
    """Where feature propagation converges to, by conjugate gradients.

    Every hole becomes the S-weighted mean of its neighbours: with a row-normalised S a plain mean,
    so a constant stays that constant and no filled value lies outside the observed range of its
    column. With the symmetric S of the paper values are biased by degree. Entries whose component
    has nothing observed in their column stay zero and are False in `reached`. Needs an undirected
    operator. The arguments are those of `propagate_features`, and `solve`'s tolerance.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator, solve_features
        >>> path = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), num_nodes=5)
        >>> x = torch.tensor([[0.0], [float("nan")], [float("nan")], [3.0], [float("nan")]])
        >>> filled = solve_features(x, operator(path, normalisation="row"))
        >>> filled.values.flatten().round(decimals=4).tolist()
        [0.0, 1.0, 2.0, 3.0, 0.0]
        >>> filled.reached.flatten().tolist()
        [True, True, True, True, False]
    """
    check(tolerance=tolerance)
    symmetric, scale = symmetric_form(S)

    def run(block: Block) -> Diffused:
        done = solve(symmetric, block._replace(base=scale * block.base), tolerance=tolerance)
        return done._replace(values=done.values / scale)

    width = block_width(S, memory_budget, arrays=ARRAYS_ALLOCATED)
    return _fill(x, S, observed, run, width, progress)


def _fill(
    x: Float[Tensor, "nodes features"],
    S: Operator,
    observed: Bool[Tensor, "nodes *features"] | None,
    run: Callable[[Block], Diffused],
    width: int,
    progress: Progress | None,
) -> Propagated:
    """Run every block of live columns and put the observed entries back."""
    if x.shape[0] != S.num_nodes:
        raise InputError(f"features of {x.shape[0]} nodes for an operator on {S.num_nodes}")
    if x.dtype != S.dtype:
        raise InputError(f"x is {x.dtype}, the operator {S.dtype}: build it with dtype={x.dtype}")
    held = read_columns(x, observed)
    # Before the blocks: what they give back to the allocator is not at once the system's, and
    # would stand beside what this needs.
    reached = reached_entries(held, S)
    steps, residual = 0, 0.0
    for part in column_blocks(len(held.live), width, progress):
        taken, left = _fill_columns(held, held.live[part], run, S.device)
        steps, residual = max(steps, taken), max(residual, left)
    return Propagated(held.result(), steps, residual, reached)


def _fill_columns(
    held: Columns,
    columns: Int[Tensor, " columns"],
    run: Callable[[Block], Diffused],
    device: torch.device,
) -> tuple[int, float]:
    """Run one block for its steps and residual; none of its arrays outlives the call."""
    values, known = held.read(columns)
    values, known = values.to(device), known.to(device)
    done = run(Block(start=values, base=values, gain=(~known).to(values)))
    held.write(columns, torch.where(known, values, done.values))
    return done.steps, done.residual


def reached_entries(held: Columns, S: Operator) -> Bool[Tensor, "nodes features"]:
    """Which entries share a connected component with an observed entry of their column."""
    num_components = int(S.component.max()) + 1
    if num_components == 1:
        # All rows are the same: one row, repeated without being stored.
        return held.seeded.to(S.device).expand(held.shape)
    count = torch.zeros(num_components, held.shape[1], dtype=torch.int32, device=S.device)
    for rows in row_slices(held.shape):
        count.index_add_(0, S.component[rows], held.known(rows).to(count))
    return (count > 0)[S.component]
