"""A CSR matrix times a dense one, with the same bits each time, on a GPU too.

cuSPARSE, which torch calls there, adds up long rows in an order that changes from call to call,
even where torch is asked for deterministic algorithms. So on a GPU the product is a kernel of ours
where Triton can be imported; elsewhere it is torch's own.
"""

import warnings
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goodie.sparse import is_sparse

# Entries that one block of the kernel adds up; a row with more is done in parts.
CHUNK = 128


@dataclass(frozen=True, eq=False)
class Chunks:
    """The entries of a CSR matrix, cut into pieces that lie in one row each.

    Attributes:
        begin: first entry of each piece.
        end: one beyond its last.
        slot: the row that it is the whole of; or −1 − p, where it is part number p.
        long_rows: those of several parts.
        first_part: the number of the first part of each; and one beyond the last of all.
    """

    begin: Int[Tensor, " pieces"]
    end: Int[Tensor, " pieces"]
    slot: Int[Tensor, " pieces"]
    long_rows: Int[Tensor, " long"]
    first_part: Int[Tensor, " long+1"]


@dataclass(frozen=True, eq=False)
class Multiplier:
    """A matrix, ready to multiply from the left.

    Attributes:
        matrix: dense or CSR.
        chunks: how our kernel goes through it; None where the product is torch's.
    """

    matrix: Float[Tensor, "rows columns"]
    chunks: Chunks | None

    def __matmul__(self, x: Float[Tensor, "columns width"]) -> Float[Tensor, "rows width"]:
        if self.chunks is None:
            return self.matrix @ x
        return self.into(x.new_empty(self.matrix.shape[0], x.shape[1]), x)

    def into(
        self, out: Float[Tensor, "rows width"], x: Float[Tensor, "columns width"]
    ) -> Float[Tensor, "rows width"]:
        """The product, written to `out`."""
        if self.chunks is None:
            return torch.mm(self.matrix, x, out=out)

        from goodie.spmm.triton import multiply

        return multiply(self.matrix, self.chunks, x.contiguous(), out)


def multiplier(matrix: Float[Tensor, "rows columns"]) -> Multiplier:
    """Make a matrix ready to multiply, once.

    Example:
        >>> (multiplier(torch.eye(2).to_sparse_csr()) @ torch.tensor([[1.0], [2.0]])).tolist()
        [[1.0], [2.0]]
    """
    ours = is_sparse(matrix) and matrix.is_cuda and _triton_is_there()
    return Multiplier(matrix, chunked(matrix) if ours else None)


def chunked(matrix: Float[Tensor, "rows columns"], size: int = CHUNK) -> Chunks:
    """Cut the entries of a CSR matrix into pieces of at most `size`, at least one a row."""
    crow = matrix.crow_indices().long()
    rows = torch.arange(matrix.shape[0], device=crow.device)
    pieces = (crow.diff() + size - 1).div(size, rounding_mode="floor").clamp(min=1)
    first = pieces.cumsum(0) - pieces
    row = rows.repeat_interleave(pieces)
    begin = crow[row] + size * (torch.arange(len(row), device=crow.device) - first[row])
    is_long = pieces > 1
    part = is_long[row].cumsum(0) - 1
    return Chunks(
        begin=begin,
        end=torch.minimum(begin + size, crow[row + 1]),
        slot=torch.where(is_long[row], -1 - part, row),
        long_rows=rows[is_long],
        first_part=torch.nn.functional.pad(pieces[is_long].cumsum(0), (1, 0)),
    )


@cache
def _triton_is_there() -> bool:
    try:
        import goodie.spmm.triton  # noqa: F401
    except ImportError as error:
        warnings.warn(
            f"Triton cannot be imported ({error}): sparse products are cuSPARSE's, whose last bits "
            "differ from call to call",
            stacklevel=3,
        )
        return False
    return True
