"""Correct and smooth: predictions made without the graph, mended by what it says of their errors.

Both steps are the residual form of label propagation, `Y ← clip(αSY + (1−α)Y₀)`, from another
start: the errors on the labelled nodes, and the predictions with the labels in their places.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from goodie.errors import InputError
from goodie.graph import Operator
from goodie.propagate.engine import Block, block_width, check, column_blocks, iterate

# Where the errors that arrive are so much smaller than those that were sent, they are not scaled.
LARGEST_SCALE = 1000.0


def correct(
    Z: Float[Tensor, "nodes classes"],
    y: Int[Tensor, " nodes"],
    seeds: Bool[Tensor, " nodes"],
    S: Operator,
    *,
    alpha: float = 0.8,
    steps: int = 50,
) -> Float[Tensor, "nodes classes"]:
    """Add to predictions the errors of the labelled nodes, spread (Huang et al., 2021).

    With `E₀ = Y − Z` on the seeds and zero elsewhere, `E ← clip(αSE + (1−α)E₀, −1, 1)`; then
    `Zᵢ + s Eᵢ / ‖Eᵢ‖₁`, where s is the mean of ‖E₀‖₁ over the seeds ("autoscale"). Where that
    factor exceeds 1000 it is 1, and where no error arrives Z stays what it is.

    Args:
        Z: the probability of each class.
        y: label of every node; read at the seeds only.
        seeds: the nodes whose labels are known; none is no correction.
        S: from `goodie.operator`, without loops.
        alpha: share that a node takes from its neighbours in each step.
        steps: how many.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> S = operator(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), self_loops=False)
        >>> Z, y = torch.tensor([[0.5, 0.5], [0.5, 0.5]]), torch.tensor([0, -1])
        >>> correct(Z, y, torch.tensor([True, False]), S)[1].tolist()
        [1.0, 0.0]
    """
    error = labelled(torch.zeros_like(Z), y, seeds) - Z * seeds[:, None].to(Z)
    spread = _diffuse(error, S, alpha, steps, (-1.0, 1.0))
    sent = error.abs().sum() / max(1, int(seeds.sum()))
    scale = sent / spread.abs().sum(dim=1, keepdim=True)
    # 0 / 0 is not a number, and no such comparison holds.
    return Z + spread * torch.where(scale <= LARGEST_SCALE, scale, 1.0)


def smooth(
    Z: Float[Tensor, "nodes classes"],
    y: Int[Tensor, " nodes"],
    seeds: Bool[Tensor, " nodes"],
    S: Operator,
    *,
    alpha: float = 0.8,
    steps: int = 50,
) -> Float[Tensor, "nodes classes"]:
    """Spread predictions over the graph, with the known labels in their places.

    `Y ← clip(αSY + (1−α)Y₀, 0, 1)` from `Y₀`, which is Z with the seeds' rows set to their labels.
    The arguments are those of `correct`.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> S = operator(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), self_loops=False)
        >>> Z, y = torch.tensor([[0.5, 0.5], [0.5, 0.5]]), torch.tensor([0, -1])
        >>> smooth(Z, y, torch.tensor([True, False]), S, alpha=0.5, steps=1)[1].tolist()
        [0.75, 0.25]
    """
    return _diffuse(labelled(Z, y, seeds), S, alpha, steps, (0.0, 1.0))


def labelled(
    Z: Float[Tensor, "nodes classes"], y: Int[Tensor, " nodes"], seeds: Bool[Tensor, " nodes"]
) -> Float[Tensor, "nodes classes"]:
    """Z with the seeds' rows set to their labels, as one-hot rows."""
    known = y[seeds]
    if known.numel() and not 0 <= int(known.min()) <= int(known.max()) < Z.shape[1]:
        raise InputError(
            f"the seeds have labels from {int(known.min())} to {int(known.max())}, and the "
            f"predictions are for {Z.shape[1]} classes"
        )
    truth = F.one_hot(y.where(seeds, 0), Z.shape[1]).to(Z)
    return torch.where(seeds[:, None].to(Z.device), truth, Z)


def _diffuse(
    Y0: Float[Tensor, "nodes classes"],
    S: Operator,
    alpha: float,
    steps: int,
    clip: tuple[float, float],
) -> Float[Tensor, "nodes classes"]:
    check(steps=steps, alpha=alpha)
    out = torch.empty_like(Y0)
    for columns in column_blocks(Y0.shape[1], block_width(S)):
        start = Y0[:, columns].contiguous()
        block = Block(start=start, base=(1.0 - alpha) * start, gain=alpha)
        out[:, columns] = iterate(S, block, steps=steps, clip=clip).values
    return out
