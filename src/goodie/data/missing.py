"""Taking features away, in four patterns, each seeded.

Every function returns a new `Data` in which more is missing than before: dense `x` gets NaN, sparse
`x` loses the entries and gets an `observed` mask. What was missing already stays missing.
"""

from collections.abc import Callable
from copy import copy

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Bool, Float
from scipy.optimize import brentq
from scipy.special import expit, logit
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import degree

from goodie.data.observed import observed
from goodie.errors import InputError
from goodie.sparse import csr_to_scipy, csr_to_torch, is_sparse

Seed = int | np.random.Generator

# Entries drawn at a time: bounds the temporary memory without changing the stream of draws.
CHUNK = 1 << 24


def uniform(data: Data, rate: float, *, random_state: Seed = 0) -> Data:
    """Each entry goes missing with probability `rate`, independently.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> uniform(Data(x=torch.ones(2, 3)), 1.0).x.isnan().all().item()
        True
    """
    _check_rate(rate)
    rng = np.random.default_rng(random_state)
    hidden = np.empty(data.x.shape, dtype=bool)
    flat = hidden.reshape(-1)
    for begin in range(0, flat.size, CHUNK):
        part = flat[begin : begin + CHUNK]
        part[:] = rng.random(part.size, dtype=np.float32) < rate
    return _hide(data, hidden)


def structural(data: Data, rate: float, *, random_state: Seed = 0) -> Data:
    """Each node loses its whole row with probability `rate`, independently."""
    _check_rate(rate)
    rng = np.random.default_rng(random_state)
    return _hide(data, rng.random(data.num_nodes, dtype=np.float32) < rate)


def by_degree(data: Data, rate: float, *, strength: float = 1.0, random_state: Seed = 0) -> Data:
    """Each node loses its whole row, the likelier the fewer neighbours it has.

    Node i's row is missing with probability `sigmoid(b − strength·zᵢ)`, where z is the standardised
    logarithm of one plus the degree, and b is the number that makes the mean probability `rate`.
    With strength 0 it is as likely for every node, as in `structural`. Not at random: what is
    missing depends on the structure.
    """
    _check(rate, strength)
    rng = np.random.default_rng(random_state)
    z = np.log1p(degree(data.edge_index[1], data.num_nodes).numpy().astype(np.float64))
    probability = _tilted(rate, -strength * _standardise(z))
    return _hide(data, rng.random(data.num_nodes) < probability)


def by_value(data: Data, rate: float, *, strength: float = 1.0, random_state: Seed = 0) -> Data:
    """Each entry goes missing, the likelier the larger its value within its column.

    Entry (i, d) is missing with probability `sigmoid(b + strength·z)`, where z is its value
    standardised over the observed entries of its column (0 in a constant column), and b is the
    number that makes the mean probability over observed entries `rate`. `strength` 0 is `uniform`
    in distribution. Not at random: what is missing depends on the missing value itself. A sparse
    `x` is made dense on the way.
    """
    _check(rate, strength)
    rng = np.random.default_rng(random_state)
    known = observed(data).numpy()
    x = data.x.to_dense().numpy().astype(np.float64)
    z = np.zeros_like(x)
    for column in range(x.shape[1]):
        values = x[known[:, column], column]
        z[known[:, column], column] = _standardise(values)
    probability = np.zeros_like(x)
    probability[known] = _tilted(rate, strength * z[known])
    return _hide(data, rng.random(x.shape) < probability)


PATTERNS: dict[str, Callable[..., Data]] = {
    "uniform": uniform,
    "structural": structural,
    "by_degree": by_degree,
    "by_value": by_value,
}


def hide(data: Data, pattern: str, rate: float, *, random_state: Seed = 0) -> Data:
    """Take features away by the name of the pattern.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> half = hide(Data(x=torch.ones(100, 10)), "uniform", 0.5, random_state=1)
        >>> 0.4 < half.x.isnan().float().mean().item() < 0.6
        True
    """
    if pattern not in PATTERNS:
        raise InputError(f"unknown pattern {pattern!r}; there are {', '.join(PATTERNS)}")
    _check_rate(rate)
    # Nothing to draw; on a large graph that is seconds.
    return copy(data) if rate == 0 else PATTERNS[pattern](data, rate, random_state=random_state)


def _hide(data: Data, hidden: Bool[np.ndarray, "nodes *features"]) -> Data:
    """A copy of data without the hidden rows ([nodes]) or entries ([nodes, features])."""
    out = copy(data)
    keep = torch.from_numpy(~hidden)
    if not is_sparse(data.x):
        out.x = data.x.clone()
        out.x[~keep] = torch.nan
        return out

    if "observed" in data:
        keep = _both(data.observed, keep)
    x = csr_to_scipy(data.x).tocoo()
    stays = (keep[x.row] if keep.dim() == 1 else keep[x.row, x.col]).numpy()
    left = (x.data[stays], (x.row[stays], x.col[stays]))
    out.x = csr_to_torch(sp.coo_array(left, shape=x.shape).tocsr())
    out.observed = keep
    return out


def _both(a: Tensor, b: Tensor) -> Bool[Tensor, "nodes *features"]:
    """What two masks both mark, each of whole rows or of entries."""
    a = a.to_dense() if is_sparse(a) else a
    return a & b if a.dim() == b.dim() else a.view(len(a), -1) & b.view(len(b), -1)


def _standardise(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    spread = values.std() if values.size else 0.0
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)


def _tilted(rate: float, lean: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """sigmoid(b + lean) with b such that the mean is `rate`."""
    reach = np.abs(lean).max(initial=0.0)
    if rate in (0.0, 1.0) or reach == 0.0:
        return np.full(lean.shape, rate)
    level = logit(rate)
    b = brentq(lambda b: expit(b + lean).mean() - rate, level - reach, level + reach, xtol=1e-12)
    return np.asarray(expit(b + lean))


def _check(rate: float, strength: float) -> None:
    _check_rate(rate)
    if not np.isfinite(strength):
        raise InputError(f"strength is {strength}; it must be a finite number")


def _check_rate(rate: float) -> None:
    if not 0.0 <= rate <= 1.0:
        raise InputError(f"the missing rate is {rate}; it must lie between 0 and 1")
