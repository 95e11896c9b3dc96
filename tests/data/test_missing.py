import random
from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy.optimize import bisect
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.utils import degree

from goodie import observed, synthetic
from goodie.data import missing
from goodie.errors import InputError

PATTERNS = list(missing.PATTERNS)
ROWS = ("structural", "by_degree")  # hide whole rows
every_pattern = pytest.mark.parametrize("pattern", PATTERNS)


def graph(*, nodes: int = 500, features: int = 24, sparse: bool = False) -> Data:
    """Two thirds of the entries are zero, the others all differ."""
    data = synthetic(nodes, 3, num_features=features)
    data.x = data.x * torch.rand(data.x.shape, generator=torch.manual_seed(0))
    if sparse:
        data.x = data.x.to_sparse_csr()
    return data


@pytest.fixture(autouse=True)
def _same_torch_state() -> None:
    torch.manual_seed(0)


def hidden(data: Data) -> Tensor:
    return ~observed(data)


def bound(rate: float, draws: int) -> float:
    """Five standard deviations of a binomial share."""
    return 5 * (rate * (1 - rate) / draws) ** 0.5


@every_pattern
@pytest.mark.parametrize("sparse", [False, True])
def test_none_and_all_are_exact(pattern: str, sparse: bool) -> None:
    data = graph(sparse=sparse)
    assert not hidden(missing.hide(data, pattern, 0.0)).any()
    assert hidden(missing.hide(data, pattern, 1.0)).all()


@every_pattern
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9, 0.99])
def test_the_share_is_the_rate(pattern: str, rate: float) -> None:
    data = graph(nodes=2000)
    share = hidden(missing.hide(data, pattern, rate, random_state=3)).double().mean().item()
    draws = len(data.x) if pattern in ROWS else data.x.numel()
    assert share == pytest.approx(rate, abs=bound(rate, draws))


def test_rates_near_one_are_not_rounded() -> None:
    """At 99.99 %, a quarter of a million entries keep about 25."""
    kept = observed(missing.uniform(graph(nodes=10_000), 0.9999)).sum().item()
    assert kept == pytest.approx(24, abs=24)
    assert kept > 0


@pytest.mark.parametrize("pattern", ROWS)
def test_whole_rows(pattern: str) -> None:
    rows = hidden(missing.hide(graph(), pattern, 0.5))
    assert (rows.all(dim=1) | ~rows.any(dim=1)).all()


@pytest.mark.parametrize("pattern", ["uniform", "by_value"])
def test_single_entries(pattern: str) -> None:
    rows = hidden(missing.hide(graph(), pattern, 0.5))
    assert rows.any(dim=1).all()
    assert not rows.all(dim=1).any()


@every_pattern
def test_the_seed_decides(pattern: str) -> None:
    def draw(random_state: missing.Seed) -> Tensor:
        return hidden(missing.hide(graph(), pattern, 0.5, random_state=random_state))

    assert torch.equal(draw(1), draw(1))
    assert torch.equal(draw(1), draw(np.random.default_rng(1)))
    assert not torch.equal(draw(1), draw(2))
    rng = np.random.default_rng(1)
    assert not torch.equal(draw(rng), draw(rng))


@every_pattern
def test_global_generators_are_left_alone(pattern: str) -> None:
    data = graph()
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    missing.hide(data, pattern, 0.5)
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    assert before == after


@every_pattern
@pytest.mark.parametrize("sparse", [False, True])
def test_the_input_is_left_alone(pattern: str, sparse: bool) -> None:
    data = graph(sparse=sparse)
    data.observed = torch.arange(data.num_nodes) % 2 == 0
    before = {key: value.clone() for key, value in data.to_dict().items()}
    out = missing.hide(data, pattern, 0.5)
    assert out is not data
    assert data.to_dict().keys() == before.keys()
    for key, value in before.items():
        assert torch.equal(data[key].to_dense(), value.to_dense()), key


@every_pattern
def test_what_is_left_keeps_its_value_and_all_else_is_kept(pattern: str) -> None:
    data = graph()
    out = missing.hide(data, pattern, 0.5)
    assert torch.equal(out.x[observed(out)], data.x[observed(out)])
    assert out.x.dtype == data.x.dtype
    assert torch.equal(out.y, data.y)
    assert torch.equal(out.edge_index, data.edge_index)


HOLES: dict[str, Callable[[Data], None]] = {
    "rows": lambda data: data.update({"observed": torch.arange(data.num_nodes) % 3 > 0}),
    "entries": lambda data: data.update({"observed": torch.rand(tuple(data.x.shape)) < 0.6}),
    "entries as COO": lambda data: data.update(
        {"observed": (torch.rand(tuple(data.x.shape)) < 0.6).to_sparse_coo()}
    ),
}


@every_pattern
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("holes", HOLES)
def test_what_was_missing_stays_missing(pattern: str, sparse: bool, holes: str) -> None:
    data = graph(sparse=sparse)
    HOLES[holes](data)
    out = missing.hide(data, pattern, 0.3)
    assert not (observed(out) & hidden(data)).any()
    assert 0 < observed(out).sum() < observed(data).sum()


