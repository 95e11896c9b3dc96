import warnings
from typing import Any

import pytest
import torch
from torch import Tensor, nan
from torch_geometric.data import Data

from goodie.data.validate import validate
from goodie.errors import GoodieError, InvalidGraphError

ABSENT = object()


def ints(*rows: Any) -> Tensor:
    return torch.tensor(rows)


def mask(*nodes: int, of: int = 4) -> Tensor:
    return torch.isin(torch.arange(of), torch.tensor(nodes))


def graph(**changes: Any) -> Data:
    """The path 0 – 1 – 2 – 3, two classes; a change to ABSENT removes."""
    parts = {
        "x": torch.arange(8.0).reshape(4, 2),
        "edge_index": ints([0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]),
        "y": ints(0, 1, 0, 1),
        "train_mask": mask(0, 1),
        "val_mask": mask(2),
        "test_mask": mask(3),
    } | changes
    return Data(**{name: value for name, value in parts.items() if value is not ABSENT})


def csr(values: Any, columns: Any = (0, 1), pointers: Any = (0, 1, 2, 2, 2)) -> Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.sparse_csr_tensor(
            torch.tensor(pointers), torch.tensor(columns), torch.tensor(values), (4, 2)
        )


NO_NODES = {"x": ABSENT, "y": ABSENT, "train_mask": ABSENT, "val_mask": ABSENT, "test_mask": ABSENT}

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    # nodes
    "no nodes": (
        {**NO_NODES, "x": torch.zeros(0, 2), "edge_index": torch.zeros(2, 0, dtype=torch.long)},
        "no nodes",
    ),
    "nodes unknown": (NO_NODES, "neither x nor y nor num_nodes"),
    "num_nodes is not x's": ({"num_nodes": 7}, "7.*4|4.*7"),
    # edges
    "no edge_index": ({"edge_index": ABSENT}, r"no edge_index; without edges .* \(2, 0\)"),
    "three rows": ({"edge_index": ints([0], [1], [2])}, r"shape \(3, 1\), expected \(2, edges\)"),
    "a list of pairs": ({"edge_index": ints([0, 1], [1, 2], [2, 3])}, r"shape \(3, 2\), expected"),
    "one-dimensional": ({"edge_index": ints(0, 1)}, r"shape \(2,\), expected"),
    "float edges": ({"edge_index": torch.zeros(2, 3)}, "dtype torch.float32, expected integers"),
    "bool edges": ({"edge_index": mask(0)[None].repeat(2, 1)}, "dtype torch.bool, expected int"),
    "negative edge": ({"edge_index": ints([0, -1], [1, 2])}, "names node -1, but there are 4"),
    "edge out of range": ({"edge_index": ints([0, 1], [1, 4])}, r"node 4, .* 4 nodes \(0 to 3\)"),
    "too few weights": ({"edge_weight": torch.ones(5)}, "5 edge weights for 6 edges"),
    "negative weight": (
        {"edge_weight": torch.tensor([1, 1, -2.5, 1, -1, 1])},
        r"2 edge weights are negative, infinite or NaN, e\.g\. -2\.5",
    ),
    "infinite weight": ({"edge_weight": torch.tensor([1, 1, 1, 1, 1, torch.inf])}, "1 .*inf"),
    "NaN weight": ({"edge_weight": torch.tensor([1, 1, 1, 1, 1, nan])}, "1 edge weights .*nan"),
    "two columns of edge_attr": ({"edge_attr": torch.ones(6, 2)}, r"edge_attr .* \(6, 2\)"),
    "two columns of edge_weight": ({"edge_weight": torch.ones(6, 2)}, r"edge_weight .* \(6, 2\)"),
    # features
    "x of one dimension": ({"x": torch.zeros(4)}, r"x has shape \(4,\), expected \(nodes, feat"),
    "x of three dimensions": ({"x": torch.zeros(4, 1, 1)}, r"x has shape \(4, 1, 1\)"),
    "x of no dimension": ({"x": torch.tensor(1.0)}, r"x has shape \(\)"),
    "integer x": ({"x": torch.zeros(4, 1).long()}, "x has dtype torch.int64, expected floating"),
    "bool x": ({"x": torch.zeros(4, 1).bool()}, "x has dtype torch.bool, expected floating"),
    "infinite x": ({"x": torch.full((4, 2), torch.inf)}, "x has 8 infinite entries"),
    "minus infinity": ({"x": torch.tensor([[-torch.inf, nan]] * 4)}, "x has 4 infinite entries"),
    "both infinities": (
        {"x": torch.tensor([[torch.inf], [-torch.inf], [nan], [0.0]])},
        "x has 2 infinite entries",
    ),
    "sparse NaN": ({"x": csr([1.0, nan])}, r"sparse x stores NaN; .* data\.observed"),
    "sparse infinity": ({"x": csr([1.0, -torch.inf])}, "x has 1 infinite entries"),
    "sparse x that is not CSR": ({"x": torch.eye(4).to_sparse_coo()}, "(?i)csr"),
    "observed of 0 and 1": ({"observed": torch.ones(4).long()}, "observed has dtype torch.int64"),
    "observed of other nodes": (
        {"observed": mask(0, of=3)},
        r"observed has shape \(3,\), expected \(4,\) or \(4, 2\)",
    ),
    "observed of other features": (
        {"observed": torch.ones(4, 3).bool()},
        r"observed has shape \(4, 3\), expected \(4,\) or \(4, 2\)",
    ),
    "observed without x, of other nodes": ({"x": ABSENT, "observed": mask(0, of=3)}, r"observed"),
    # labels
    "too few labels": ({"y": ints(0, 1, 0)}, r"y has shape \(3,\), expected \(4,\)"),
    "labels in a column": ({"y": ints([0], [1], [0], [1])}, r"y has shape \(4, 1\), expected"),
    "one label for all": ({"y": torch.tensor(1)}, r"y has shape \(\), expected \(4,\)"),
    "one label and no x": ({"x": ABSENT, "y": torch.tensor(1)}, r"y has shape \(\)"),
    "float labels": ({"y": torch.zeros(4)}, "y has dtype torch.float32; labels are integers"),
    "NaN labels": ({"y": torch.tensor([0, 1, nan, 0])}, "torch.float32 and holds NaN; labels"),
    "bool labels": ({"y": mask(0)}, "y has dtype torch.bool; labels are integers"),
    "labels below −1": ({"y": ints(0, 1, -100, 0)}, "y holds -100; labels start at 0, and -1 is"),
    # masks
    "mask of 0 and 1": ({"val_mask": ints(0, 0, 1, 0)}, "val_mask has dtype torch.int64, expected"),
    "mask of other nodes": ({"test_mask": mask(3, of=5)}, r"test_mask has shape \(5,\), exp.*\(4"),
    "mask of no dimension": ({"train_mask": torch.tensor(True)}, r"train_mask has shape \(\)"),
    "mask of three dimensions": (
        {"train_mask": torch.zeros(4, 2, 2).bool()},
        r"train_mask has shape \(4, 2, 2\)",
    ),
    "train and val": ({"val_mask": mask(1, 2)}, "1 nodes are in both train_mask and val_mask"),
    "train and test": ({"test_mask": mask(0, 1)}, "2 nodes are in both train_mask and test_mask"),
    "val and test": ({"test_mask": mask(2, 3)}, "1 nodes are in both val_mask and test_mask"),
    "several train, one test": (
        {
            "train_mask": torch.stack([mask(0, 1), mask(0, 3)], 1),
            "val_mask": torch.stack([mask(2), mask(2)], 1),
        },
        "1 nodes are in both train_mask and test_mask",
    ),
    "training node without a label": ({"y": ints(-1, 1, 0, 1)}, r"1 nodes of train_mask have no"),
}

