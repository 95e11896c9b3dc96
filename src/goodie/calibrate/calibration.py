"""What is learned from calibration nodes: a temperature, and how odd true labels look."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from goodie.calibrate.conformal import label_sets, strangeness, threshold
from goodie.calibrate.temperature import fit_temperature, tempered


@dataclass(frozen=True, eq=False)
class Calibration:
    """A model's probabilities, put right.

    Sets are made from the probabilities as the model gives them, not from tempered ones: the
    temperature is learned from the same nodes, and the promise of the sets is for scores that are
    not.

    Attributes:
        temperature: see `fit_temperature`.
        strange: of every calibration node, how odd its own label is.
    """

    temperature: float
    strange: Float[np.ndarray, " calibrating"]

    @classmethod
    def fit(
        cls,
        probability: Float[np.ndarray, "calibrating classes"],
        y: Int[np.ndarray, " calibrating"],
    ) -> "Calibration":
        """Learn from nodes that neither trained nor selected.

        Args:
            probability: as the model gives them.
            y: the column of each node's label.

        Example:
            >>> done = Calibration.fit(np.full((9, 2), [0.8, 0.2]), np.zeros(9, dtype=int))
            >>> done.sets(np.array([[0.9, 0.1], [0.5, 0.5]]), alpha=0.1).tolist()
            [[True, False], [False, False]]
        """
        own = strangeness(probability)[np.arange(len(y)), y]
        return cls(fit_temperature(probability, y), own)

    def probability(
        self, probability: Float[np.ndarray, "nodes classes"]
    ) -> Float[np.ndarray, "nodes classes"]:
        """The model's probabilities at the temperature that fits."""
        return tempered(probability, self.temperature)

    def sets(
        self,
        probability: Float[np.ndarray, "nodes classes"],
        *,
        alpha: float,
        abstains: Bool[np.ndarray, " nodes"] | None = None,
        empty: bool = True,
    ) -> Bool[np.ndarray, "nodes classes"]:
        """Label sets; those of abstaining nodes hold every label.

        Args:
            probability: as the model gives them.
            alpha: how often a set may miss its label.
            abstains: nodes of which the model knows nothing.
            empty: as for `label_sets`.
        """
        limit = threshold(self.strange, alpha)
        chosen = label_sets(strangeness(probability), limit, empty=empty)
        return chosen if abstains is None else chosen | abstains[:, None]
