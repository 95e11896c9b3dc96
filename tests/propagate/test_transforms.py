"""The PyG-style faces of the propagations."""

import torch
from torch_geometric.data import Data
from torch_geometric.nn import LabelPropagation as PyGLabelPropagation
from torch_geometric.transforms import Compose
from torch_geometric.transforms import FeaturePropagation as PyGFeaturePropagation

from goodie import FeaturePropagation, LabelPropagation, missing, synthetic


def test_features_are_pygs_without_loops() -> None:
    data = missing.uniform(synthetic(200, num_features=30), 0.5)
    theirs = PyGFeaturePropagation(data.x.isnan())(data).x
    ours = FeaturePropagation(self_loops=False)(data).x
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_features_come_without_holes_and_the_input_keeps_its_own() -> None:
    data = missing.structural(synthetic(100, num_features=5, sparse=True), 0.5)
    out = Compose([FeaturePropagation()])(data)
    assert "observed" not in out
    assert "observed" in data
    assert out.edge_index is data.edge_index


def test_the_limit_is_asked_for_by_none() -> None:
    x = torch.tensor([[0.0], [torch.nan], [torch.nan], [3.0]], dtype=torch.float64)
    data = Data(x=x, edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]))
    filled = FeaturePropagation(steps=None, normalisation="row")(data).x
    torch.testing.assert_close(filled[:, 0], torch.arange(4.0, dtype=torch.float64))


def test_labels_are_pygs_without_loops() -> None:
    data = synthetic(200, num_features=0)
    known = torch.arange(200) % 5 == 0
    theirs = PyGLabelPropagation(20, 0.9)(data.y, data.edge_index, mask=known)
    ours = LabelPropagation(20, 0.9, self_loops=False)(data.y, data.edge_index, known)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-6)


def test_every_labelled_node_is_a_seed_unless_told() -> None:
    data = synthetic(50, num_features=0)
    y = torch.where(torch.arange(50) < 25, data.y, -1)
    spread = LabelPropagation(5, 0.9)
    assert spread(y, data.edge_index).equal(spread(data.y, data.edge_index, torch.arange(50) < 25))
