"""Whether the structure of a graph or its features tell the labels, found out on held-out ones."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
from jaxtyping import Bool, Int
from torch import Tensor

from goodie.data.tables.graph import Problem
from goodie.evaluate import NORMAL_95
from goodie.methods import get
from goodie.own_graph.judging import (
    Parts,
    classifier,
    deal_parts,
    judged,
    majority,
    masked,
)

# What is put side by side, and what each stands for.
WAYS = {
    "lp": "labels of neighbours",
    "mlp": "own features",
    "fp": "features spread along the edges",
}

# Enough to see which is better; not enough to be the best there is.
QUICK = {"max_epochs": 300, "patience": 50}


def usefulness(problem: Problem, random_state: int, say: Callable[[str], None]) -> dict[str, Any]:
    """What structure, features, and features spread along the edges tell of held-out labels."""
    y = problem.data.y
    parts = deal_parts(y, random_state=random_state)
    accuracy, right = {}, {}
    for name in WAYS:
        say(f"held-out labels, told by {WAYS[name]}")
        selects = get(name).selects
        model = classifier(name, QUICK if selects else {}, random_state=random_state)
        model.fit(masked(problem.data, parts, selects=selects))
        assert model.proba_ is not None
        accuracy[name] = judged(model.proba_, y, parts)
        judges = parts.judge.numpy()
        right[name] = model.proba_[judges].argmax(axis=1) == y.numpy()[judges]
    return {
        "judges": int(parts.judge.sum()),
        "optimistic": parts.optimistic,
        "accuracy": {name: one.to_json() for name, one in accuracy.items()}
        | {"majority": majority(y, parts).to_json()},
        "more_useful": _verdict(right, y, parts),
    }


def _verdict(
    right: dict[str, Bool[np.ndarray, " judges"]], y: Int[Tensor, " nodes"], parts: Parts
) -> str:
    """Structure or features, where one tells clearly more of the same nodes right."""
    structure = right["lp"]
    features = max(right["mlp"], right["fp"], key=lambda one: int(one.sum()))
    most = max(int(structure.sum()), int(features.sum()))
    if most <= majority(y, parts).right:
        return "neither"
    # McNemar: of the nodes that one of them alone tells right, is it mostly the same one?
    only_structure = int((structure & ~features).sum())
    only_features = int((features & ~structure).sum())
    clear = NORMAL_95 * sqrt(only_structure + only_features)
    if abs(only_structure - only_features) <= clear:
        return "about equal"
    return "structure" if only_structure > only_features else "features"
