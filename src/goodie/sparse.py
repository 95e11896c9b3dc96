"""Torch's sparse CSR tensors, with SciPy's as the other half: the one place they are converted."""

import warnings

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Int, Num
from torch import Tensor

INT32_MAX = 2**31 - 1


def csr_to_torch(matrix: sp.csr_array, *, dtype: torch.dtype | None = None) -> Tensor:
    """A SciPy CSR matrix as a torch CSR tensor, with 32-bit indices where they fit.

    Half the index bytes is what the sparse product gains; MKL and cuSPARSE take either.
    """
    fits = max(*matrix.shape, matrix.nnz) <= INT32_MAX
    index = np.int32 if fits else np.int64
    values = torch.from_numpy(np.ascontiguousarray(matrix.data))
    return torch.sparse_csr_tensor(
        torch.from_numpy(matrix.indptr.astype(index, copy=False)),
        torch.from_numpy(matrix.indices.astype(index, copy=False)),
        values if dtype is None else values.to(dtype),
        matrix.shape,
        check_invariants=False,
    )


def csr_to_scipy(matrix: Tensor) -> sp.csr_array:
    """A torch CSR tensor as a SciPy CSR matrix; on the CPU both share their memory."""
    return sp.csr_array(
        (
            matrix.values().cpu().numpy(),
            matrix.col_indices().cpu().numpy(),
            matrix.crow_indices().cpu().numpy(),
        ),
        shape=(matrix.shape[0], matrix.shape[1]),
    )


def to_csr(x: Num[Tensor, "rows columns"]) -> Tensor:
    """Dense to CSR, keeping the non-zero entries; half precision, which SciPy lacks, as float32."""
    x = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    return csr_to_torch(sp.csr_array(x.cpu().numpy()))


def is_sparse(x: Tensor) -> bool:
    """Whether x is a sparse tensor of any layout."""
    return bool(x.layout != torch.strided)


def live_columns(x: Num[Tensor, "rows columns"]) -> Int[Tensor, " live"]:
    """The columns of a dense or CSR matrix that are not zero throughout."""
    if not is_sparse(x):
        return (x != 0).any(dim=0).nonzero()[:, 0]
    live: Tensor = x.col_indices()[x.values() != 0].unique().long()
    return live


def take_columns(
    x: Num[Tensor, "rows columns"], chosen: Int[Tensor, " chosen"]
) -> Num[Tensor, "rows chosen"]:
    """Some columns of a dense or CSR matrix."""
    if not is_sparse(x):
        return x.index_select(1, chosen)
    return csr_to_torch(csr_to_scipy(x)[:, chosen.cpu().numpy()]).to(x.device)


def _let_torch_announce_itself() -> None:
    """Make torch's two once-only warnings about sparse tensors happen here, unheard.

    That CSR is young, and that invariants go unchecked, tells a user of this package nothing that
    they could act on.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        torch.zeros(1, 1).to_sparse_csr()


_let_torch_announce_itself()
