"""Links that a user's own graph lacks: a model of its edges, how good it is, and the likeliest."""

import warnings
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
import torch
from torch_geometric.data import Data

from goodie import config
from goodie.data.link_splits import split_links
from goodie.data.pairs import edge_pairs
from goodie.data.tables.encoding import MAX_CATEGORIES
from goodie.data.tables.graph import Problem, TableGraph
from goodie.data.tables.nodes import keys
from goodie.data.tables.sheet import counted, listed
from goodie.data.validate import validate
from goodie.errors import InputError
from goodie.estimators.goodie_link import GoodieLinkPredictor
from goodie.estimators.link import LinkPredictor
from goodie.estimators.link_base import GraphLinkPredictor
from goodie.evaluate import Ranking, ranking
from goodie.methods import links
from goodie.nn.decoder import pair_logits
from goodie.own_graph.judging import go_on, plain
from goodie.own_graph.link_model import LinkModel
from goodie.own_graph.link_rivals import rivals
from goodie.own_graph.reading import with_types
from goodie.recommend import best_pairs, best_partners

Say = Callable[[str], None]

# Share of the edges that judge; where that is fewer than so many, the larger share.
JUDGING, FEWEST_JUDGES, JUDGING_OF_FEW = 0.1, 20, 0.25

# Of fewer edges none can be spared.
FEWEST_EDGES = 20

PROBABILITY, SHARE = "probability", "structure_share"


def fit_links(
    graph: TableGraph,
    *,
    method: str = "goodie",
    settings: dict[str, Any] | None = None,
    refit: bool = True,
    max_categories: int = MAX_CATEGORIES,
    random_state: int = 0,
    device: str = "cpu",
    say: Say = lambda _: None,
) -> LinkModel:
    """Learn which nodes of a graph are joined, and find out how well that goes.

    A tenth of the edges judge: a model of the graph without them tells them from as many pairs that
    no edge joins, and so do the number of common neighbours and the product of degrees. Of the
    other edges it sets some aside to select by, so that those that judge had no part in it. Then,
    with `refit`, a model of the graph with all edges is fitted, and kept.

    Labels are optional, and an input. Columns are encoded by what all nodes show, as it is edges
    that are judged.

    Args:
        graph: two tables.
        method: by name, of those that predict links.
        settings: those of the method that are not to be its defaults.
        refit: whether the judging edges are learned from once they have judged.
        max_categories: a categorical column that shows more is left out.
        random_state: chooses the edges that judge; of initial weights and of pairs drawn too.
        device: `cpu` or `cuda`.
        say: is told what is going on.

    Returns:
        The model. Its facts hold `method`, `settings`, `sizes`, `parts` (how many pairs of nodes an
        edge joins, and how many of these judge), `refitted`, `judged` (area under the ROC curve and
        average precision, by method), `details` of the fit, `seconds` and `notes`.
    """
    begin = perf_counter()
    settings = settings or {}
    model = _predictor(method, settings, random_state, device)
    problem = graph.encode(max_categories=max_categories)
    _check(problem, method)
    data = validate(problem.data)
    joined = edge_pairs(data.edge_index, len(graph.nodes)).shape[1]
    if joined < FEWEST_EDGES:
        raise InputError(
            f"{counted(joined, 'pair')} of different nodes are joined in "
            f"{graph.edges.sheet.source}, and {FEWEST_EDGES} are the least: some are learned from, "
            "others select and judge"
        )
    share = JUDGING if JUDGING * joined >= FEWEST_JUDGES else JUDGING_OF_FEW
    split = split_links(data, val=0.0, test=share, random_state=random_state)
    say(f"fitting {method}")
    go_on(model.fit(split.data))
    embedding = torch.from_numpy(model.explain().embedding)
    judged = {method: ranking(*(pair_logits(embedding, pairs) for pairs in split.test))}
    say("counting neighbours beside it")
    judged |= rivals(split.data, split.test)
    if refit:
        say(f"fitting {method} again, with all edges")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they have been given once
            model = go_on(_predictor(method, settings, random_state, device).fit(data))
    labels = graph.nodes.labels
    facts = {
        "method": method,
        "settings": settings,
        "sizes": {
            "nodes": len(graph.nodes),
            "edges": len(graph.edges),
            "columns": len(problem.encoding.columns),
            "encoded_columns": problem.encoding.width,
            "labelled": 0 if labels is None else int((labels.y >= 0).sum()),
        },
        "parts": {"joined": joined, "judge": split.test.edges.shape[1]},
        "refitted": refit,
        "judged": {
            name: {"auc": one.auc / 100, "average_precision": one.ap / 100}
            for name, one in judged.items()
        },
        "details": plain(model.method_.details()),
        "tables": {"nodes": graph.nodes.sheet.source, "edges": graph.edges.sheet.source},
        "notes": [*graph.notes, *problem.notes, *_advice(method, judged)],
        "seconds": perf_counter() - begin,
    }
    classes = pl.Series("label", [], dtype=pl.String) if labels is None else labels.classes
    return LinkModel(problem.encoding, with_types(graph, problem), classes, facts, model)


