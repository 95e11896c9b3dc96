"""A real problem that needs no download: handwritten digits, half as a graph, half as features."""

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

from goodie.errors import InputError


def digits(neighbours: int = 8) -> Data:
    """Scikit-learn's 1,797 digits: left halves say who is alike, right halves are the features.

    Graph and features are two views of an image that share no pixel, so neither leaks into the
    other and a method that has one of them still gains from the other.

    Args:
        neighbours: To how many nearest images each is joined, by the Euclidean distance of the
            left halves. A node has more neighbours where others chose it too.

    Returns:
        x float32 [1797, 32] in [0, 1], edge_index int64 [2, E] sorted, with both directions of
        each edge and no loops, and y int64 [1797], the digit.

    Example:
        >>> data = digits()
        >>> data.x.shape, data.y[:3].tolist()
        (torch.Size([1797, 32]), [0, 1, 2])
    """
    source = load_digits()
    return two_views(source.images, source.target, neighbours)


def two_views(
    images: Float[np.ndarray, "images 8 8"], labels: Int[np.ndarray, " images"], neighbours: int
) -> Data:
    """The graph from columns 0–3 of every image, x from columns 4–7, pixels from 0 to 16."""
    left, right = (half.reshape(len(images), -1) for half in np.split(images, 2, axis=2))
    return Data(
        x=torch.from_numpy(right / 16).float(),
        edge_index=_nearest(left, neighbours),
        y=torch.from_numpy(labels).long(),
    )


def _nearest(points: Float[np.ndarray, "points axes"], neighbours: int) -> Int[Tensor, "2 entries"]:
    """An edge wherever one of two points is among the nearest of the other."""
    if not 1 <= neighbours < len(points):
        raise InputError(f"neighbours is {neighbours}, expected 1 to {len(points) - 1}")
    # A tree, as brute force may break ties by the number of threads.
    tree = NearestNeighbors(n_neighbors=neighbours, algorithm="kd_tree").fit(points)
    rows, columns = tree.kneighbors_graph().nonzero()
    edge_index = torch.from_numpy(np.stack([rows, columns])).long()
    undirected: Tensor = to_undirected(edge_index, num_nodes=len(points))
    return undirected
