"""The same study on a cluster gives the same rows."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goodie.errors import InputError
from goodie.study.cluster import connected
from goodie.study.runner import Outcome, run_cells
from goodie.study.store import Store
from study.toys import cells, lasting

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def address() -> Iterator[str]:
    """Of a Dask scheduler on this machine, with two workers that are processes."""
    distributed = pytest.importorskip(
        "distributed", reason="no Dask here: pip install 'goodie-graph[dask]'"
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
def test_dask_gives_the_same_rows(address: str, tmp_path: Path) -> None:
    todo = cells(seeds=5, rates=[0.0, 0.9])
    with Store(tmp_path / "here.sqlite") as here, Store(tmp_path / "there.sqlite") as there:
        run_cells(todo, here)
        with connected("dask", address):
            assert run_cells(todo, there, jobs=2, backend="dask") == Outcome(10, 0, 0, 0)
            assert run_cells(todo, there, jobs=2, backend="dask") == Outcome(0, 0, 10, 0)
        assert lasting(here.all()) == lasting(there.all())


@pytest.mark.parametrize(
    ("backend", "package"), [("dask", "distributed"), ("ray", "ray")], ids=lambda word: word
)
def test_a_cluster_needs_its_package(
    backend: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    message = rf"--backend {backend} needs `pip install 'goodie-graph\[{backend}\]'`"
    with pytest.raises(InputError, match=message), connected(backend, None):
        pass


@pytest.mark.parametrize("backend", [None, "loky"])
def test_an_address_is_of_a_cluster(backend: str | None) -> None:
    with (
        pytest.raises(InputError, match="an address goes with --backend dask or"),
        connected(backend, "tcp://localhost:1"),
    ):
        pass


def test_without_a_cluster_there_is_nothing_to_connect() -> None:
    with connected(None, None):
        pass