def likeliest_links(
    model: LinkModel,
    graph: TableGraph,
    top: int,
    *,
    nodes: Sequence[object] | None = None,
    say: Say = lambda _: None,
) -> pl.DataFrame:
    """The likeliest links that a graph does not have, best first.

    Args:
        model: from `fit_links`.
        graph: fitted on, or another with the same columns; its edges and labels are an input.
        top: how many at most.
        nodes: ids; where given, at most so many of each of them, which then stands first.
        say: is told what is going on.

    Returns:
        A row for each link: both ids as they came, in columns called like those of the edges;
        `probability`, that they are joined, beside as many pairs of nodes that are not as pairs
        that are (of all pairs of a graph, where few are joined, far fewer are); and, if the method
        tells, the share of each end's answer that comes from structure.
    """
    source, target = graph.edges.names[:2]
    names = [source, target, PROBABILITY, f"{source}_{SHARE}", f"{target}_{SHARE}"]
    if len(set(names)) < len(names):
        raise InputError(
            f"columns {source!r} and {target!r} of the edges would share their names with what is "
            "written beside them: rename them"
        )
    asked = None if nodes is None else rows_of(graph, nodes)
    say("embedding the nodes")
    embedding, structure = model.predictor.explain(model.data(graph))
    z, edges = torch.from_numpy(embedding), graph.edges.edge_index
    if asked is None:
        say(f"looking at all {len(z) * (len(z) - 1) // 2:,} pairs")
        found = [best_pairs(z, edges, top)]
    else:
        found = [best_partners(z, edges, node, top) for node in asked]
    pairs = np.concatenate([one.pairs for one in found], axis=1)
    probability = np.concatenate([one.proba for one in found]).astype(np.float64)
    ids = graph.nodes.ids
    columns = [*(ids.gather(end) for end in pairs), pl.Series(probability)]
    if structure is not None:
        columns += [pl.Series(structure[end].astype(np.float64)) for end in pairs]
    return pl.DataFrame([one.alias(name) for one, name in zip(columns, names, strict=False)])


def _predictor(
    method: str, settings: dict[str, Any], random_state: int, device: str
) -> GraphLinkPredictor:
    """An estimator by the name of its method."""
    config.build(links.get(method).Settings, settings)  # says what is wrong with them
    if method == "goodie":
        return GoodieLinkPredictor(**settings, random_state=random_state, device=device)
    return LinkPredictor(method=method, settings=settings, random_state=random_state, device=device)


def _check(problem: Problem, method: str) -> None:
    """That there is something to tell nodes apart by."""
    data: Data = problem.data
    labelled = data.get("y") is not None and bool((data.y >= 0).any())
    if problem.encoding.width or (labelled and "labels" in links.get(method).uses):
        return
    raise InputError(
        f"there are no features in {problem.graph.nodes.sheet.source} that {method} could tell "
        "links by"
        + ("" if labelled else ", and no labels: --label COLUMN names some, if there are any")
    )


def rows_of(graph: TableGraph, nodes: Sequence[object]) -> list[int]:
    """The rows of the nodes with some ids, each once; an id that is not there is refused."""
    place = {key: row for row, key in enumerate(keys(graph.nodes.ids).to_list())}
    lacking = [repr(one) for one in nodes if str(one) not in place]
    if lacking:
        ids = graph.nodes.ids
        known = listed([repr(str(one)) for one in ids.head(3).to_list()])
        raise InputError(
            f"there is no node {listed(lacking, 5)} in {graph.nodes.sheet.source}; ids in column "
            f"{ids.name!r} are such as {known}"
        )
    return list(dict.fromkeys(place[str(one)] for one in nodes))


def _advice(method: str, judged: dict[str, Ranking]) -> list[str]:
    """What a user should know who would look at the model's figures alone."""
    best = max(judged, key=lambda name: judged[name].auc)
    if judged[best].auc > judged[method].auc:
        return [
            f"ranking by {best} tells the judging pairs apart better ({judged[best].auc:.1f} % of "
            f"the area) than {method} ({judged[method].auc:.1f} %): the simpler way may do"
        ]
    return []
