"""A small search for settings, by validation score alone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

from goodie import methods
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

    hints = get_type_hints(methods.get(method).Settings)
    for name, options in space.items():
        if name not in hints:
            raise InputError(f"unknown setting {name!r} of {method}; there are {', '.join(hints)}")
        _check(name, options)

    def score(trial: Any) -> float:
        choice = {
            name: _suggest(trial, name, options, whole=hints[name] is int)
            for name, options in space.items()
        }
        tried = [
            replace(
                cell,
                settings=resolve(method, cell.dataset, cell.scenario, cell.settings, choice),
            )
            for cell in cells
        ]
        outcome = run_cells(tried, store, jobs=jobs)
        if outcome.elsewhere:
            raise InputError("another process is at cells of this search: let it finish first")
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


def _check(name: str, options: Any) -> None:
    """Refuse what is neither a list to choose from nor a range."""
    if isinstance(options, list) and options:
        return
    if isinstance(options, Mapping) and {"low", "high"} <= set(options) <= {"low", "high", "log"}:
        low, high, log = options["low"], options["high"], options.get("log", False)
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (low, high))
        if numbers and isinstance(log, bool) and low <= high and (low > 0 or not log):
            return
    raise InputError(
        f"{name} of the search is {options!r}; it is a list to choose from, or "
        "{ low = …, high = … }, with log = true where low is above zero"
    )


def _suggest(trial: Any, name: str, options: Any, *, whole: bool) -> Any:
    if isinstance(options, list):
        return trial.suggest_categorical(name, options)
    suggest = trial.suggest_int if whole else trial.suggest_float
    return suggest(name, options["low"], options["high"], log=options.get("log", False))
