"""Inputs that go wrong in users' hands, and what each gets; docs/your-own-graph.md shows them.

A test checks that nothing but an `InputError` or an answer comes of any, and that the page is
current; `python tests/own_graph_page.py` brings it up to date.
"""

import json
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from goodie.data.tables import Options, from_frames, read_graph, write_table
from goodie.data.tables.graph import TableGraph
from goodie.errors import InputError
from goodie.methods.storage import MODEL, WEIGHTS
from goodie.own_graph import LinkModel, TableModel, fit, fit_links, likeliest_links, predict
from goodie.own_graph.reading import TABLES

NODES = "id,age,city,class\na,31,Rome,x\nb,,Oslo,y\nc,50,,x\nd,22,Rome,y\n"
EDGES = "from,to\na,b\nb,c\nc,d\n"
LABELLED = Options(label="class")


class Case(NamedTuple):
    """An input, and what is done with it in an empty folder."""

    what: str
    act: Callable[[Path], str]


def reading(
    what: str,
    nodes: str | bytes = NODES,
    edges: str | bytes = EDGES,
    options: Options | None = None,
    names: tuple[str, str] = ("nodes.csv", "edges.csv"),
    told: Callable[[TableGraph], str] = lambda graph: f"works: {_sizes(graph)}",
) -> Case:
    """Two files are read."""

    def act(folder: Path) -> str:
        for name, content in zip(names, (nodes, edges), strict=True):
            raw = content.encode() if isinstance(content, str) else content
            (folder / name).write_bytes(raw)
        graph = read_graph(folder / names[0], folder / names[1], options or Options())
        notes = "".join(f"; note: {note}" for note in graph.notes)
        return told(graph) + notes

    return Case(what, act)


def _sizes(graph: TableGraph) -> str:
    return f"{len(graph.nodes)} nodes, {len(graph.edges)} edges"


def _fitted(folder: Path) -> tuple[TableModel, Path]:
    """A small model, saved in the folder."""
    model = _small()
    model.save(folder / "model")
    return model, folder / "model"


@cache
def _small() -> TableModel:
    names = [f"n{number}" for number in range(40)]
    nodes = pl.DataFrame(
        {
            "id": names,
            "age": [float(number % 7) for number in range(40)],
            "city": ["Rome" if number % 2 else "Oslo" for number in range(40)],
            "class": ["x" if number % 2 else "y" for number in range(40)],
        }
    )
    edges = pl.DataFrame({"from": names[:-2], "to": names[2:]})
    return fit(from_frames(nodes, edges, LABELLED), method="lp")


def _predicting(nodes: str) -> Callable[[Path], str]:
    """New nodes are asked about."""

    def act(folder: Path) -> str:
        model, _ = _fitted(folder)
        (folder / "new.csv").write_text(nodes)
        (folder / "new-edges.csv").write_text("from,to\na,b\n")
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            frame = predict(model, model.read(folder / "new.csv", folder / "new-edges.csv"))
        notes = "".join(f"; note: {one.message}" for one in heard)
        return f"works: {frame.height} predictions{notes}"

    return act


def _spoiling(spoil: Callable[[Path], object]) -> Callable[[Path], str]:
    """Something happens to a saved model."""

    def act(folder: Path) -> str:
        _, model = _fitted(folder)
        spoil(model)
        TableModel.load(model)
        return "works"

    return act


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _say(path: Path, **facts: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | facts))


def _parquet(folder: Path, share: float) -> Path:
    path = folder / "nodes.parquet"
    pl.DataFrame({"id": list(range(100)), "age": [1.5] * 100}).write_parquet(path)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(share * len(raw))])
    return path


def _half_a_parquet(folder: Path) -> str:
    (folder / "edges.csv").write_text(EDGES)
    return _sizes(read_graph(_parquet(folder, 0.5), folder / "edges.csv"))


def _over_an_input(folder: Path) -> str:
    (folder / "nodes.csv").write_text(NODES)
    write_table(pl.DataFrame({"a": [1]}), folder / "nodes.csv", inputs=[folder / "nodes.csv"])
    return "works"


def _over_a_folder(folder: Path) -> str:
    (folder / "thesis").mkdir()
    (folder / "thesis" / "chapter").write_text("1")
    model, _ = _fitted(folder)
    model.save(folder / "thesis")
    return "works"


