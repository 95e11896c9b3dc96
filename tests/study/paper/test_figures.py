"""Figures show what the rows say: read back from the artists, and written whole."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from goodie import paper
from goodie.errors import InputError
from goodie.study.cell import Cell, load, resolve, run
from goodie.study.paper import ablations, attention, rates, scaled, tsne, weight
from goodie.study.paper import figure as look
from goodie.study.paper.curves import At, curves
from goodie.study.paper.evidence import Evidence
from study.paper.made import of_study, row
from study.toys import MINE

NOWHERE = Path("nowhere")


@pytest.fixture(autouse=True)
def _styled():
    with look.styled():
        yield


def line(figure: Figure, panel: int, name: str) -> list[float]:
    (found,) = (one for one in figure.axes[panel].lines if one.get_label() == name)
    return list(map(float, found.get_ydata()))


def test_what_looks_at_no_feature_is_level_and_ends_are_shared() -> None:
    rows = [row("fp", "Cora", rate, 0, 100 * rate) for rate in (0.0, 0.5, 1.0)]
    rows.append(row("fp", "Cora", 0.5, 0, 7.0, scenario="structural"))
    rows += [row("lp", "Cora", 0.9999, seed, 70.0 + seed) for seed in (0, 1)]
    found = curves(rows, lambda one: one["method"])
    assert found[At("Cora", "structural", "fp")] == {0.5: [7.0], 0.0: [0.0], 1.0: [100.0]}
    assert found[At("Cora", "uniform", "lp")] == {rate: [70.0, 71.0] for rate in (0.0, 0.5, 1.0)}


def test_ends_are_not_shared_where_the_paper_has_two_lambdas() -> None:
    faithful = {"preset": "faithful", "contrast": "pseudo"}
    rows = [row("goodie", "PubMed", 1.0, 0, 60.0, contrast_weight=1e-4, **faithful)]
    rows.append(
        row("goodie", "PubMed", 0.5, 0, 7.0, scenario="structural", contrast_weight=0.1, **faithful)
    )
    found = curves(rows, lambda _: "")
    assert found[At("PubMed", "structural", "")] == {0.5: [7.0]}
    shared = curves(rows, lambda _: "", agree=lambda _: True)
    assert shared[At("PubMed", "structural", "")] == {0.5: [7.0], 1.0: [60.0]}


def test_the_rates_figure_has_every_method_and_the_papers_numbers() -> None:
    rows = of_study("fig-rates")
    figures = rates.every_method(Evidence(rows, NOWHERE)).figures
    assert sorted(figures) == [
        f"fig-rates-{g}" for g in ("citeseer", "cora", "cs", "physics", "pubmed")
    ]
    cora = figures["fig-rates-cora"]
    assert len(cora.axes) == 6
    drawn = {one.get_label() for axis in cora.axes for one in axis.lines}
    assert drawn - {look.PRINTED} == {
        f"goodie {one['settings']['preset']}" if one["method"] == "goodie" else one["method"]
        for one in rows
    }
    own = [
        r["test"]
        for r in rows
        if (r["dataset"], r["method"], r["scenario"]) == ("Cora", "fp", "uniform")
    ]
    ends = line(cora, 1, "fp")
    assert len(ends) == 9
    assert min(own) <= ends[0] < ends[-1] <= max(own)
    stars = [
        y for one in cora.axes[0].lines if one.get_label() == look.PRINTED for y in one.get_ydata()
    ]
    assert set(paper.numbers()["goodie_by_missing_rate"]["Cora"]) <= set(stars)
    assert not any(one.get_label() == look.PRINTED for one in cora.axes[3].lines)  # structural
    assert len(figures["fig-rates-cs"].axes) == 2


def test_figure_1_has_a_panel_a_graph() -> None:
    figure = rates.figure1(Evidence(of_study("fig1"), NOWHERE)).figures["fig1"]
    assert [axis.get_title() for axis in figure.axes] == ["Cora", "CiteSeer", "PubMed"]
    walks = line(figure, 0, "node2vec")
    assert len(walks) == 9
    assert len(set(walks)) == 1


def test_ablations_name_each_variant_once() -> None:
    fusions = ablations.fusion(Evidence(of_study("fig-fusion"), NOWHERE)).figures
    assert list(fusions) == ["fig-fusion-faithful", "fig-fusion-balanced"]
    assert len(fusions["fig-fusion-faithful"].axes) == 6
    assert len(fusions["fig-fusion-balanced"].axes) == 3
    contrasts = ablations.contrast(Evidence(of_study("fig-contrast"), NOWHERE)).figures
    (legend,) = contrasts["fig-contrast"].legends
    assert [text.get_text() for text in legend.get_texts()] == list(ablations.CONTRASTS.values())
    assert all(len(axis.lines) == 6 for axis in contrasts["fig-contrast"].axes)


def test_shares_sum_to_one_with_their_spread_over_nodes() -> None:
    rows = of_study("fig-attention")
    figure = attention.make(Evidence(rows, NOWHERE)).figures["fig-attention-faithful"]
    structure, features = (line(figure, 0, title) for _, title, *_ in attention.LINES)
    assert structure[0] > 0.8 > structure[-1]  # nothing observed first
    np.testing.assert_allclose(np.add(structure, features), 1.0)
    band = figure.axes[0].collections[0].get_paths()[0].get_extents()
    assert band.height >= max(structure) - min(structure) + 0.1


def test_the_map_boxes_the_papers_lambda() -> None:
    figure = weight.make(Evidence(of_study("fig-lambda"), NOWHERE)).figures["fig-lambda"]
    assert len(figure.axes) == 6
    pubmed = figure.axes[2]
    labels = [text.get_text() for text in pubmed.get_yticklabels()]
    assert labels == ["10", "1", "0.1", "0.01", "0.001", "0.0001", "1e-05"]
    (box,) = (patch for patch in pubmed.patches if not patch.get_fill())
    assert box.get_y() + 0.5 == labels.index("0.0001")
    assert len(pubmed.texts) == 7 * 6
    assert len(figure.axes[5].texts) == 7 * 6  # the ends of the other pattern


def test_bars_are_means_over_seeds() -> None:
    rows = [r for r in of_study("fig-scaled") if r["dataset"] == "Cora" and r["rate"] == 0.5]
    figure = scaled.make(Evidence(rows, NOWHERE)).figures["fig-scaled"]
    bars = [patch.get_height() for patch in figure.axes[0].patches]
    means = {
        name: np.mean([
            r["test"] for r in rows
            if r["settings"]["contrast"] == name and r["scenario"] == "uniform"
        ])
        for name in scaled.CONTRASTS
    }  # fmt: skip
    np.testing.assert_allclose(bars, list(means.values()))


def test_tsne_panels_lie_where_they_belong(tmp_path: Path) -> None:
    assert len(tsne.lacking(tmp_path)) == 8
    assert tsne.make(Evidence([], tmp_path)).figures == {}
    cell = next(c for c in tsne.cells() if c.dataset == "PubMed" and c.rate == 1.0)
    points = np.arange(20, dtype=np.float32).reshape(10, 2)
    labels = np.repeat(np.int8([0, 2]), 5)
    about = {"separation": 0.25, "test": 71.5}
    tsne._write(tsne.path(cell, tmp_path), points, labels, about)
    assert len(tsne.lacking(tmp_path)) == 7
    figure = tsne.make(Evidence([], tmp_path)).figures["fig-tsne"]
    (drawn,) = (axis for axis in figure.axes if axis.collections)
    assert drawn is figure.axes[3]
    assert drawn.get_xlabel() == "silhouette 0.25, test 71.5 %"
    found = np.concatenate([part.get_offsets() for part in drawn.collections])
    np.testing.assert_array_equal(found, points)
    tsne.path(cell, tmp_path).write_bytes(b"nothing")
    with pytest.raises(InputError, match="does not hold the points"):
        tsne.make(Evidence([], tmp_path))


def test_a_figure_is_written_the_same_twice_and_nothing_half(tmp_path: Path) -> None:
    def once(folder: str) -> dict[str, bytes]:
        figure = rates.figure1(Evidence(of_study("fig1", 1), NOWHERE)).figures["fig1"]
        return {
            path.name: path.read_bytes() for path in look.write(figure, tmp_path / folder / "it")
        }

    first = once("a")
    assert sorted(first) == ["it.pdf", "it.png", "it.svg"]
    assert first == once("b")
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == sorted(first)


def test_a_panel_is_fitted_laid_out_and_kept(tmp_path: Path) -> None:
    settings = resolve("goodie", "mine", "uniform", {"preset": "faithful", "max_epochs": 3})
    cell = Cell("mine", "goodie", "uniform", 0.5, 0, settings, source=MINE)
    for name in ("a.npz", "b.npz"):
        tsne.lay_out(cell, tmp_path / name)
    points, labels, about = tsne.read(tmp_path / "a.npz")
    again, *_ = tsne.read(tmp_path / "b.npz")
    assert points.shape == (60, 2)
    np.testing.assert_array_equal(points, again)
    np.testing.assert_array_equal(labels, load(cell).y)
    assert about["test"] == run(cell).test
    assert -1 <= about["separation"] <= 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz"]
