"""Matrix times weights, where the matrix never changes: dense or sparse, with a cheap gradient."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Float, Int
from torch import Tensor

from goodie.graph import Operator
from goodie.sparse import csr_to_scipy, csr_to_torch, is_sparse, to_csr
from goodie.spmm import Multiplier, multiplier

# A sparse product costs about this many times a dense one for each multiplication it does: its
# operands are gathered. Between 2 and 9 on Cora, PubMed and CS, on a CPU, for widths 16 and 64.
SPARSE_COST = 6

# Rows that read more than this share of a matrix are given the whole of it: a copy of nearly
# everything would cost its memory and save no time.
WHOLE_FROM = 0.8


@dataclass(frozen=True, eq=False)
class Constant:
    """A matrix that is only ever multiplied from the left, with its transpose for the gradient.

    For a dense matrix both are the same memory.
    """

    matrix: Float[Tensor, "rows columns"]
    transposed: Float[Tensor, "columns rows"]

    def __matmul__(self, weights: Float[Tensor, "columns width"]) -> Float[Tensor, "rows width"]:
        apply: Callable[..., Tensor] = _Product.apply
        return apply(self._multiplier, self._pullback, weights)

    def rows(self, chosen: Int[Tensor, " chosen"]) -> "Constant":
        """Some of its rows."""
        if not is_sparse(self.matrix):
            return constant(self.matrix[chosen])
        part = csr_to_scipy(self.matrix)[chosen.cpu().numpy()]
        return constant(csr_to_torch(part).to(self.matrix.device))

    def reading(
        self, chosen: Int[Tensor, " chosen"]
    ) -> tuple["Constant", Int[Tensor, " read"] | None]:
        """Some rows of a sparse matrix without the columns that are zero in all of them.

        Returns:
            The rows, and the columns that are left; None for all, where leaving some out would
            save little.
        """
        part = csr_to_scipy(self.matrix)[chosen.cpu().numpy()]
        read = np.unique(part.indices)
        if len(read) > WHOLE_FROM * part.shape[1]:
            return self.rows(chosen), None
        device = self.matrix.device
        thin = csr_to_torch(sp.csr_array(part[:, read])).to(device)
        return constant(thin), torch.from_numpy(read).long().to(device)

    @cached_property
    def _multiplier(self) -> Multiplier:
        return multiplier(self.matrix)

    @cached_property
    def _pullback(self) -> Multiplier:
        return multiplier(self.transposed)


def constant(matrix: Float[Tensor, "rows columns"]) -> Constant:
    """A dense or CSR matrix as a constant factor."""
    if not is_sparse(matrix):
        return Constant(matrix, matrix.t())
    transposed = csr_to_torch(csr_to_scipy(matrix).T.tocsr()).to(matrix.device)
    return Constant(matrix, transposed)


def propagated(S: Operator, x: Float[Tensor, "nodes features"]) -> "Propagated":
    """`S X` as a constant factor, associated the cheaper way.

    `(S X) W` multiplies a matrix made once; `S (X W)` multiplies twice each epoch, but where X is
    mostly zeros and S X is not, by far fewer numbers. The multiplications are counted.
    """
    stored = int(x.values().numel() if is_sparse(x) else x.count_nonzero())
    if SPARSE_COST * (S.matrix.values().numel() + stored) < x.shape[0] * x.shape[1]:
        thin = x if is_sparse(x) else to_csr(x).to(x.device)
        return Propagated(constant(thin), constant(S.matrix))
    return Propagated(constant(S @ (x.to_dense() if is_sparse(x) else x)), None)


@dataclass(frozen=True, eq=False)
class Propagated:
    """`S X`, as one factor or two."""

    inner: Constant
    outer: Constant | None

    def __matmul__(self, weights: Float[Tensor, "columns width"]) -> Float[Tensor, "rows width"]:
        product = self.inner @ weights
        return product if self.outer is None else self.outer @ product

    def rows(self, chosen: Int[Tensor, " chosen"]) -> "Propagated":
        """Some of its rows, made of what they read alone."""
        if self.outer is None:
            return Propagated(self.inner.rows(chosen), None)
        outer, read = self.outer.reading(chosen)
        return Propagated(self.inner if read is None else self.inner.rows(read), outer)


class _Product(torch.autograd.Function):
    """`M W` with ∂L/∂W = Mᵀ ∂L/∂(M W); torch's own would transpose a sparse M every time."""

    @staticmethod
    def forward(ctx: Any, matrix: Multiplier, transposed: Multiplier, weights: Tensor) -> Tensor:
        ctx.transposed = transposed
        return matrix @ weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, None, Tensor]:
        return None, None, ctx.transposed @ gradients[0].contiguous()
