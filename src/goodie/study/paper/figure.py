"""How every figure looks, and how it is written: one restrained style that grey does not spoil."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from goodie.appearing import appearing

# Vector first: what a paper takes, what a page shows in full, and what every reader shows.
ENDINGS = (".pdf", ".svg", ".png")

STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "hatch.linewidth": 0.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "goodie",  # else the same figure is another file each time
    "pdf.fonttype": 42,
    "savefig.dpi": 160,
    "figure.dpi": 100,
}


class Pen(NamedTuple):
    """A line that is told from the others by its colour, its marker or its dashes alone."""

    color: str
    marker: str
    dashes: Any

    def kwargs(self) -> dict[str, Any]:
        """As `Axes.plot` takes it."""
        return {"color": self.color, "marker": self.marker, "linestyle": self.dashes}


# The first is what the figure is about. Their lightness differs too.
PENS = (
    Pen("#000000", "o", "-"),
    Pen("#b2182b", "s", (0, (5, 1.5))),
    Pen("#2166ac", "^", (0, (1, 1))),
    Pen("#1b7837", "D", (0, (4, 1, 1, 1))),
    Pen("#e08214", "v", (0, (8, 2))),
    Pen("#8073ac", "X", (0, (3, 1, 1, 1, 1, 1))),
    Pen("#4d9db4", "P", (0, (2, 2))),
    Pen("#999999", "<", (0, (6, 1, 2, 1))),
)

# For bars: greys and hatches.
FILLS = (("0.25", ""), ("0.6", "////"), ("0.9", "...."))

PRINTED = "the paper's number"

# Where the paper has a number: a mark that no line has.
OF_PAPER: dict[str, Any] = {
    "marker": "*",
    "markersize": 8,
    "markerfacecolor": "white",
    "markeredgewidth": 0.9,
    "linestyle": "none",
    "zorder": 5,
}


@contextmanager
def styled() -> Iterator[None]:
    """The style, for as long as figures are made and written; nothing of it stays."""
    with matplotlib.rc_context(STYLE):
        yield


def panels(
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    width: float = 2.3,
    height: float = 1.9,
    sharey: bool | str = "col",
) -> tuple[Figure, list[list[Axes]]]:
    """A figure of panels with a title over each column and a name before each row.

    Args:
        rows: their names.
        columns: their titles.
        width: of a panel, in inches.
        height: the same.
        sharey: what `Figure.subplots` takes.
    """
    size = (width * len(columns) + 0.5, height * len(rows) + 0.25)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(rows), len(columns), sharey=sharey, squeeze=False)  # type: ignore[arg-type]
    for axis, title in zip(axes[0], columns, strict=True):
        axis.set_title(title)
    for line, name in zip(axes, rows, strict=True):
        line[0].set_ylabel(name)
    return figure, axes.tolist()


def legend(figure: Figure) -> None:
    """One legend above all panels, each name once, in room of its own."""
    named = _named(figure.axes)
    if not named:
        return
    width, height = figure.get_size_inches()
    columns = min(len(named), max(1, int(width / (0.65 + 0.06 * max(map(len, named))))))
    room = 0.12 + 0.16 * math.ceil(len(named) / columns)
    figure.set_size_inches(width, height + room)
    engine = figure.get_layout_engine()
    engine.set(rect=(0, 0, 1, height / (height + room)))  # type: ignore[union-attr,call-arg]
    figure.legend(
        named.values(),
        named.keys(),
        loc="upper center",
        ncols=columns,
        handlelength=3.2,
        columnspacing=1.4,
    )


def legend_below(column: Sequence[Axes]) -> None:
    """One legend below a column of panels."""
    named = _named(column)
    column[-1].legend(
        named.values(),
        named.keys(),
        loc="upper center",
        bbox_to_anchor=(0.5, -0.35),
        ncols=2,
        handlelength=3.0,
        columnspacing=1.0,
    )


def _named(axes: Iterable[Axes]) -> dict[str, Any]:
    """What a legend says, by name; the paper's marks at the end."""
    named: dict[str, Any] = {}
    for axis in axes:
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    if PRINTED in named:
        named[PRINTED] = named.pop(PRINTED)
    return named


def write(figure: Figure, path: Path, endings: Sequence[str] = ENDINGS) -> list[Path]:
    """Write a figure under `path` with each of the endings; the files' paths."""
    written = []
    for ending in endings:
        target = path.with_name(path.name + ending)
        stamp = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}.get(ending, {})
        with appearing(target) as temporary:
            figure.savefig(temporary, format=ending[1:], metadata=stamp)
        written.append(target)
    return written
