"""GCNMF's network: what is missing is a mixture of Gaussians, and the first layer its expectation.

Holes are written as one number a row, 1 where most of the row is missing, and corrections E to it,
`Hole = h 1ᵀ + E`. Whole missing rows then cost one column, and very few or very many holes a sparse
matrix, where components × nodes × features would be needed else.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goodie.nn.product import SPARSE_COST, Constant, Propagated
from goodie.nn.random import Dropout, glorot
from goodie.sparse import csr_to_torch

LOG_2PI = math.log(2.0 * math.pi)


class Mixture(NamedTuple):
    """K Gaussians with diagonal covariances.

    Attributes:
        weights: π, summing to one.
        means: μ.
        variances: σ².
    """

    weights: Float[Tensor, " components"]
    means: Float[Tensor, "components features"]
    variances: Float[Tensor, "components features"]


class Evidence(NamedTuple):
    """What the observed entries say of the components, in double precision.

    Attributes:
        x: X, zero in the holes.
        squares: X ∘ X.
        corrections: E.
        shown: 1 − h.
    """

    x: Constant
    squares: Constant
    corrections: Constant
    shown: Float[Tensor, " nodes"]

    def rows(self, chosen: Int[Tensor, " chosen"]) -> "Evidence":
        """That of some nodes."""
        x, squares, corrections, shown = self
        return Evidence(
            x.rows(chosen), squares.rows(chosen), corrections.rows(chosen), shown[chosen]
        )


class Inputs(NamedTuple):
    """What the network sees of a graph; none of it changes in training.

    Attributes:
        features: Â X, X zero in the holes.
        holes: Â E.
        holes_squared: (Â ∘ Â) E.
        by_row: Â 1, Â h and (Â ∘ Â) h.
        evidence: for the responsibilities.
        S: Â.
    """

    features: Propagated
    holes: Propagated
    holes_squared: Propagated
    by_row: Float[Tensor, "nodes 3"]
    evidence: Evidence
    S: Constant

    def rows(self, chosen: Int[Tensor, " chosen"]) -> "Inputs":
        """What there is to see to give logits to some nodes: them and their neighbours."""
        S, read = self.S.reading(chosen)
        if read is None:
            return self._replace(S=S)
        return Inputs(
            self.features.rows(read),
            self.holes.rows(read),
            self.holes_squared.rows(read),
            self.by_row[read],
            self.evidence.rows(read),
            S,
        )


class GCNMFNetwork(torch.nn.Module):
    """Expected first layer over a mixture, then a graph convolution (Taguchi et al., 2021).

    With the holes of X filled by component k's means in M_k, and its variances in them in S_k,
    zero elsewhere,

        m_k = Â (M_k W + b),  s_k = (Â ∘ Â) S_k (W ∘ W),  H = Σ_k p(k | observed) E_k,
        E_k = √s_k [φ(w) + w/2 (1 + erf(w/√2))],  w = m_k/√s_k,

    the expectation of ReLU under a Gaussian of mean m_k and variance s_k. M_k and S_k are not made:

        M_k W = X W + h (μ_k W) + E diag(μ_k) W,

    and likewise for the variances. Means, variances and weights of the mixture are trained with the
    rest, from those given.

    Args:
        mixture: to start from.
        hidden: columns of the hidden layer.
        num_classes: columns of the result.
        dropout: probability, after the hidden layer.
        generator: initial weights; dropout draws from one of its own, seeded by it.
        device: where the network lives.
    """

    def __init__(
        self,
        mixture: Mixture,
        hidden: int,
        num_classes: int,
        *,
        dropout: float,
        generator: torch.Generator,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        self.weight_1 = glorot(mixture.means.shape[1], hidden, generator)
        self.weight_2 = glorot(hidden, num_classes, generator)
        self.bias_1 = torch.nn.Parameter(torch.zeros(hidden))
        self.bias_2 = torch.nn.Parameter(torch.zeros(num_classes))
        self.log_weights = torch.nn.Parameter(mixture.weights.log())
        self.means = torch.nn.Parameter(mixture.means.clone())
        self.log_variances = torch.nn.Parameter(mixture.variances.log())
        seed = int(torch.randint(2**31, (), generator=generator))
        self.dropout = Dropout(dropout, torch.Generator(device).manual_seed(seed))
        self.to(device)

    def forward(self, inputs: Inputs) -> Float[Tensor, "nodes classes"]:
        """Logits."""
        share = responsibilities(inputs.evidence, self.log_weights, self.means, self.log_variances)
        h = torch.einsum("nk,nkh->nh", share.to(self.means.dtype), self.expected(inputs))
        out: Tensor = inputs.S @ (self.dropout(h) @ self.weight_2) + self.bias_2
        return out

    def expected(self, inputs: Inputs) -> Float[Tensor, "nodes components hidden"]:
        """E_k, the first layer under each component."""
        W, variances = self.weight_1, self.log_variances.exp()
        ones, holes, holes_squared = inputs.by_row[:, :, None, None].unbind(dim=1)
        shape = (len(inputs.by_row), *self.means.shape[:1], W.shape[1])  # (N, K, H)

        mean = (inputs.features @ W)[:, None] + ones * self.bias_1 + holes * (self.means @ W)
        mean = mean + (inputs.holes @ _each_scaled(self.means, W)).view(shape)
        squared = W.square()
        variance = holes_squared * (variances @ squared)
        variance = variance + (inputs.holes_squared @ _each_scaled(variances, squared)).view(shape)
        return expected_relu(mean, variance)


def responsibilities(
    evidence: Evidence,
    log_weights: Float[Tensor, " components"],
    means: Float[Tensor, "components features"],
    log_variances: Float[Tensor, "components features"],
) -> Float[Tensor, "nodes components"]:
    """p(k | the observed entries of the row), π being the softmax of `log_weights`.

    With z_kd the log-density of a zero and p = 1/σ² the log-likelihood of a row is

        Σ_d observed z_kd + x_d μ_kd p_kd − ½ x_d² p_kd,

    three products as wide as there are components. They cancel where x lies near μ on the scale of
    x, so they are in double precision.
    """
    mu, log_variance = means.double(), log_variances.double()
    precision = (-log_variance).exp()
    zero = -0.5 * (mu.square() * precision + log_variance + LOG_2PI)
    log_likelihood = (
        evidence.shown[:, None] * zero.sum(dim=1)
        - evidence.corrections @ zero.T
        + evidence.x @ (mu * precision).T
        - 0.5 * (evidence.squares @ precision.T)
    )
    return (log_weights.double().log_softmax(dim=0) + log_likelihood).softmax(dim=1)


def split_holes(
    observed: Bool[Tensor, "nodes features"],
) -> tuple[Float[Tensor, " nodes"], Float[Tensor, "nodes features"]]:
    """Holes as `h 1ᵀ + E`, where E corrects at most half of a row; CSR where that is cheaper.

    Example:
        >>> h, E = split_holes(torch.tensor([[True, True, False], [False, True, False]]))
        >>> h.tolist(), E.tolist()
        ([0.0, 1.0], [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    """
    mostly = 2 * observed.sum(dim=1) < observed.shape[1]
    sign = torch.where(mostly, -1.0, 1.0)
    wrong = observed == mostly[:, None]
    if SPARSE_COST * int(wrong.sum()) < wrong.numel():
        where = sp.csr_array(wrong.numpy())
        signs = np.repeat(sign.numpy(), np.diff(where.indptr))
        entries = (signs, where.indices, where.indptr)
        return mostly.float(), csr_to_torch(sp.csr_array(entries, shape=where.shape))
    return mostly.float(), torch.where(wrong, sign[:, None], 0.0)


def expected_relu(
    mean: Float[Tensor, "*shape"], variance: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """E[max(0, z)] for Gaussian z, `m Φ(w) + √s φ(w)` with `w = m/√s`; ReLU where s is 0.

    Its gradient is Φ(w) for the mean and φ(w) / (2√s) for the variance, 0 where s is.

    Example:
        >>> m, s = torch.tensor([0.0, -2.0, 2.0]), torch.tensor([2.0 * torch.pi, 0.0, 0.0])
        >>> expected_relu(m, s).round(decimals=4).tolist()
        [1.0, 0.0, 2.0]
    """
    apply: Callable[..., Tensor] = _ExpectedReLU.apply
    return apply(mean, variance)


class _ExpectedReLU(torch.autograd.Function):
    """Keeps the two derivatives alone; autograd would keep every step of the formula."""

    @staticmethod
    def forward(ctx: Any, mean: Tensor, variance: Tensor) -> Tensor:
        tiny = torch.finfo(mean.dtype).tiny
        root = variance.clamp(min=tiny).sqrt()
        w = mean / root
        below = torch.special.ndtr(w)
        density = (-0.5 * w.square()).exp().mul_((2.0 * math.pi) ** -0.5)
        slope = torch.where(variance > tiny, density / (2.0 * root), 0.0)
        ctx.save_for_backward(below, slope)
        return torch.addcmul(mean * below, variance, slope, value=2.0)  # 2 s slope is √s φ

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        by_mean, by_variance = ctx.saved_tensors
        return gradients[0] * by_mean, gradients[0] * by_variance


def _each_scaled(
    scales: Float[Tensor, "components features"], W: Float[Tensor, "features hidden"]
) -> Float[Tensor, "features components*hidden"]:
    """`diag(scales_k) W` for every k, side by side."""
    return (scales.T[:, :, None] * W[:, None, :]).flatten(1)
