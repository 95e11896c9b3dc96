"""Node classification: what a method gets to see, and how it is judged."""

from typing import Any, NamedTuple

import torch
from torch_geometric.data import Data

from goodie.data import missing
from goodie.data.splits import Split
from goodie.evaluate import accuracy
from goodie.methods.base import Method

METRIC = "accuracy"


class Score(NamedTuple):
    """Accuracy in percent on the validation and the test nodes."""

    val: float
    test: float


def with_holes(data: Data, split: Split, *, scenario: str, rate: float, seed: int) -> Data:
    """The problem a method is given: features taken away, and test labels with them."""
    problem = split.apply(missing.hide(data, scenario, rate, random_state=seed))
    problem.y = torch.where(split.test, -1, data.y)
    return problem


def judge(method: Method[Any], problem: Data, truth: Data) -> Score:
    """Score a fitted method on its problem, against the labels that the problem hides."""
    probability = method.predict_proba(problem)
    return Score(
        val=accuracy(probability, problem.y, problem.val_mask),
        test=accuracy(probability, truth.y, problem.test_mask),
    )
