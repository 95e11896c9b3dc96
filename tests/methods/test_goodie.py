"""GOODIE as a method: its inputs, its settings, other graphs, and the loss it trains on."""

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie import missing, paper, splits, synthetic
from goodie.config import build
from goodie.errors import InputError
from goodie.methods import branches
from goodie.methods.branches import PAIRS_UP_TO
from goodie.methods.goodie import VOICES, Goodie, Settings
from goodie.methods.lp import LabelPropagation
from goodie.nn.balance import ROW_SIZE
from goodie.propagate.withheld import deal
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


def test_to_the_letter_labels_are_reset() -> None:
    data = problem()
    method = goodie(preset="letter").fit(data)
    train = data.train_mask.numpy()
    Y0 = np.eye(3)[data.y.numpy()] * train[:, None]
    Y = propagation.label_propagation_reset(adjacency(data), Y0, train, 50)
    np.testing.assert_allclose(method._spread(data, data.train_mask).scores, Y, rtol=0, atol=1e-5)


@pytest.mark.parametrize("preset", ["faithful", "letter", "balanced"])
def test_only_to_the_letter_are_there_no_biases(preset: str) -> None:
    method = goodie(preset=preset).fit(problem())
    biases = [p for name, p in method.model_.named_parameters() if name.startswith("bias")]
    assert len(biases) == 3
    assert any(bias.any() for bias in biases) == (preset != "letter")


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


def test_balanced_inputs_have_one_size() -> None:
    """However small the features, however many are missing, and however weak the labels' scores."""
    for factor, rate in ((1e-4, 0.0), (1e4, 0.5)):
        data = problem(rate, n=400)
        data.x = data.x * factor
        method = goodie(max_epochs=1, alpha=0.999).fit(data)
        labels = branches.scaled(method._spread(data, data.train_mask).scores, balanced=True)
        features = method.intake_.scale * data.x
        share = 1 - data.x.isnan().float().mean().item()
        reached = labels.sum(dim=1) > 0
        torch.testing.assert_close(
            labels.sum(dim=1)[reached], torch.full((int(reached.sum()),), ROW_SIZE)
        )
        found = features.abs().nansum(dim=1).mean().item() / share
        assert found == pytest.approx(ROW_SIZE, rel=1e-4)


def test_what_balanced_minimises() -> None:
    """The first epoch: its part of the labels, each branch alone, and the branches' weights."""
    data = problem()
    settings = {"withheld_parts": 3, "branch_weight": 0.5, "branch_decay": 0.2, "alpha": 0.9}
    method = goodie(**settings, dropout=0.0, lr=1e-12, max_epochs=3).fit(data)
    weights = {name: t.double().numpy() for name, t in method.model_.state_dict().items()}
    A, train = adjacency(data), data.train_mask.numpy()
    y = data.y.numpy()
    X = propagation.feature_propagation(A, data.x.numpy(), 40)[:, method.intake_.live.numpy()]
    H_fp = oracle.branch(
        A, method.intake_.scale * X, weights["weight_features"], weights["bias_features"]
    )

    def structure(seeds: np.ndarray) -> np.ndarray:
        Y = propagation.label_propagation_residual(A, np.eye(3)[y] * seeds[:, None], 0.9, 50)
        total = Y.sum(axis=1, keepdims=True)
        Y = ROW_SIZE * np.divide(Y, total, out=np.zeros_like(Y), where=total > 0)
        return oracle.branch(A, Y, weights["weight_structure"], weights["bias_structure"])

    def entropy(Z: np.ndarray, told: np.ndarray) -> float:
        logits = oracle.classify(A, Z, weights["weight_classes"], weights["bias_classes"])
        return oracle.cross_entropy(logits, y, told)

    alone = entropy(structure(train), train) + entropy(H_fp, train)
    decay = sum((weights[f"weight_{name}"] ** 2).sum() for name in ("structure", "features"))
    # Dealing the labels out is what the fit's generator did after the initial weights.
    generator = torch.Generator().manual_seed(0)
    method._network(generator)
    part = deal(data.y[data.train_mask], 3, generator).numpy()
    for turn, found in enumerate(method.history_.losses):
        told = np.zeros_like(train)
        told[np.flatnonzero(train)[part == turn]] = True
        Z, _ = oracle.attention(structure(train & ~told), H_fp, weights["fusion.a"][:, 0])
        expected = entropy(Z, told) + 0.5 * alone + 0.1 * decay
        assert found == pytest.approx(expected, rel=1e-4)


