"""`python -m benchmarks.pairwise`: log-sum-exp over all pairs on a GPU, dense, blocked, fused."""

import argparse
import json
import math
import statistics
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from goodie.losses.pairwise_logsumexp import pairwise_logsumexp

RESULTS = Path(__file__).parent / "results"

# Nodes of Cora, PubMed, Physics and Arxiv, but for Cora's smaller components.
SIZES = (2_485, 19_717, 34_493, 169_343)
WIDTH, TEMPERATURE = 64, 0.01
CONTENDERS: dict[str, dict[str, str]] = {
    "dense": {"backend": "reference"},
    "blocked": {"backend": "blocked"},
    "fused, ieee": {"backend": "triton", "precision": "ieee"},
    "fused, compensated": {"backend": "triton", "precision": "compensated"},
    "fused, tf32": {"backend": "triton", "precision": "tf32"},
}
# Products of half precision that one product is made of; none is one of float32.
PRODUCTS = {"fused, compensated": 3, "fused, tf32": 1}
# 16 a clock on each of 132 multiprocessors at 1.98 GHz.
EXPONENTIALS = 4.2e12

CHECKED = (1, 2, 5, 63, 64, 65, 1000, 19_717)
WIDTHS = (16, 64, 100)
KINDS = {"random": 1.0, "clustered": 1.0, "unit": 0.01, "unit-clustered": 0.01}
PRECISIONS = ("tf32", "compensated", "ieee")


def rows(n: int, width: int, kind: str) -> Tensor:
    """Random rows or clusters, of any length or of one."""
    generator = torch.Generator().manual_seed(n + width)
    z = torch.randn(n, width, generator=generator)
    if "clustered" in kind:
        centres = torch.randn(40, width, generator=generator)
        z = centres[torch.randint(40, (n,), generator=generator)] + 0.5 * z
    return F.normalize(z, dim=1) if "unit" in kind else z


def incoming(n: int) -> Tensor:
    """A gradient."""
    return torch.randn(n, generator=torch.Generator().manual_seed(n))


def both(z: Tensor, weights: Tensor, temperature: float, how: dict[str, Any]) -> tuple[Tensor, ...]:
    """The value and the gradient."""
    z = z.detach().requires_grad_()
    value = pairwise_logsumexp(z, temperature, **how)
    return value.detach(), *torch.autograd.grad(value, z, weights)


