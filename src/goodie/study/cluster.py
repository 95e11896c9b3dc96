"""Dask and Ray as joblib backends, each an extra of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from goodie.errors import InputError


@contextmanager
def connected(backend: str | None, address: str | None) -> Iterator[None]:
    """Make a joblib backend usable while the block runs.

    Args:
        backend: `dask`, `ray`, another that joblib knows, or None for processes of this machine.
        address: of the Dask scheduler or Ray head; a cluster of this machine's cores if None.
    """
    if address is not None and backend not in ("dask", "ray"):
        raise InputError("an address goes with --backend dask or --backend ray")
    if backend == "dask":
        try:
            from distributed import Client
        except ImportError:
            raise InputError("--backend dask needs `pip install 'goodie-graph[dask]'`") from None
        with Client(address):
            yield
    elif backend == "ray":
        try:
            import ray
            from ray.util.joblib import register_ray
        except ImportError:
            raise InputError("--backend ray needs `pip install 'goodie-graph[ray]'`") from None
        ray.init(address=address)
        register_ray()
        try:
            yield
        finally:
            ray.shutdown()
    else:
        yield
