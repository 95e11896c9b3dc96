"""Which of the paper's numbers rest on which function, and how many of them are reproduced."""

from collections.abc import Callable, Sequence

from goodie import paper
from goodie.study.paper.catalogue import THINGS
from goodie.study.paper.gather import gather
from goodie.study.paper.verdict import Comparison, mean_gain, node_classification
from goodie.study.store import Row


def _scaled(one: Comparison) -> bool:
    row = paper.hyperparameters(one.where.split()[0])
    return row is not None and bool(row["scaled"])


# Where in the paper, its function here, and whose numbers rest on it.
FUNCTIONS: tuple[tuple[str, str, Callable[[Comparison], bool]], ...] = (
    ("Table 3, LP", "goodie.propagate_labels", lambda one: one.who == "lp"),
    ("Table 3, FP", "goodie.propagate_features", lambda one: one.who == "fp"),
    ("Table 3, PaGNN", "goodie.methods.pagnn.PaGNN", lambda one: one.who == "pagnn"),
    ("Table 3, GCN-LPA", "goodie.methods.gcn_lpa.GCNLPA", lambda one: one.who == "gcn-lpa"),
    ("Table 3, C&S", "goodie.methods.cs.CorrectAndSmooth", lambda one: one.who == "cs"),
    (
        "Table 2, Eq. 9",
        "goodie.losses.contrastive.contrastive_loss",
        lambda one: one.who == "goodie faithful" and not _scaled(one),
    ),
    (
        "Table 2, Eq. 13",
        "goodie.losses.prototype.prototype_loss",
        lambda one: one.who == "goodie faithful" and _scaled(one),
    ),
    (
        "Table 2, by the default",
        "goodie.losses.objective.apart",
        lambda one: one.who == "goodie balanced",
    ),
)


def reproduced(rows: Sequence[Row]) -> str:
    """For each function how many printed numbers are reproduced, beaten and missed."""
    table2, table3 = (gather(THINGS[name].all_cells(), rows).rows for name in ("table2", "table3"))
    some = node_classification(table2, table3)
    lines = [
        "| in the paper | function | run | reproduced | above | below | mean difference |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for where, function, rests in FUNCTIONS:
        own = [one for one in some if rests(one)]
        counts = [
            sum(one.verdict == kind for one in own) for kind in ("reproduced", "above", "below")
        ]
        told = " | ".join(map(str, counts)) if own else "– | – | –"
        gain = mean_gain(own) if own else "–"
        lines.append(f"| {where} | `{function}` | {len(own)} | {told} | {gain} |")
    return "\n".join(lines)
