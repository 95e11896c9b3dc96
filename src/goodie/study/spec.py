"""A study as a TOML file, and the cells it stands for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from goodie._toml import tomllib
from goodie.config import read_toml
from goodie.data.missing import PATTERNS
from goodie.errors import InputError
from goodie.study import sources
from goodie.study.cell import Cell, resolve
from goodie.study.keys import check

# What spans the cells, and what each is where the study does not say.
GRID: dict[str, Any] = {
    "task": "node",
    "datasets": None,
    "methods": None,
    "scenarios": ["uniform"],
    "rates": [0.0],
    "seeds": 10,
    "settings": {},
}
KEYS = ("name", "about", "data", "grids", "search", *GRID)


@dataclass(frozen=True)
class Spec:
    """A study.

    Attributes:
        name: what it is called.
        cells: all that it runs, in order, none twice.
        search: for each method, the settings that `goodie study search` looks for.
        about: a sentence for a reader.
    """

    name: str
    cells: tuple[Cell, ...]
    search: Mapping[str, Mapping[str, Any]]
    about: str = ""


def shipped() -> list[str]:
    """The names of the studies that come with the package."""
    folder = files("goodie.study") / "specs"
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))


def find(word: str) -> Spec:
    """The study in a file, or the shipped one of that name."""
    path = Path(word)
    if path.suffix == ".toml" or path.is_file():
        return parse(read_toml(path), name=path.stem, folder=path.parent)
    if word in shipped():
        text = (files("goodie.study") / "specs" / f"{word}.toml").read_text(encoding="utf-8")
        return parse(tomllib.loads(text), name=word, folder=Path())
    raise InputError(
        f"there is no file {word} and no study of that name; with the package come "
        f"{', '.join(shipped())}"
    )


def parse(table: Mapping[str, Any], *, name: str = "study", folder: Path = Path()) -> Spec:
    """A study from what its TOML file says; paths in it are relative to `folder`.

    Every list spans a dimension: a cell is made for each dataset, method, scenario, rate and seed,
    and for each combination of the settings that are given as lists. `seeds = 10` means 0 to 9.
    Each entry of `grids` is a span of its own, which takes from the top level what it does not say.

    Example:
        >>> spec = parse({"datasets": ["digits"], "methods": ["lp"], "seeds": 2,
        ...               "settings": {"lp": {"alpha": [0.5, 0.9]}}})
        >>> [(cell.seed, cell.settings["alpha"]) for cell in spec.cells]
        [(0, 0.5), (1, 0.5), (0, 0.9), (1, 0.9)]
    """
    check(table, KEYS, "the study")
    data = {key: _at_home(source, folder) for key, source in table.get("data", {}).items()}
    cells: dict[str, Cell] = {}
    for grid in table.get("grids", [{}]):
        check(grid, tuple(GRID), "a grid of the study")
        whole = {key: grid.get(key, table.get(key, GRID[key])) for key in GRID}
        if stray := set(grid.get("settings", {})) - set(whole["methods"] or ()):
            raise InputError(f"settings for {', '.join(sorted(stray))}, which a grid does not run")
        for cell in _span(whole, data):
            cells[repr(cell)] = cell
    spec = Spec(
        str(table.get("name", name)),
        tuple(cells.values()),
        table.get("search", {}),
        table.get("about", ""),
    )
    run = {cell.method for cell in spec.cells}
    if stray := (set(table.get("settings", {})) | set(spec.search)) - run:
        raise InputError(f"settings for {', '.join(sorted(stray))}, which the study does not run")
    return spec


def _span(grid: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Cell]:
    for key in ("datasets", "methods", "scenarios"):
        if not grid[key]:
            raise InputError(f"the study names no {key}")
    for scenario in grid["scenarios"]:
        if scenario not in PATTERNS:
            raise InputError(f"unknown pattern {scenario!r}; there are {', '.join(PATTERNS)}")
    seeds = grid["seeds"]
    for word, method, scenario in product(grid["datasets"], grid["methods"], grid["scenarios"]):
        dataset = sources.dataset(word, data.get(word)).name
        for choice in _combinations(grid["settings"].get(method, {})):
            settings = resolve(method, dataset, scenario, choice, task=grid["task"])
            for rate, seed in product(
                grid["rates"], range(seeds) if isinstance(seeds, int) else seeds
            ):
                yield Cell(
                    dataset,
                    method,
                    scenario,
                    float(rate),
                    seed,
                    settings,
                    grid["task"],
                    data.get(word),
                )


def _combinations(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One value for each setting, in every way."""
    options = [value if isinstance(value, list) else [value] for value in settings.values()]
    for values in product(*options):
        yield dict(zip(settings, values, strict=True))


def _at_home(source: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A data table whose file is found from anywhere."""
    out = dict(source)
    if isinstance(out.get("file"), str):
        out["file"] = str((folder / out["file"]).resolve())
    return out
