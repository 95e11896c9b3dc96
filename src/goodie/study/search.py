"""A small search for settings, by validation score alone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from goodie.errors import InputError
from goodie.study.cell import key, resolve
from goodie.study.runner import run_cells
from goodie.study.spec import Spec
from goodie.study.store import Store


@dataclass(frozen=True)
class Found:
    """The best settings of a method, and their mean validation score in percent."""

    method: str
    settings: dict[str, Any]
    val: float


def search(
    spec: Spec, method: str, store: Store, *, trials: int = 20, jobs: int = 1, seed: int = 0
) -> Found:
    """Try settings from the study's `[search.METHOD]` on all of its cells of that method.

    A table of settings, each either a list to choose from or `{low, high}`, with `log = true` for
    a logarithmic scale: `alpha = {low = 0.5, high = 0.99}`. Every cell tried is stored, and the
    sampler is seeded: an interrupted search, started again, goes through the same trials without
    running them again.
    """
    try:
        import optuna
    except ImportError:
        raise InputError("searching needs `pip install 'goodie-graph[search]'`") from None
    space = spec.search.get(method)
    cells = [cell for cell in spec.cells if cell.method == method]
    if not space or not cells:
        raise InputError(f"the study has no [search.{method}], or does not run {method}")

    def score(trial: Any) -> float:
        choice = {name: _suggest(trial, name, options) for name, options in space.items()}
        tried = [
            replace(
                cell,
                settings=resolve(method, cell.dataset, cell.scenario, cell.settings, choice),
            )
            for cell in cells
        ]
        run_cells(tried, store, jobs=jobs)
        rows = store.get(key(cell) for cell in tried)
        failed = [row for row in rows.values() if row["status"] == "failed"]
        if failed:
            raise InputError(f"a cell of the search failed:\n{failed[0]['error']}")
        return sum(float(row["val"]) for row in rows.values()) / len(rows)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    outcome = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed)
    )
    outcome.optimize(score, n_trials=trials)
    return Found(method, dict(outcome.best_params), float(outcome.best_value))


def _suggest(trial: Any, name: str, options: list[Any] | Mapping[str, Any]) -> Any:
    if isinstance(options, list):
        return trial.suggest_categorical(name, options)
    if not {"low", "high"} <= set(options) <= {"low", "high", "log"}:
        raise InputError(f"{name} of the search is {options}; it is a list or low, high and log")
    low, high = options["low"], options["high"]
    kind = trial.suggest_int if isinstance(low, int) and isinstance(high, int) else None
    return (kind or trial.suggest_float)(name, low, high, log=bool(options.get("log", False)))