@every_pattern
def test_nan_stays_missing(pattern: str) -> None:
    data = graph()
    data.x[::2, 3:] = torch.nan
    out = missing.hide(data, pattern, 0.3)
    assert out.x[data.x.isnan()].isnan().all()
    assert out.x.isnan().sum() > data.x.isnan().sum()


@every_pattern
@pytest.mark.parametrize("holes", [None, *HOLES])
def test_sparse_equals_dense(pattern: str, holes: str | None) -> None:
    pair = graph(), graph(sparse=True)
    for data in pair:
        if holes:
            torch.manual_seed(5)
            HOLES[holes](data)
    dense, sparse = (missing.hide(data, pattern, 0.4, random_state=8) for data in pair)
    assert sparse.x.layout == torch.sparse_csr
    known = observed(dense)
    assert torch.equal(observed(sparse), known)
    assert torch.equal(sparse.x.to_dense()[known], dense.x[known])
    assert (sparse.x.to_dense()[~known] == 0).all()  # nothing hidden is still stored


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_chunks_do_not_change_the_draws(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = graph(nodes=50)
    whole = missing.uniform(data, 0.5, random_state=4)
    monkeypatch.setattr(missing, "CHUNK", chunk)
    assert torch.equal(hidden(missing.uniform(data, 0.5, random_state=4)), hidden(whole))


@pytest.mark.parametrize("strength", [0.5, 2.0])
def test_by_degree_hides_with_the_probability_it_says(strength: float) -> None:
    """P(row i is missing) = sigmoid(b − strength·zᵢ), over many seeds."""
    data, seeds = graph(nodes=60), 1000
    z = np.log1p(degree(data.edge_index[0], 60).numpy())
    expected = tilted(0.4, -strength * (z - z.mean()) / z.std())
    count = sum(
        hidden(missing.by_degree(data, 0.4, strength=strength, random_state=seed))[:, 0].double()
        for seed in range(seeds)
    )
    np.testing.assert_allclose(count / seeds, expected, atol=bound(0.5, seeds))
    assert expected[z.argmin()] > 0.4 > expected[z.argmax()]


@pytest.mark.parametrize("strength", [0.5, 2.0])
def test_by_value_hides_with_the_probability_it_says(strength: float) -> None:
    """P(entry is missing) = sigmoid(b + strength·z), z from the observed entries of its column."""
    data, seeds = graph(nodes=30, features=4), 1000
    data.x[:5, 0] = torch.nan
    data.x[:, 3] = 1.0  # constant
    x = data.x.double().numpy()
    with np.errstate(invalid="ignore"):
        z = (x - np.nanmean(x, axis=0)) / np.nanstd(x, axis=0)
    z[:, 3] = 0.0
    known = ~np.isnan(x)
    expected = tilted(0.4, strength * z[known])
    count = sum(
        hidden(missing.by_value(data, 0.4, strength=strength, random_state=seed)).double().numpy()
        for seed in range(seeds)
    )
    assert (count[~known] == seeds).all()
    np.testing.assert_allclose(count[known] / seeds, expected, atol=bound(0.5, seeds))


def tilted(rate: float, lean: np.ndarray) -> np.ndarray:
    def probability(b: float) -> np.ndarray:
        return 1 / (1 + np.exp(-b - lean))

    return probability(bisect(lambda b: probability(b).mean() - rate, -50, 50))


def test_strength_zero_looks_at_nothing() -> None:
    data, other = graph(), graph()
    other.edge_index = torch.stack([torch.arange(500), torch.zeros(500, dtype=torch.long)])
    other.x = torch.rand(data.x.shape)
    for hide in (missing.by_degree, missing.by_value):
        a, b = (hidden(hide(d, 0.3, strength=0.0, random_state=2)) for d in (data, other))
        assert torch.equal(a, b)
        c, d = (hidden(hide(d, 0.3, strength=2.0, random_state=2)) for d in (data, other))
        assert not torch.equal(c, d)


@pytest.mark.parametrize("strength", [-2.0, 50.0, 5000.0])
def test_strengths_beyond_the_usual_still_hide_the_share_asked_for(strength: float) -> None:
    data = graph(nodes=2000)
    for hide in (missing.by_degree, missing.by_value):
        share = hidden(hide(data, 0.3, strength=strength)).double().mean().item()
        assert share == pytest.approx(0.3, abs=bound(0.3, 2000))


@every_pattern
def test_graphs_with_nothing_to_go_by(pattern: str) -> None:
    """No edges, equal values, no features."""
    data = Data(x=torch.ones(200, 3), edge_index=torch.zeros(2, 0, dtype=torch.long))
    assert 0 < hidden(missing.hide(data, pattern, 0.5)).sum() < 600
    data.x = torch.zeros(200, 0)
    assert missing.hide(data, pattern, 0.5).x.shape == (200, 0)


@every_pattern
@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_impossible_rates_are_refused(pattern: str, rate: float) -> None:
    with pytest.raises(InputError, match=f"missing rate is {rate}; it must lie between 0 and 1"):
        missing.hide(graph(), pattern, rate)


def test_unknown_patterns_are_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"unknown pattern 'what'; there are uniform, structural"):
        missing.hide(graph(), "what", 0.5)
