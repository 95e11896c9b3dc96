"""`FeatureImputer`: what is filled, with what, and what that is worth."""

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from torch_geometric.data import Data

from goodie import FeatureImputer, datasets, missing, operator
from goodie.errors import InputError


@pytest.fixture(scope="module")
def whole() -> Data:
    return datasets.load("digits")


@pytest.fixture(scope="module")
def holed(whole: Data) -> Data:
    return missing.uniform(whole, 0.9, random_state=1)


def test_values_solve_the_dense_system(whole: Data) -> None:
    """Trusted columns: (I − P_uu) x_u = P_uk x_k, in float64, by numpy."""
    data = missing.uniform(whole, 0.5)
    data.x = data.x.double()
    imputer = FeatureImputer().fit(data)
    filled = imputer.transform(data)
    A = np.zeros((len(data.x),) * 2)
    A[data.edge_index[1], data.edge_index[0]] = 1.0
    P = A / A.sum(axis=1, keepdims=True)
    columns = np.flatnonzero(imputer.trusted_)
    assert len(columns) > 20
    for column in columns[::8]:
        x = data.x[:, column].numpy()
        u = np.isnan(x)
        solved = np.linalg.solve(np.eye(u.sum()) - P[np.ix_(u, u)], P[np.ix_(u, ~u)] @ x[~u])
        assert np.allclose(filled.x[u, column], solved, atol=1e-8)


def test_what_is_observed_stays_bit_for_bit_and_nothing_leaves_its_range(holed: Data) -> None:
    before = holed.x.clone()
    filled = FeatureImputer().fit_transform(holed)
    known = ~holed.x.isnan()
    assert torch.equal(filled.x[known], holed.x[known])
    assert torch.equal(holed.x.nan_to_num(9), before.nan_to_num(9))
    assert not filled.x.isnan().any()
    low, high = holed.x.nan_to_num(9).amin(dim=0), holed.x.nan_to_num(-9).amax(dim=0)
    assert (filled.x >= low - 1e-5).all()
    assert (filled.x <= high + 1e-5).all()


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.99])
def test_it_beats_the_means_on_what_nobody_showed_it(whole: Data, rate: float) -> None:
    data = missing.uniform(whole, rate, random_state=2)
    hidden = data.x.isnan()
    filled = FeatureImputer().fit_transform(data).x
    means = data.x.nanmean(dim=0).expand_as(data.x)
    error, plain = ((one - whole.x)[hidden].square().mean() for one in (filled, means))
    assert error < 0.95 * plain


def test_confidence_is_what_is_gone_of_the_error(whole: Data) -> None:
    """Over all columns and patterns of holes, what was promised is what came."""
    promised, came = [], []
    for seed in range(3):
        data = missing.uniform(whole, 0.5, random_state=seed)
        hidden = data.x.isnan()
        filled = FeatureImputer(random_state=seed).fit_transform(data)
        means = data.x.nanmean(dim=0)
        for column in np.flatnonzero(whole.x.std(dim=0) > 0.1):
            holes = hidden[:, column]
            truth = whole.x[holes, column]
            plain = (means[column] - truth).square().sum()
            came.append(1 - float((filled.x[holes, column] - truth).square().sum() / plain))
            promised.append(float(filled.confidence[holes, column].mean()))
    assert abs(np.mean(promised) - np.mean(came)) < 0.05
    assert np.abs(np.subtract(promised, came)).mean() < 0.08


def test_scores_are_of_entries_that_decided_nothing(holed: Data) -> None:
    imputer = FeatureImputer().fit(holed)
    observed = (~holed.x.isnan()).sum(dim=0).numpy()
    entries = np.array([score.entries for score in imputer.scores_ if score is not None])
    assert (entries < 0.7 * observed).all()  # every observed one is hidden once; half of them score
    assert (entries > 0.3 * observed).all()
    gains = [score.gain for score in imputer.scores_ if score is not None]
    assert np.mean(gains) > 0.2


def test_noise_gets_its_means_without_confidence(whole: Data) -> None:
    data = Data(x=torch.randn(1797, 5, generator=torch.Generator().manual_seed(0)))
    data.edge_index = whole.edge_index
    data = missing.uniform(data, 0.5)
    imputer = FeatureImputer().fit(data)
    filled = imputer.transform(data)
    hidden = data.x.isnan()
    assert not imputer.trusted_.any()
    assert torch.allclose(filled.x[hidden], data.x.nanmean(dim=0).expand_as(data.x)[hidden])
    assert (filled.confidence[hidden] == 0).all()
    assert (filled.confidence[~hidden] == 1).all()


def test_out_of_reach_gets_the_mean_without_confidence(holed: Data) -> None:
    """Two nodes joined to nobody but each other, who show nothing."""
    data = Data(
        x=torch.cat([holed.x, torch.full((2, 32), torch.nan)]),
        edge_index=torch.cat([holed.edge_index, torch.tensor([[1797], [1798]])], dim=1),
    )
    imputer = FeatureImputer().fit(data)
    filled = imputer.transform(data)
    assert torch.allclose(filled.x[-2:], torch.from_numpy(imputer.means_).expand(2, -1))
    assert (filled.confidence[-2:] == 0).all()


