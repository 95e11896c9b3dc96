"""Both propagations in PyG's manners: a transform for features, a module for labels."""

from copy import copy

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from goodie.graph import Normalisation, operator
from goodie.propagate.features import propagate_features, solve_features
from goodie.propagate.labels import Form, propagate_labels


class FeaturePropagation(BaseTransform):
    """Fill the holes of `data.x` from the neighbours: NaN in, no NaN out.

    Holes are the NaN of a dense `x`, and whatever `data.observed` leaves unmarked; the result
    carries no `observed`, since nothing is missing from it. Compared with PyG's transform of this
    name there is no mask to pass, self-loops are added as in the paper, and it is several times
    faster.

    Args:
        steps: as the paper has it, 40; None solves for the limit instead.
        normalisation: `symmetric` as in the paper; `row` for values that are to be read.
        self_loops: as in the paper.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> from goodie import FeaturePropagation
        >>> x = torch.tensor([[1.0], [float("nan")], [3.0]])
        >>> data = Data(x=x, edge_index=torch.tensor([[0, 1], [1, 2]]))
        >>> FeaturePropagation(steps=None, normalisation="row")(data).x.flatten().tolist()
        [1.0, 2.0, 3.0]
    """

    def __init__(
        self,
        steps: int | None = 40,
        *,
        normalisation: Normalisation = "symmetric",
        self_loops: bool = True,
    ) -> None:
        self.steps = steps
        self.normalisation = normalisation
        self.self_loops = self_loops

    def forward(self, data: Data) -> Data:
        """The graph with its features filled in."""
        S = operator(
            data,
            normalisation=self.normalisation,
            self_loops=self.self_loops,
            dtype=data.x.dtype,
        )
        marked = data.get("observed")
        if self.steps is None:
            filled = solve_features(data.x, S, observed=marked)
        else:
            filled = propagate_features(data.x, S, observed=marked, steps=self.steps)
        out = copy(data)
        out.x = filled.values
        if marked is not None:
            del out.observed
        return out

    def __repr__(self) -> str:
        return f"{type(self).__name__}(steps={self.steps}, normalisation={self.normalisation!r})"


class LabelPropagation(torch.nn.Module):
    """Spread labels over a graph; called like PyG's module of this name.

    Args:
        num_layers: steps.
        alpha: share that a node takes from its neighbours in each step.
        form: `residual`, as PyG has it, or `reset`.
        self_loops: as in the paper; PyG's module adds none.

    Example:
        >>> import torch
        >>> from goodie import LabelPropagation
        >>> edges = torch.tensor([[0, 1, 2], [1, 2, 3]])
        >>> known = torch.tensor([True, False, False, True])
        >>> spread = LabelPropagation(num_layers=10, alpha=0.9)
        >>> spread(torch.tensor([0, -1, -1, 1]), edges, known).argmax(dim=1).tolist()
        [0, 0, 1, 1]
    """

    def __init__(
        self,
        num_layers: int,
        alpha: float,
        *,
        form: Form = "residual",
        self_loops: bool = True,
    ) -> None:
        super().__init__()
        self.num_layers = num_layers
        self.alpha = alpha
        self.form: Form = form
        self.self_loops = self_loops

    def forward(
        self,
        y: Int[Tensor, " nodes"],
        edge_index: Int[Tensor, "2 edges"],
        mask: Bool[Tensor, " nodes"] | None = None,
        edge_weight: Float[Tensor, " edges"] | None = None,
    ) -> Float[Tensor, "nodes classes"]:
        """Scores of each class.

        Args:
            y: labels; -1 where unknown.
            edge_index: the graph, made undirected.
            mask: nodes whose label is used; every labelled one if None.
            edge_weight: of each edge.
        """
        data = Data(edge_index=edge_index, edge_weight=edge_weight, num_nodes=len(y))
        spread = propagate_labels(
            y,
            y >= 0 if mask is None else mask,
            operator(data, self_loops=self.self_loops),
            alpha=self.alpha,
            form=self.form,
            steps=self.num_layers,
        )
        return spread.values