def test_the_voice_is_the_best_on_validation_nodes() -> None:
    data = problem(n=300)
    method = goodie(max_epochs=40).fit(data)
    spread = method._spread(data, data.train_mask)
    said = [one.logits for one in method._voices(branches.inputs(spread, method.intake_))] + [
        spread.scores
    ]
    right = [(s.argmax(1) == data.y)[data.val_mask].sum().item() for s in said]
    assert VOICES[right.index(max(right))] == method.voice_
    assert method.history_.best_score == pytest.approx(100 * max(right[:3]) / data.val_mask.sum())


@pytest.mark.parametrize("voice", VOICES)
def test_each_voice_can_answer(voice: str) -> None:
    data = problem()
    method = goodie().fit(data)
    method.voice_ = voice
    said = method.embed(data)
    assert said.logits.isfinite().all()
    share = {"structure": 1.0, "labels": 1.0, "features": 0.0}
    reached = method._spread(data, data.train_mask).scores.any(dim=1)
    if voice in share:
        assert (said.structure[reached] == share[voice]).all()
    if voice == "labels":
        scores = method._spread(data, data.train_mask).scores
        mass = scores.sum(dim=1, keepdim=True)
        expected = (scores / mass)[reached]
        torch.testing.assert_close(said.logits.softmax(dim=1)[reached], expected)


def test_where_features_say_nothing_structure_answers() -> None:
    data = synthetic(600, 3, informativeness=0.0, homophily=0.9, random_state=3)
    data = splits.stratified(data.y, train=0.05, val=0.2).apply(data)
    method = Goodie().fit(data)
    right = (method.proba_.argmax(1) == data.y)[data.test_mask].float().mean()
    alone = LabelPropagation().fit(data).proba_.argmax(1) == data.y
    assert method.voice_ != "features"
    assert right >= alone[data.test_mask].float().mean() - 0.02


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

    def losses(contrast: str, preset: str = "faithful") -> list[float]:
        return goodie(contrast=contrast, preset=preset).fit(data).history_.losses

    assert losses("auto", "balanced") == losses("none", "balanced") != losses("pseudo", "balanced")
    assert losses("auto") == losses("pseudo") != losses("none")
    monkeypatch.setattr("goodie.methods.branches.PAIRS_UP_TO", 59)
    assert losses("auto") == losses("prototype")
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


def test_where_no_label_reaches_features_answer() -> None:
    """Two copies of a graph, labels in one: in the other, structure knows nothing."""
    one = synthetic(200, 3, num_features=40, informativeness=0.9, random_state=2)
    split = splits.stratified(one.y, train=0.1, val=0.3)
    nobody = torch.zeros(200, dtype=torch.bool)
    both = Data(
        x=one.x.repeat(2, 1),
        y=one.y.repeat(2),
        edge_index=torch.cat([one.edge_index, one.edge_index + 200], dim=1),
        train_mask=torch.cat([split.train, nobody]),
        val_mask=torch.cat([split.val, nobody]),
    )
    method = Goodie().fit(both)
    away = torch.arange(400) >= 200
    for voice in VOICES:
        method.voice_ = voice
        said = method.embed(both)
        right = said.logits.argmax(1) == both.y
        assert right[away].float().mean() > 0.8
        assert (said.structure[away] == 0).all()
    assert (said.structure[~away] == 1).all()
