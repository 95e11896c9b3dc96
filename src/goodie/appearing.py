"""Files that appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A path beside `path` that becomes it when the block ends well, and vanishes otherwise.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     with appearing(Path(folder) / "new" / "page.txt") as temporary:
        ...         _ = temporary.write_text("whole")
        ...     (Path(folder) / "new" / "page.txt").read_text()
        'whole'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
