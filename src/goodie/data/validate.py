"""The one check at the boundary: what comes out of it, everything behind it may rely on."""

from collections.abc import Sequence
from copy import copy
from itertools import combinations

import torch
from jaxtyping import Int
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import coalesce

from goodie.data.edges import edge_weight
from goodie.errors import InvalidGraphError
from goodie.sparse import is_sparse

MASKS = ("train_mask", "val_mask", "test_mask")


def validate(data: Data, *, classify: bool = False) -> Data:
    """Check a graph and return a tidy copy of it; the input is left as it is.

    What works: no edges, isolated nodes, self-loops (kept, with their weight), repeated edges
    (merged; their weights are summed), directed edges, no features at all (`x` absent: every
    feature is missing), features that are all or none missing, nodes without a label (−1).

    What is refused, with what was got: no nodes; shapes that do not fit; edges to nodes that do not
    exist; weights that are negative, infinite or NaN; features that are infinite or not floating
    point; labels that are not integers or are below −1; masks that are not bool, overlap, or mark a
    node without a label for training; and, to `classify`, no training node, or a class that no
    training node has, since it could never be predicted.

    Args:
        data: the graph.
        classify: check also what classification needs: `y` and `train_mask`.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> validate(Data(x=torch.zeros(2, 1), edge_index=torch.tensor([[0], [7]])))
        Traceback (most recent call last):
        goodie.errors.InvalidGraphError: edge_index names node 7, but there are 2 nodes (0 to 1)
    """
    if not isinstance(data, Data):
        raise InvalidGraphError(f"expected a graph as a PyG Data, got {type(data).__name__}")
    out = copy(data)
    n = _num_nodes(data)
    out.num_nodes = n
    _check_edges(out, n)
    _check_features(out, n)
    if "y" in data and data.y is not None:
        _check_labels(out, n)
    _check_masks(out, n)
    if classify:
        _check_classes(out)
    return out


def _num_nodes(data: Data) -> int:
    stated = int(data.num_nodes) if "num_nodes" in data else None
    for name, expected in (("x", "(nodes, features)"), ("y", "(nodes,)")):
        if data.get(name) is None:
            continue
        if data[name].dim() == 0:
            raise InvalidGraphError(f"{name} has shape (), expected {expected}")
        n = int(data[name].shape[0])
        if stated not in (None, n):
            raise InvalidGraphError(f"num_nodes is {stated}, but {name} is for {n} nodes")
        break
    else:
        if stated is None:
            raise InvalidGraphError(
                "the graph has neither x nor y nor num_nodes, so its number of nodes is unknown"
            )
        n = stated
    if n <= 0:
        raise InvalidGraphError("the graph has no nodes")
    return n


def _check_edges(data: Data, n: int) -> None:
    edges = data.get("edge_index")
    if edges is None:
        raise InvalidGraphError("the graph has no edge_index; without edges it has shape (2, 0)")
    if edges.dim() != 2 or edges.shape[0] != 2:
        raise InvalidGraphError(f"edge_index has shape {_shape(edges)}, expected (2, edges)")
    if edges.is_floating_point() or edges.dtype == torch.bool:
        raise InvalidGraphError(f"edge_index has dtype {edges.dtype}, expected integers")
    if edges.numel() and not (int(edges.min()) >= 0 and int(edges.max()) < n):
        worst = edges[(edges < 0) | (edges >= n)]
        raise InvalidGraphError(
            f"edge_index names node {int(worst[0])}, but there are {n} nodes (0 to {n - 1})"
        )
    weight = edge_weight(data)
    if weight is not None:
        if len(weight) != edges.shape[1]:
            raise InvalidGraphError(f"{len(weight)} edge weights for {edges.shape[1]} edges")
        bad = ~torch.isfinite(weight) | (weight < 0)
        if bad.any():
            raise InvalidGraphError(
                f"{int(bad.sum())} edge weights are negative, infinite or NaN, "
                f"e.g. {float(weight[bad][0])}"
            )
    edges = edges.long()
    if weight is None:
        data.edge_index = coalesce(edges, num_nodes=n)
    else:
        data.edge_index, data.edge_weight = coalesce(edges, weight, num_nodes=n, reduce="sum")
    if "edge_attr" in data:  # read into edge_weight, and out of step with the merged edges
        del data.edge_attr


