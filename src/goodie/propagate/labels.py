"""Label propagation: the labels of a few nodes, spread over the graph."""

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goodie.errors import InputError
from goodie.graph import Operator
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

Form = Literal["residual", "reset"]


def propagate_labels(
    y: Int[Tensor, " nodes"],
    seeds: Bool[Tensor, " nodes"],
    S: Operator,
    *,
    alpha: float = 0.9,
    form: Form = "residual",
    steps: int = 50,
    tolerance: float | None = None,
    num_classes: int | None = None,
    memory_budget: int | None = None,
    progress: Progress | None = None,
) -> Propagated:
    """Spread the labels of the seed nodes along the graph.

    `residual` (Zhou et al., 2004, clipped as in Huang et al., 2021):
    `Y ← clip(αSY + (1−α)Y₀, 0, 1)`. `reset` (Zhu and Ghahramani, 2002; Eq. 1 of the GOODIE paper):
    `Y ← SY`, then the seeds' rows are set back. Y₀ holds the seeds' labels as one-hot rows and
    zeros elsewhere. The paper's published numbers are those of the residual form.

    Args:
        y: label of every node; read at the seeds only.
        seeds: the nodes whose labels are known, such as `data.train_mask`.
        S: from `goodie.operator`.
        alpha: share that a node takes from its neighbours in each step; `reset` does not use it.
        form: `residual` or `reset`.
        steps: how many; with a tolerance, how many at most.
        tolerance: stop when no score moves by more in a step.
        num_classes: columns of the result; by default the largest label of a seed plus one.
        memory_budget: bytes that the blocks in work may take, beside input and result; finding
            connected components takes some of its own.
        progress: called with the columns done and the columns in all.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator, propagate_labels
        >>> path = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), num_nodes=4)
        >>> seeds = torch.tensor([True, False, False, True])
        >>> result = propagate_labels(torch.tensor([0, -1, -1, 1]), seeds, operator(path))
        >>> result.values.argmax(dim=1).tolist()
        [0, 0, 1, 1]
    """
    check(steps=steps, tolerance=tolerance, alpha=alpha)

    def run(Y: Tensor) -> Diffused:
        return iterate(
            S,
            _block(Y, seeds, alpha, form),
            steps=steps,
            tolerance=tolerance,
            clip=(0.0, 1.0) if form == "residual" else None,
        )

    Y0 = _one_hot(y, seeds, num_classes, S)
    return _spread(Y0, seeds, S, run, block_width(S, memory_budget), progress)


def solve_labels(
    y: Int[Tensor, " nodes"],
    seeds: Bool[Tensor, " nodes"],
    S: Operator,
    *,
    alpha: float = 0.9,
    form: Form = "residual",
    tolerance: float | None = None,
    num_classes: int | None = None,
    memory_budget: int | None = None,
    progress: Progress | None = None,
) -> Propagated:
    """The limit of `propagate_labels`, by conjugate gradients.

    `residual` is `(1−α)(I − αS)⁻¹Y₀`, without the clipping; `reset` is the harmonic function. Needs
    an undirected operator, and α < 1.
    """
    check(tolerance=tolerance, alpha=alpha)
    if form == "residual" and alpha == 1.0:
        raise InputError("alpha=1.0 forgets the labels: the limit needs alpha below 1")
    symmetric, scale = symmetric_form(S)

    def run(Y: Tensor) -> Diffused:
        done = solve(symmetric, _block(scale * Y, seeds, alpha, form), tolerance=tolerance)
        return done._replace(values=done.values / scale)

    Y0 = _one_hot(y, seeds, num_classes, S)
    width = block_width(S, memory_budget, arrays=ARRAYS_ALLOCATED)
    return _spread(Y0, seeds, S, run, width, progress)


def reached_nodes(S: Operator, seeds: Bool[Tensor, " nodes"]) -> Bool[Tensor, " nodes"]:
    """Which nodes share a connected component with a seed."""
    component = S.component
    seeded = torch.zeros(S.num_nodes, dtype=torch.bool, device=S.device)
    seeded[component[seeds.to(S.device)]] = True
    return seeded[component]


def _spread(
    Y0: Float[Tensor, "nodes classes"],
    seeds: Bool[Tensor, " nodes"],
    S: Operator,
    run: Callable[[Tensor], Diffused],
    width: int,
    progress: Progress | None,
) -> Propagated:
    """Run every block of Y₀'s columns."""
    out, steps, residual = torch.empty_like(Y0), 0, 0.0
    for columns in column_blocks(Y0.shape[1], width, progress):
        done = run(Y0[:, columns].contiguous())
        out[:, columns] = done.values
        steps, residual = max(steps, done.steps), max(residual, done.residual)
    return Propagated(out, steps, residual, reached_nodes(S, seeds))


def _block(
    Y: Float[Tensor, "nodes columns"], seeds: Bool[Tensor, " nodes"], alpha: float, form: Form
) -> Block:
    """The diffusion of some columns of Y₀."""
    if form == "reset":
        return Block(start=Y, base=Y, gain=(~seeds).to(Y)[:, None])
    return Block(start=Y, base=(1.0 - alpha) * Y, gain=alpha)


def _one_hot(
    y: Int[Tensor, " nodes"], seeds: Bool[Tensor, " nodes"], num_classes: int | None, S: Operator
) -> Float[Tensor, "nodes classes"]:
    """Y₀: the seeds' labels as one-hot rows, zeros elsewhere."""
    if len(y) != S.num_nodes or len(seeds) != S.num_nodes:
        raise InputError(
            f"{len(y)} labels and {len(seeds)} seed marks for an operator on {S.num_nodes} nodes"
        )
    known = y[seeds]
    if known.numel() == 0:
        raise InputError("no node is a seed, so there is no label to propagate")
    if int(known.min()) < 0:
        raise InputError(f"{int((known < 0).sum())} seeds have no label (y = -1)")
    needed = int(known.max()) + 1
    if num_classes is not None and num_classes < needed:
        raise InputError(f"num_classes={num_classes}, but a seed has label {needed - 1}")
    Y0 = torch.zeros(S.num_nodes, num_classes or needed, dtype=S.dtype, device=S.device)
    Y0[seeds.nonzero()[:, 0].to(S.device), known.to(S.device)] = 1.0
    return Y0
