import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from goodie.data import splits
from goodie.data.splits import Split
from goodie.errors import InputError
from oracles import protocol


def labels(nodes: int = 600, classes: int = 4, unknown: float = 0.0) -> Tensor:
    rng = np.random.default_rng(nodes + classes)
    y = rng.integers(classes, size=nodes)
    y[rng.random(nodes) < unknown] = -1
    return torch.from_numpy(y)


def indices(mask: Tensor) -> list[int]:
    return mask.nonzero()[:, 0].tolist()


def same(a: Split, b: Split) -> bool:
    return all(torch.equal(one, other) for one, other in zip(a, b, strict=True))


def assert_partition(split: Split, y: Tensor) -> None:
    """Every labelled node is in one set, and no other node in any."""
    assert torch.equal(torch.stack(split).sum(dim=0), (y >= 0).long())


@pytest.mark.parametrize("seed", [0, 1, 9])
@pytest.mark.parametrize(
    ("nodes", "classes", "num_development", "per_class"),
    [(600, 4, 300, 20), (2000, 7, 1500, 20), (50, 1, 30, 5), (600, 4, 80, 7)],
)
def test_paper_is_the_protocol(
    seed: int, nodes: int, classes: int, num_development: int, per_class: int
) -> None:
    y = labels(nodes, classes)
    split = splits.paper(y, seed=seed, num_development=num_development, per_class=per_class)
    expected = protocol.paper_split(y, seed, num_development, per_class)
    assert [indices(mask) for mask in split] == [sorted(part.tolist()) for part in expected]
    assert_partition(split, y)


def test_paper_by_default_is_1500_and_20() -> None:
    y = labels(2000, 7)
    expected = protocol.paper_split(y, 3, 1500, 20)
    assert indices(splits.paper(y, seed=3).train) == sorted(expected[0].tolist())


def test_paper_tests_the_same_nodes_whatever_the_seed() -> None:
    y = labels()
    one, other = (splits.paper(y, seed=seed, num_development=300) for seed in (0, 1))
    assert torch.equal(one.test, other.test)
    assert not torch.equal(one.train, other.train)
    moved = splits.paper(y, seed=0, num_development=300, development_seed=1)
    assert not torch.equal(moved.test, one.test)


def test_paper_leaves_unlabelled_nodes_out() -> None:
    y = labels(unknown=0.4)
    split = splits.paper(y, seed=0, num_development=400)
    assert_partition(split, y)
    assert torch.bincount(y[split.train]).tolist() == [20] * 4


def test_paper_refuses_a_class_with_too_few_nodes() -> None:
    y = labels()
    y[y == 2] = 1
    y[:5] = 2
    with pytest.raises(
        InputError, match=r"class 2 has \d nodes in a development set of 300, fewer than the 20"
    ):
        splits.paper(y, seed=0, num_development=300)


@pytest.mark.parametrize("num_development", [600, 601])
def test_paper_refuses_to_leave_nothing_to_test_on(num_development: int) -> None:
    with pytest.raises(InputError, match=f"set of {num_development} nodes leaves none of 600"):
        splits.paper(labels(), seed=0, num_development=num_development)


def test_splits_leave_the_global_generator_and_the_labels_alone() -> None:
    y = labels(unknown=0.1)
    before = y.clone(), np.random.get_state()[1].tolist()
    splits.paper(y, seed=0, num_development=300)
    splits.stratified(y)
    assert torch.equal(y, before[0])
    assert np.random.get_state()[1].tolist() == before[1]


@pytest.mark.parametrize(("train", "val"), [(0.1, 0.1), (0.5, 0.0), (0.25, 0.75), (0.3, 0.6)])
def test_stratified_gives_each_class_its_shares(train: float, val: float) -> None:
    y = torch.tensor([0] * 200 + [1] * 40 + [2] * 20 + [-1] * 30)
    split = splits.stratified(y, train=train, val=val)
    assert_partition(split, y)
    for label, size in enumerate([200, 40, 20]):
        assert split.train[y == label].sum() == round(train * size)
        assert split.val[y == label].sum() == round(val * size)


def test_stratified_trains_on_every_class_however_small() -> None:
    y = torch.tensor([0] * 50 + [1] * 3 + [2])
    split = splits.stratified(y, train=0.1, val=0.1)
    assert torch.bincount(y[split.train]).tolist() == [5, 1, 1]
    assert_partition(split, y)


