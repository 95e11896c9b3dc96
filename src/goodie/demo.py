"""The two-minute tour: how well labels are told, and holes filled, as features go missing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goodie.data import datasets, missing
from goodie.graph import Operator, operator
from goodie.propagate import solve_features
from goodie.study import cell

RATES = (0.0, 0.5, 0.99, 1.0)
SEEDS = 2


@dataclass(frozen=True)
class Row:
    """One missing rate on `digits`.

    Attributes:
        rate: share of the features that is missing.
        lp: accuracy of label propagation in percent, mean over seeds.
        goodie: likewise of GOODIE.
        structure: the share of GOODIE's embedding that came from structure, mean over nodes and
            seeds; the rest came from features.
        errors: root mean squared error of each imputer on the hidden entries, as a share of the
            spread that the features have; empty where nothing is hidden, or nothing is left.
    """

    rate: float
    lp: float
    goodie: float
    structure: float
    errors: dict[str, float]


IMPUTERS: dict[str, Callable[[Tensor, Operator], Tensor]] = {
    "column mean": lambda x, S: _fill_with_column_mean(x),
    "neighbours": lambda x, S: solve_features(x, S).values,
}


def run() -> Iterator[Row]:
    """One row a rate, as each is done."""
    data = datasets.load("digits")
    S = operator(data, normalisation="row")
    for rate in RATES:
        lp, both = (_results(method, rate) for method in ("lp", "goodie"))
        errors = {}
        if 0 < rate < 1:
            holed = missing.uniform(data, rate, random_state=0).x
            hidden = holed.isnan()
            for name, fill in IMPUTERS.items():
                errors[name] = _relative_error(fill(holed, S), data.x, hidden)
        yield Row(
            rate,
            fmean(result.test for result in lp),
            fmean(result.test for result in both),
            fmean(result.details["structure_share"] for result in both),
            errors,
        )


def _results(method: str, rate: float) -> list[cell.Result]:
    settings = cell.resolve(method, "digits", "uniform")
    cells = [cell.Cell("digits", method, "uniform", rate, seed, settings) for seed in range(SEEDS)]
    return [cell.run(one) for one in cells]


def _fill_with_column_mean(x: Float[Tensor, "nodes features"]) -> Float[Tensor, "nodes features"]:
    return torch.where(x.isnan(), x.nanmean(dim=0).nan_to_num(nan=0.0), x)


def _relative_error(
    filled: Float[Tensor, "nodes features"],
    truth: Float[Tensor, "nodes features"],
    hidden: Bool[Tensor, "nodes features"],
) -> float:
    """1 is as good as filling every hole with the true mean of all entries."""
    return float((filled - truth)[hidden].square().mean().sqrt() / truth.std())
