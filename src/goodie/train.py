"""One training loop and one early-stopping rule, for everything that is trained."""

import copy
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import torch
from torch import Tensor
from tqdm import tqdm

from goodie.errors import GoodieError

T = TypeVar("T")


class DivergedError(GoodieError, ArithmeticError):
    """Training met a number that is not finite."""


@dataclass(frozen=True)
class Training:
    """How to train.

    Attributes:
        lr: of Adam.
        weight_decay: of Adam.
        max_epochs: at most.
        patience: stop after this many epochs without a better validation score.
    """

    lr: float = 0.005
    weight_decay: float = 0.0
    max_epochs: int = 10_000
    patience: int = 200


@dataclass(frozen=True)
class History:
    """What training did.

    Attributes:
        epochs: how many were run.
        best_epoch: the first with the best validation score; its weights are kept.
        best_score: that score.
        losses: of every epoch.
        scores: of every epoch, on the validation nodes.
        interrupted: whether the user stopped it.
    """

    epochs: int
    best_epoch: int
    best_score: float
    losses: list[float] = field(repr=False)
    scores: list[float] = field(repr=False)
    interrupted: bool = False


def train(
    model: torch.nn.Module,
    *,
    loss: Callable[[], Tensor],
    evaluate: Callable[[], T],
    score: Callable[[T], Tensor],
    settings: Training,
    progress: bool | None = None,
) -> tuple[T, History]:
    """Train a model and leave it with the weights of its best validation epoch.

    The best epoch is the first that reaches the best score. An interrupt (Ctrl-C) ends training as
    patience would, with the best weights so far.

    Args:
        model: its parameters are trained in place.
        loss: of the current weights, in training mode.
        evaluate: what the model says with its current weights, in evaluation mode and without
            gradients: one forward pass, for validation and for whoever asks afterwards.
        score: of what it says, on the validation nodes; larger is better. Score and loss are read
            once an epoch, together.
        settings: how.
        progress: draw a bar on stderr; None: where that is a terminal.

    Returns:
        What the model said in its best epoch, and how training went.
    """
    optimizer = torch.optim.Adam(
        model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay
    )
    losses: list[float] = []
    scores: list[float] = []
    best, best_epoch, best_state = -math.inf, -1, copy.deepcopy(model.state_dict())
    best_output: T | None = None
    interrupted = False
    show = sys.stderr.isatty() if progress is None else progress
    bar = tqdm(range(settings.max_epochs), desc="training", leave=False, disable=not show)
    try:
        for epoch in bar:
            model.train()
            optimizer.zero_grad(set_to_none=True)
            value = loss()
            value.backward()
            optimizer.step()
            model.eval()
            with torch.no_grad():
                output = evaluate()
                read = torch.stack([value.detach().double(), score(output).double()]).tolist()
            losses.append(_finite(read[0], "loss", epoch))
            scores.append(_finite(read[1], "validation score", epoch))
            if scores[-1] > best:
                best, best_epoch, best_output = scores[-1], epoch, output
                best_state = {name: t.clone() for name, t in model.state_dict().items()}
                bar.set_postfix(validation=f"{best:.2f}", refresh=False)
            elif epoch - best_epoch >= settings.patience:
                break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        bar.close()
    model.load_state_dict(best_state)
    model.eval()
    if best_output is None:  # interrupted at once, or no epoch was asked for
        with torch.no_grad():
            best_output = evaluate()
    return best_output, History(len(losses), best_epoch, best, losses, scores, interrupted)


def _finite(value: float, what: str, epoch: int) -> float:
    if not math.isfinite(value):
        raise DivergedError(
            f"the {what} became {value} in epoch {epoch}: a smaller lr may help, or fewer extremes "
            "in the features"
        )
    return value
