"""The two-minute tour: what is left of the labels, and of the features, as features go missing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goodie.data import datasets, missing
from goodie.graph import Operator, operator
from goodie.propagate import fill_with_neighbour_mean, propagate_features, solve_features
from goodie.study import cell

RATES = (0.0, 0.5, 0.9, 0.99, 1.0)
SEEDS = 3


@dataclass(frozen=True)
class Row:
    """One missing rate on `digits`.

    Attributes:
        rate: share of the features that is missing.
        lp: accuracy of label propagation in percent, mean over seeds.
        errors: root mean squared error of each imputer on the hidden entries, as a share of the
            spread that the features have; empty where nothing is hidden, or nothing is left.
    """

    rate: float
    lp: float
    errors: dict[str, float]


IMPUTERS: dict[str, Callable[[Tensor, Operator], Tensor]] = {
    "column mean": lambda x, S: _fill_with_column_mean(x),
    "neighbour mean": fill_with_neighbour_mean,
    "40 steps": lambda x, S: propagate_features(x, S).values,
    "convergence": lambda x, S: solve_features(x, S).values,
}


def run() -> Iterator[Row]:
    """One row a rate, as each is done."""
    data = datasets.load("digits")
    S = operator(data, normalisation="row")
    settings = cell.resolve("lp", "digits", "uniform")
    for rate in RATES:
        cells = [
            cell.Cell("digits", "lp", "uniform", rate, seed, settings) for seed in range(SEEDS)
        ]
        accuracy = [cell.run(one).test for one in cells]
        errors = {}
        if 0 < rate < 1:
            holed = missing.uniform(data, rate, random_state=0).x
            hidden = holed.isnan()
            for name, fill in IMPUTERS.items():
                errors[name] = _relative_error(fill(holed, S), data.x, hidden)
        yield Row(rate, sum(accuracy) / SEEDS, errors)


def _fill_with_column_mean(x: Float[Tensor, "nodes features"]) -> Float[Tensor, "nodes features"]:
    return torch.where(x.isnan(), x.nanmean(dim=0).nan_to_num(nan=0.0), x)


def _relative_error(
    filled: Float[Tensor, "nodes features"],
    truth: Float[Tensor, "nodes features"],
    hidden: Bool[Tensor, "nodes features"],
) -> float:
    """1 is as good as filling every hole with the true mean of all entries."""
    return float((filled - truth)[hidden].square().mean().sqrt() / truth.std())
