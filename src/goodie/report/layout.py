"""A map of embeddings: two numbers for each node."""

import warnings

import numpy as np
from jaxtyping import Float
from sklearn.manifold import TSNE

PERPLEXITY = 30.0


def layout(z: Float[np.ndarray, "nodes width"]) -> tuple[Float[np.ndarray, "nodes 2"], str]:
    """Places of nodes such that nodes with alike embeddings are near, and the method's name.

    Embeddings are compared by direction, so that a few long ones do not crowd the others. They are
    placed by t-SNE, started from their two principal components; a hundred nodes by these alone.

    Example:
        >>> z = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
        >>> place, name = layout(z)
        >>> bool((place[0] == place[1]).all()), name
        (True, 'two principal components')
    """
    size = np.linalg.norm(z, axis=1, keepdims=True)
    direction = np.divide(z, size, out=np.zeros(z.shape), where=size > 0)
    flat = principal(direction)
    spread = float(flat[:, :1].std())
    if len(z) < 4 * PERPLEXITY or spread == 0:
        return flat, "two principal components"
    tsne = TSNE(perplexity=PERPLEXITY, init=1e-4 / spread * flat, max_iter=500, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a library's own
        return tsne.fit_transform(direction).astype(np.float64), "t-SNE"


def principal(z: Float[np.ndarray, "nodes width"]) -> Float[np.ndarray, "nodes 2"]:
    """The two principal components; zeros for those that there are not.

    Example:
        >>> principal(np.array([[0.0], [2.0]])).tolist()
        [[-1.0, 0.0], [1.0, 0.0]]
    """
    centred = z - z.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :2]
    # The sign of an axis is free: its largest entry is made positive.
    axes = axes * np.sign(np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0))
    out = np.zeros((len(z), 2))
    out[:, : axes.shape[1]] = centred @ axes
    return out
