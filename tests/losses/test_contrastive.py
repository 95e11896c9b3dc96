"""Contrastive losses against the dense oracle, and their gradients against finite differences."""

import numpy as np
import pytest
import torch

from goodie.losses import by_name
from goodie.losses.class_sums import class_sums
from goodie.losses.contrastive import contrastive_loss, positives
from goodie.losses.prototype import classes, prototype_loss
from goodie.losses.pseudo_labels import pseudo_labels
from oracles import goodie as oracle

N, C, D = 40, 5, 6
TEMPERATURES = (0.01, 0.3, 5.0)


@pytest.fixture
def problem() -> dict[str, torch.Tensor]:
    """Scores with unreached nodes, a class with one node, a training node that they contradict."""
    generator = torch.Generator().manual_seed(0)
    scores = 0.02 * torch.rand(N, C, generator=generator, dtype=torch.float64)
    scores[:, 4] = 0.0
    scores[[7, 8, 9]] = 0.0
    y = torch.randint(0, 4, (N,), generator=generator)
    train_mask = torch.zeros(N, dtype=torch.bool)
    train_mask[:9] = True
    y[0] = 4  # the only node of its class
    y[1] = (scores[1].argmax() + 1) % 4
    z = torch.randn(N, D, generator=generator, dtype=torch.float64)
    z[20] = 0.0
    return {"scores": scores, "y": y, "train_mask": train_mask, "z": z}


def loss(name: str, problem: dict[str, torch.Tensor], temperature: float, **more) -> torch.Tensor:
    of = by_name.contrast(
        name,
        problem["scores"],
        problem["y"],
        problem["train_mask"],
        width=D,
        temperature=temperature,
        generator=torch.Generator().manual_seed(1),
        **more,
    )
    return of.loss(problem["z"])


