"""What the docs show runs: a new method keeps what every method promises, links are predicted."""

import re
from pathlib import Path

import pytest

from conformance import test_methods as promises
from goodie.methods import METHODS

DOCS = Path(__file__).parents[1] / "docs"
PAGE, LINKS = DOCS / "a-new-method.md", DOCS / "links.md"

KEPT = [
    promises.test_probabilities,
    promises.test_same_seed_same_bits_whatever_the_global_state,
    promises.test_inputs_unchanged,
    promises.test_permuting_nodes_permutes_the_output,
    promises.test_test_labels_are_not_read,
    promises.test_odd_graphs,
    promises.test_sparse_features_are_the_dense_ones,
    promises.test_learns,
    promises.test_says_what_it_is,
]


@pytest.mark.parametrize("promise", KEPT, ids=lambda promise: promise.__name__)
def test_the_example_keeps(promise, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    names: dict = {}
    exec(compile(block, str(PAGE), "exec"), names)
    monkeypatch.setitem(METHODS, "gcn-mean", names["ColumnMeanGCN"])
    promise("gcn-mean")


def test_the_example_of_links_runs() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", LINKS.read_text(), flags=re.DOTALL)
    names: dict = {}
    exec(compile(block, str(LINKS), "exec"), names)
    model = names["model"]
    assert model.recommend(7, k=5).pairs.shape == (2, 5)
    assert model.missing(k=20).pairs.shape == (2, 20)
    assert model.validation_.auc > 50