REFUSED_TO_CLASSIFY: dict[str, tuple[dict[str, Any], str]] = {
    "no labels": ({"y": ABSENT}, "no y, so there is nothing to learn to predict"),
    "no train_mask": ({"train_mask": ABSENT}, "no train_mask: mark the nodes to train on"),
    "nobody trains": ({"train_mask": mask()}, "train_mask marks no node"),
    "a class nobody trains on": (
        {"y": ints(0, 2, 0, 3)},
        "no training node has class 1, 3, so it could never be predicted",
    ),
    "several splits": (
        {"train_mask": torch.zeros(4, 20).bool()},
        r"train_mask has shape \(4, 20\): choose one",
    ),
}


@pytest.mark.parametrize("classify", [False, True])
@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_what_was_got(case: str, classify: bool) -> None:
    changes, message = REFUSED[case]
    with pytest.raises(InvalidGraphError, match=message) as caught:
        validate(graph(**changes), classify=classify)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", REFUSED_TO_CLASSIFY)
def test_refused_to_classify_and_fine_otherwise(case: str) -> None:
    changes, message = REFUSED_TO_CLASSIFY[case]
    data = graph(**changes)
    validate(data)
    with pytest.raises(InvalidGraphError, match=message):
        validate(data, classify=True)


def test_the_error_is_a_value_error_for_the_user() -> None:
    assert issubclass(InvalidGraphError, GoodieError)
    assert issubclass(InvalidGraphError, ValueError)