def judged(problem: dict[str, torch.Tensor], temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """The oracle's labels and confidences."""
    return oracle.pseudo_labels(
        problem["scores"].numpy(), problem["y"].numpy(), problem["train_mask"].numpy(), temperature
    )


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_pseudo_labels(problem, temperature: float) -> None:
    label, confidence = judged(problem, temperature)
    found = pseudo_labels(
        problem["scores"], problem["y"], problem["train_mask"], temperature=temperature
    )
    assert found.label.tolist() == label.tolist()
    assert -1 in label
    np.testing.assert_allclose(found.confidence, confidence, rtol=1e-12)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("name", ["pseudo", "strong", "weak", "manual"])
def test_of_all_nodes(problem, name: str, temperature: float) -> None:
    label, confidence = judged(problem, temperature)
    if name == "weak":
        confidence = oracle.raw_confidence(problem["scores"].numpy(), temperature)
    W = oracle.pair_weights(problem["train_mask"].numpy(), confidence, name)
    expected = oracle.contrastive(problem["z"].numpy(), label, W, temperature)
    assert float(loss(name, problem, temperature)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_of_training_nodes(problem, temperature: float) -> None:
    expected = oracle.supcon_on_training(
        *(problem[key].numpy() for key in ("z", "y", "train_mask")), temperature
    )
    assert float(loss("train", problem, temperature)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("name", ["prototype", "prototype-printed"])
def test_of_prototypes(problem, name: str, temperature: float) -> None:
    label, confidence = judged(problem, temperature)
    expected = oracle.prototype_loss(
        problem["z"].numpy(), label, confidence, temperature, printed=name == "prototype-printed"
    )
    assert float(loss(name, problem, temperature)) == pytest.approx(expected, rel=1e-10)


def test_of_a_sample(problem) -> None:
    """The loss of the nodes drawn, as if there were no others; other nodes each time."""
    label, confidence = judged(problem, 0.3)
    drawn = torch.randperm(N, generator=torch.Generator().manual_seed(1))[:15].numpy()
    W = oracle.pair_weights(problem["train_mask"].numpy(), confidence, "pseudo")
    expected = oracle.contrastive(
        problem["z"].numpy()[drawn], label[drawn], W[np.ix_(drawn, drawn)], 0.3
    )
    assert float(loss("sampled", problem, 0.3, sample=15)) == pytest.approx(expected, rel=1e-10)
    whole = float(loss("pseudo", problem, 0.3))
    assert float(loss("sampled", problem, 0.3, sample=N)) == pytest.approx(whole, rel=1e-12)
    of = by_name.contrast(
        "sampled",
        *(problem[key] for key in ("scores", "y", "train_mask")),
        width=D,
        temperature=0.3,
        generator=torch.Generator().manual_seed(1),
        sample=15,
    )
    assert of.loss(problem["z"]) != of.loss(problem["z"])


@pytest.mark.parametrize("backend", ["reference", "blocked"])
def test_backends_agree(problem, backend: str) -> None:
    expected = float(loss("pseudo", problem, 0.01))
    assert float(loss("pseudo", problem, 0.01, backend=backend)) == pytest.approx(expected, 1e-12)


@pytest.mark.parametrize(
    "name", ["pseudo", "strong", "weak", "manual", "train", "prototype", "prototype-printed"]
)
def test_gradients(problem, name: str) -> None:
    problem["z"][20] = 0.1  # a row of zeros has no direction to differentiate
    z = problem["z"].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda z: loss(name, problem | {"z": z}, 0.5), (z,))


@pytest.mark.parametrize("name", ["pseudo", "train", "prototype", "prototype-printed"])
def test_a_row_of_zeros_has_a_finite_gradient(problem, name: str) -> None:
    z = problem["z"].clone().requires_grad_()
    loss(name, problem | {"z": z}, 0.01).backward()
    assert z.grad.isfinite().all()


@pytest.mark.parametrize("labels", [[0], [-1], [0, 1], [1, 1], [-1, -1, -1], [0, 1, 2]])
@pytest.mark.parametrize("temperature", [1e-3, 1.0, 1e5])
def test_small_worlds(labels: list[int], temperature: float) -> None:
    """One node, classes of one, one class, none: finite, and what the oracle says."""
    label = torch.tensor(labels)
    z = torch.tensor([[3.0, 4.0], [0.6, -0.8], [0.0, 2.0]], dtype=torch.float64)[: len(labels)]
    z.requires_grad_()
    u = torch.ones(len(labels), dtype=torch.float64)
    W = np.ones((len(labels), len(labels)))
    here = contrastive_loss(z, positives(label, u, 3), temperature=temperature)
    there = prototype_loss(z, classes(label, u), temperature=temperature)
    (here + there).backward()
    assert z.grad.isfinite().all()
    rows = z.detach().numpy()
    expected = oracle.contrastive(rows, label.numpy(), W, temperature)
    assert float(here.detach()) == pytest.approx(expected, rel=1e-10, abs=1e-12)
    expected = oracle.prototype_loss(rows, label.numpy(), u.numpy(), temperature)
    assert float(there.detach()) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_labels_of_nodes_not_trained_on_are_not_read(problem) -> None:
    before = [float(loss(name, problem, 0.1)) for name in ("pseudo", "train", "prototype")]
    problem["y"] = torch.where(problem["train_mask"], problem["y"], -1)
    after = [float(loss(name, problem, 0.1)) for name in ("pseudo", "train", "prototype")]
    assert before == after


def test_class_sums_and_their_gradient() -> None:
    group = torch.tensor([2, 0, 2, 0, 1, 2])
    weights = torch.rand(6, 2, dtype=torch.float64)
    sums = class_sums(group, weights, 4)
    z = torch.rand(6, 3, dtype=torch.float64, requires_grad=True)
    expected = torch.zeros(8, 3, dtype=torch.float64)
    for kind in range(2):
        for node in range(6):
            expected[4 * kind + group[node]] += weights[node, kind] * z[node].detach()
    torch.testing.assert_close((sums @ z).detach(), expected)
    assert torch.autograd.gradcheck(lambda z: sums @ z, (z,))
