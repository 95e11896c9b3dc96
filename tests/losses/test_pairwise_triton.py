"""The fused kernels against autograd in float64: on a GPU, or small and interpreted."""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from goodie.errors import InputError
from goodie.losses import pairwise_logsumexp as package
from goodie.losses.pairwise_logsumexp import pairwise_logsumexp
from goodie.losses.pairwise_logsumexp.blocked import blocked

Fused = Callable[[Tensor, float, str], Tensor]

MODULE = "goodie.losses.pairwise_logsumexp.triton"
INTERPRETS = os.environ.get("TRITON_INTERPRET") == "1"
KINDS = {"random": 1.0, "clustered": 1.0, "unit": 0.01, "unit-clustered": 0.01}
# ‖out − ref‖ / ‖ref‖ of the value and of the gradient.
BOUNDS = {"compensated": (1e-5, 1e-3), "ieee": (1e-5, 1e-3), "tf32": (5e-3, 1e-2)}


def rows(n: int, width: int, kind: str = "random") -> Tensor:
    """Random rows or clusters, of any length or of one."""
    generator = torch.Generator().manual_seed(n + width)
    z = torch.randn(n, width, generator=generator)
    if "clustered" in kind:
        centres = torch.randn(2 + n // 500, width, generator=generator)
        z = centres[torch.randint(len(centres), (n,), generator=generator)] + 0.3 * z
    return F.normalize(z, dim=1) if "unit" in kind else z


def weights(n: int) -> Tensor:
    """The gradient that comes in; of both signs, and zero somewhere."""
    return torch.linspace(-1.0, 2.0, n).round(decimals=2)


def truth(z: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """Autograd through the formula, in float64 on the CPU, some rows at a time."""
    z = z.detach().cpu().double().requires_grad_()
    values = []
    for some in torch.arange(len(z)).split(2000):
        pairs = z[some] @ z.T / temperature
        pairs = pairs.masked_fill(some[:, None] == torch.arange(len(z)), -torch.inf)
        value = pairs.logsumexp(dim=1)
        (value * weights(len(z))[some]).sum().backward()
        values.append(value.detach())
    return torch.cat(values), z.grad


def result(fused: Fused, z: Tensor, temperature: float, precision: str) -> tuple[Tensor, Tensor]:
    """Value and gradient, with NaN in all memory that is taken and not written to."""
    z = z.detach().requires_grad_()
    torch.use_deterministic_algorithms(True)  # which is what fills it
    try:
        value = fused(z, temperature, precision)
        (gradient,) = torch.autograd.grad(value, z, weights(len(z)).to(value))
    finally:
        torch.use_deterministic_algorithms(False)
    return value.detach(), gradient


def error(out: Tensor, reference: Tensor) -> float:
    return ((out.cpu().double() - reference).norm() / reference.norm()).item()


@cache
def case(n: int, width: int, kind: str) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    z = rows(n, width, kind)
    return z, truth(z, KINDS[kind])


def check(
    fused: Fused,
    z: Tensor,
    temperature: float,
    precision: str,
    right: tuple[Tensor, Tensor] | None = None,
) -> None:
    value, gradient = result(fused, z, temperature, precision)
    assert value.dtype == gradient.dtype == z.dtype
    right_value, right_gradient = right or truth(z, temperature)
    coarse = 0.0 if z.dtype == torch.float32 else torch.finfo(z.dtype).eps  # of the output
    value_bound, gradient_bound = BOUNDS[precision]
    assert error(value, right_value) <= value_bound + coarse
    assert error(gradient, right_gradient) <= gradient_bound + coarse


@pytest.fixture
def on_gpu() -> Fused:
    if not torch.cuda.is_available() or INTERPRETS:
        pytest.skip("torch finds no GPU here")
    pytest.importorskip("triton", reason="Triton is not installed")
    return import_module(MODULE).fused


@pytest.fixture
def interpreted() -> Fused:
    """The kernels as Triton's interpreter runs them, on the CPU."""
    if not INTERPRETS:
        pytest.skip("TRITON_INTERPRET=1 is not set; test_through_the_interpreter sets it")
    fused = import_module(MODULE).fused
    try:
        fused(torch.ones(2, 1), 1.0, "ieee")
    except Exception as reason:
        if "0-dimensional" not in str(reason):
            raise
        pytest.skip("this Triton's interpreter is older than the NumPy installed")
    return fused


def test_through_the_interpreter() -> None:
    """Triton must be told before it is imported, so in a process of its own."""
    pytest.importorskip("triton", reason="Triton is not installed")
    if INTERPRETS:
        pytest.skip("this is that process")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    ran = subprocess.run(
        [*command, "-k", "interpreted"],
        env={**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


# NumPy speaks of numbers that are masked, where a GPU says nothing.
by_numpy = pytest.mark.filterwarnings(
    "ignore:Conversion of an array:DeprecationWarning", "ignore:.*encountered in:RuntimeWarning"
)


@pytest.mark.parametrize("precision", BOUNDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [16, 64, 100])
@pytest.mark.parametrize("n", [2, 5, 63, 64, 65, 1000])
def test_float64_on_gpu(on_gpu: Fused, n: int, width: int, kind: str, precision: str) -> None:
    z, right = case(n, width, kind)
    check(on_gpu, z.cuda(), KINDS[kind], precision, right)


@pytest.mark.parametrize("precision", BOUNDS)
@pytest.mark.parametrize("kind", KINDS)
def test_float64_at_pubmeds_size(on_gpu: Fused, kind: str, precision: str) -> None:
    z, right = case(19_717, 64, kind)
    check(on_gpu, z.cuda(), KINDS[kind], precision, right)


@by_numpy
@pytest.mark.parametrize("precision", BOUNDS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "width"), [(2, 16), (5, 3), (64, 16), (65, 20), (200, 64)])
def test_float64_interpreted(
    interpreted: Fused, n: int, width: int, kind: str, precision: str
) -> None:
    z, right = case(n, width, kind)
    check(interpreted, z, KINDS[kind], precision, right)


@pytest.mark.parametrize("precision", BOUNDS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_on_gpu(on_gpu: Fused, dtype: torch.dtype, precision: str) -> None:
    check(on_gpu, rows(700, 48, "unit").to(dtype).cuda(), 0.1, precision)


@pytest.mark.parametrize("precision", BOUNDS)
@pytest.mark.parametrize("width", [1, 17, 128, 129, 200, 256])
def test_widths_on_gpu(on_gpu: Fused, width: int, precision: str) -> None:
    check(on_gpu, rows(333, width, "unit").cuda(), 0.1, precision)


@by_numpy
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_interpreted(interpreted: Fused, dtype: torch.dtype) -> None:
    check(interpreted, rows(150, 20, "unit").to(dtype), 0.1, "compensated")


@by_numpy
@pytest.mark.parametrize("width", [1, 130])
def test_widths_interpreted(interpreted: Fused, width: int) -> None:
    check(interpreted, rows(70, width, "unit"), 0.1, "compensated")


def lone(n: int) -> Tensor:
    """A row so long that no common shift serves the others, and one of zeros."""
    z = rows(n, 16)
    z[0] *= 10.0
    z[1] = 0.0
    return z


@pytest.mark.parametrize("n", [150, 3000])
def test_no_row_is_lost_on_gpu(on_gpu: Fused, n: int) -> None:
    check(on_gpu, lone(n).cuda(), 0.02, "compensated")


@by_numpy
def test_no_row_is_lost_interpreted(interpreted: Fused) -> None:
    check(interpreted, lone(150), 0.02, "compensated")


def alone(fused: Fused, z: Tensor) -> None:
    value, gradient = result(fused, z, 0.1, "compensated")
    assert value.tolist() == [-torch.inf]
    assert gradient.count_nonzero() == 0


def test_a_row_alone_on_gpu(on_gpu: Fused) -> None:
    alone(on_gpu, rows(1, 16).cuda())


@by_numpy
def test_a_row_alone_interpreted(interpreted: Fused) -> None:
    alone(interpreted, rows(1, 16))


@pytest.mark.parametrize("precision", BOUNDS)
@pytest.mark.parametrize("n", [65, 2485, 40_000])
def test_same_bits_twice(on_gpu: Fused, n: int, precision: str) -> None:
    z = rows(n, 64, "unit-clustered").cuda()
    first, second = (result(on_gpu, z, 0.01, precision) for _ in range(2))
    assert all(map(torch.equal, first, second))


def test_scale_and_units_do_not_matter(on_gpu: Fused) -> None:
    z = rows(500, 32).cuda()
    value, gradient = result(on_gpu, z, 1.0, "compensated")
    for factor in (2.0**-30, 2.0**30):
        same, scaled = result(on_gpu, z * factor, factor**2, "compensated")
        torch.testing.assert_close(same, value, rtol=1e-6, atol=1e-6)
        torch.testing.assert_close(scaled * factor, gradient, rtol=1e-5, atol=1e-5)


def test_rows_apart_in_memory(on_gpu: Fused) -> None:
    wide = rows(300, 40).cuda()
    assert on_gpu(wide[:, ::2], 1.0, "tf32").equal(on_gpu(wide[:, ::2].clone(), 1.0, "tf32"))


def test_in_a_cuda_graph(on_gpu: Fused) -> None:
    z = rows(2485, 64, "unit").cuda()
    expected = result(on_gpu, z, 0.01, "compensated")
    still = z.clone().requires_grad_()
    weight = weights(len(z)).cuda()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        value = on_gpu(still, 0.01, "compensated")
        (gradient,) = torch.autograd.grad(value, still, weight)
    graph.replay()
    assert value.equal(expected[0])
    assert gradient.equal(expected[1])


def test_no_pair_is_kept(on_gpu: Fused) -> None:
    z = rows(30_000, 64, "unit").cuda()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    result(on_gpu, z, 0.01, "compensated")
    assert torch.cuda.max_memory_allocated() - before < 30_000**2 * 4 / 20


def test_auto_is_fused_on_gpu(on_gpu: Fused) -> None:
    z = rows(100, 8).cuda()
    assert pairwise_logsumexp(z).equal(on_gpu(z, 1.0, "compensated"))
    assert pairwise_logsumexp(z, precision="tf32").equal(on_gpu(z, 1.0, "tf32"))
    for other in (z.double(), rows(100, 300).cuda()):
        torch.testing.assert_close(pairwise_logsumexp(other), blocked(other, 1.0))


class SeeminglyOnGpu(Tensor):
    """Rows on the CPU that say they are not."""

    is_cuda = True


@pytest.fixture
def without_triton(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, MODULE, None)
    for remembered in (package._missing, package._warn):
        remembered.cache_clear()
    yield
    for remembered in (package._missing, package._warn):
        remembered.cache_clear()


@pytest.mark.usefixtures("without_triton")
def test_without_triton_there_is_a_warning_once() -> None:
    z = rows(20, 4).as_subclass(SeeminglyOnGpu)
    with pytest.warns(UserWarning, match=r"^Triton cannot be imported .*blocked") as caught:
        first = pairwise_logsumexp(z)
    assert len(caught) == 1
    assert "\n" not in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pairwise_logsumexp(z).equal(first)
        pairwise_logsumexp(rows(20, 4))
        pairwise_logsumexp(z, backend="blocked")
    torch.testing.assert_close(first.as_subclass(Tensor), blocked(rows(20, 4), 1.0))


@pytest.mark.usefixtures("without_triton")
def test_without_triton_it_cannot_be_asked_for() -> None:
    z = rows(20, 4).as_subclass(SeeminglyOnGpu)
    with pytest.raises(InputError, match="Triton cannot be imported"):
        pairwise_logsumexp(z, backend="triton")


@pytest.mark.parametrize(
    ("z", "reason"),
    [
        (rows(20, 4), "z is on cpu"),
        (rows(20, 4).double().as_subclass(SeeminglyOnGpu), "z is torch.float64"),
        (rows(20, 257).as_subclass(SeeminglyOnGpu), "257 columns"),
    ],
)
def test_what_cannot_be_fused(monkeypatch: pytest.MonkeyPatch, z: Tensor, reason: str) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    with pytest.raises(InputError, match=rf"backend='triton' cannot be used: .*{reason}"):
        pairwise_logsumexp(z, backend="triton")
    torch.testing.assert_close(
        pairwise_logsumexp(z).as_subclass(Tensor), blocked(z.as_subclass(Tensor), 1.0)
    )
