import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie.data.synthetic import synthetic

BITS = ("x", "edge_index", "y")


def same(a: Data, b: Data, names: Iterable[str] = BITS) -> bool:
    return all(torch.equal(a[name], b[name]) for name in names)


def share_inside(data: Data) -> float:
    one, other = data.y[data.edge_index]
    return float((one == other).double().mean())


def degrees(data: Data) -> np.ndarray:
    return np.bincount(data.edge_index[0].numpy(), minlength=data.num_nodes)


def nearest_mean_accuracy(data: Data) -> float:
    """Class means from the first half of the nodes, judged on the second."""
    x, y, half = data.x, data.y, data.num_nodes // 2
    means = torch.stack([x[:half][y[:half] == c].mean(0) for c in range(int(y.max()) + 1)])
    guess = torch.cdist(x[half:], means).argmin(1)
    return float((guess == y[half:]).double().mean())


@pytest.mark.parametrize("degree_exponent", [2.1, 3.0, math.inf])
@pytest.mark.parametrize("num_nodes", [40, 500])
def test_edges_are_simple_undirected_sorted_and_as_many_as_asked(
    num_nodes: int, degree_exponent: float
) -> None:
    data = synthetic(num_nodes, 3, average_degree=7.0, degree_exponent=degree_exponent)
    entries = list(map(tuple, data.edge_index.T.tolist()))
    assert len(entries) == num_nodes * 7
    assert entries == sorted(set(entries))
    assert {(b, a) for a, b in entries} == set(entries)
    assert all(a != b for a, b in entries)
    assert data.edge_index.dtype == torch.int64
    assert data.edge_index.is_contiguous()
    assert "edge_weight" not in data
    assert data.validate()


@pytest.mark.parametrize("num_nodes", [7, 100, 101])
def test_classes_are_balanced_and_shuffled(num_nodes: int) -> None:
    y = synthetic(num_nodes, 4, average_degree=1.0).y
    sizes = torch.bincount(y, minlength=4)
    assert sizes.max() - sizes.min() <= 1
    assert y.dtype == torch.int64
    assert not torch.equal(y, torch.arange(num_nodes) % 4)
    assert not torch.equal(y, y.sort().values)


