"""GOODIE as a method: its inputs, its settings, other graphs, and the loss it trains on."""

import numpy as np
import pytest
import torch

from goodie import missing, paper, splits, synthetic
from goodie.config import build
from goodie.errors import InputError
from goodie.methods.goodie import PAIRS_UP_TO, Goodie, Settings
from goodie.study.cell import resolve
from oracles import goodie as oracle
from oracles import propagation


def problem(rate: float = 0.5, n: int = 60):
    data = synthetic(n, 3, num_features=16, average_degree=4.0)
    return splits.stratified(data.y, train=0.2, val=0.2).apply(missing.uniform(data, rate))


def adjacency(data) -> np.ndarray:
    """Â, dense."""
    edges = data.edge_index.numpy()
    A = propagation.adjacency(edges, data.num_nodes, undirected=True, self_loops=True)
    return propagation.normalise(A, "symmetric")


def goodie(**settings) -> Goodie:
    return Goodie(build(Settings, {"max_epochs": 5, **settings}))


def test_faithful_is_the_papers_model() -> None:
    """From the raw graph to the logits, with the weights that it ended with (Eqs. 1–7)."""
    data = problem()
    method = goodie(preset="faithful", alpha=0.9).fit(data)
    weights = {name: t.numpy() for name, t in method.model_.state_dict().items()}
    A = adjacency(data)
    Y0 = np.eye(3)[data.y.numpy()] * data.train_mask.numpy()[:, None]
    Y = propagation.label_propagation_residual(A, Y0, 0.9, 50)
    X = propagation.feature_propagation(A, data.x.numpy(), 40)
    H_lp = oracle.branch(A, Y, weights["weight_structure"], weights["bias_structure"])
    live = method.intake_.live.numpy()
    H_fp = oracle.branch(A, X[:, live], weights["weight_features"], weights["bias_features"])
    Z, share = oracle.attention(H_lp, H_fp, weights["fusion.a"][:, 0])
    logits = oracle.classify(A, Z, weights["weight_classes"], weights["bias_classes"])
    out = method.embed(data)
    np.testing.assert_allclose(out.z, Z, rtol=0, atol=1e-5)
    np.testing.assert_allclose(out.structure, share, rtol=0, atol=1e-5)
    np.testing.assert_allclose(out.logits, logits, rtol=0, atol=1e-5)


def test_to_the_letter_labels_are_reset_and_layers_have_no_biases() -> None:
    data = problem()
    method = goodie(preset="letter").fit(data)
    train = data.train_mask.numpy()
    Y0 = np.eye(3)[data.y.numpy()] * train[:, None]
    Y = propagation.label_propagation_reset(adjacency(data), Y0, train, 50)
    np.testing.assert_allclose(method._spread(data).scores, Y, rtol=0, atol=1e-5)
    biases = [p for name, p in method.model_.named_parameters() if name.startswith("bias")]
    assert len(biases) == 3
    assert not any(bias.any() for bias in biases)
    faithful = goodie(preset="faithful").fit(data)
    assert faithful.model_.bias_classes.any()


@pytest.mark.parametrize("contrast", ["pseudo", "prototype"])
def test_what_it_minimises(contrast: str) -> None:
    """Without dropout, the loss of the first epoch is cross-entropy + λ·contrast of the start."""
    data = problem()
    settings = {"preset": "faithful", "contrast": contrast, "contrast_weight": 0.7, "tau": 0.05}
    method = goodie(**settings, dropout=0.0, alpha=0.9, lr=1e-12, max_epochs=1).fit(data)
    out = method.embed(data)
    train = data.train_mask.numpy()
    A = adjacency(data)
    Y = propagation.label_propagation_residual(
        A, np.eye(3)[data.y.numpy()] * train[:, None], 0.9, 50
    )
    label, confidence = oracle.pseudo_labels(Y, data.y.numpy(), train, 0.05)
    expected = oracle.cross_entropy(out.logits.numpy(), data.y.numpy(), train)
    if contrast == "pseudo":
        W = oracle.pair_weights(train, confidence, "pseudo")
        expected += 0.7 * oracle.contrastive(out.z.numpy(), label, W, 0.05)
    else:
        expected += 0.7 * oracle.prototype_loss(out.z.numpy(), label, confidence, 0.05)
    assert method.history_.losses[0] == pytest.approx(expected, rel=1e-4)


