"""t-SNE of embeddings with and without PseudoCon.

A point needs an embedding, which a row does not have: each panel is fitted, laid out, and kept as a
small file of coordinates and labels.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch.nn import functional as F

from goodie import config, evaluate
from goodie.appearing import appearing
from goodie.errors import InputError
from goodie.methods.goodie import Goodie
from goodie.study import provenance, sources, spec
from goodie.study.cell import Cell, key, load
from goodie.study.paper import figure as look
from goodie.study.paper.curves import observed
from goodie.study.paper.evidence import Evidence, Made
from goodie.tasks import node

FOLDER = "tsne"

# Points in a panel; of a larger graph so many nodes, drawn by the seed.
POINTS = 4_000

TITLES = {"none": "without PseudoCon", "pseudo": "with PseudoCon"}

# One for each class, on a page and in grey.
MARKERS = ("o", "x", "^", "+", "s", "v", "D")
COLORS = ("#000000", "#b2182b", "#2166ac", "#1b7837", "#e08214", "#8073ac", "#4d9db4")


def cells() -> list[Cell]:
    """The panels."""
    return list(spec.find("fig-tsne").cells)


def path(cell: Cell, folder: Path) -> Path:
    """Where a panel's points are kept."""
    name = f"{cell.dataset}-{observed(cell.rate)}-{cell.settings['contrast']}.npz"
    return folder / FOLDER / name


def lacking(folder: Path) -> list[str]:
    """The panels that have no points."""
    return [f"t-SNE of {_title(cell)}" for cell in cells() if not path(cell, folder).is_file()]


def prepare(folder: Path, device: str, progress: Callable[[str], None]) -> None:
    """Fit and lay out the panels that have no points."""
    for cell in cells():
        if not path(cell, folder).is_file():
            progress(f"t-SNE of {_title(cell)}")
            lay_out(cell, path(cell, folder), device)


def lay_out(cell: Cell, target: Path, device: str = "cpu") -> None:
    """Fit a cell and keep where t-SNE puts its embeddings.

    The true labels are read after fitting, for the colours and for how well they part.
    """
    from sklearn.manifold import TSNE

    data = load(cell)
    split = sources.dataset(cell.dataset, cell.source).split(data, cell.seed)
    problem = node.with_holes(data, split, scenario=cell.scenario, rate=cell.rate, seed=cell.seed)
    method = Goodie(config.build(Goodie.Settings, cell.settings))
    method.fit(problem, seed=cell.seed, device=device)
    assert method.embedded_ is not None
    drawn = np.random.default_rng(cell.seed).permutation(int(data.num_nodes))[:POINTS]
    nodes = torch.from_numpy(np.sort(drawn))
    z = F.normalize(method.embedded_.z.detach().cpu()[nodes])  # as the contrast sees them
    score = node.judge(method.proba_, problem, truth=data)
    about = {
        "key": key(cell),
        "test": score.test,
        "separation": evaluate.separation(z, data.y[nodes]),
        "git_revision": provenance.git_revision(),
        "versions": provenance.versions(),
        "device": device,
    }
    places = TSNE(init="pca", random_state=cell.seed).fit_transform(z.numpy())
    _write(target, places.astype(np.float32), data.y[nodes].numpy().astype(np.int8), about)


def _write(target: Path, places: np.ndarray, labels: np.ndarray, about: dict[str, Any]) -> None:
    with appearing(target) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, places=places, labels=labels, about=np.array(json.dumps(about)))


def read(source: Path) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Points, labels, and what is known of them."""
    try:
        with np.load(source, allow_pickle=False) as held:
            return held["places"], held["labels"], json.loads(str(held["about"]))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{source} does not hold the points of a panel: {error}") from error


def make(evidence: Evidence) -> Made:
    """Panels with PseudoCon below those without; what has no points is left blank."""
    there = [cell for cell in cells() if path(cell, evidence.folder).is_file()]
    return Made(figures={"fig-tsne": _figure(there, evidence.folder)} if there else {})


def _figure(some: list[Cell], folder: Path) -> Figure:
    columns = list(dict.fromkeys((cell.dataset, cell.rate) for cell in cells()))
    titles = [f"{dataset}, {observed(rate)} % observed" for dataset, rate in columns]
    figure, axes = look.panels(list(TITLES.values()), titles, width=2.0, height=2.0)
    for axis in figure.axes:
        axis.set_xticks([])
        axis.set_yticks([])
        axis.set_box_aspect(1)
    for cell in some:
        line = axes[list(TITLES).index(cell.settings["contrast"])]
        axis = line[columns.index((cell.dataset, cell.rate))]
        places, labels, about = read(path(cell, folder))
        for label in np.unique(labels):
            own = labels == label
            axis.scatter(
                places[own, 0],
                places[own, 1],
                s=3,
                marker=MARKERS[label % len(MARKERS)],
                color=COLORS[label % len(COLORS)],
                linewidths=0.4,
                rasterized=True,
            )
        axis.set_xlabel(f"silhouette {about['separation']:.2f}, test {about['test']:.1f} %")
    return figure


def _title(cell: Cell) -> str:
    return f"{cell.dataset}, {observed(cell.rate)} % observed, {TITLES[cell.settings['contrast']]}"
