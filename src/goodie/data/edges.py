"""Reading edge weights the way PyG users store them."""

from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.errors import InvalidGraphError


def edge_weight(data: Data) -> Float[Tensor, " edges"] | None:
    """The weight of each edge: `edge_weight`, else a one-column `edge_attr`, else None (all one).

    An `edge_attr` of several columns describes edges in a way no method here uses; taking one of
    its columns for a weight would be a guess, so it is refused.
    """
    name = "edge_weight" if "edge_weight" in data else "edge_attr"
    weight: Tensor | None = data.get(name)
    if weight is None:
        return None
    if weight.dim() == 2 and weight.shape[1] == 1:
        weight = weight[:, 0]
    if weight.dim() != 1:
        raise InvalidGraphError(
            f"{name} has shape {tuple(weight.shape)}; a weight per edge has shape [edges] or "
            "[edges, 1]. Choose one column as edge_weight, or remove the others"
        )
    return weight.float() if not weight.is_floating_point() else weight
