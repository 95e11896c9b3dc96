"""PaGNN's first aggregation: a mean over the neighbours that show an entry, scaled to all."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goodie.graph import Operator
from goodie.nn.product import SPARSE_COST, Constant, Propagated, constant, propagated
from goodie.propagate.columns import read_columns
from goodie.propagate.engine import block_width, column_blocks
from goodie.sparse import csr_to_torch, live_columns


def partially_propagated(
    x: Float[Tensor, "nodes features"],
    S: Operator,
    *,
    observed: Bool[Tensor, "nodes *features"] | None = None,
) -> Constant | Propagated:
    """`(S 1) ∘ (S (M ∘ X)) ⊘ (S M)` with 0/0 = 0, as a constant factor (Jiang and Zhang, 2020).

    M marks what is observed. Nothing in it is learned, so it is made once. Where whole rows are
    missing the fraction is one number a node, and scales the operator instead of the features.

    Args:
        x: CSR; absent entries are zeros.
        S: the operator, in the precision of x.
        observed: which rows or entries are known (None: all are).

    Example:
        >>> from torch_geometric.data import Data
        >>> from goodie import operator
        >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
        >>> S = operator(path, normalisation="row")
        >>> x = torch.tensor([[2.0], [0.0], [4.0]]).to_sparse_csr()
        >>> shown = torch.tensor([True, False, True])
        >>> (partially_propagated(x, S, observed=shown) @ torch.ones(1, 1)).flatten().tolist()
        [2.0, 3.0, 4.0]
    """
    if observed is None:
        observed = torch.ones(S.num_nodes, dtype=torch.bool, device=S.device)
    if observed.dim() == 1:
        return propagated(_scaled_to_observed(S, observed.to(S.device)), x)
    return constant(_aggregate(x, S, observed))


def _scaled_to_observed(S: Operator, observed: Bool[Tensor, " nodes"]) -> Operator:
    """`diag((S 1) ⊘ (S m)) S diag(m)` for rows m that are observed."""
    m = observed.to(S.dtype)
    total, shown = (S @ torch.stack([torch.ones_like(m), m], dim=1)).unbind(dim=1)
    factor = torch.where(shown > 0, total / shown, 0.0)
    crow, column = S.matrix.crow_indices(), S.matrix.col_indices()
    of_row = factor.repeat_interleave(crow.diff())
    values = of_row * S.matrix.values() * m[column]
    scaled = torch.sparse_csr_tensor(crow, column, values, S.matrix.shape, check_invariants=False)
    return replace(S, matrix=scaled)


def _aggregate(
    x: Float[Tensor, "nodes features"], S: Operator, observed: Bool[Tensor, "nodes features"]
) -> Float[Tensor, "nodes features"]:
    """The quotient, a block of columns at a time; sparse where that is cheaper to multiply."""
    held = read_columns(x, observed)
    live = live_columns(x)
    total = S @ torch.ones(S.num_nodes, 1, dtype=S.dtype, device=S.device)
    parts = [sp.csr_array((S.num_nodes, 0), dtype=np.float32)]
    for part in column_blocks(len(live), block_width(S)):
        values, known = (block.to(S.device) for block in held.read(live[part]))
        shown = S @ known.to(values)
        mean = torch.where(shown > 0, total * (S @ values) / shown, 0.0)
        parts.append(sp.csr_array(mean.cpu().numpy()))
    thin = sp.hstack(parts, format="csr")
    columns = live.cpu().numpy()[thin.indices]
    entries = (thin.data, columns, thin.indptr)
    out = csr_to_torch(sp.csr_array(entries, shape=(x.shape[0], x.shape[1])), dtype=S.dtype).to(
        S.device
    )
    return out if SPARSE_COST * thin.nnz < x.shape[0] * x.shape[1] else out.to_dense()
