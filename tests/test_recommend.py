"""The likeliest links, against a table of all pairs."""

import pytest
import torch

from goodie import recommend
from goodie.errors import InputError
from goodie.recommend import best_pairs, best_partners

N = 90


@pytest.fixture(scope="module")
def graph() -> tuple[torch.Tensor, torch.Tensor]:
    """Embeddings, some of them equal, and edges in either direction, loops and repetitions."""
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(N, 4, generator=generator)
    z[7] = z[3]
    return z, torch.randint(N, (2, 400), generator=generator)


@pytest.fixture(scope="module")
def table(graph: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Of every pair that no edge joins how likely it is, −1 elsewhere."""
    z, edges = graph
    proba = (z.double() @ z.double().T).sigmoid()
    proba[edges[0], edges[1]] = proba[edges[1], edges[0]] = -1.0
    return proba.fill_diagonal_(-1.0)


@pytest.mark.parametrize("block", [1, 1000, 1 << 24])
@pytest.mark.parametrize("k", [1, 10, 2000, 10**6])
def test_of_the_whole_graph(
    graph: tuple[torch.Tensor, torch.Tensor],
    table: torch.Tensor,
    block: int,
    k: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recommend, "BLOCK", block)
    found = best_pairs(*graph, k)
    every = table.triu()[table.triu() > 0].sort(descending=True).values[:k]
    torch.testing.assert_close(torch.from_numpy(found.proba).double(), every, rtol=1e-5, atol=1e-6)
    low, high = torch.from_numpy(found.pairs)
    assert (low < high).all()
    assert len({*zip(low.tolist(), high.tolist(), strict=True)}) == len(every)
    torch.testing.assert_close(table[low, high], every, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("k", [1, 5, 200])
def test_of_a_node(graph: tuple[torch.Tensor, torch.Tensor], table: torch.Tensor, k: int) -> None:
    for node in (0, 3, N - 1):
        found = best_partners(*graph, node, k)
        every = table[node][table[node] > 0].sort(descending=True).values[:k]
        own, other = torch.from_numpy(found.pairs)
        assert (own == node).all()
        torch.testing.assert_close(table[node, other], every, rtol=1e-5, atol=1e-6)


def test_nothing_to_recommend() -> None:
    z = torch.ones(2, 1)
    edge = torch.tensor([[1], [0]])
    assert best_pairs(z, edge, 3).pairs.shape == best_partners(z, edge, 0, 3).pairs.shape == (2, 0)
    assert best_pairs(torch.ones(1, 1), torch.empty(2, 0, dtype=torch.long), 3).proba.shape == (0,)
    with pytest.raises(InputError, match="k=0; there must be one at least"):
        best_pairs(z, edge, 0)
