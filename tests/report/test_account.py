"""What a report says, counted again by other means."""

from copy import copy

import numpy as np
import pytest
import torch
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support
from torch_geometric.data import Data
from torch_geometric.utils import degree, to_networkx

from goodie import GoodieClassifier, NodeClassifier, missing, splits, synthetic
from goodie.calibrate import reliability
from goodie.data.observed import to_sparse
from goodie.errors import InputError
from goodie.report import Account, account, judge
from goodie.report.holes import seen


@pytest.fixture(scope="module")
def page(model: GoodieClassifier, holed: Data) -> Account:
    return account(model, holed, class_names=["red", "green", "blue"])


def test_sizes_are_the_graphs(page: Account, holed: Data) -> None:
    import networkx as nx

    graph = to_networkx(holed, to_undirected=True)
    graph.remove_edges_from(nx.selfloop_edges(graph))
    sizes = [len(one) for one in nx.connected_components(graph)]
    said = page.graph
    assert (said.nodes, said.edges, said.features) == (400, graph.number_of_edges(), 16)
    assert (said.components, said.largest) == (len(sizes), max(sizes))
    assert said.isolated == sum(d == 0 for _, d in graph.degree)
    assert said.mean_degree == pytest.approx(2 * graph.number_of_edges() / 400)


def test_parts_are_the_models(page: Account, model: GoodieClassifier, holed: Data) -> None:
    parts = page.parts
    assert parts.train == holed.train_mask.sum()
    assert parts.select + parts.calibrate == holed.val_mask.sum()
    assert parts.calibrate == model.calibration_mask_.sum()
    assert parts.train + parts.select + parts.calibrate + parts.other == 400


def test_holes_are_counted(page: Account, holed: Data) -> None:
    seen = (~holed.x.isnan()).double()
    assert page.holes.missing == pytest.approx(1 - float(seen.mean()))
    assert page.holes.bare == int((seen.sum(dim=1) == 0).sum())
    assert sum(bar.nodes for bar in page.holes.by_node) == 400
    tenth = (seen.mean(dim=1) > 0.4) & (seen.mean(dim=1) < 0.5)
    assert {b.label: b.nodes for b in page.holes.by_node}["40–50 %"] == int(tenth.sum())
    shares = [column.observed for column in page.holes.columns]
    assert shares == sorted(shares)
    np.testing.assert_allclose(sorted(seen.mean(dim=0)), shares)


@pytest.mark.parametrize("pattern", ["uniform", "structural"])
def test_holes_of_sparse_features_are_those_of_dense_ones(pattern: str) -> None:
    dense = missing.hide(synthetic(50, 2, num_features=6, random_state=0), pattern, 0.4)
    for data in (dense, to_sparse(dense)):
        told = seen(data)
        known = (~dense.x.isnan()).double()
        np.testing.assert_allclose(told.nodes, known.mean(dim=1))
        np.testing.assert_allclose(told.columns, known.mean(dim=0))


def test_the_verdict_is_scikit_learns(page: Account, model: GoodieClassifier, holed: Data) -> None:
    judged = holed.test_mask.numpy()
    y, guess = holed.y.numpy()[judged], model.predict()[judged]
    said = page.verdict
    assert said is not None
    assert said.on == "test"
    assert said.accuracy.share == pytest.approx(accuracy_score(y, guess))
    wilson = binomtest(int((y == guess).sum()), len(y)).proportion_ci(method="wilson")
    assert said.accuracy.low == pytest.approx(wilson.low)
    assert said.accuracy.high == pytest.approx(wilson.high)
    assert said.confusion.counts == tuple(map(tuple, confusion_matrix(y, guess).tolist()))
    precision, recall, f1, support = precision_recall_fscore_support(y, guess)
    for row, *expected in zip(said.classes, precision, recall, f1, support, strict=True):
        assert (row.precision, row.recall, row.f1, row.judged) == pytest.approx(tuple(expected))
    assert [row.name for row in said.classes] == ["red", "green", "blue"]
    assert said.before.error == reliability(model.method_.proba_.numpy()[judged], y).error
    assert said.after.error == reliability(model.proba_[judged], y).error
    for one in said.sets:
        sets = model.predict_set(alpha=one.alpha)[judged]
        assert one.coverage.share == pytest.approx(sets[np.arange(len(y)), y].mean())
        assert one.size == pytest.approx(sets.sum(axis=1).mean())
    (majority,) = said.rivals
    most = holed.y[torch.from_numpy(model.train_mask_ | model.val_mask_)].mode().values
    assert majority.accuracy.share == pytest.approx((y == int(most)).mean())


def test_labels_that_are_hidden_are_judged_on_calibration_nodes(
    model: GoodieClassifier, holed: Data
) -> None:
    """Each part of them by what the others say: its own labels do not help it."""
    hidden = copy(holed)
    hidden.y = torch.where(holed.test_mask, -1, holed.y)
    said = account(model, hidden).verdict
    assert said is not None
    assert said.on == "calibration"
    aside = model.calibration_mask_
    assert said.accuracy.nodes == aside.sum()
    right = model.predict()[aside] == holed.y.numpy()[aside]
    assert said.accuracy.share == pytest.approx(right.mean())
    own = model.predict_set(alpha=0.1)[aside, holed.y.numpy()[aside]].mean()
    assert said.sets[1].coverage.share <= own
    in_sample = reliability(model.proba_[aside], holed.y.numpy()[aside]).error
    assert said.after.error != in_sample