@pytest.mark.parametrize("homophily", [0.0, 0.1, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("average_degree", [4.0, 60.0])
def test_homophily_is_the_share_of_edges_inside_classes(
    homophily: float, average_degree: float
) -> None:
    """Also where many draws repeat an edge, which happens inside classes more often."""
    data = synthetic(1000, 3, homophily=homophily, average_degree=average_degree)
    assert share_inside(data) == pytest.approx(homophily, abs=1e-3)


def test_the_other_class_is_drawn_in_proportion_to_its_propensity() -> None:
    """With equal propensities and sizes every pair of classes has the same number of edges."""
    data = synthetic(900, 3, homophily=0.0, average_degree=40.0, degree_exponent=math.inf)
    counts = np.zeros((3, 3))
    np.add.at(counts, tuple(data.y[data.edge_index].numpy()), 1)
    assert np.diag(counts).sum() == 0
    np.testing.assert_allclose(counts[~np.eye(3, dtype=bool)], data.num_edges / 6, rtol=0.05)


def test_heavier_tails_have_larger_hubs() -> None:
    def largest(exponent: float) -> float:
        each = (
            degrees(synthetic(5000, degree_exponent=exponent, random_state=s)) for s in range(3)
        )
        return float(np.mean([degree.max() / degree.mean() for degree in each]))

    heavy, middle, light, equal = map(largest, (2.1, 3.0, 4.5, math.inf))
    assert heavy > 1.2 * middle
    assert middle > 1.5 * light
    assert light > 1.5 * equal


def test_equal_propensities_give_poisson_degrees() -> None:
    degree = degrees(synthetic(5000, degree_exponent=math.inf))
    assert degree.var() == pytest.approx(degree.mean(), rel=0.1)


@pytest.mark.parametrize("exponent", [2.5, 3.5])
def test_the_tail_falls_with_the_exponent(exponent: float) -> None:
    """Hill's estimate over the largest degrees, of P(degree > d) ∝ d^(1 − exponent)."""
    data = synthetic(30_000, average_degree=60.0, degree_exponent=exponent, num_features=0)
    largest = np.sort(degrees(data))[::-1][:600].astype(float)
    hill = 1 / np.log(largest[:-1] / largest[-1]).mean()
    assert hill + 1 == pytest.approx(exponent, abs=0.3)


def test_no_hub_reaches_most_of_the_graph() -> None:
    degree = degrees(synthetic(10_000, degree_exponent=2.01, num_features=0))
    assert degree.max() < 2 * 100 * degree.mean()


def test_informativeness_runs_from_useless_to_telling() -> None:
    def accuracy(informativeness: float) -> float:
        data = synthetic(2000, 5, average_degree=1.0, informativeness=informativeness)
        return nearest_mean_accuracy(data)

    useless, little, much, full = map(accuracy, (0.0, 0.1, 0.3, 1.0))
    assert useless == pytest.approx(0.2, abs=0.05)
    assert 0.3 < little < much - 0.1
    assert full > 0.98


def test_words_are_few_binary_and_unequally_common() -> None:
    x = synthetic(2000, words_per_node=20, informativeness=0.0).x
    assert x.dtype == torch.float32
    assert set(x.unique().tolist()) == {0.0, 1.0}
    assert x.sum(1).max() <= 20
    assert x.sum(1).min() >= 1
    common = x.mean(0).sort(descending=True).values.numpy()
    chance = 1 / np.arange(1, 201) / (1 / np.arange(1, 201)).sum()
    np.testing.assert_allclose(common[:10], 1 - (1 - chance[:10]) ** 20, atol=0.04)


@pytest.mark.parametrize("words_per_node", [0, 1, 20])
def test_sparse_equals_dense(words_per_node: int) -> None:
    dense = synthetic(300, words_per_node=words_per_node)
    thin = synthetic(300, words_per_node=words_per_node, sparse=True)
    assert thin.x.layout == torch.sparse_csr
    assert thin.x.dtype == torch.float32
    assert thin.num_nodes == 300
    assert thin.x.values().numel() == dense.x.sum()
    assert torch.equal(thin.x.to_dense(), dense.x)
    assert same(thin, dense, ("edge_index", "y"))


@pytest.mark.parametrize("sparse", [False, True])
def test_no_features(sparse: bool) -> None:
    data = synthetic(50, num_features=0, sparse=sparse)
    assert data.x.shape == (50, 0)
    assert data.num_nodes == 50


def test_the_graph_does_not_depend_on_the_features() -> None:
    other = synthetic(200, num_features=7, informativeness=0.9, words_per_node=3)
    assert same(synthetic(200), other, ("edge_index", "y"))


def test_a_seed_decides_everything() -> None:
    first = synthetic(200, random_state=3)
    assert same(first, synthetic(200, random_state=3))
    assert same(first, synthetic(200, random_state=np.random.default_rng(3)))
    other = synthetic(200, random_state=4)
    assert not any(same(first, other, (name,)) for name in BITS)


def test_a_generator_goes_on() -> None:
    generator = np.random.default_rng(3)
    assert not same(synthetic(200, random_state=generator), synthetic(200, random_state=generator))


def test_global_random_state_is_neither_read_nor_written() -> None:
    first = synthetic(100)
    # Moves both global states, so that a hidden draw from them would show.
    np.random.random(5)
    torch.rand(5)
    numpy_before, torch_before = np.random.get_state(), torch.get_rng_state()
    assert same(first, synthetic(100))
    np.testing.assert_equal(np.random.get_state(), numpy_before)
    assert torch.equal(torch.get_rng_state(), torch_before)


@pytest.mark.parametrize("homophily", [0.0, 0.3, 1.0])
def test_homophily_is_without_effect_in_a_single_class(homophily: float) -> None:
    assert same(synthetic(100, 1, homophily=homophily), synthetic(100, 1))


def test_no_edges() -> None:
    edge_index = synthetic(30, average_degree=0.0).edge_index
    assert edge_index.shape == (2, 0)
    assert edge_index.dtype == torch.int64


def test_a_single_node() -> None:
    data = synthetic(1, 1, average_degree=0.0)
    assert data.x.shape == (1, 200)
    assert data.y.tolist() == [0]


def test_a_class_for_every_node() -> None:
    data = synthetic(6, 6, homophily=0.0, average_degree=2.0)
    assert sorted(data.y.tolist()) == list(range(6))
    assert data.num_edges == 12


def test_dense_graphs_have_nearly_all_their_edges() -> None:
    assert synthetic(100, 1, average_degree=60.0).num_edges == 6000
    assert 0.9 * 9900 < synthetic(100, 1, average_degree=99.0).num_edges <= 9900


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_nodes": 0}, "num_nodes is 0"),
        ({"num_classes": 0}, "num_classes is 0"),
        ({"num_classes": 101}, "num_classes is 101, expected 1 to 100"),
        ({"average_degree": -1.0}, "average_degree is -1.0"),
        ({"average_degree": 100.0}, "average_degree is 100.0, expected 0 to 99"),
        ({"average_degree": math.nan}, "average_degree is nan"),
        ({"homophily": 1.1}, "homophily is 1.1, expected 0 to 1"),
        ({"homophily": -0.1}, "homophily is -0.1"),
        ({"homophily": math.nan}, "homophily is nan"),
        ({"degree_exponent": 2.0}, "degree_exponent is 2.0, expected more than 2"),
        ({"degree_exponent": math.nan}, "degree_exponent is nan"),
        ({"num_features": -1}, "num_features is -1"),
        ({"informativeness": 2.0}, "informativeness is 2.0"),
        ({"words_per_node": -1}, "words_per_node is -1"),
        (
            {"homophily": 1.0, "average_degree": 30.0},
            "1500 edges asked for inside classes, where there are 950 pairs",
        ),
        (
            {"homophily": 0.0, "average_degree": 90.0},
            "4500 edges asked for across classes, where there are 4000 pairs",
        ),
    ],
)
def test_impossible_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        synthetic(**{"num_nodes": 100, **arguments})
