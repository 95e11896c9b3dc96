"""The best pairs, against a table of all of them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goodie import recommend
from goodie.errors import InputError
from goodie.recommend import best_pairs, best_partners


def all_pairs(z: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
    """Logits of pairs i < j that are no edges, −∞ elsewhere."""
    logits = (z @ z.T).triu(1)
    logits[torch.ones_like(logits, dtype=torch.bool).tril()] = -torch.inf
    for a, b in edge_index.T:
        logits[min(a, b), max(a, b)] = -torch.inf
    return logits


@given(st.integers(2, 12), st.integers(0, 30), st.integers(1, 40), st.integers(0, 99))
def test_best_pairs(n: int, edges: int, k: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(n, 3, generator=generator)
    edge_index = torch.randint(n, (2, edges), generator=generator)
    every = all_pairs(z, edge_index)
    values = every[every > -torch.inf].sort(descending=True).values[:k]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recommend, "BLOCK", 2 * n)  # two rows a block
        found = best_pairs(z, edge_index, k)
    torch.testing.assert_close(torch.from_numpy(found.proba), values.sigmoid())
    low, high = torch.from_numpy(found.pairs)
    assert (low < high).all()
    torch.testing.assert_close(every[low, high], values)
    assert len({(int(a), int(b)) for a, b in found.pairs.T}) == len(values)


@given(st.integers(2, 12), st.integers(0, 30), st.integers(1, 15), st.integers(0, 99))
def test_best_partners(n: int, edges: int, k: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(n, 3, generator=generator)
    edge_index = torch.randint(n, (2, edges), generator=generator)
    whole = all_pairs(z, edge_index)
    row = torch.maximum(whole, whole.T)[0]
    found = best_partners(z, edge_index, 0, k)
    values = row[row > -torch.inf].sort(descending=True).values[:k]
    torch.testing.assert_close(torch.from_numpy(found.proba), values.sigmoid())
    assert (found.pairs[0] == 0).all()
    torch.testing.assert_close(row[torch.from_numpy(found.pairs[1])], values)


def test_k() -> None:
    with pytest.raises(InputError, match="k=0"):
        best_pairs(torch.ones(3, 2), torch.empty(2, 0, dtype=torch.long), 0)