def test_nothing_but_selecting_nodes_is_said_to_flatter(holed: Data) -> None:
    hidden = copy(holed)
    hidden.y = torch.where(holed.test_mask, -1, holed.y)
    model = GoodieClassifier(max_epochs=3, calibration=0.0).fit(hidden)
    page = account(model, hidden)
    assert page.verdict is not None
    assert page.verdict.on == "selection"
    assert page.verdict.sets == ()
    assert page.doubts[0].set_size is None


def test_nothing_to_judge() -> None:
    data = synthetic(60, 2, random_state=0)
    data.y[30:] = -1
    page = account(NodeClassifier(method="lp").fit(data), data)
    assert page.verdict is None
    assert page.shares is None
    assert page.points.structure == ()


def test_shares_are_means_of_groups(page: Account, model: GoodieClassifier, holed: Data) -> None:
    shares = page.shares
    assert shares is not None
    structure = model.attention_[:, 0]
    assert shares.mean == pytest.approx(float(structure.mean()))
    d = degree(holed.edge_index[1], 400).numpy()
    for label, members in (("0", d == 0), ("2", d == 2), ("5–8", (d >= 5) & (d <= 8))):
        (group,) = (one for one in shares.by_degree if one.label == label)
        assert group.nodes == members.sum()
        assert group.mean == pytest.approx(structure[members].mean(), rel=1e-5)
    for groups in (shares.by_degree, shares.by_observed):
        assert sum(group.nodes for group in groups) == 400


def test_single_nodes(page: Account, model: GoodieClassifier, holed: Data) -> None:
    assert model.abstains_[370:].all()
    assert page.abstaining == model.abstains_.sum()
    assert page.abstainers == tuple(map(str, np.flatnonzero(model.abstains_)))
    surest = model.proba_.max(axis=1)
    asked = ~model.train_mask_ & ~model.abstains_
    assert [int(one.id) for one in page.doubts] == [
        i for i in np.argsort(surest, kind="stable") if asked[i]
    ][:300]
    one = page.doubts[0]
    i = int(one.id)
    assert one.first == model.proba_[i].argmax()
    assert one.first_probability == pytest.approx(surest[i])
    assert one.second_probability == pytest.approx(np.sort(model.proba_[i])[-2])
    assert one.set_size == model.predict_set()[i].sum()
    points = page.points
    assert len(points.ids) == 400
    assert points.known == tuple(np.where(model.train_mask_, holed.y, -1).tolist())
    assert points.predicted == tuple(model.predict().tolist())
    assert min(points.x) == 0
    assert max(*points.x, *points.y) == 10_000


def test_names_are_the_users_cut_where_they_are_long(model: GoodieClassifier, holed: Data) -> None:
    ids = [f"{i} {'x' * 500}" for i in range(400)]
    page = account(model, holed, ids=ids, column_names=[f"c{i}" for i in range(16)], title="T")
    assert max(map(len, page.points.ids)) == 80
    assert {column.name for column in page.holes.columns} == {f"c{i}" for i in range(16)}
    with pytest.raises(InputError, match="ids holds 3 names, expected 400"):
        account(model, holed, ids=["a", "b", "c"])


def test_features_of_one_name_are_one_column(model: GoodieClassifier, holed: Data) -> None:
    names = ["a", "b", "b", "b", *(f"c{i}" for i in range(12))]
    page = account(model, holed, column_names=names)
    known = (~holed.x.isnan()).double()[:, [0, 1, *range(4, 16)]]
    assert page.graph.features == 14
    shares = {column.name: column.observed for column in page.holes.columns}
    assert shares == pytest.approx(
        dict(zip(dict.fromkeys(names), known.mean(dim=0).tolist(), strict=True))
    )
    assert page.holes.missing == pytest.approx(1 - float(known.mean()))


def test_of_a_large_graph_some_nodes_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goodie.report.nodes.DRAWN", 100)
    data = synthetic(500, 2, num_features=3, random_state=0)
    data = splits.stratified(data.y).apply(missing.uniform(data, 1.0))
    page = account(NodeClassifier(method="lp").fit(data), data)
    assert len(set(page.points.ids)) == len(page.points.ids) == 100


def test_a_model_from_a_file_has_the_same_report(
    model: GoodieClassifier, holed: Data, page: Account, tmp_path
) -> None:
    model.save(tmp_path / "model")
    again = GoodieClassifier.load(tmp_path / "model")
    assert account(again, holed, class_names=["red", "green", "blue"]) == page


def test_another_graph_is_refused(model: GoodieClassifier) -> None:
    with pytest.raises(InputError, match="not the one that the model was fitted on"):
        account(model, synthetic(400, 3, num_features=16, random_state=5))


def test_many_classes_share_a_row() -> None:
    data = synthetic(600, 40, num_features=8, random_state=0)
    data = splits.stratified(data.y, train=0.3, val=0.2).apply(data)
    page = account(NodeClassifier(method="lp").fit(data), data)
    assert page.verdict is not None
    assert page.verdict.confusion.names[-1] == "16 others"
    assert sum(map(sum, page.verdict.confusion.counts)) == int(data.test_mask.sum())


def test_a_verdict_may_come_from_before_a_second_fit(model: GoodieClassifier, holed: Data) -> None:
    first = judge(model, holed, rivals={"an oracle": (50, 50)}, learned_since=True)
    assert first is not None
    assert first.on == "judges"
    assert [one.name for one in first.rivals] == ["the most frequent class", "an oracle"]
    assert first.rivals[1].accuracy.share == 1.0
    more = copy(holed)
    more.train_mask = holed.train_mask | holed.test_mask
    more.test_mask = None
    again = GoodieClassifier(max_epochs=5).fit(more)
    page = account(again, more, verdict=first)
    assert page.verdict == first
    assert page.parts.train == int(more.train_mask.sum())
