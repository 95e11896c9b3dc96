"""Where a model can only guess: nodes that nothing it learns from reaches."""

from collections.abc import Collection

import torch
from jaxtyping import Bool
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.observed import observed, stored_and_observed
from goodie.graph import operator
from goodie.propagate.labels import reached_nodes
from goodie.sparse import is_sparse


def informed_nodes(
    data: Data, seeds: Bool[Tensor, " nodes"], uses: Collection[str]
) -> Bool[Tensor, " nodes"]:
    """The nodes that a known label or a feature tells something of.

    With `structure` both come from anywhere in the node's connected component; without it they are
    the node's own. A feature tells something if it is observed and not zero, as a hole starts from
    zero too. Of the other nodes a model says the same whatever the graph: it should abstain.

    Args:
        data: validated.
        seeds: the nodes whose labels are an input.
        uses: what the model learns from, of `features`, `structure` and `labels`.

    Example:
        >>> x = torch.tensor([[torch.nan], [1.0], [torch.nan], [torch.nan]])
        >>> data = Data(x=x, edge_index=torch.tensor([[0], [1]]), num_nodes=4)
        >>> seeds = torch.tensor([False, False, True, False])
        >>> informed_nodes(data, seeds, ("features", "structure", "labels")).tolist()
        [True, True, True, False]
    """
    sources = torch.zeros_like(seeds)
    if "labels" in uses and "structure" in uses:
        sources = sources | seeds
    if "features" in uses:
        sources = sources | _with_features(data)
    return reached_nodes(operator(data), sources) if "structure" in uses else sources


def _with_features(data: Data) -> Bool[Tensor, " nodes"]:
    """Nodes with an observed entry that is not zero."""
    x = data.x
    if not is_sparse(x):
        entries: Tensor = (observed(data) & (x != 0)).any(dim=1)
        return entries
    known = stored_and_observed(x, data.get("observed")) & (x.values() != 0)
    rows = torch.arange(len(x)).repeat_interleave(x.crow_indices().diff().cpu())
    out = torch.zeros(len(x), dtype=torch.bool)
    out[rows[known.cpu()]] = True
    return out
