"""The evaluation protocol of PROTOCOL §1, in plain NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Indices = NDArray[np.int64]

DEVELOPMENT_SEED = 1684992425


def paper_split(
    y: ArrayLike, seed: int, num_development: int, per_class: int
) -> tuple[Indices, Indices, Indices]:
    """PROTOCOL §1, Split: node indices (train, validation, test).

    Development: `RandomState(1684992425).choice(n, num_development, replace=False)`, in its drawn
    order. Training: one `RandomState(seed)` draws `per_class` development nodes of every class,
    classes ascending. Validation: the rest of the development set. Test: every other node, the
    same for all seeds.

    Train comes in drawn order (class by class), validation in the order of the development set,
    test ascending. A class with too few development nodes is a ValueError (NumPy's).
    """
    y = np.asarray(y)
    if (y < 0).any():
        raise ValueError("the protocol knows no unlabelled nodes")
    n = len(y)
    development = np.random.RandomState(DEVELOPMENT_SEED).choice(n, num_development, replace=False)

    r = np.random.RandomState(seed)
    train = np.concatenate(
        [r.choice(development[y[development] == c], per_class, replace=False) for c in np.unique(y)]
    )

    in_train, in_development = set(train.tolist()), set(development.tolist())
    validation = np.array([i for i in development if i not in in_train], dtype=np.int64)
    test = np.array([i for i in range(n) if i not in in_development], dtype=np.int64)
    return train, validation, test


def population_std(values: ArrayLike) -> float:
    """PROTOCOL §1: the standard deviation with ddof = 0, √(mean (x − mean x)²), of all values."""
    values = np.asarray(values, dtype=np.float64)
    mean = values.sum() / values.size
    return float(np.sqrt(((values - mean) ** 2).sum() / values.size))
