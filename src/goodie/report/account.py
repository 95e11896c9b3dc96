"""What a report shows, as plain numbers and words: everything on the page is in here."""

from dataclasses import dataclass
from typing import Literal

from goodie.evaluate import wilson

# Raised when what is stored changes.
FORMAT = 1

JudgedOn = Literal["test", "judges", "calibration", "selection"]


@dataclass(frozen=True)
class Interval:
    """A share, and where it may well lie: Wilson's interval at 95 %.

    Attributes:
        share: between 0 and 1.
        low: of the interval.
        high: of the interval.
        nodes: that it was counted on.
    """

    share: float
    low: float
    high: float
    nodes: int

    @classmethod
    def of(cls, right: int, nodes: int) -> "Interval":
        """Of a count.

        Example:
            >>> Interval.of(8, 10).share
            0.8
        """
        low, high = wilson(right, nodes)
        return cls(right / nodes if nodes else 0.0, low, high, nodes)


@dataclass(frozen=True)
class Graph:
    """Sizes.

    Attributes:
        nodes: how many.
        edges: pairs of different nodes that are joined, in whichever direction.
        features: columns.
        components: connected ones.
        largest: nodes of the largest of them.
        isolated: nodes without a neighbour.
        mean_degree: neighbours of a node, on average.
    """

    nodes: int
    edges: int
    features: int
    components: int
    largest: int
    isolated: int
    mean_degree: float


@dataclass(frozen=True)
class Parts:
    """What nodes were used for; `other` are those whose label is not known, or was not used."""

    train: int
    select: int
    calibrate: int
    other: int


@dataclass(frozen=True)
class Count:
    """A bar of a histogram."""

    label: str
    nodes: int


@dataclass(frozen=True)
class Column:
    """A feature column and the share of nodes that it is observed for."""

    name: str
    observed: float


@dataclass(frozen=True)
class Holes:
    """What is missing of the features.

    Attributes:
        missing: share of all entries.
        bare: nodes of which no feature is observed.
        by_node: nodes by the share of their features that is observed.
        columns: those with the most holes first, a few hundred at most.
    """

    missing: float
    bare: int
    by_node: tuple[Count, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Rival:
    """How often something else is right on the same nodes."""

    name: str
    accuracy: Interval


@dataclass(frozen=True)
class ClassRow:
    """A class.

    Attributes:
        name: of the class.
        known: training nodes that have it.
        predicted: nodes that are thought to have it, of all.
        judged: judged nodes that have it.
        precision: of the judged nodes thought to have it, the share that has; None: there is none.
        recall: of those that have it, the share that is thought to; likewise.
        f1: their harmonic mean; likewise.
    """

    name: str
    known: int
    predicted: int
    judged: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Confusion:
    """Judged nodes by their label (rows) and by what is predicted (columns).

    Attributes:
        names: of the classes shown, which are the most frequent ones; the last may be all others.
        counts: a row a label.
    """

    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Bin:
    """Of a reliability diagram; see `goodie.calibrate.reliability`."""

    lower: float
    upper: float
    nodes: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Odds:
    """How far probabilities can be believed.

    Attributes:
        error: expected calibration error.
        loss: mean negative log-likelihood.
        bins: 15 of equal width.
    """

    error: float
    loss: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Sets:
    """Label sets on the judged nodes.

    Attributes:
        alpha: how often they may miss.
        coverage: how often they hold the label.
        size: classes in a set, on average.
        empty: share of sets without a class.
    """

    alpha: float
    coverage: Interval
    size: float
    empty: float


@dataclass(frozen=True)
class Verdict:
    """How good the answers are.

    Attributes:
        on: what was judged on. `test` nodes; or `judges`, test nodes of a model that was then
            fitted again, on them too, and that is shown here; or `calibration` nodes, which neither
            trained nor selected, and of which temperature and sets are judged in turns, each part
            by what the others say; or, for want of these, `selection` nodes, which flatters.
        accuracy: of the likeliest class.
        rivals: beside it.
        classes: one row each.
        confusion: of the judged nodes.
        temperature: of the model.
        before: its probabilities as the method gives them.
        after: at the temperature.
        sets: for a few levels; none where there is nothing to calibrate by.
    """

    on: JudgedOn
    accuracy: Interval
    rivals: tuple[Rival, ...]
    classes: tuple[ClassRow, ...]
    confusion: Confusion
    temperature: float
    before: Odds
    after: Odds
    sets: tuple[Sets, ...]


@dataclass(frozen=True)
class Group:
    """Structure's share among some nodes: mean and quartiles."""

    label: str
    nodes: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Shares:
    """How much of the answers came from structure; the rest came from features."""

    mean: float
    by_degree: tuple[Group, ...]
    by_observed: tuple[Group, ...]


@dataclass(frozen=True)
class Points:
    """Nodes on a map, as columns of the same length.

    Attributes:
        layout: how the map was made.
        ids: names of the nodes.
        x: from 0 to 10,000.
        y: likewise.
        known: the class that the model was told, −1 where none.
        predicted: the likeliest class.
        confidence: its probability, in thousandths.
        structure: structure's share, in thousandths; empty where the method has none.
        observed: share of features observed, in thousandths.
        degree: neighbours.
    """

    layout: str
    ids: tuple[str, ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    known: tuple[int, ...]
    predicted: tuple[int, ...]
    confidence: tuple[int, ...]
    structure: tuple[int, ...]
    observed: tuple[int, ...]
    degree: tuple[int, ...]


@dataclass(frozen=True)
class Doubt:
    """A node that the model is unsure of.

    Attributes:
        id: its name.
        first: the likeliest class.
        first_probability: of it.
        second: the next; None where there is one class alone.
        second_probability: of it.
        set_size: classes in its 90 % set; None where there is nothing to calibrate by.
        structure: structure's share; None where the method has none.
        observed: share of its features that is observed.
        degree: its neighbours.
    """

    id: str
    first: int
    first_probability: float
    second: int | None
    second_probability: float
    set_size: int | None
    structure: float | None
    observed: float
    degree: int


@dataclass(frozen=True)
class Account:
    """All that a report shows.

    Attributes:
        title: of the page.
        method: by name.
        voice: who answers, where the method has several.
        version: of this package.
        classes: names, in the order of the probabilities' columns.
        graph: its sizes.
        parts: what nodes were used for.
        holes: in the features.
        verdict: how good the answers are; None where nothing can be judged.
        shares: of structure; None where the method has none.
        points: the map.
        doubts: the nodes it is least sure of, of those that are not training nodes and are reached.
        abstaining: how many nodes nothing reaches.
        abstainers: some of them.
    """

    title: str
    method: str
    voice: str | None
    version: str
    classes: tuple[str, ...]
    graph: Graph
    parts: Parts
    holes: Holes
    verdict: Verdict | None
    shares: Shares | None
    points: Points
    doubts: tuple[Doubt, ...]
    abstaining: int
    abstainers: tuple[str, ...]
