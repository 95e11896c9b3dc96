"""Vectors for nodes, such that those that walks meet close to one another are told by them."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goodie.walks.objectives import Objective, Tables

# Steps in an epoch, whatever the graph's size: each takes its share of the walks.
STEPS = 400
# Walks whose products are made together: what they take stays in a core's cache.
TOGETHER = 32
# Of Adam; falls linearly to zero.
LEARNING_RATE = 0.01
BETAS, EPSILON = (0.9, 0.999), 1e-8


def skip_gram(
    walks: Int[Tensor, "walks length"],
    num_nodes: int,
    objective: Objective,
    *,
    dimensions: int,
    epochs: int,
    generator: torch.Generator,
) -> Float[Tensor, "nodes dimensions"]:
    """Minimise an objective over all walks, by Adam on shares of them in random order.

    On the CPU, and there the same to the bit each time.

    Args:
        walks: nodes.
        num_nodes: N.
        objective: what is minimised.
        dimensions: of a node's vector.
        epochs: passes over the walks.
        generator: of initial vectors, the order of the walks, and the objective's draws.

    Returns:
        A vector for each node.

    Example:
        >>> from goodie.walks.objectives import HierarchicalSoftmax
        >>> walks = torch.tensor([[0, 1, 0], [1, 0, 1], [2, 2, 2]])
        >>> generator = torch.Generator().manual_seed(0)
        >>> tree = HierarchicalSoftmax(3, length=3, window=1, generator=generator)
        >>> skip_gram(walks, 3, tree, dimensions=4, epochs=5, generator=generator).shape
        torch.Size([3, 4])
    """
    shape = num_nodes, dimensions
    tables = Tables(*(_small(shape, generator) for _ in Tables._fields))
    gradients, means, squares = (
        Tables(torch.zeros(shape), torch.zeros(shape)) for _ in ("gradients", "means", "squares")
    )
    share = -(-len(walks) // STEPS)
    steps = epochs * -(-len(walks) // share)
    step = 0
    for _ in range(epochs):
        for chosen in torch.randperm(len(walks), generator=generator).split(share):
            for gradient in gradients:
                gradient.zero_()
            for part in chosen.split(TOGETHER):
                objective.add_gradients(walks[part].long(), tables, gradients, generator)
            rate = LEARNING_RATE * (1 - step / steps)
            step += 1
            for of_one in zip(tables, gradients, means, squares, strict=True):
                _adam(*of_one, step=step, rate=rate)
    return tables.vectors


def _small(shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    return torch.rand(shape, generator=generator).sub_(0.5).div_(shape[1])


def _adam(
    table: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, *, step: int, rate: float
) -> None:
    """One step, in place (Kingma and Ba, 2015); autograd has no part in this file."""
    mean.lerp_(gradient, 1 - BETAS[0])
    square.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
    scale = (square / (1 - BETAS[1] ** step)).sqrt_().add_(EPSILON)
    table.addcdiv_(mean, scale, value=-rate / (1 - BETAS[0] ** step))
