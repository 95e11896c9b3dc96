"""`explain`: the probabilities, what they rest on, and which labels were an input."""

import numpy as np
import pytest

from goodie import GoodieClassifier, NodeClassifier, synthetic
from goodie.data.splits import stratified
from goodie.estimators.base import GraphClassifier

MODELS = [GoodieClassifier(max_epochs=5), NodeClassifier(method="lp")]


@pytest.fixture(scope="module")
def data():
    whole = synthetic(90, 3, num_features=10, average_degree=4.0)
    return stratified(whole.y, train=0.3, val=0.2).apply(whole)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_it_says_what_the_others_say_in_one_go(model: GraphClassifier, data) -> None:
    model.fit(data)
    other = synthetic(70, 3, num_features=10, average_degree=4.0, random_state=1)
    other.y[20:] = -1
    for graph, known in ((None, data.train_mask.numpy()), (other, np.arange(70) < 20)):
        answers = model.explain(graph)
        assert np.array_equal(answers.proba, model.predict_proba(graph))
        assert np.array_equal(answers.known, known)
        if isinstance(model, GoodieClassifier):
            assert answers.structure is not None
            assert np.array_equal(answers.structure, model.attention(graph)[:, 0])
        else:
            assert answers.structure is None
    assert model.knows(data)
    assert not model.knows(other)
