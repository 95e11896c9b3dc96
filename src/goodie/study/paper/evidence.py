"""What tables and figures are made of, and what comes out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

from goodie.study.paper.table import Table
from goodie.study.store import Row


@dataclass(frozen=True)
class Evidence:
    """What there is.

    Attributes:
        rows: one for each answer.
        folder: where what is no row lies: counted graphs, coordinates of embeddings.
    """

    rows: Sequence[Row]
    folder: Path


@dataclass(frozen=True)
class Made:
    """What a name of the paper stands for.

    Attributes:
        tables: ours beside the paper's.
        figures: by the name that their files get.
    """

    tables: Sequence[Table] = ()
    figures: dict[str, Figure] = field(default_factory=dict)
