"""Seconds, memory and the machine's own limits."""

import multiprocessing
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from goodie.memory import resident, watch_peak

PAGE = os.sysconf("SC_PAGE_SIZE")


def seconds(*contenders: Callable[[], object], repeats: int = 3) -> list[float]:
    """The median time of each contender, taken in turns so that a noisy moment hits all alike.

    One round before counts for nothing, except with a single repeat, for long runs.
    """
    times: list[list[float]] = [[] for _ in contenders]
    for turn in range(repeats + (repeats > 1)):
        for contender, own in zip(contenders, times, strict=True):
            begin = time.perf_counter()
            contender()
            if turn or repeats == 1:
                own.append(time.perf_counter() - begin)
    return [statistics.median(own) for own in times]


def peak_memory(prepare: Callable[..., Callable[[], object]], *arguments: Any) -> int:
    """Bytes that a call takes at its peak beyond what its process held before.

    `prepare(*arguments)` loads the inputs, in a process of its own, and gives the call.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_report_peak, args=(sender, prepare, arguments))
    process.start()
    sender.close()
    try:
        peak = receiver.recv()
    except EOFError:
        raise RuntimeError(f"measuring {prepare.__name__}{arguments} died") from None
    finally:
        process.join()
    return int(peak)


def copy_bandwidth(size: int = 1 << 29) -> float:
    """Bytes a second that a large copy reads and writes, at best."""
    source = torch.ones(size // 4)
    target = torch.empty_like(source)
    best = min(_time(lambda: target.copy_(source)) for _ in range(5))
    return 2 * size / best


def machine() -> dict[str, Any]:
    """What the figures were taken on."""
    return {
        "processor": _processor(),
        "threads": torch.get_num_threads(),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * PAGE / 2**30, 1),
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "torch-geometric", "numpy", "scipy")},
        "copy_gb_per_second": round(copy_bandwidth() / 1e9, 1),
    }


def _time(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _report_peak(sender: Any, prepare: Callable[..., Callable[[], object]], arguments: Any) -> None:
    call = prepare(*arguments)
    before = resident()
    with watch_peak() as peak:
        call()
    highest = peak()
    if before is None or highest is None:
        raise RuntimeError("this system does not tell how much memory a process takes")
    sender.send(highest - before)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