Weighted = dict[tuple[int, int], float]

EDGES: dict[str, tuple[dict[str, Any], Weighted]] = {
    "none": ({"edge_index": torch.zeros(2, 0, dtype=torch.long)}, {}),
    "none, weighted": (
        {"edge_index": torch.zeros(2, 0, dtype=torch.long), "edge_weight": torch.zeros(0)},
        {},
    ),
    "directed": ({"edge_index": ints([0, 3], [1, 0])}, {(0, 1): 1, (3, 0): 1}),
    "int32": ({"edge_index": ints([2], [3]).int()}, {(2, 3): 1}),
    "unsorted": ({"edge_index": ints([3, 0], [0, 3])}, {(0, 3): 1, (3, 0): 1}),
    "a loop": ({"edge_index": ints([1, 0], [1, 1])}, {(0, 1): 1, (1, 1): 1}),
    "isolated nodes": ({"edge_index": ints([0], [1])}, {(0, 1): 1}),
    "repeated": ({"edge_index": ints([0, 1, 0], [1, 0, 1])}, {(0, 1): 1, (1, 0): 1}),
    "repeated, weighted": (
        {
            "edge_index": ints([0, 1, 0], [1, 0, 1]),
            "edge_weight": torch.tensor([0.5, 2.0, 0.25]),
        },
        {(0, 1): 0.75, (1, 0): 2},
    ),
    "repeated loop, weighted": (
        {"edge_index": ints([1, 1], [1, 1]), "edge_weight": torch.tensor([1.0, 3.0])},
        {(1, 1): 4},
    ),
    "weight 0": ({"edge_index": ints([0], [1]), "edge_weight": torch.zeros(1)}, {(0, 1): 0}),
    "integer weights": ({"edge_index": ints([0], [1]), "edge_weight": ints(3)}, {(0, 1): 3}),
    "edge_attr [E]": (
        {"edge_index": ints([0, 1], [1, 2]), "edge_attr": torch.tensor([2.0, 3.0])},
        {(0, 1): 2, (1, 2): 3},
    ),
    "edge_attr [E, 1], repeated": (
        {"edge_index": ints([0, 1, 0], [1, 2, 1]), "edge_attr": torch.ones(3, 1)},
        {(0, 1): 2, (1, 2): 1},
    ),
    "edge_weight before edge_attr": (
        {
            "edge_index": ints([0], [1]),
            "edge_weight": torch.tensor([5.0]),
            "edge_attr": torch.ones(1, 3),
        },
        {(0, 1): 5},
    ),
}


