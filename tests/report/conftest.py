"""Models whose reports several tests look at."""

import pytest
import torch
from torch_geometric.data import Data

from goodie import GoodieClassifier, missing, splits, synthetic


@pytest.fixture(scope="session")
def holed() -> Data:
    """Half of the features are gone; thirty nodes at the end are out of reach."""
    data = synthetic(400, 3, num_features=16, average_degree=4.0, random_state=0)
    data = splits.stratified(data.y, train=0.2, val=0.3).apply(missing.uniform(data, 0.5))
    alone = torch.arange(400) >= 370
    data.edge_index = data.edge_index[:, ~alone[data.edge_index].any(dim=0)]
    data.x[alone] = torch.nan
    for name in ("train_mask", "val_mask"):
        data[name] = data[name] & ~alone
    data.test_mask = ~data.train_mask & ~data.val_mask
    return data


@pytest.fixture(scope="session")
def model(holed: Data) -> GoodieClassifier:
    return GoodieClassifier(max_epochs=30).fit(holed)
