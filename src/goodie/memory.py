"""How much memory this process takes at its highest."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


@contextmanager
def watch_peak() -> Iterator[Callable[[], int | None]]:
    """Give a function that says, in bytes, the highest resident memory since here.

    None where the system does not tell (outside Linux). The mark is the process's own, so
    one such block should not be inside another.
    """
    try:
        _CLEAR.write_text("5")  # sets the high-water mark back to what is in use
    except OSError:
        yield lambda: None
        return
    yield lambda: _field("VmHWM")


def resident() -> int | None:
    """Bytes of memory in use by this process; None where the system does not tell."""
    return _field("VmRSS")


def _field(name: str) -> int | None:
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return None
