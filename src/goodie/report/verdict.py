"""How good the answers are, on nodes that had no part in finding them."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from goodie.calibrate import Calibration
from goodie.calibrate.conformal import coverage
from goodie.calibrate.reliability import reliability
from goodie.calibrate.temperature import negative_log_likelihood
from goodie.evaluate import confusion
from goodie.report.account import (
    Bin,
    ClassRow,
    Confusion,
    Interval,
    JudgedOn,
    Odds,
    Rival,
    Sets,
    Verdict,
)

ALPHAS = (0.05, 0.1, 0.2)

# Classes in the confusion matrix; the others, the least frequent, are taken together.
SHOWN = 24

# Parts in which calibration nodes judge what the others found.
TURNS = 5


def verdict(
    on: JudgedOn,
    *,
    raw: Float[np.ndarray, "judged classes"],
    tempered: Float[np.ndarray, "judged classes"],
    sets: Mapping[float, Bool[np.ndarray, "judged classes"]],
    y: Int[np.ndarray, " judged"],
    temperature: float,
    names: Sequence[str],
    known: Int[np.ndarray, " classes"],
    predicted: Int[np.ndarray, " classes"],
    rivals: Mapping[str, tuple[int, int]],
) -> Verdict:
    """The account of how good the answers are.

    Args:
        on: what kind of nodes are judged.
        raw: their probabilities as the method gives them.
        tempered: at the temperature.
        sets: their label sets, by α.
        y: their labels; −1 is a class that the model does not know.
        temperature: of the model.
        names: of the classes.
        known: training nodes of each.
        predicted: nodes taken for each, of all.
        rivals: how many nodes something else gets right, and of how many, by its name.
    """
    guess = tempered.argmax(axis=1)
    counts = confusion(guess, y, len(names))
    inside = y >= 0
    return Verdict(
        on=on,
        accuracy=_interval(guess == y),
        rivals=tuple(Rival(name, Interval.of(*counted)) for name, counted in rivals.items()),
        classes=tuple(_classes(counts, names, known, predicted)),
        confusion=_shown(counts, names),
        temperature=temperature,
        before=_odds(raw[inside], y[inside]),
        after=_odds(tempered[inside], y[inside]),
        sets=tuple(_sets(alpha, chosen[inside], y[inside]) for alpha, chosen in sets.items()),
    )


def in_turns(
    raw: Float[np.ndarray, "calibrating classes"],
    y: Int[np.ndarray, " calibrating"],
    abstains: Bool[np.ndarray, " calibrating"],
) -> tuple[
    Float[np.ndarray, "calibrating classes"], dict[float, Bool[np.ndarray, "calibrating classes"]]
]:
    """Tempered probabilities and sets of calibration nodes, a part by what the others say.

    Args:
        raw: probabilities as the method gives them.
        y: labels.
        abstains: nodes that calibrate nothing, and whose sets hold every class.
    """
    tempered = raw.copy()
    sets = {alpha: np.ones(raw.shape, dtype=bool) for alpha in ALPHAS}
    part = np.random.default_rng(0).permutation(len(y)) % TURNS
    for turn in range(TURNS):
        judged, others = part == turn, (part != turn) & ~abstains
        calibration = Calibration.fit(raw[others], y[others])
        tempered[judged] = calibration.probability(raw[judged])
        for alpha, chosen in sets.items():
            chosen[judged] = calibration.sets(raw[judged], alpha=alpha, abstains=abstains[judged])
    return tempered, sets


def _classes(
    counts: Int[np.ndarray, "classes classes"],
    names: Sequence[str],
    known: Int[np.ndarray, " classes"],
    predicted: Int[np.ndarray, " classes"],
) -> list[ClassRow]:
    hits, judged, taken = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    return [
        ClassRow(
            name,
            known=int(known[i]),
            predicted=int(predicted[i]),
            judged=int(judged[i]),
            precision=_ratio(int(hits[i]), int(taken[i])),
            recall=_ratio(int(hits[i]), int(judged[i])),
            f1=_ratio(2 * int(hits[i]), int(taken[i] + judged[i])),
        )
        for i, name in enumerate(names)
    ]


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _shown(counts: Int[np.ndarray, "classes classes"], names: Sequence[str]) -> Confusion:
    """The counts of the most frequent classes, and of the others as one."""
    if len(names) <= SHOWN:
        return Confusion(tuple(names), tuple(tuple(map(int, row)) for row in counts))
    often = np.sort(np.argsort(-(counts.sum(axis=0) + counts.sum(axis=1)), kind="stable")[:SHOWN])
    place = np.full(len(names), SHOWN)
    place[often] = np.arange(SHOWN)
    merged = np.zeros((SHOWN + 1, SHOWN + 1), dtype=np.int64)
    np.add.at(merged, (place[:, None], place[None]), counts)
    rest = f"{len(names) - SHOWN} others"
    return Confusion(
        (*(names[i] for i in often), rest), tuple(tuple(map(int, row)) for row in merged)
    )


def _odds(probability: Float[np.ndarray, "judged classes"], y: Int[np.ndarray, " judged"]) -> Odds:
    if len(y) == 0:
        return Odds(0.0, 0.0, ())
    done = reliability(probability, y)
    bins = tuple(Bin(*one) for one in done.bins)
    return Odds(done.error, negative_log_likelihood(probability, y), bins)


def _sets(
    alpha: float, sets: Bool[np.ndarray, "judged classes"], y: Int[np.ndarray, " judged"]
) -> Sets:
    held = sets[np.arange(len(y)), y]
    size = coverage(sets, y)[1] if len(y) else 0.0
    empty = float((~sets.any(axis=1)).mean()) if len(y) else 0.0
    return Sets(alpha, _interval(held), size, empty)


def _interval(right: Bool[np.ndarray, " judged"]) -> Interval:
    return Interval.of(int(right.sum()), len(right))
