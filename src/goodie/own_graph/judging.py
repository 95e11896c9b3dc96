"""How good a method is on a user's own labels: who judges, against what, and how sure that is."""

from collections import Counter
from collections.abc import Callable
from copy import copy
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch_geometric.data import Data

from goodie import config
from goodie.data.splits import stratified
from goodie.errors import InputError
from goodie.estimators.base import GraphClassifier
from goodie.estimators.goodie import GoodieClassifier
from goodie.estimators.link_base import GraphLinkPredictor
from goodie.estimators.node import NodeClassifier
from goodie.evaluate import wilson
from goodie.methods import get

# Shares of the labelled nodes, class by class.
JUDGING, SELECTING = 0.2, 0.16

# Fewer judges than this say next to nothing, and are better trained on.
FEWEST_JUDGES = 20

# Beside which every method is put: structure alone, features spread along edges, and no model.
BASELINES = ("lp", "fp")
MAJORITY = "majority"


E = TypeVar("E", GraphClassifier, GraphLinkPredictor)


class Parts(NamedTuple):
    """Who does what among the labelled nodes.

    Attributes:
        train: learned from.
        select: choose the epoch, if the method has any.
        judge: neither; they say how good it is. Where labels are too few for that, those that
            select, and what they say is optimistic.
    """

    train: Bool[Tensor, " nodes"]
    select: Bool[Tensor, " nodes"]
    judge: Bool[Tensor, " nodes"]

    @property
    def optimistic(self) -> bool:
        """Whether the judges have chosen what they judge."""
        return bool((self.select & self.judge).any())


@dataclass(frozen=True)
class Accuracy:
    """How many of the judged nodes were told right, and what that says of others.

    Attributes:
        right: how many.
        judged: out of how many.
        low, high: between which the accuracy on other nodes lies, with 95 % confidence (Wilson).
    """

    right: int
    judged: int

    @property
    def share(self) -> float:
        """Of the judged nodes."""
        return self.right / self.judged

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, at 95 %."""
        return wilson(self.right, self.judged)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        low, high = self.interval
        return {**asdict(self), "accuracy": self.share, "low": low, "high": high}


def deal_parts(y: Int[Tensor, " nodes"], *, random_state: int = 0) -> Parts:
    """Deal the labelled nodes out: 64 % of each class train, 16 % select and 20 % judge.

    Where that makes fewer than 20 judges, 80 % train, and the others select and judge.
    """
    labelled = int((y >= 0).sum())
    if labelled == 0:
        raise InputError("no node is labelled, so there is nothing to learn from")
    if len(y[y >= 0].unique()) < 2:
        raise InputError(
            f"all {labelled} labelled nodes are of one class, so there is nothing to tell apart"
        )
    train = 1 - JUDGING - SELECTING
    split = stratified(y, train=train, val=SELECTING, random_state=random_state)
    if int(split.test.sum()) >= FEWEST_JUDGES and split.val.any():
        return Parts(*split)
    split = stratified(y, train=1 - JUDGING, val=JUDGING, random_state=random_state)
    if not split.val.any():
        raise InputError(
            f"{labelled} labelled nodes are too few to set any aside to select and judge by: label "
            "three of a class"
        )
    return Parts(split.train, split.val, split.val)


def classifier(
    method: str, settings: dict[str, Any], *, random_state: int = 0, device: str = "cpu"
) -> GraphClassifier:
    """An estimator by the name of its method."""
    config.build(get(method).Settings, settings)  # says what is wrong with them
    if method == "goodie":
        return GoodieClassifier(**settings, random_state=random_state, device=device)
    return NodeClassifier(
        method=method, settings=settings, random_state=random_state, device=device
    )


def learners(parts: Parts, *, selects: bool) -> Bool[Tensor, " nodes"]:
    """Who trains: where nobody has to select, those who would, unless they judge."""
    return parts.train if selects or parts.optimistic else parts.train | parts.select


def masked(data: Data, parts: Parts, *, selects: bool) -> Data:
    """The graph as an estimator is to see it: the labels of judges are not in it.

    But for those of judges that select.
    """
    out = copy(data)
    out.train_mask = learners(parts, selects=selects)
    out.val_mask = parts.select if selects else None
    out.y = torch.where(parts.train | parts.select, data.y, -1)
    out.test_mask = ~(parts.train | parts.select)
    return out


def judged(
    proba: Float[np.ndarray, "nodes classes"], y: Int[Tensor, " nodes"], parts: Parts
) -> Accuracy:
    """How many of the judges are told right."""
    nodes = parts.judge.numpy()
    right = proba[nodes].argmax(axis=1) == y.numpy()[nodes]
    return Accuracy(int(right.sum()), int(nodes.sum()))


def majority(y: Int[Tensor, " nodes"], parts: Parts) -> Accuracy:
    """What saying the most frequent class of everyone gets right."""
    known = y[learners(parts, selects=False)]
    ((label, _),) = Counter(known.tolist()).most_common(1)
    nodes = parts.judge
    return Accuracy(int((y[nodes] == label).sum()), int(nodes.sum()))


def baselines(
    data: Data,
    parts: Parts,
    *,
    but: str = "",
    random_state: int = 0,
    device: str = "cpu",
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Accuracy]:
    """What other ways get right on the same judges.

    Args:
        data: the graph with all its labels.
        parts: of them.
        but: a method that needs no second run.
        random_state: of their initial weights.
        device: `cpu` or `cuda`.
        say: is told what is going on.
    """
    found = {}
    for name in BASELINES:
        if name == but:
            continue
        say(f"fitting {name} beside it")
        model = classifier(name, {}, random_state=random_state, device=device)
        model.fit(masked(data, parts, selects=get(name).selects))
        assert model.proba_ is not None
        found[name] = judged(model.proba_, data.y, parts)
    found[MAJORITY] = majority(data.y, parts)
    return found


def go_on(model: E) -> E:
    """Pass on an interrupt, which training itself takes for a wish to end early."""
    if model.history_ is not None and model.history_.interrupted:
        raise KeyboardInterrupt
    return model


def plain(details: dict[str, Any]) -> dict[str, Any]:
    """What a method tells of its fit, as JSON has it."""
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in details.items()}
