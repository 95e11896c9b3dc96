"""The content of a graph as one short string."""

import hashlib

import torch
from torch import Tensor
from torch_geometric.data import Data

from goodie.data.observed import to_sparse
from goodie.sparse import is_sparse


def fingerprint(data: Data) -> str:
    """A hash of every tensor of a graph; dense features count as the sparse ones they equal.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> fingerprint(Data(x=torch.eye(2))) == fingerprint(Data(x=torch.eye(2).to_sparse_csr()))
        True
    """
    digest = hashlib.sha256()
    for name, value in sorted(to_sparse(data).items()):
        if not isinstance(value, Tensor):
            continue
        parts = (
            (value.crow_indices().long(), value.col_indices().long(), value.values())
            if is_sparse(value) and value.layout == torch.sparse_csr
            else (value.to_dense(),)
        )
        digest.update(f"{name} {tuple(value.shape)} {value.dtype}".encode())
        for part in parts:
            digest.update(part.contiguous().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]
