"""From a fitted model and its graph to what a report shows."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Int
from scipy.sparse import csgraph
from sklearn.utils.validation import check_is_fitted
from torch_geometric.data import Data

from goodie import __version__
from goodie.data.validate import validate
from goodie.errors import InputError
from goodie.estimators.base import GraphClassifier
from goodie.estimators.goodie import GoodieClassifier
from goodie.graph import adjacency
from goodie.report import verdict as verdicts
from goodie.report.account import Account, Graph, JudgedOn, Parts, Verdict
from goodie.report.holes import holes, seen
from goodie.report.nodes import LISTED, Nodes, short
from goodie.report.shares import shares

MAJORITY = "the most frequent class"


def account(
    model: GraphClassifier,
    data: Data,
    *,
    ids: Sequence[object] | None = None,
    class_names: Sequence[str] | None = None,
    column_names: Sequence[str] | None = None,
    verdict: Verdict | None = None,
    title: str = "What the graph says",
) -> Account:
    """All that a report shows of a model and the graph that it was fitted on.

    Args:
        model: fitted.
        data: the graph that it was fitted on, with the labels to judge it by; see `judge`.
        ids: names of the nodes; their numbers if None.
        class_names: names of `model.classes_`; these themselves if None.
        column_names: names of the features. Those of one name encode one column of a table, as the
            categories of a one-hot encoding do: they have their holes together and count as one.
        verdict: how good the model is, if another call of `judge` has found it.
        title: of the page.

    Example:
        >>> import goodie
        >>> from goodie.report import account
        >>> data = goodie.synthetic(80, 2, random_state=0)
        >>> data = goodie.splits.stratified(data.y, train=0.2, val=0.3).apply(data)
        >>> found = account(goodie.NodeClassifier(method="lp").fit(data), data)
        >>> found.graph.nodes, found.verdict.on, found.parts.calibrate
        (80, 'test', 24)
    """
    check_is_fitted(model, "method_")
    if not model.knows(data):
        raise InputError("the graph is not the one that the model was fitted on")
    data = validate(data)
    n, width = int(data.num_nodes), int(data.x.shape[1])
    for what, given, size in (
        ("ids", ids, n),
        ("class_names", class_names, len(model.classes_)),
        ("column_names", column_names, width),
    ):
        if given is not None and len(given) != size:
            raise InputError(f"{what} holds {len(given)} names, expected {size}")
    classes = _names(model, class_names)
    places = None if column_names is None else _first_of_each(column_names)
    columns = (
        None if column_names is None else [short(name) for name in dict.fromkeys(column_names)]
    )

    goodies = model if isinstance(model, GoodieClassifier) else None
    structure = None if goodies is None else goodies.attention(data)[:, 0]
    shown = seen(data, places)
    graph, degree = _sizes(data, len(shown.columns))
    abstains = model.abstains(data)
    probability = model.predict_proba(data)
    nodes = Nodes(
        range(n) if ids is None else ids,
        probability,
        np.where(model.train_mask_, _positions(model.classes_, data.y.numpy()), -1),
        structure,
        shown.nodes,
        degree,
    )
    embedding = np.log(probability + 1e-6) if goodies is None else goodies.embed(data)
    sets = model.predict_set(data) if model.calibration_mask_.any() else None
    return Account(
        title=short(title),
        method=model.method_.name,
        voice=None if goodies is None else goodies.voice_,
        version=__version__,
        classes=classes,
        graph=graph,
        parts=_parts(model),
        holes=holes(shown, columns),
        verdict=verdict or judge(model, data, class_names=class_names),
        shares=None if structure is None else shares(structure, degree, shown.nodes),
        points=nodes.points(embedding),
        doubts=nodes.doubts(~model.train_mask_ & ~abstains, sets),
        abstaining=int(abstains.sum()),
        abstainers=tuple(short(nodes.ids[int(i)]) for i in np.flatnonzero(abstains)[:LISTED]),
    )


def judge(
    model: GraphClassifier,
    data: Data,
    *,
    class_names: Sequence[str] | None = None,
    rivals: Mapping[str, tuple[int, int]] | None = None,
    learned_since: bool = False,
) -> Verdict | None:
    """How good a model's answers are; None where no label can tell.

    Judged are the nodes of `GraphClassifier.to_judge`. Where there are none, those are that
    calibrated, as they neither trained nor selected: each part of them by a temperature and by sets
    that the others gave. Where there are none of these either, the nodes that selected.

    Args:
        model: fitted.
        data: the graph that it was fitted on; the labels of judged nodes are read here alone.
        class_names: as for `account`.
        rivals: how many nodes others get right, and of how many, by their name, such as label
            propagation; the most frequent class is always there.
        learned_since: the model that a report shows was fitted again, on the judged nodes too.
    """
    test = model.to_judge(data).numpy()
    y = _positions(model.classes_, data.y.numpy())
    candidates: tuple[tuple[JudgedOn, np.ndarray], ...] = (
        ("judges" if learned_since else "test", test),
        ("calibration", model.calibration_mask_),
        ("selection", model.val_mask_ & (data.y.numpy() >= 0)),
    )
    found = [(on, judged) for on, judged in candidates if judged.any()]
    if not found:
        return None
    on, judged = found[0]
    probability = model.predict_proba(data)
    raw = model.predict_proba(data, calibrated=False)[judged]
    if on == "calibration":
        tempered, sets = verdicts.in_turns(raw, y[judged], model.abstains(data)[judged])
    else:
        tempered = probability[judged]
        alphas = verdicts.ALPHAS if model.calibration_mask_.any() else ()
        sets = {alpha: model.predict_set(data, alpha)[judged] for alpha in alphas}
    # Training nodes are often as many of each class, so those that select count too.
    labelled = y[model.train_mask_ | model.val_mask_]
    frequent = np.bincount(labelled[labelled >= 0]).argmax()
    majority = int((y[judged] == frequent).sum()), int(judged.sum())
    names = _names(model, class_names)
    return verdicts.verdict(
        on,
        raw=raw,
        tempered=tempered,
        sets=sets,
        y=y[judged],
        temperature=model.temperature_,
        names=names,
        known=np.bincount(y[model.train_mask_], minlength=len(names)),
        predicted=np.bincount(probability.argmax(axis=1), minlength=len(names)),
        rivals={MAJORITY: majority, **(rivals or {})},
    )


def _names(model: GraphClassifier, given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(short(name) for name in (model.classes_.tolist() if given is None else given))


def _parts(model: GraphClassifier) -> Parts:
    train, select, calibrate = (
        int(mask.sum()) for mask in (model.train_mask_, model.val_mask_, model.calibration_mask_)
    )
    return Parts(train, select, calibrate, len(model.train_mask_) - train - select - calibrate)


def _first_of_each(names: Sequence[str]) -> Int[np.ndarray, " columns"]:
    """Where each name stands first."""
    place: dict[str, int] = {}
    for at, name in enumerate(names):
        place.setdefault(name, at)
    return np.array(list(place.values()), dtype=np.int64)


def _sizes(data: Data, columns: int) -> tuple[Graph, Int[np.ndarray, " nodes"]]:
    """The graph's sizes, and the neighbours of every node, itself not counted."""
    A = adjacency(data, self_loops=False, undirected=True)
    degree = np.diff(A.indptr).astype(np.int64) - (A.diagonal() != 0)
    number, component = csgraph.connected_components(A, directed=False)
    sizes = Graph(
        nodes=A.shape[0],
        edges=int(degree.sum()) // 2,
        features=columns,
        components=int(number),
        largest=int(np.bincount(component).max()),
        isolated=int((degree == 0).sum()),
        mean_degree=float(degree.mean()),
    )
    return sizes, degree


def _positions(
    classes: Int[np.ndarray, " classes"], y: Int[np.ndarray, " nodes"]
) -> Int[np.ndarray, " nodes"]:
    """Labels as positions in `classes`; −1 for those that are not in it."""
    place = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    return np.where(classes[place] == y, place, -1)
