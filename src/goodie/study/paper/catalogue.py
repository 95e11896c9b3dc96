"""The tables and figures of the paper by name, and what each is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from goodie.errors import InputError
from goodie.study import spec
from goodie.study.cell import Cell
from goodie.study.paper import (
    ablations,
    attention,
    rates,
    scaled,
    table1,
    table2,
    table3,
    table4,
    table5,
    tsne,
    weight,
)
from goodie.study.paper.evidence import Evidence, Made

# Cells on graphs that not everyone has: rows of them are shown, but they are run by themselves.
ELSEWHERE = "elsewhere"


@dataclass(frozen=True)
class Extra:
    """What is made of no row, and is kept in a folder of its own.

    Attributes:
        lacking: what is not in the folder.
        prepare: puts it there, on a device, saying what it is at.
    """

    lacking: Callable[[Path], list[str]]
    prepare: Callable[[Path, str, Callable[[str], None]], None]


@dataclass(frozen=True)
class Thing:
    """A table or figure.

    Attributes:
        name: what `goodie paper` takes.
        about: what it shows.
        make: makes it.
        studies: those whose rows it is made of; they run what is missing.
        elsewhere: whether rows on graphs that not everyone has belong to it.
        extra: what it needs beside rows.
        caption: how its figures are to be read.
        notes: what is odd about the paper's figures there.
    """

    name: str
    about: str
    make: Callable[[Evidence], Made]
    studies: tuple[str, ...] = ()
    elsewhere: bool = False
    extra: Extra | None = None
    caption: str = ""
    notes: tuple[str, ...] = ()

    def cells(self) -> list[Cell]:
        """What it runs."""
        return _cells(self.studies)

    def all_cells(self) -> list[Cell]:
        """What it shows, on whatever graph."""
        return _cells((*self.studies, ELSEWHERE) if self.elsewhere else self.studies)


_RATES = "Means over seeds; bands are one deviation to either side."
_CITESEER = "CiteSeer has 620 test nodes: one node is 0.16 points."
_ARXIV = (
    "The paper's 1,166,243 edges of Arxiv are directed; undirected, as every method here takes "
    "them, there are 1,157,799."
)
_CS = (
    "On CS at 99.99 % missing the paper's GOODIE (76.38) is below its label propagation (76.54) "
    "and below itself at 100 % (78.77): attention does not make label propagation a lower bound."
)
_COPIED = "The paper's C&S rows of WikiCS and CS are the same in every digit: a slip."
_AVERAGE = "The paper's average of PaGNN is 38.78; the mean of its seven figures is 37.78."

THINGS: dict[str, Thing] = {
    thing.name: thing
    for thing in (
        Thing(
            "table1",
            "How large the graphs are.",
            table1.make,
            extra=Extra(table1.lacking, lambda folder, _, say: table1.prepare(folder, say)),
            notes=(_ARXIV,),
        ),
        Thing(
            "table2",
            "GOODIE at four missing rates, with its drops against full features.",
            table2.make,
            ("table2",),
            elsewhere=True,
            notes=(_CS, _CITESEER),
        ),
        Thing(
            "table3",
            "Methods at 99.99 % missing.",
            table3.make,
            ("table3",),
            elsewhere=True,
            notes=(_COPIED, _CS, _CITESEER, _AVERAGE),
        ),
        Thing(
            "table4",
            "Link prediction at 99.99 % missing.",
            table4.make,
            ("table4",),
            notes=("The paper's 0.44 for GCN on PubMed is worse than guessing.",),
        ),
        Thing(
            "table5",
            "Settings of GOODIE, and the λ that validation chooses here.",
            table5.make,
            ("fig-lambda",),
        ),
        Thing(
            "fig1",
            "Networks on features against embeddings of the structure and a hybrid of both.",
            rates.figure1,
            ("fig1",),
            caption=_RATES + " The paper does not say which graph its figure shows.",
        ),
        Thing(
            "fig-rates",
            "Accuracy by observed rate for every method, both missing patterns.",
            rates.every_method,
            ("fig-rates",),
            caption=_RATES
            + " Stars are the paper's Tables 2 and 3, in the colour of their method.",
            notes=(_CS, _CITESEER),
        ),
        Thing(
            "fig-fusion",
            "Attention and what could stand in its place, without the contrast.",
            ablations.fusion,
            ("fig-fusion",),
            caption=_RATES + " First the paper's model without its contrast, then the default.",
        ),
        Thing(
            "fig-attention",
            "How much comes from structure and how much from features, by observed rate.",
            attention.make,
            ("fig-attention",),
            caption="Means over nodes and seeds; bands are one deviation over the nodes, as a mean "
            "over seeds. In the default, where one branch alone answers, its share is one.",
        ),
        Thing(
            "fig-contrast",
            "PseudoCon and what could stand in its place.",
            ablations.contrast,
            ("fig-contrast",),
            caption=_RATES + " λ is the paper's.",
        ),
        Thing(
            "fig-tsne",
            "Embeddings with and without PseudoCon, with none and with all of the features.",
            tsne.make,
            extra=Extra(tsne.lacking, tsne.prepare),
            caption="One seed of the paper's model; markers are the true classes, up to 4,000 "
            "nodes a panel. The silhouette is of the embeddings, not of the picture.",
        ),
        Thing(
            "fig-lambda",
            "How much λ matters, by missing rate.",
            weight.make,
            ("fig-lambda",),
            caption="The paper's model; means over three seeds.",
        ),
        Thing(
            "fig-scaled",
            "The contrast of all pairs, of classes, and of pairs in a sample.",
            scaled.make,
            ("fig-scaled",),
            caption="The paper's model and λ; bars are means over three seeds, lines one "
            "deviation to either side. A sample is 512 nodes on Cora and CiteSeer, else 4,096.",
        ),
    )
}


def find(name: str) -> Thing:
    """The thing of that name."""
    if name not in THINGS:
        raise InputError(f"there is no {name!r} in the paper; there are {', '.join(THINGS)}")
    return THINGS[name]


def _cells(studies: tuple[str, ...]) -> list[Cell]:
    return [cell for study in studies for cell in spec.find(study).cells]
