"""GOODIE's link predictor: what it minimises, and who speaks when there is little to say."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from conformance.test_links import problem
from goodie import missing
from goodie.config import build
from goodie.data.pairs import edge_pairs
from goodie.errors import InvalidGraphError
from goodie.methods.links.goodie import GoodieLinks, Settings
from goodie.nn.decoder import RandomPairs
from oracles import goodie as oracle
from oracles import propagation


def links(**settings: object) -> GoodieLinks:
    return GoodieLinks(build(Settings, {"max_epochs": 5, **settings}))


def dense(data: Data) -> np.ndarray:
    """Â."""
    A = propagation.adjacency(
        data.edge_index.numpy(), data.num_nodes, undirected=True, self_loops=True
    )
    return propagation.normalise(A, "symmetric")


def test_what_it_minimises() -> None:
    """The loss of the first epoch is reconstruction + λ·PseudoCon of the start."""
    data, edges = problem()
    chosen = {"preset": "faithful", "contrast": "pseudo", "contrast_weight": 0.7, "tau": 0.05}
    method = links(**chosen, alpha=0.9, lr=1e-12, max_epochs=1).fit(data, edges.val)
    explained = method.explain(data)
    z, fused = explained.logits.double().numpy(), explained.z.double().numpy()

    generator = torch.Generator().manual_seed(0)
    method._begin(data, generator)  # what it draws comes before
    own = torch.Generator().manual_seed(int(torch.randint(2**31, (), generator=generator)))
    pairs = edge_pairs(data.edge_index, len(z))
    drawn, counted = RandomPairs(pairs, len(z), own).draw()
    odds = z @ z.T
    right = np.logaddexp(0, -odds[tuple(pairs.numpy())]).mean()
    wrong = np.logaddexp(0, odds[tuple(drawn[:, counted].numpy())]).mean()

    train = data.train_mask.numpy()
    scores = propagation.label_propagation_residual(
        dense(data), np.eye(3)[data.y.numpy()] * train[:, None], 0.9, 50
    )
    label, confidence = oracle.pseudo_labels(scores, data.y.numpy(), train, 0.05)
    weights = oracle.pair_weights(train, confidence, "pseudo")
    contrast = oracle.contrastive(fused, label, weights, 0.05)
    assert method.history_.losses[0] == pytest.approx(right + wrong + 0.7 * contrast, rel=1e-4)


def test_without_labels_features_answer() -> None:
    data, edges = problem()
    del data.y, data.train_mask
    with pytest.warns(UserWarning, match="features alone"):
        method = links().fit(data, edges.val)
    assert method.voice_ == "features"
    assert not method.explain(data).structure.any()


def test_without_features_labels_answer() -> None:
    data, edges = problem(1.0)
    method = links().fit(data, edges.val)
    assert method.voice_ == "structure"
    assert (method.explain(data).structure == 1).all()


def test_with_neither_there_is_nothing_to_say() -> None:
    data, edges = problem()
    del data.y, data.train_mask
    with pytest.raises(InvalidGraphError, match="neither labels nor features"):
        links().fit(missing.uniform(data, 1.0), edges.val)


@pytest.mark.parametrize("fusion", ["attention", "random", "sum", "mean", "concat"])
@pytest.mark.parametrize("contrast", ["none", "prototype", "pseudo", "sampled"])
def test_settings(fusion: str, contrast: str) -> None:
    data, edges = problem()
    method = links(fusion=fusion, contrast=contrast, sample=50).fit(data, edges.val)
    assert method.embedded_ is not None
    assert method.embedded_.isfinite().all()