def _check_features(data: Data, n: int) -> None:
    if data.get("x") is None:
        data.x = torch.zeros(n, 0)
    x = data.x
    if x.dim() != 2:
        raise InvalidGraphError(f"x has shape {_shape(x)}, expected (nodes, features)")
    if not x.is_floating_point():
        raise InvalidGraphError(f"x has dtype {x.dtype}, expected floating point (NaN = missing)")
    if is_sparse(x) and x.layout != torch.sparse_csr:
        raise InvalidGraphError(f"x has layout {x.layout}; a sparse x is CSR: x.to_sparse_csr()")
    values = x.values() if is_sparse(x) else x
    # A sum is finite or NaN unless an infinity is in it, and takes no N×F temporary.
    if values.abs().nansum().isinf() and (infinite := values.isinf()).any():
        raise InvalidGraphError(f"x has {int(infinite.sum())} infinite entries")
    if is_sparse(x) and values.isnan().any():
        raise InvalidGraphError(
            "sparse x stores NaN; what is missing from a sparse matrix is said by data.observed"
        )
    observed = data.get("observed")
    if observed is not None:
        if observed.dtype != torch.bool:
            raise InvalidGraphError(f"observed has dtype {observed.dtype}, expected bool")
        if tuple(observed.shape) not in {(n,), tuple(x.shape)}:
            raise InvalidGraphError(
                f"observed has shape {_shape(observed)}, expected ({n},) or {_shape(x)}"
            )


def _check_labels(data: Data, n: int) -> None:
    y = data.y
    if tuple(y.shape) != (n,):
        raise InvalidGraphError(f"y has shape {_shape(y)}, expected ({n},)")
    if y.is_floating_point() or y.dtype == torch.bool:
        nan = " and holds NaN" if y.is_floating_point() and y.isnan().any() else ""
        raise InvalidGraphError(
            f"y has dtype {y.dtype}{nan}; labels are integers, with -1 where unknown"
        )
    if int(y.min()) < -1:
        raise InvalidGraphError(f"y holds {int(y.min())}; labels start at 0, and -1 is unknown")
    data.y = y.long()


def _check_masks(data: Data, n: int) -> None:
    masks = {name: data[name] for name in MASKS if name in data and data[name] is not None}
    for name, marked in masks.items():
        if marked.dtype != torch.bool:
            raise InvalidGraphError(f"{name} has dtype {marked.dtype}, expected bool")
        if marked.dim() not in (1, 2) or marked.shape[0] != n:
            raise InvalidGraphError(f"{name} has shape {_shape(marked)}, expected ({n},)")
    for name, other in combinations(masks, 2):
        # A mask of several splits has a column for each; one of a single split stands for all.
        both = masks[name].view(n, -1) & masks[other].view(n, -1)
        if both.any():
            raise InvalidGraphError(f"{int(both.sum())} nodes are in both {name} and {other}")
    if "train_mask" in masks and data.get("y") is not None:
        unknown = int((masks["train_mask"].view(n, -1) & (data.y < 0)[:, None]).sum())
        if unknown:
            raise InvalidGraphError(f"{unknown} nodes of train_mask have no label (-1)")


def _check_classes(data: Data) -> None:
    if data.get("y") is None:
        raise InvalidGraphError("the graph has no y, so there is nothing to learn to predict")
    if data.get("train_mask") is None:
        raise InvalidGraphError("the graph has no train_mask: mark the nodes to train on")
    if data.train_mask.dim() != 1:
        raise InvalidGraphError(
            f"train_mask has shape {_shape(data.train_mask)}: choose one of its splits"
        )
    known = data.y[data.train_mask]
    if known.numel() == 0:
        raise InvalidGraphError("train_mask marks no node, so there is nothing to learn from")
    absent = _absent(known, int(data.y.max()) + 1)
    if absent:
        raise InvalidGraphError(
            f"no training node has class {', '.join(map(str, absent))}, so it could never be "
            "predicted: label one, drop the class, or renumber so that classes are 0, 1, 2, …"
        )


def _absent(known: Int[Tensor, " train"], num_classes: int) -> Sequence[int]:
    count = torch.bincount(known, minlength=num_classes)
    return [int(label) for label in (count == 0).nonzero()[:, 0]]


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))
