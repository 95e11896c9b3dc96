"""One training loop and one early-stopping rule, for everything that is trained."""

import copy
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from goodie.errors import GoodieError
from goodie.nn.random import Dropout

# Epochs that are run one kernel at a time before one is recorded: libraries set themselves up, and
# kernels are compiled.
WARM_UP = 3


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

    def details(self) -> dict[str, Any]:
        """Epochs, and the loss where the score was best."""
        return {
            "epochs": self.epochs,
            "best_epoch": self.best_epoch,
            "best_loss": self.losses[self.best_epoch] if self.losses else None,
            "interrupted": self.interrupted,
        }


def train(
    model: torch.nn.Module,
    *,
    loss: Callable[[], Tensor],
    score: Callable[[], Tensor],
    settings: Training,
    steady: bool = True,
    generators: Sequence[torch.Generator] = (),
    progress: bool | None = None,
) -> History:
    """Train a model and leave it with the weights of its best validation epoch.

    The best epoch is the first that reaches the best score. An interrupt (Ctrl-C) ends training as
    patience would, with the best weights so far.

    Args:
        model: its parameters are trained in place.
        loss: of the current weights, in training mode.
        score: of the current weights on the validation nodes, in evaluation mode and without
            gradients; larger is better. Score and loss are read once an epoch, together.
        settings: how.
        steady: every epoch is the same work on the device, and none of it waits for the host; on a
            GPU it is then recorded once and replayed.
        generators: on the model's device, that the loss draws from; those of its dropout are known.
        progress: draw a bar on stderr; None: where that is a terminal.
    """
    on_gpu = any(parameter.is_cuda for parameter in model.parameters())
    optimizer = torch.optim.Adam(
        model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay, capturable=on_gpu
    )

    def run_epoch() -> Tensor:
        """A step, then the loss before it and the score after it, on the device."""
        model.train()
        optimizer.zero_grad(set_to_none=True)
        value = loss()
        value.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            return torch.stack([value.detach().double(), score().double()])

    losses: list[float] = []
    scores: list[float] = []
    best, best_epoch, best_state = -math.inf, -1, copy.deepcopy(model.state_dict())
    interrupted = False
    show = sys.stderr.isatty() if progress is None else progress
    bar = tqdm(range(settings.max_epochs), desc="training", leave=False, disable=not show)
    try:
        for epoch in bar:
            if on_gpu and steady and epoch == WARM_UP:
                run_epoch = recorded(run_epoch, model, generators)
            read = run_epoch().tolist()
            losses.append(_finite(read[0], "loss", epoch))
            scores.append(_finite(read[1], "validation score", epoch))
            if scores[-1] > best:
                best, best_epoch = scores[-1], epoch
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
    return History(len(losses), best_epoch, best, losses, scores, interrupted)


def recorded(
    run_epoch: Callable[[], Tensor],
    model: torch.nn.Module,
    generators: Sequence[torch.Generator] = (),
) -> Callable[[], Tensor]:
    """The kernels of one epoch as a CUDA graph, which the host starts with a single call.

    An epoch of a small graph is a hundred kernels of a few microseconds each; started one by one
    they leave the GPU idle most of the time.
    """
    graph = torch.cuda.CUDAGraph()
    for generator in generators:
        graph.register_generator_state(generator)
    for module in model.modules():
        if isinstance(module, Dropout):
            graph.register_generator_state(module.generator)
    with torch.cuda.graph(graph):
        result = run_epoch()

    def replay() -> Tensor:
        graph.replay()
        return result

    return replay


def _finite(value: float, what: str, epoch: int) -> float:
    if not math.isfinite(value):
        raise DivergedError(
            f"the {what} became {value} in epoch {epoch}: a smaller lr may help, or fewer extremes "
            "in the features"
        )
    return value
