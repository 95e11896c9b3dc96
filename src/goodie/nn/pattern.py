"""Sparse matrices whose pattern is fixed and whose values are learned."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from goodie.sparse import csr_to_scipy, csr_to_torch
from goodie.spmm import Multiplier, multiplier


@dataclass(frozen=True, eq=False)
class Pattern:
    """Where a CSR matrix has entries; a vector with a number for each makes it a matrix.

    Attributes:
        gather: a matrix of this pattern, ready to multiply.
        scatter: its transpose.
        order: the entries of the matrix, in the order in which the transpose has them.
        row: in which row each entry lies.
    """

    gather: Multiplier
    scatter: Multiplier
    order: Int[Tensor, " entries"]
    row: Int[Tensor, " entries"]

    def product(
        self, values: Float[Tensor, " entries"], x: Float[Tensor, "columns width"]
    ) -> Float[Tensor, "rows width"]:
        """`M x` for the matrix M of these values.

        With G the gradient of the product it hands `Gᵢ · xⱼ` to the entry at (i, j) and `Mᵀ G` to
        x, and holds nothing as large as entries × width.
        """
        apply: Callable[..., Tensor] = _Product.apply
        return apply(self, values, x)

    def softmax(self, values: Float[Tensor, " entries"]) -> Float[Tensor, " entries"]:
        """`exp(vᵢⱼ) / Σₖ exp(vᵢₖ)`, over the entries of each row."""
        apply: Callable[..., Tensor] = _Softmax.apply
        return apply(self, values)

    def row_sums(self, values: Float[Tensor, " entries"]) -> Float[Tensor, " entries"]:
        """For each entry the sum of its row's values; the same bits each time, on a GPU too."""
        ones = values.new_ones(self.gather.matrix.shape[1], 1)
        sums: Tensor = (filled(self.gather, values) @ ones)[:, 0]
        return sums[self.row]

    def row_maxima(self, values: Float[Tensor, " entries"]) -> Float[Tensor, " entries"]:
        """For each entry the largest of its row's values."""
        least = values.new_full((self.gather.matrix.shape[0],), -torch.inf)
        return least.scatter_reduce(0, self.row, values, "amax")[self.row]


def pattern(matrix: Float[Tensor, "rows columns"]) -> Pattern:
    """The pattern of a CSR matrix.

    Example:
        >>> at = pattern(torch.tensor([[1.0, 1.0], [0.0, 1.0]]).to_sparse_csr())
        >>> at.product(torch.tensor([2.0, 3.0, 4.0]), torch.tensor([[1.0], [10.0]])).tolist()
        [[32.0], [40.0]]
        >>> at.softmax(torch.tensor([2.0, 2.0, 4.0])).tolist()
        [0.5, 0.5, 1.0]
    """
    numbered = csr_to_scipy(matrix)
    numbered.data = np.arange(numbered.nnz)
    transposed = numbered.T.tocsr()
    order = torch.from_numpy(transposed.data).to(matrix.device)
    transposed.data = np.ones(numbered.nnz)
    rows = torch.arange(matrix.shape[0], device=matrix.device)
    return Pattern(
        gather=multiplier(matrix),
        scatter=multiplier(csr_to_torch(transposed, dtype=matrix.dtype).to(matrix.device)),
        order=order,
        row=rows.repeat_interleave(matrix.crow_indices().long().diff()),
    )


def filled(like: Multiplier, values: Float[Tensor, " entries"]) -> Multiplier:
    """A matrix of the same pattern, with values of its own."""
    where = like.matrix
    matrix = torch.sparse_csr_tensor(
        where.crow_indices(), where.col_indices(), values, where.shape, check_invariants=False
    )
    return replace(like, matrix=matrix)


class _Product(torch.autograd.Function):
    """Torch's own product of a CSR matrix hands its values no gradient on every device."""

    @staticmethod
    def forward(ctx: Any, where: Pattern, values: Tensor, x: Tensor) -> Tensor:
        ctx.where = where
        ctx.save_for_backward(values, x)
        return filled(where.gather, values) @ x

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor | None, Tensor | None]:
        where: Pattern = ctx.where
        values, x = ctx.saved_tensors
        gradient = gradients[0].contiguous()
        of_values = of_x = None
        if ctx.needs_input_grad[1]:
            entries = filled(where.gather, values)
            of_values = torch.sparse.sampled_addmm(entries.matrix, gradient, x.t(), beta=0.0)
            of_values = of_values.values()
        if ctx.needs_input_grad[2]:
            of_x = filled(where.scatter, values[where.order]) @ gradient
        return None, of_values, of_x


class _Softmax(torch.autograd.Function):
    """With p the softmax and g its gradient, the values get `p ∘ (g − Σ p g)`, row by row."""

    @staticmethod
    def forward(ctx: Any, where: Pattern, values: Tensor) -> Tensor:
        powers = (values - where.row_maxima(values)).exp()
        shares = powers / where.row_sums(powers)
        ctx.where = where
        ctx.save_for_backward(shares)
        return shares

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        (shares,) = ctx.saved_tensors
        weighed = shares * gradients[0]
        return None, weighed - shares * ctx.where.row_sums(weighed)