def test_stratified_follows_its_seed() -> None:
    y = labels()
    assert same(splits.stratified(y, random_state=1), splits.stratified(y, random_state=1))
    assert not same(splits.stratified(y, random_state=1), splits.stratified(y, random_state=2))


@pytest.mark.parametrize(("train", "val"), [(0.0, 0.1), (-0.1, 0.1), (0.1, -0.1), (0.6, 0.5)])
def test_stratified_refuses_shares_that_are_none(train: float, val: float) -> None:
    with pytest.raises(InputError, match=rf"train={train} and val={val} must be shares"):
        splits.stratified(labels(), train=train, val=val)


def test_stratified_refuses_a_graph_without_labels() -> None:
    with pytest.raises(InputError, match="no node is labelled"):
        splits.stratified(torch.full((5,), -1))


def official_graph(columns: int | None = None) -> Data:
    """Three nodes; with columns, node c % 3 trains in column c."""
    rows = torch.eye(3, dtype=torch.bool)
    train, val, test = rows[0], rows[1], rows[2]
    if columns is not None:
        train, val = (torch.stack([rows[(c + k) % 3] for c in range(columns)], 1) for k in (0, 1))
    return Data(num_nodes=3, train_mask=train, val_mask=val, test_mask=test)


def test_official_is_what_the_graph_carries() -> None:
    data = official_graph()
    expected = Split(data.train_mask, data.val_mask, data.test_mask)
    assert same(splits.official(data, seed=7), expected)


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 23])
def test_official_takes_the_column_of_the_seed(seed: int) -> None:
    split = splits.official(official_graph(columns=5), seed=seed)
    assert [indices(mask) for mask in split] == [[seed % 5 % 3], [(seed % 5 + 1) % 3], [2]]


@pytest.mark.parametrize("name", ["train_mask", "val_mask", "test_mask"])
def test_official_names_the_mask_that_lacks(name: str) -> None:
    data = official_graph()
    del data[name]
    with pytest.raises(InputError, match=f"carries no {name}, so it has no official split"):
        splits.official(data)


def test_a_split_applied_is_a_copy() -> None:
    data, y = Data(num_nodes=600), labels()
    split = splits.stratified(y)
    out = split.apply(data)
    assert torch.equal(out.train_mask, split.train)
    assert torch.equal(out.val_mask, split.val)
    assert torch.equal(out.test_mask, split.test)
    assert "train_mask" not in data


def test_a_development_split_owes_the_test_nodes_nothing() -> None:
    y = torch.arange(300) % 3
    whole = splits.paper(y, seed=4, num_development=150)
    part = splits.development(whole, seed=4)
    assert part.train.equal(whole.train)
    assert (part.val | part.test).equal(whole.val)
    assert not (part.val & part.test).any()
    assert int(part.val.sum()) == int(part.test.sum()) == 45
    again = splits.development(whole, seed=4)
    assert all(a.equal(b) for a, b in zip(part, again, strict=True))
    assert not splits.development(whole, seed=5).val.equal(part.val)


# set aside


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [0, 1, 2, 13, 200])
def test_what_is_set_aside_is_the_share_of_every_class(share: float, n: int) -> None:
    y = torch.arange(250) % 3
    among = torch.arange(250) < n
    drawn = splits.set_aside(y, among, share, random_state=4)
    assert not (drawn & ~among).any()
    assert abs(int(drawn.sum()) - share * n) < 1 or n == 1
    assert int(drawn.sum()) < max(n, 1)
    for label in range(3):
        assert abs(int(drawn[y == label].sum()) - share * int(among[y == label].sum())) < 2


def test_any_node_may_be_set_aside() -> None:
    """Each as often as the others, even where a class is a single node."""
    y = torch.tensor([0, 0, 0, 0, 1, 2, 2])
    times = sum(
        splits.set_aside(y, y >= 0, 0.4, random_state=seed).double() for seed in range(2000)
    )
    torch.testing.assert_close(times / 2000, torch.full((7,), 0.4).double(), rtol=0, atol=0.04)


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_a_share_set_aside_leaves_something(share: float) -> None:
    with pytest.raises(InputError, match="must be at least 0 and less than 1"):
        splits.set_aside(torch.zeros(4).long(), torch.ones(4).bool(), share, random_state=0)
