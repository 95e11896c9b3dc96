"""GOODIE's network, its fusions and the scales of its inputs, against the oracle."""

import numpy as np
import pytest
import torch

from goodie import missing, operator, synthetic
from goodie.data.observed import to_sparse
from goodie.nn.balance import size_of_a_full_row, to_unit_sums
from goodie.nn.fusion import FUSIONS, RandomHalf
from goodie.nn.goodie import GoodieNetwork, Inputs
from goodie.nn.product import constant, propagated
from oracles import goodie as oracle

N, F, C, D = 50, 20, 3, 8


def network(fuse: str = "attention", *, relu_logits: bool = False, live=None) -> GoodieNetwork:
    model = GoodieNetwork(
        F,
        torch.arange(F) if live is None else live,
        D,
        C,
        fuse=fuse,
        dropout=0.5,
        relu_logits=relu_logits,
        generator=torch.Generator().manual_seed(0),
    ).double()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.startswith("bias"):
                parameter.uniform_(-0.1, 0.1, generator=torch.Generator().manual_seed(1))
    return model.eval()


@pytest.fixture
def graph() -> tuple[np.ndarray, np.ndarray, np.ndarray, Inputs]:
    """Â, Ŷ, X̂, and the network's inputs made of them."""
    data = synthetic(N, C, num_features=F)
    S = operator(data, dtype=torch.float64)
    generator = torch.Generator().manual_seed(2)
    Y = torch.rand(N, C, dtype=torch.float64, generator=generator)
    X = torch.rand(N, F, dtype=torch.float64, generator=generator)
    inputs = Inputs(propagated(S, Y), propagated(S, X), constant(S.matrix))
    return S.matrix.to_dense().numpy(), Y.numpy(), X.numpy(), inputs


def branches(model: GoodieNetwork, A, Y, X) -> tuple[np.ndarray, np.ndarray]:
    weights = {name: t.detach().numpy() for name, t in model.state_dict().items()}
    return (
        oracle.branch(A, Y, weights["weight_structure"], weights["bias_structure"]),
        oracle.branch(A, X, weights["weight_features"], weights["bias_features"]),
    )


@pytest.mark.parametrize("relu_logits", [False, True])
@pytest.mark.parametrize("fuse", FUSIONS)
def test_forward(graph, fuse: str, relu_logits: bool) -> None:
    A, Y, X, inputs = graph
    model = network(fuse, relu_logits=relu_logits)
    out = model(inputs)
    a = model.fusion.a.detach().numpy()[:, 0] if fuse == "attention" else None
    lp_half = out.structure.numpy() == 1.0 if fuse == "random" else None
    Z = oracle.fuse(*branches(model, A, Y, X), fuse, a=a, lp_half=lp_half)
    np.testing.assert_allclose(out.z.detach(), Z, rtol=1e-9, atol=1e-12)
    weight, bias = (t.detach().numpy() for t in (model.weight_classes, model.bias_classes))
    logits = oracle.classify(A, Z, weight, bias, relu=relu_logits)
    np.testing.assert_allclose(out.logits.detach(), logits, rtol=1e-9, atol=1e-12)


def test_shares_of_attention(graph) -> None:
    A, Y, X, inputs = graph
    model = network()
    a = model.fusion.a.detach().numpy()[:, 0]
    _, share = oracle.attention(*branches(model, A, Y, X), a)
    np.testing.assert_allclose(model(inputs).structure.detach(), share, rtol=1e-9)
    assert share.std() > 0


@pytest.mark.parametrize("fuse", ["sum", "mean", "concat"])
def test_shares_are_even_where_nothing_weighs(graph, fuse: str) -> None:
    assert (network(fuse)(graph[3]).structure == 0.5).all()


def test_random_halves_are_halves_and_stay() -> None:
    fusion = RandomHalf(D, torch.Generator().manual_seed(0))
    ones, zeros = torch.ones(101, D), torch.zeros(101, D)
    z, share = fusion(ones, zeros)
    assert share.sum() == 50
    assert z.equal(fusion(ones, zeros).z)
    assert (z == share[:, None]).all()
    other = RandomHalf(D, torch.Generator().manual_seed(1))
    assert not other(ones, zeros).z.equal(z)


def test_gradients_of_every_weight(graph) -> None:
    inputs = graph[3]
    model = network()
    names = [name for name, _ in model.named_parameters()]
    weights = [p.detach().clone().requires_grad_() for p in model.parameters()]

    def loss(*weights: torch.Tensor) -> torch.Tensor:
        out = torch.func.functional_call(model, dict(zip(names, weights, strict=True)), (inputs,))
        return out.logits.square().sum() + out.z.sum()

    assert torch.autograd.gradcheck(loss, weights)