def truth(z: Tensor, weights: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """Both in float64, where z is, some rows at a time."""
    z, weights = z.double(), weights.double()
    value, gradient = torch.empty_like(weights), torch.zeros_like(z)
    for some in torch.arange(len(z), device=z.device).split(2048):
        pairs = z[some] @ z.T / temperature
        pairs[torch.arange(len(some)), some] = -torch.inf
        value[some] = pairs.logsumexp(dim=1)
        share = (pairs - value[some, None]).exp_().nan_to_num_(nan=0.0) * weights[some, None]
        gradient[some] += share @ z
        gradient += share.T @ z[some]
    return value, gradient / temperature


def distance(out: Tensor, right: Tensor) -> float:
    """‖out − right‖ / ‖right‖; 0 where both are the same, infinite or zero."""
    out = out.double().to(right.device)
    return 0.0 if out.equal(right) else ((out - right).norm() / right.norm()).item()


def errors() -> list[dict[str, Any]]:
    """Every precision on every kind of rows; memory not written to would show as NaN."""
    found = []
    for n in CHECKED:
        for width in WIDTHS:
            for kind, temperature in KINDS.items():
                z, weights = rows(n, width, kind), incoming(n)
                right = truth(z, weights, temperature)
                found += [
                    {"n": n, "width": width, "kind": kind, "precision": precision}
                    | compare(z.cuda(), weights.cuda(), temperature, precision, right)
                    for precision in PRECISIONS
                ]
    for kind in ("unit", "unit-clustered"):
        n = SIZES[-1]
        z, weights = rows(n, WIDTH, kind).cuda(), incoming(n).cuda()
        right = truth(z, weights, TEMPERATURE)
        found += [
            {"n": n, "width": WIDTH, "kind": kind, "precision": precision}
            | compare(z, weights, TEMPERATURE, precision, right)
            for precision in PRECISIONS
        ]
    return found


def compare(
    z: Tensor, weights: Tensor, temperature: float, precision: str, right: tuple[Tensor, Tensor]
) -> dict[str, Any]:
    """Distances of value and gradient, and whether a second call gives the same bits."""
    how = {"backend": "triton", "precision": precision}
    torch.use_deterministic_algorithms(True)  # fills empty memory with NaN
    first, second = (both(z, weights, temperature, how) for _ in range(2))
    torch.use_deterministic_algorithms(False)
    value, gradient = map(distance, first, right)
    same = all(map(torch.equal, first, second))
    return {"value": value, "gradient": gradient, "same": same}


def milliseconds(call: Callable[[], object]) -> float:
    """The median by the device's own clock, of nine calls or, where they are long, three."""
    times: list[float] = []
    call()
    torch.cuda.synchronize()
    while len(times) < 3 or (len(times) < 9 and sum(times) < 1000):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def captured(call: Callable[[], object]) -> Callable[[], object]:
    """The same as a CUDA graph, which leaves out what the host takes to launch it."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def ceilings() -> dict[str, float]:
    """Operations a second of a large product, in half precision and in float32."""
    n = 8192
    found = {}
    for name, dtype in (("half", torch.float16), ("single", torch.float32)):
        a, b = (torch.randn(n, n, dtype=dtype, device="cuda") for _ in range(2))
        found[name] = 2e3 * n**3 / milliseconds(lambda a=a, b=b: a @ b)
    return found


def times(ceiling: dict[str, float]) -> list[dict[str, Any]]:
    """One row for each size and contender, forward and backward."""
    found = []
    for n in SIZES:
        z, weights = rows(n, WIDTH, "unit-clustered").cuda(), incoming(n).cuda()
        for name, how in CONTENDERS.items():
            if name == "dense" and n > 50_000:
                continue
            found.append({"n": n, "contender": name, **measured(z, weights, how)})
            if name.startswith("fused"):
                found[-1] |= floors(n, PRODUCTS.get(name), ceiling)
            print(found[-1], flush=True)
        blocked = next(row for row in found if row["n"] == n and row["contender"] == "blocked")
        for row in found:
            if row["n"] == n:
                row["speedup"] = blocked["ms"] / row["ms"]
    return found


def measured(z: Tensor, weights: Tensor, how: dict[str, Any]) -> dict[str, Any]:
    """Milliseconds, and bytes beyond the input, the gradient that comes out included."""
    both(z, weights, TEMPERATURE, how)
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    both(z, weights, TEMPERATURE, how)
    peak = torch.cuda.max_memory_allocated() - before
    found: dict[str, Any] = {
        "memory": peak,
        "forward_ms": milliseconds(lambda: pairwise_logsumexp(z, TEMPERATURE, **how)),
        "ms": milliseconds(lambda: both(z, weights, TEMPERATURE, how)),
    }
    if how["backend"] == "triton":
        replay = captured(lambda: both(z, weights, TEMPERATURE, how))
        found["captured_ms"] = milliseconds(replay)
    return found


def floors(n: int, products: int | None, ceiling: dict[str, float]) -> dict[str, float]:
    """Milliseconds of the least work, each pair's product taken once a pass, and of what is done.

    A product over all pairs is 2 n² WIDTH operations. Forward half of one would do, backward half
    of one and a whole one; the kernels do one, and two.
    """
    rate = ceiling["single"] if products is None else ceiling["half"] / products
    whole = 2 * n**2 * WIDTH
    return {
        "least_ms": 1e3 * max(2.0 * whole / rate, n**2 / EXPONENTIALS),
        "done_ms": 1e3
        * (max(whole / rate, n**2 / EXPONENTIALS) + max(2 * whole / rate, n**2 / EXPONENTIALS)),
    }


def far(n: int) -> dict[str, Any]:
    """One row so long that the others' sums are lost, and all is done the careful way."""
    z, weights = rows(n, WIDTH, "unit").cuda(), incoming(n).cuda()
    z[0] *= 4.0
    how = {"backend": "triton", "precision": "compensated"}
    right = truth(z, weights, TEMPERATURE)
    out = both(z, weights, TEMPERATURE, how)
    value, gradient = map(distance, out, right)
    ms = milliseconds(lambda: both(z, weights, TEMPERATURE, how))
    return {"n": n, "ms": ms, "value": value, "gradient": gradient}


def table(record: dict[str, Any]) -> list[str]:
    """All of it as Markdown."""
    lines = [
        f"Forward and backward, {WIDTH} columns, float32, rows of unit length in 40 clusters, "
        f"τ = {TEMPERATURE}. Memory is what is taken at the peak beyond the input; *captured* is "
        "the replay of a CUDA graph; the floors are explained in docs/decisions/0006.",
        "",
        "| rows | way | ms | of it forward | captured | memory | against blocked "
        "| share of the floor | of the work it does |",
        "|--:|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in record["times"]:
        shares = ["", ""]
        if "least_ms" in row:
            quickest = min(row["ms"], row["captured_ms"])
            shares = [f"{row[key] / quickest:.0%}" for key in ("least_ms", "done_ms")]
        alone = f"{row['captured_ms']:.2f}" if "captured_ms" in row else ""
        lines.append(
            f"| {row['n']:,} | {row['contender']} | {row['ms']:.2f} | {row['forward_ms']:.2f} | "
            f"{alone} | {row['memory'] / 1e6:,.0f} MB | {row['speedup']:.1f}× | "
            f"{shares[0]} | {shares[1]} |"
        )
    one = record["far"]
    lines += [
        "",
        f"With one row four times as long, so that every other row's sum underflows and is done "
        f"anew: {one['n']:,} rows, compensated, {one['ms']:.0f} ms, errors {one['value']:.0e} and "
        f"{one['gradient']:.0e}.",
        "",
        "## Errors",
        "",
        "‖out − ref‖ / ‖ref‖ against float64, on the CPU but for the largest size; the largest of "
        "widths 16, 64 and 100 (64 alone at the largest size), value / gradient. `unit` rows have "
        f"length one and τ = {TEMPERATURE}, the others τ = 1. Memory was filled with NaN before. "
        + (
            "Each call was made twice and gave the same bits."
            if all(row["same"] for row in record["errors"])
            else "**Some calls gave other bits the second time.**"
        ),
    ]
    for precision in PRECISIONS:
        lines += ["", f"| {precision}, rows | " + " | ".join(KINDS) + " |"]
        lines.append("|--:|" + "--:|" * len(KINDS))
        for n in (*CHECKED, SIZES[-1]):
            cells = []
            for kind in KINDS:
                own = [
                    row
                    for row in record["errors"]
                    if (row["n"], row["kind"], row["precision"]) == (n, kind, precision)
                ]
                # NaN is the worst there is, and `max` would pass it by.
                worst = [
                    max((row[key] for row in own), key=lambda e: (math.isnan(e), e))
                    for key in ("value", "gradient")
                    if own
                ]
                cells.append(" / ".join(f"{e:.0e}" if e else "0" for e in worst))
            lines.append(f"| {n:,} | " + " | ".join(cells) + " |")
    return lines


def machine() -> dict[str, Any]:
    """What the figures were taken on."""
    about = torch.cuda.get_device_properties(0)
    return {
        "gpu": about.name,
        "multiprocessors": about.multi_processor_count,
        "cuda": torch.version.cuda,
        **{name: version(name) for name in ("torch", "triton")},
    }


def main() -> None:
    """Measure, and write to a folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairwise", description=__doc__)
    parser.add_argument("--to", type=Path, default=RESULTS, help="folder (default: %(default)s)")
    folder = parser.parse_args().to
    ceiling = ceilings()
    record = {
        "date": date.today().isoformat(),
        "machine": machine(),
        "ceilings": ceiling,
        "times": times(ceiling),
        "far": far(SIZES[-1]),
        "errors": errors(),
    }
    facts = (
        f"{record['machine']['gpu']}, torch {record['machine']['torch']}, Triton "
        f"{record['machine']['triton']}; a product of 8192² matrices runs at "
        f"{ceiling['half'] / 1e12:.0f} TFLOP/s in half precision and "
        f"{ceiling['single'] / 1e12:.0f} in float32; {record['date']}."
    )
    page = ["# Log-sum-exp over all pairs", "", *table(record), "", facts, ""]
    (folder / "pairwise.json").write_text(json.dumps(record, indent=1) + "\n")
    (folder / "pairwise.md").write_text("\n".join(page))
    print("\n".join(page))


if __name__ == "__main__":
    main()
