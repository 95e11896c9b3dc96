"""How two tables are to be read: which columns are what."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from goodie import config
from goodie.data.tables.kinds import HOLES, KINDS, Kind
from goodie.errors import InputError


@dataclass(frozen=True)
class Options:
    """Which columns are what; None: found out by their names.

    Attributes:
        id: of the nodes; the column called `id`, `node` or `node_id`, or else the first.
        label: to be predicted; None: there is none.
        source: where an edge starts; `source`, `src`, `from` or `u`, or else the first column.
        target: where it ends; `target`, `dst`, `to` or `v`, or else the second column.
        weight: of an edge; a column called `weight` if there is one.
        directed: whether an edge is kept in its direction only. Methods let edges count both ways.
        types: what columns hold, where it is not to be found out; `ignored` leaves one out.
        holes: words that stand for a hole, beside the usual ones.
        unknown: what is done with edges to nodes that the table of nodes lacks: `error` or `drop`.
        separator: of CSV files, where it is not to be found out.
    """

    id: str | None = None
    label: str | None = None
    source: str | None = None
    target: str | None = None
    weight: str | None = None
    directed: bool = False
    types: Mapping[str, Kind] = field(default_factory=dict)
    holes: tuple[str, ...] = ()
    unknown: str = "error"
    separator: str | None = None

    def __post_init__(self) -> None:
        if self.unknown not in ("error", "drop"):
            raise InputError(f"unknown is {self.unknown!r}; it can be error or drop")
        for name, kind in self.types.items():
            if kind not in KINDS:
                raise InputError(
                    f"{name!r} cannot be of type {kind!r}; there are {', '.join(KINDS)}"
                )

    @property
    def all_holes(self) -> frozenset[str]:
        """Every word that stands for a hole."""
        return HOLES | set(self.holes)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self) | {"types": dict(self.types), "holes": list(self.holes)}

    @classmethod
    def from_json(cls, page: Any) -> "Options":
        """What `to_json` gave; anything else is refused."""
        if not isinstance(page, Mapping) or set(page) != {one.name for one in fields(cls)}:
            raise InputError("these are no options of tables")
        words = ("id", "label", "source", "target", "weight", "separator")
        for name in words:
            config.fit(name, page[name], str | None)
        config.fit("directed", page["directed"], bool)
        types, holes = page["types"], page["holes"]
        if not isinstance(types, dict) or not isinstance(holes, list):
            raise InputError("the options' types or holes are damaged")
        if not all(isinstance(word, str) for word in [*types.values(), *holes]):
            raise InputError("the options' types or holes are damaged")
        return cls(**{**page, "types": types, "holes": tuple(holes)})


def parse_types(words: list[str]) -> dict[str, Kind]:
    """Types from `COLUMN=TYPE` words.

    Example:
        >>> parse_types(["zip=categorical"])
        {'zip': 'categorical'}
    """
    types: dict[str, Kind] = {}
    for word in words:
        name, equals, kind = word.rpartition("=")
        if not equals or not name:
            raise InputError(f"{word!r} is not of the form COLUMN=TYPE")
        chosen = next((one for one in KINDS if one == kind), None)
        if chosen is None:
            raise InputError(f"{name!r} cannot be of type {kind!r}; there are {', '.join(KINDS)}")
        types[name] = chosen
    return types