def test_balanced_starts_with_branches_of_one_scale() -> None:
    """However small the features and however weak the labels' scores."""
    data = problem()
    data.x = data.x * 1e-4
    method = goodie(hidden=2000, max_epochs=1, lr=1e-12, alpha=0.999).fit(data)
    inputs = method._inputs(method._spread(data))
    model = method.model_
    for x, w in (
        (inputs.structure, model.weight_structure),
        (inputs.features, model.weight_features),
    ):
        size = (x @ w).square().mean().item()
        assert 0.2 < size < 2.0


def test_settings_of_the_paper() -> None:
    row = paper.hyperparameters("PubMed")
    faithful = resolve("goodie", "PubMed", "uniform", {"preset": "faithful"})
    assert faithful["contrast_weight"] == row["lambda_uniform"]
    assert (faithful["alpha"], faithful["tau"]) == (row["alpha"], row["tau"])
    assert faithful["contrast"] == "pseudo"
    structural = resolve("goodie", "PubMed", "structural", {"preset": "faithful"})
    assert structural["contrast_weight"] == row["lambda_structural"]
    assert resolve("goodie", "Physics", "uniform", {"preset": "faithful"})["contrast"] == (
        "prototype"
    )
    letter = resolve("goodie", "PubMed", "uniform", {"preset": "letter"})
    assert letter == faithful | {"preset": "letter"}
    balanced = resolve("goodie", "PubMed", "uniform")
    assert balanced["contrast_weight"] == paper.numbers()["default"]["lambda"]
    assert balanced["alpha"] == row["alpha"]
    own = resolve("goodie", "digits", "uniform", {"preset": "faithful"})
    assert own["alpha"] == paper.numbers()["default"]["alpha"]
    chosen = resolve("goodie", "PubMed", "uniform", {"preset": "faithful"}, {"alpha": 0.5})
    assert chosen["alpha"] == 0.5


@pytest.mark.parametrize(
    "settings",
    [
        {"fusion": "concat"},
        {"fusion": "random"},
        {"contrast": "none"},
        {"contrast": "sampled", "sample": 10},
        {"contrast": "prototype-printed"},
        {"contrast": "train"},
        {"relu_logits": True},
        {"contrast_weight": 0.0},
        {"backend": "reference"},
    ],
    ids=str,
)
def test_every_variant_trains(settings) -> None:
    method = goodie(**settings).fit(problem())
    assert method.proba_.isfinite().all()
    assert all(np.isfinite(method.history_.losses))


def test_contrast_chosen_by_size(monkeypatch) -> None:
    data = problem()
    auto = goodie(contrast="auto").fit(data).history_.losses
    assert auto == goodie(contrast="pseudo").fit(data).history_.losses
    monkeypatch.setattr("goodie.methods.goodie.PAIRS_UP_TO", 59)
    auto = goodie(contrast="auto").fit(data).history_.losses
    assert auto == goodie(contrast="prototype").fit(data).history_.losses
    assert PAIRS_UP_TO >= 2485


def test_another_graph() -> None:
    """New nodes, other holes; a column that was dead in training counts as zero."""
    data = problem()
    data.x[:, 3] = torch.nan
    method = goodie().fit(data)
    other = problem(0.2, n=75)
    assert not other.x[:, 3].isnan().all()
    before = method.predict_proba(other)
    other.x[:, 3] = 7.0
    torch.testing.assert_close(method.predict_proba(other), before, rtol=0, atol=1e-6)
    other.train_mask = torch.zeros(75, dtype=torch.bool)
    assert method.predict_proba(other).isfinite().all()
    other.x = other.x[:, :9]
    with pytest.raises(InputError, match="has 9 features; the model was fitted on 16"):
        method.predict_proba(other)


def test_details_say_how_much_came_from_structure() -> None:
    data = problem()
    method = goodie().fit(data)
    share = method.embed(data).structure
    assert method.details()["structure_share"] == pytest.approx(share.mean().item(), rel=1e-5)
    assert method.details()["live_columns"] == 16


def test_what_it_said_in_its_best_epoch_is_what_it_predicts() -> None:
    data = problem()
    method = goodie().fit(data)
    assert method.proba_.equal(method.predict_proba(data))
