"""The training loop's rule: the first best validation epoch, and what may end it."""

from collections.abc import Iterator

import pytest
import torch

from goodie.train import DivergedError, Training, train


class Counter(torch.nn.Module):
    """A model whose only weight falls by its gradient, so that epochs can be told apart."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))
        self.modes: list[bool] = []

    def loss(self) -> torch.Tensor:
        assert self.training
        return self.weight


def scripted(model: Counter, scores: list[float]) -> Iterator[float]:
    for score in scores:
        assert not model.training
        assert not torch.is_grad_enabled()
        model.modes.append(True)
        yield float(score)


def run(scores: list[float], *, patience: int = 3, max_epochs: int = 100) -> tuple:
    model = Counter()
    script = scripted(model, scores)
    settings = Training(lr=1.0, patience=patience, max_epochs=max_epochs)
    history = train(
        model,
        loss=model.loss,
        score=lambda: torch.tensor(next(script)),
        settings=settings,
    )
    return history, model


def test_keeps_the_first_best_epoch_and_its_weights() -> None:
    history, model = run([10, 50, 40, 50, 45, 44, 43, 99])
    assert (history.best_epoch, history.best_score, history.epochs) == (1, 50, 5)
    # Adam's first steps on a constant gradient are of length lr.
    assert model.weight.item() == pytest.approx(-2.0)


def test_patience_counts_from_the_best_epoch() -> None:
    history, _ = run([1, 2, 3, 3, 3, 3, 3, 3], patience=2)
    assert (history.best_epoch, history.epochs) == (2, 5)


def test_ends_at_the_last_epoch() -> None:
    history, model = run([1, 2, 3, 4], max_epochs=4)
    assert (history.best_epoch, history.epochs) == (3, 4)
    assert history.scores == [1, 2, 3, 4]
    assert len(history.losses) == 4
    assert not model.training


def test_an_interrupt_keeps_the_best_so_far() -> None:
    model = Counter()
    script = iter([5.0, 9.0, 7.0])

    def score() -> torch.Tensor:
        for value in script:
            return torch.tensor(value)
        raise KeyboardInterrupt

    history = train(model, loss=model.loss, score=score, settings=Training(lr=1.0))
    assert history.interrupted
    assert history.best_epoch == 1
    assert model.weight.item() == pytest.approx(-2.0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_is_said_with_its_epoch(bad: float) -> None:
    with pytest.raises(DivergedError, match=rf"validation score became {bad} in epoch 1"):
        run([1.0, bad])
    model = Counter()
    with pytest.raises(DivergedError, match=rf"loss became {bad} in epoch 0"):
        train(
            model,
            loss=lambda: model.weight + bad,
            score=lambda: torch.zeros(()),
            settings=Training(),
        )


def test_an_interrupt_before_the_first_epoch_leaves_the_model_as_it_was() -> None:
    model = Counter()

    def loss() -> torch.Tensor:
        raise KeyboardInterrupt

    history = train(model, loss=loss, score=lambda: torch.zeros(()), settings=Training())
    assert not model.training
    assert (history.epochs, history.best_epoch, history.interrupted) == (0, -1, True)