def test_dead_columns_change_nothing(graph) -> None:
    """Weights are drawn at full width: without the dead columns it is the same network."""
    _, _, X, inputs = graph
    live = torch.tensor([1, 4, 5, 13])
    thin = np.zeros_like(X)
    thin[:, live] = X[:, live]
    S = operator(synthetic(N, C, num_features=F), dtype=torch.float64)
    whole, part = network(), network(live=live)
    narrow = inputs._replace(features=propagated(S, torch.from_numpy(X[:, live].copy())))
    wide = inputs._replace(features=propagated(S, torch.from_numpy(thin)))
    torch.testing.assert_close(whole(wide).logits, part(narrow).logits)
    assert part.weight_features.shape == (4, D)


@pytest.mark.parametrize("fuse", ["attention", "mean", "sum", "concat"])
def test_voices(graph, fuse: str) -> None:
    """Together as the paper has it; alone, through the weights that each branch meets there."""
    A, Y, X, inputs = graph
    model = network(fuse)
    withheld = torch.rand(N, C, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    both, structure, features = model.voices(inputs, withheld)
    H_lp, H_fp = branches(model, A, Y, X)
    w = {name: t.detach().numpy() for name, t in model.state_dict().items()}
    other = np.maximum(withheld.numpy() @ w["weight_structure"] + w["bias_structure"], 0.0)
    a = w["fusion.a"][:, 0] if fuse == "attention" else None
    Z = oracle.fuse(other, H_fp, fuse, a=a)
    W = w["weight_classes"]
    first, second = (W[:D], W[D:]) if fuse == "concat" else (W, W)
    for said, z, weight in ((both, Z, W), (structure, H_lp, first), (features, H_fp, second)):
        np.testing.assert_allclose(said.z.detach(), z, rtol=1e-9, atol=1e-12)
        logits = oracle.classify(A, z, weight, w["bias_classes"])
        np.testing.assert_allclose(said.logits.detach(), logits, rtol=1e-9, atol=1e-12)
    assert (structure.structure == 1).all()
    assert (features.structure == 0).all()
    torch.testing.assert_close(model.voices(inputs).both, model(inputs))


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("chosen", [[0], [3, 17, 40], list(range(N))])
def test_what_some_nodes_read_is_enough_for_their_logits(graph, chosen: list, whole: bool) -> None:
    inputs = graph[3]
    model = network()
    part, read = inputs.reading(torch.tensor(chosen), whole=whole)
    torch.testing.assert_close(model(part).logits, model(inputs).logits[chosen])
    every = model(inputs)
    torch.testing.assert_close(model(part).z, every.z if read is None else every.z[read])
    if whole or len(chosen) == N:
        assert read is None
    if len(chosen) == 1:
        assert whole or len(read) < N / 2


@pytest.mark.parametrize("pattern", ["uniform", "structural"])
def test_the_size_of_a_full_row_is_seen_through_the_holes(pattern: str) -> None:
    data = synthetic(2000, 3, num_features=50)
    data.x = data.x * torch.linspace(-2, 2, 50)
    truth = data.x.abs().sum(dim=1).mean().item()
    holed = missing.hide(data, pattern, 0.8)
    assert size_of_a_full_row(data) == pytest.approx(truth, rel=1e-5)
    assert size_of_a_full_row(holed) == pytest.approx(truth, rel=0.05)
    assert size_of_a_full_row(to_sparse(holed)) == pytest.approx(size_of_a_full_row(holed))
    holed = missing.hide(to_sparse(data), pattern, 0.8)
    assert size_of_a_full_row(holed) == pytest.approx(truth, rel=0.05)


def test_the_size_of_nothing_is_zero() -> None:
    data = synthetic(10, 2, num_features=3, average_degree=2.0)
    assert size_of_a_full_row(missing.uniform(data, 1.0)) == 0.0
    data.x = torch.zeros(10, 0)
    assert size_of_a_full_row(data) == 0.0


def test_unit_sums_keep_rows_of_zeros() -> None:
    out = to_unit_sums(torch.tensor([[1e-30, 3e-30], [0.0, 0.0], [2.0, 0.0]]))
    torch.testing.assert_close(out, torch.tensor([[0.25, 0.75], [0.0, 0.0], [1.0, 0.0]]))
