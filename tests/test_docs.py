"""The method that docs/a-new-method.md shows keeps what every method promises."""

import re
from pathlib import Path

import pytest

from conformance import test_methods as promises
from goodie.methods import METHODS

PAGE = Path(__file__).parents[1] / "docs" / "a-new-method.md"

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
