"""Node classification: what a method gets to see, and how it is judged."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch_geometric.data import Data

from goodie.data import missing
from goodie.data.splits import Split
from goodie.evaluate import accuracy

METRIC = "accuracy"


class Score(NamedTuple):
    """Accuracy in percent on the validation and the test nodes."""

    val: float
    test: float


def with_holes(data: Data, split: Split, *, scenario: str, rate: float, seed: int) -> Data:
    """The problem a method is given: features taken away, and all labels that it may not read."""
    problem = split.apply(missing.hide(data, scenario, rate, random_state=seed))
    problem.y = torch.where(split.train | split.val, data.y, -1)
    return problem


def judge(probability: Float[Tensor, "nodes classes"], problem: Data, truth: Data) -> Score:
    """Score what a method says of its problem against the labels that the problem hides."""
    return Score(
        val=accuracy(probability, problem.y, problem.val_mask),
        test=accuracy(probability, truth.y, problem.test_mask),
    )