def _a_million(folder: Path) -> str:
    """Not a million here, for the tests' sake; benchmarks/results/tables.md has large ones."""
    n = 100_000
    ids = pl.Series([f"person-{number:09}" for number in range(n)])
    pl.DataFrame({"id": ids}).write_csv(folder / "nodes.csv")
    pl.DataFrame({"from": ids[:-1], "to": ids[1:]}).write_csv(folder / "edges.csv")
    return f"works: {_sizes(read_graph(folder / 'nodes.csv', folder / 'edges.csv'))}"


def _linking(asked: str, count: int = 40) -> Callable[[Path], str]:
    """Links of a node of a ring are asked for."""

    def act(folder: Path) -> str:
        ids = [f"n{number}" for number in range(count)]
        nodes = pl.DataFrame({"id": ids, "age": [number % 7 for number in range(count)]})
        graph = from_frames(nodes, pl.DataFrame({"from": ids, "to": ids[1:] + ids[:1]}))
        model = fit_links(graph, method="gcn", settings={"max_epochs": 2})
        return f"works: {likeliest_links(model, graph, 3, nodes=[asked]).height} links"

    return act


CASES = [
    reading("no such file", names=("nodes.csv", "edges.csv"), nodes=NODES)._replace(
        act=lambda folder: _sizes(read_graph(folder / "nodes.csv", folder / "edges.csv"))
    ),
    reading("an empty file", nodes=""),
    reading("a header and nothing else, nodes", nodes="id,age\n"),
    reading("a header and nothing else, edges", edges="from,to\n"),
    reading("a byte-order mark", nodes=b"\xef\xbb\xbf" + NODES.encode()),
    reading("lines that end as on Windows", nodes=NODES.replace("\n", "\r\n")),
    reading("blank lines", nodes=NODES.replace("\nb", "\n\nb") + "\n\n"),
    reading("semicolons", nodes=NODES.replace(",", ";"), edges=EDGES.replace(",", ";")),
    reading("a wrong separator", options=Options(separator=";")),
    reading("fields in quotes, with separators in them", nodes='id,who\na,"x, y"\nb,\nc,\nd,\n'),
    reading("a quotation mark that is never closed", nodes='id,who\na,"x\nb,y\nc,\nd,\n'),
    reading("a line that is too short", nodes=NODES.replace("b,,Oslo,y", "b,,Oslo")),
    reading("a file cut short", nodes=NODES[:-6]),
    reading("UTF-16", nodes=NODES.encode("utf-16")),
    reading("Latin-1", nodes=NODES.replace("Rome", "Orléans").encode("latin-1")),
    reading("a NUL byte", nodes=NODES.replace("Oslo", "Os\0lo")),
    reading("a spreadsheet that is called .csv", nodes=b"PK\x03\x04" + bytes(40)),
    reading("a file of another kind", names=("nodes.xlsx", "edges.csv")),
    Case("half a Parquet file", _half_a_parquet),
    reading("two columns of one name", nodes="id,age,age\na,1,2\n"),
    reading("a column without a name", nodes=",age\na,1\nb,2\nc,3\nd,4\n"),
    reading("words for what is missing", nodes=NODES.replace("31", "NA").replace("Oslo", "?")),
    reading("no such column", options=Options(label="klass")),
    reading("an id twice", nodes=NODES + "b,1,Rome,x\n"),
    reading("a node without an id", nodes=NODES + ",1,Rome,x\n"),
    reading("an edge without an end", edges=EDGES + "a,\n"),
    reading("edges to unknown nodes", edges=EDGES + "a,u42\nu9000,b\n"),
    reading(
        "edges to unknown nodes, with `--unknown drop`",
        edges=EDGES + "a,u42\nu9000,b\n",
        options=Options(unknown="drop"),
    ),
    reading("ids that differ by a blank", edges="from,to\na, b\n"),
    reading("ids of which no edge names one", edges="from,to\n1,2\n2,3\n"),
    reading("one column of edges", edges="from\na\nb\n"),
    reading(
        "nodes without edges",
        told=lambda g: f"works: {int(g.isolated.sum())} of them",
        edges="from,to\na,b\n",
    ),
    reading("an edge from a node to itself, and one twice", edges=EDGES + "a,a\nb,a\n"),
    reading("a weight below zero", edges="from,to,weight\na,b,1\nb,c,-2\n"),
    reading("a weight that is a word", edges="from,to,weight\na,b,1\nb,c,heavy\n"),
    reading(
        "numbers and words in a column",
        nodes="id,age\n" + "".join(f"n{i},{i}\n" for i in range(20)) + "a,\nb,old\nc,\nd,\n",
    ),
    reading(
        "the same, with `--type age=numeric`",
        nodes="id,age\n" + "".join(f"n{i},{i}\n" for i in range(20)) + "a,\nb,old\nc,\nd,\n",
        options=Options(types={"age": "numeric"}),
    ),
    reading(
        "the same, with `--hole old`",
        nodes="id,age\n" + "".join(f"n{i},{i}\n" for i in range(20)) + "a,\nb,old\nc,\nd,\n",
        options=Options(holes=("old",)),
    ),
    reading("an infinite number", nodes=NODES.replace("50", "inf")),
    reading("a column that holds nothing", nodes="id,age\na,\nb,\nc,\nd,\n"),
    reading(
        "labels that are all different",
        nodes="id,price\n" + "".join(f"n{i},{i}.5\n" for i in range(40)),
        edges="from,to\nn1,n2\n",
        options=Options(label="price"),
    ),
    Case(
        "labels all of one class",
        lambda folder: str(
            fit(_graph(folder, NODES.replace(",y", ",x")), method="lp").facts["sizes"]
        ),
    ),
    Case(
        "four labels",
        lambda folder: str(fit(_graph(folder, NODES), method="lp").facts["sizes"]),
    ),
    Case(
        "no label at all",
        lambda folder: str(
            fit(_graph(folder, NODES.replace(",x", ",").replace(",y", ",")), method="lp").facts
        ),
    ),
    Case("links of a graph with few edges", _linking("n1", 12)),
    Case("links of a node that is not there", _linking("n99")),
    Case("links, from a model of labels", _spoiling(lambda m: str(LinkModel.load(m)))),
    Case("a hundred thousand ids, all texts", _a_million),
    Case(
        "categories that the model has not seen", _predicting("id,age,city\na,1,Rome\nb,2,Lima\n")
    ),
    Case("a column that the model was fitted on is gone", _predicting("id,city\na,Rome\nb,Oslo\n")),
    Case("a column that is new", _predicting("id,age,city,shoe\na,1,Rome,44\nb,2,Oslo,\n")),
    Case(
        "labels that the model has not seen", _predicting("id,age,city,class\na,1,Rome,z\nb,,,x\n")
    ),
    Case("a model folder that is not there", lambda folder: str(TableModel.load(folder / "model"))),
    Case("a model without its tables", _spoiling(lambda m: (m / TABLES).unlink())),
    Case("weights cut short", _spoiling(lambda m: _cut(m / WEIGHTS))),
    Case("model.json cut short", _spoiling(lambda m: _cut(m / MODEL))),
    Case(
        "a setting in model.json changed by hand", _spoiling(lambda m: _say(m / MODEL, settings={}))
    ),
    Case("a model of a newer version", _spoiling(lambda m: _say(m / MODEL, format=99))),
    Case("tables of a newer version", _spoiling(lambda m: _say(m / TABLES, format=99))),
    Case("another program's tables.json", _spoiling(lambda m: (m / TABLES).write_text("[1, 2]"))),
    Case("an output that is an input", _over_an_input),
    Case("an output that is a folder of something else", _over_a_folder),
    Case("an output of another kind", lambda f: str(write_table(pl.DataFrame(), f / "out.xlsx"))),
]


def _graph(folder: Path, nodes: str) -> TableGraph:
    (folder / "nodes.csv").write_text(nodes)
    (folder / "edges.csv").write_text(EDGES)
    return read_graph(folder / "nodes.csv", folder / "edges.csv", LABELLED)


def outcome(case: Case, folder: Path) -> str:
    """What a case gets: `error: …`, or what works, without the names of folders."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        told = case.act(folder)
    except InputError as error:
        told = f"error: {error}"
    return told.replace(f"{folder}/", "").replace(str(folder), ".")


def cell(told: str) -> str:
    """As a cell of a table in Markdown."""
    return told.replace("|", "\\|").replace("\n", " ")


def rendered(folder: Path) -> str:
    """All cases as a table in Markdown."""
    rows = ["| input | what it gets |", "|---|---|"]
    for number, case in enumerate(CASES):
        rows.append(f"| {case.what} | {cell(outcome(case, folder / str(number)))} |")
    return "\n".join(rows) + "\n"
