"""Single nodes in a report: those on the map, and those that the model is unsure of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from goodie.report.account import Doubt, Points
from goodie.report.layout import layout

# What is drawn and listed, so that the page of any graph opens at once.
DRAWN, LISTED = 4_000, 300

# Longer names are cut: the page must stay small, whatever a table calls its rows.
LONGEST = 80

MAP_SIZE = 10_000


@dataclass(frozen=True, eq=False)
class Nodes:
    """What is said of every node.

    Attributes:
        ids: names.
        probability: of the classes.
        known: the class that the model was told; −1 where none.
        structure: structure's share; None where the method has none.
        observed: share of features observed.
        degree: neighbours.
    """

    ids: Sequence[object]
    probability: Float[np.ndarray, "nodes classes"]
    known: Int[np.ndarray, " nodes"]
    structure: Float[np.ndarray, " nodes"] | None
    observed: Float[np.ndarray, " nodes"]
    degree: Int[np.ndarray, " nodes"]

    def points(
        self, embedding: Float[np.ndarray, "nodes width"], *, random_state: int = 0
    ) -> Points:
        """A map of the nodes, or of 4,000 drawn from them."""
        n = len(self.degree)
        chosen = np.arange(n)
        if n > DRAWN:
            chosen = np.sort(np.random.default_rng(random_state).permutation(n)[:DRAWN])
        place, name = layout(embedding[chosen].astype(np.float64))
        low, spread = place.min(axis=0), np.ptp(place, axis=0).max()
        across, up = ((place - low) / (spread if spread > 0 else 1.0) * MAP_SIZE).round().T
        return Points(
            layout=name,
            ids=tuple(short(self.ids[int(i)]) for i in chosen),
            x=_integers(across),
            y=_integers(up),
            known=_integers(self.known[chosen]),
            predicted=_integers(self.probability[chosen].argmax(axis=1)),
            confidence=_thousandths(self.probability[chosen].max(axis=1)),
            structure=() if self.structure is None else _thousandths(self.structure[chosen]),
            observed=_thousandths(self.observed[chosen]),
            degree=_integers(self.degree[chosen]),
        )

    def doubts(
        self, among: Bool[np.ndarray, " nodes"], sets: Bool[np.ndarray, "nodes classes"] | None
    ) -> tuple[Doubt, ...]:
        """The nodes whose likeliest class is the least likely, up to 300.

        Args:
            among: which are looked at.
            sets: label sets.
        """
        nodes = np.flatnonzero(among)
        surest = self.probability[nodes].max(axis=1)
        return tuple(
            self._doubt(int(i), sets) for i in nodes[np.argsort(surest, kind="stable")[:LISTED]]
        )

    def _doubt(self, i: int, sets: Bool[np.ndarray, "nodes classes"] | None) -> Doubt:
        order = np.argsort(-self.probability[i], kind="stable")
        alone = len(order) == 1
        return Doubt(
            id=short(self.ids[i]),
            first=int(order[0]),
            first_probability=float(self.probability[i, order[0]]),
            second=None if alone else int(order[1]),
            second_probability=0.0 if alone else float(self.probability[i, order[1]]),
            set_size=None if sets is None else int(sets[i].sum()),
            structure=None if self.structure is None else float(self.structure[i]),
            observed=float(self.observed[i]),
            degree=int(self.degree[i]),
        )


def short(name: object) -> str:
    """A name as it is shown.

    Example:
        >>> short(7), len(short("x" * 1000))
        ('7', 80)
    """
    # What is no character by itself, as half a surrogate pair, could not be written.
    text = str(name).encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _integers(values: np.ndarray) -> tuple[int, ...]:
    return tuple(values.astype(np.int64).tolist())


def _thousandths(shares: Float[np.ndarray, " nodes"]) -> tuple[int, ...]:
    return _integers((1000 * shares.astype(np.float64)).round())
