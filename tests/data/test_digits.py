import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.utils import Bunch
from torch_geometric.data import Data

from goodie.data.digits import digits, two_views


@pytest.fixture(scope="module")
def source() -> Bunch:
    return load_digits()


@pytest.fixture(scope="module")
def data() -> Data:
    return digits()


def test_features_are_the_right_halves_and_labels_the_digits(data: Data, source: Bunch) -> None:
    expected = np.array([[row[4:] for row in image] for image in source.images]).reshape(1797, 32)
    assert data.x.dtype == torch.float32
    np.testing.assert_array_equal(data.x.numpy(), expected / 16)
    assert (data.x.min(), data.x.max()) == (0, 1)
    assert data.y.dtype == torch.int64
    np.testing.assert_array_equal(data.y.numpy(), source.target)


def test_edges_are_simple_undirected_and_sorted(data: Data) -> None:
    entries = list(map(tuple, data.edge_index.T.tolist()))
    assert data.edge_index.dtype == torch.int64
    assert entries == sorted(set(entries))
    assert {(b, a) for a, b in entries} == set(entries)
    assert all(a != b for a, b in entries)
    assert "edge_weight" not in data
    assert data.validate()


@pytest.mark.parametrize("neighbours", [1, 8])
def test_neighbours_are_the_nearest_left_halves(source: Bunch, neighbours: int) -> None:
    """Every pair nearer than a point's k-th distance is joined, and none beyond both of them."""
    images = source.images[:200]
    left = np.array([[row[:4] for row in image] for image in images]).reshape(200, 32)
    squared = ((left[:, None] - left) ** 2).sum(-1)
    np.fill_diagonal(squared, np.inf)
    reach = np.sort(squared, axis=1)[:, neighbours - 1]
    reach = np.maximum(reach[:, None], reach)

    joined = np.zeros((200, 200), dtype=bool)
    joined[tuple(two_views(images, source.target[:200], neighbours).edge_index.numpy())] = True
    assert joined[squared < reach].all()
    assert not joined[squared > reach].any()
    assert joined.sum(1).min() >= neighbours


def test_the_views_share_nothing(source: Bunch) -> None:
    images, labels = source.images[:300], source.target[:300]
    whole = two_views(images, labels, 8)
    noise = np.random.default_rng(0).integers(17, size=(300, 8, 4)).astype(float)
    new_right = two_views(np.concatenate([images[:, :, :4], noise], axis=2), labels, 8)
    new_left = two_views(np.concatenate([noise, images[:, :, 4:]], axis=2), labels, 8)

    assert torch.equal(new_right.edge_index, whole.edge_index)
    assert not torch.equal(new_right.x, whole.x)
    assert torch.equal(new_left.x, whole.x)
    assert not torch.equal(new_left.edge_index, whole.edge_index)


def test_neighbours_mostly_share_their_digit(data: Data) -> None:
    one, other = data.y[data.edge_index]
    assert 0.75 < (one == other).double().mean() < 0.95


def test_labels_do_not_shape_the_views(source: Bunch) -> None:
    images, labels = source.images[:200], source.target[:200]
    one, other = two_views(images, labels, 8), two_views(images, labels[::-1].copy(), 8)
    assert torch.equal(one.edge_index, other.edge_index)
    assert torch.equal(one.x, other.x)


def test_same_bits_every_time_and_inputs_unchanged(data: Data, source: Bunch) -> None:
    images = source.images.copy()
    again = two_views(images, source.target, 8)
    assert all(torch.equal(data[name], again[name]) for name in ("x", "edge_index", "y"))
    np.testing.assert_array_equal(images, source.images)


@pytest.mark.parametrize("neighbours", [0, -3, 1797])
def test_impossible_neighbours_are_refused(neighbours: int) -> None:
    with pytest.raises(ValueError, match=f"neighbours is {neighbours}, expected 1 to 1796"):
        digits(neighbours)
