"""The high-water mark is of the block, not of the process's whole life."""

import mmap
from pathlib import Path

import pytest

from goodie import memory

MB = 1_000_000

linux = pytest.mark.skipif(memory.resident() is None, reason="this system does not tell")


def fill(megabytes: int) -> None:
    """Touch so much memory that the system, not the allocator, had; and give it back."""
    page = b"x" * mmap.PAGESIZE
    with mmap.mmap(-1, megabytes * MB) as fresh:
        for _ in range(megabytes * MB // len(page)):
            fresh.write(page)


@linux
def test_a_large_allocation_is_seen_though_it_is_gone() -> None:
    before = memory.resident()
    with memory.watch_peak() as peak:
        fill(300)
    assert memory.resident() < before + 150 * MB
    assert 290 * MB < peak() - before < 500 * MB


@linux
def test_what_was_before_the_block_does_not_count() -> None:
    fill(300)
    before = memory.resident()
    with memory.watch_peak() as peak:
        fill(50)
    assert 40 * MB < peak() - before < 150 * MB


@linux
def test_one_block_after_another_starts_anew() -> None:
    peaks = []
    for megabytes in (300, 20):
        with memory.watch_peak() as peak:
            fill(megabytes)
        peaks.append(peak())
    assert peaks[1] < peaks[0] - 150 * MB


@pytest.mark.parametrize("lacking", ["_CLEAR", "_STATUS"])
def test_where_the_system_does_not_tell(lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, lacking, Path("/no/such/file"))
    with memory.watch_peak() as peak:
        pass
    assert peak() is None