@pytest.mark.parametrize("case", EDGES)
def test_edges_that_are_fine(case: str) -> None:
    changes, expected = EDGES[case]
    out = validate(graph(**changes), classify=True)
    pairs = list(map(tuple, out.edge_index.T.tolist()))
    assert pairs == sorted(expected)
    assert out.edge_index.dtype == torch.int64
    assert out.edge_index.shape == (2, len(expected))
    assert "edge_attr" not in out
    assert ("edge_weight" in out) == any(name in changes for name in ("edge_weight", "edge_attr"))
    if "edge_weight" in out:
        assert dict(zip(pairs, out.edge_weight.tolist(), strict=True)) == expected
        assert out.edge_weight.is_floating_point()


@pytest.mark.parametrize(
    "x",
    [
        torch.full((4, 2), nan),
        torch.tensor([[nan, 1.0]] * 4),
        torch.zeros(4, 0),
        torch.ones(4, 2, dtype=torch.float64),
        torch.full((4, 2), 60_000.0, dtype=torch.float16),
        torch.full((4, 2), 3e38),
        torch.full((4, 2), -3e38),
    ],
    ids=["all missing", "some missing", "no column", "float64", "float16", "huge", "hugely neg."],
)
def test_features_that_are_fine(x: Tensor) -> None:
    out = validate(graph(x=x), classify=True)
    assert out.x.dtype == x.dtype
    torch.testing.assert_close(out.x, x, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("observed", [None, mask(0), torch.ones(4, 2).bool()])
@pytest.mark.parametrize("sparse", [False, True])
def test_features_with_a_mask_are_fine(sparse: bool, observed: Tensor | None) -> None:
    x = csr([1.0, 2.0]) if sparse else torch.ones(4, 2)
    out = validate(graph(x=x, observed=observed), classify=True)
    assert out.x.layout == x.layout
    assert out.get("observed") is observed


@pytest.mark.parametrize("x", [ABSENT, None], ids=["absent", "None"])
def test_no_x_is_no_feature(x: Any) -> None:
    assert validate(graph(x=x)).x.shape == (4, 0)
    assert validate(Data(num_nodes=3, edge_index=ints([0], [2]))).x.shape == (3, 0)


def test_a_graph_of_one_node_is_fine() -> None:
    data = Data(
        x=torch.ones(1, 1),
        y=ints(0),
        edge_index=torch.zeros(2, 0, dtype=torch.long),
        train_mask=mask(0, of=1),
    )
    assert validate(data, classify=True).num_nodes == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"y": ints(0, 1, -1, -1)},
        {"y": ints(0, 1, 0, 1).to(torch.uint8)},
        {"y": ints(0, 1, 0, 1).int()},
        {"y": ints(0, 0, 0, 0)},
    ],
    ids=["unknown", "uint8", "int32", "one class"],
)
def test_labels_that_are_fine(changes: dict[str, Tensor]) -> None:
    out = validate(graph(**changes), classify=True)
    assert out.y.dtype == torch.int64
    assert out.y.tolist() == changes["y"].tolist()


@pytest.mark.parametrize("name", ["y", "val_mask", "test_mask", "observed", "edge_weight"])
def test_none_is_absent(name: str) -> None:
    out = validate(graph(**{name: None}))
    assert out.edge_index.shape == (2, 6)
    assert out.get(name) is None


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"edge_attr": torch.ones(6, 1)},
        {"edge_weight": torch.ones(6), "edge_index": ints([3, 3, 2, 1, 0, 0], [0, 0, 1, 1, 0, 0])},
        {"x": ABSENT},
        {"y": ints(0, 1, 0, 1).int()},
    ],
    ids=["plain", "edge_attr", "repeated", "no x", "int32"],
)
def test_the_input_is_left_as_it_is(changes: dict[str, Any]) -> None:
    data = graph(**changes)
    before = {key: (value, value.clone()) for key, value in data.to_dict().items()}
    out = validate(data, classify=True)
    assert out is not data
    assert data.to_dict().keys() == before.keys()
    for key, (value, clone) in before.items():
        assert data[key] is value, key
        assert torch.equal(value, clone), key