def test_a_constant_stays_that_constant(holed: Data) -> None:
    data = Data(x=torch.full((1797, 2), 0.3), edge_index=holed.edge_index)
    data = missing.uniform(data, 0.9)
    assert torch.allclose(FeatureImputer().fit_transform(data).x, torch.tensor(0.3))


def test_categories_are_one_of_them(whole: Data) -> None:
    x = torch.nn.functional.one_hot(whole.y % 3, 3).float()
    hidden = torch.rand(1797, generator=torch.Generator().manual_seed(0)) < 0.7
    data = Data(x=torch.cat([x, torch.ones(1797, 1)], dim=1), edge_index=whole.edge_index)
    data.x[hidden, :3] = torch.nan
    imputer = FeatureImputer(groups=[[0, 1, 2]]).fit(data)
    filled = imputer.transform(data)
    assert imputer.groups_ == [[0, 1, 2], [3]]
    assert torch.equal(filled.x[:, :3].sum(dim=1), torch.ones(1797))
    right = (filled.x[hidden, :3].argmax(dim=1) == whole.y[hidden] % 3).float().mean()
    assert right > 0.85
    (score, _) = imputer.scores_
    assert score is not None
    assert abs((1 - score.error) - float(right)) < 0.06
    assert imputer.means_[:3].sum() == 1.0


def test_another_graph_is_filled_by_what_was_learned(holed: Data, whole: Data) -> None:
    imputer = FeatureImputer().fit(holed)
    other = missing.uniform(whole, 0.95, random_state=7)
    filled = imputer.transform(other)
    means = torch.from_numpy(imputer.means_)
    for column in np.flatnonzero(~imputer.trusted_):
        hole = other.x[:, column].isnan()
        assert (filled.x[hole, column] == means[column]).all()
    with pytest.raises(InputError, match="1 features; the model was fitted on 32"):
        imputer.transform(Data(x=torch.ones(3, 1), edge_index=torch.zeros(2, 0, dtype=torch.long)))


def test_permuting_nodes_permutes_what_is_filled(holed: Data) -> None:
    imputer = FeatureImputer().fit(holed)
    order = torch.randperm(1797, generator=torch.Generator().manual_seed(0))
    place = torch.empty_like(order)
    place[order] = torch.arange(1797)
    moved = Data(x=holed.x[order], edge_index=place[holed.edge_index])
    assert torch.allclose(imputer.transform(moved).x, imputer.transform(holed).x[order], atol=2e-4)


def test_marks_say_what_is_observed(holed: Data) -> None:
    marked = Data(x=holed.x.nan_to_num(7.0), observed=~holed.x.isnan(), edge_index=holed.edge_index)
    thin = Data(x=holed.x.nan_to_num(0.0).to_sparse_csr(), edge_index=holed.edge_index)
    thin.observed = ~holed.x.isnan()
    expected = FeatureImputer().fit_transform(holed).x
    for data in (marked, thin):
        filled = FeatureImputer().fit_transform(data)
        assert torch.equal(filled.x, expected)
        assert "observed" not in filled


def test_manners_of_an_estimator(holed: Data) -> None:
    imputer = FeatureImputer(held_out=0.5, random_state=3)
    assert clone(imputer).get_params() == imputer.get_params()
    with pytest.raises(NotFittedError):
        imputer.transform(holed)
    assert imputer.fit(holed) is imputer
    again = clone(imputer).fit(holed)
    assert np.array_equal(again.confidence_, imputer.confidence_)
    other = FeatureImputer(random_state=4).fit(holed)
    assert not np.array_equal(other.confidence_, imputer.confidence_)
    before = torch.random.get_rng_state()
    imputer.fit(holed)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize("options", [{"held_out": 0.0}, {"held_out": 1.0}, {"groups": [[0, 40]]}])
def test_refusals(holed: Data, options: dict) -> None:
    with pytest.raises(InputError):
        FeatureImputer(**options).fit(holed)


@pytest.mark.parametrize(
    "x",
    [
        torch.full((4, 2), torch.nan),
        torch.ones(4, 2),
        torch.zeros(4, 0),
        torch.tensor([[1.0], [torch.nan], [torch.nan], [2.0]]),
    ],
)
def test_odd_tables_are_filled_all_the_same(x: torch.Tensor) -> None:
    data = Data(x=x, edge_index=torch.tensor([[0, 1], [1, 2]]))
    filled = FeatureImputer().fit_transform(data)
    assert filled.x.isfinite().all()
    assert filled.confidence.shape == x.shape


def test_hidden_entries_are_hidden(whole: Data) -> None:
    """What neighbours of a hidden entry know of it comes from others: a copy of itself would show.

    On a graph of pairs of equal twins, one of whom shows each column, nothing can be told.
    """
    n = 400
    pairs = torch.arange(n).view(2, -1)
    value = torch.randn(n // 2, 1, generator=torch.Generator().manual_seed(0))
    x = torch.cat([value, torch.full_like(value, torch.nan)])
    imputer = FeatureImputer().fit(Data(x=x, edge_index=pairs))
    assert not imputer.trusted_.any()
    assert operator(Data(edge_index=pairs, num_nodes=n)).num_nodes == n
