"""PCFI: from the raw graph to the logits, with the weights it ended with."""

import numpy as np
import pytest
from torch_geometric.data import Data

from goodie import missing, splits, synthetic
from goodie.config import build
from goodie.data.observed import to_sparse
from goodie.methods.pcfi import PCFI
from oracles import pcfi as oracle
from oracles import propagation
from propagate.graphs import dense


def problem(scenario: str) -> Data:
    data = synthetic(60, 3, num_features=16, average_degree=4.0)
    return splits.stratified(data.y, train=0.2, val=0.2).apply(missing.hide(data, scenario, 0.6))


@pytest.mark.parametrize("scenario", ["uniform", "structural"])
def test_is_the_oracle(scenario: str) -> None:
    data = problem(scenario)
    method = PCFI(
        build(PCFI.Settings, {"max_epochs": 5, "decay": 0.8, "strength": 0.5, "steps": 30})
    ).fit(data)
    w = {name: t.numpy() for name, t in method.model_.state_dict().items()}
    A = propagation.adjacency(data.edge_index.numpy(), data.num_nodes, undirected=True)
    X = oracle.impute(A, data.x.numpy(), a=0.8, b=0.5, steps=30)
    S = dense(data, "symmetric")
    hidden = np.maximum(S @ X @ w["weight_1"] + w["bias_1"], 0.0)
    logits = S @ hidden @ w["weight_2"] + w["bias_2"]
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    for form in (data, to_sparse(data)):
        np.testing.assert_allclose(method.predict_proba(form), p, rtol=0, atol=1e-5)
