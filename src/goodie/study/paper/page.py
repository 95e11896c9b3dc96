"""docs/reproduction.md: all tables and figures, and where they agree with the paper's."""

from collections.abc import Sequence
from pathlib import Path

from goodie.appearing import appearing
from goodie.errors import InputError
from goodie.study.paper import figure as look
from goodie.study.paper import verdict
from goodie.study.paper.catalogue import THINGS, Thing
from goodie.study.paper.evidence import Made
from goodie.study.paper.plan import Plan, plan, stored

FIGURES = "figures"

# A page shows both; a PDF is for papers.
SHOWN = (".svg", ".png")


def write(rows: Path, docs: Path) -> list[Path]:
    """Make the page and its figures of the rows in a folder; the paths of what is written."""
    if not rows.is_dir():
        raise InputError(f"there is no folder {rows}")
    plans, made = _everything(rows)
    target = docs / "reproduction.md"
    try:
        with look.styled():
            written = [
                path
                for one in made.values()
                for name, figure in one.figures.items()
                for path in look.write(figure, docs / FIGURES / name, SHOWN)
            ]
        with appearing(target) as temporary:
            temporary.write_text(_page(plans, made), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write to {docs}: {error.strerror or error}") from error
    return [target, *written]


def text(rows: Path) -> str:
    """The page of the rows in a folder."""
    return _page(*_everything(rows))


def _everything(rows: Path) -> tuple[dict[str, Plan], dict[str, Made]]:
    known = stored(rows)
    plans = {name: plan(thing, known, rows) for name, thing in THINGS.items()}
    with look.styled():
        return plans, {name: THINGS[name].make(one.evidence) for name, one in plans.items()}


def _page(plans: dict[str, Plan], made: dict[str, Made]) -> str:
    parts = [
        "# The paper's tables and figures, made again",
        _verdict(plans),
        "Made of the rows under [experiments](../experiments) by `goodie paper page`; nothing here "
        "is typed. `goodie paper NAME` makes one table or figure, and first runs what no row "
        "answers; `--dry-run` says how long that should take.",
        "## What was run here",
        _coverage(plans),
        *(_section(thing, plans[name], made[name]) for name, thing in THINGS.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _verdict(plans: dict[str, Plan]) -> str:
    """In one paragraph where we reproduce, beat or miss the paper, and why."""
    rows = {name: one.evidence.rows for name, one in plans.items()}
    some = verdict.node_classification(rows["table2"], rows["table3"])
    names = {
        "goodie faithful": "The model as published (`faithful`)",
        "goodie balanced": "the default (`balanced`)",
    }
    told = []
    methods = verdict.by_method(some)
    for who, words in names.items():
        if who in methods:
            gain = verdict.mean_gain(methods[who])
            told.append(f"{verdict.sentence(words, methods[who])}, a mean difference of {gain}")
        else:
            told.append(f"{words} has no rows of its present version")
    others = [verdict.sentence(f"`{who}`", of) for who, of in methods.items() if who not in names]
    sentences = [f"{one[0].upper()}{one[1:]}." for one in told]
    if others:
        sentences.append(f"Of the compared methods, {'; '.join(others)}.")
    links = verdict.by_method(verdict.link_prediction(rows["table4"]))
    linked = [verdict.sentence(f"`{who}`", of) for who, of in links.items()]
    if linked:
        sentences.append(f"In link prediction (AUC and AP), {'; '.join(linked)}.")
    sentences += verdict.reasons(some)
    if not some:
        return "No figure of the paper was run yet."
    return (
        "Accuracies beside the paper's, in points; two means count as the same within two standard "
        f"errors of their difference. {' '.join(sentences)}"
    )


def _coverage(plans: dict[str, Plan]) -> str:
    """For each thing how many of its answers are there, and what runs the others."""
    lines = ["| | answers | there | what runs the rest |", "|---|--:|--:|---|"]
    for name, one in plans.items():
        there = one.wanted - len(one.missing)
        rest = f"`goodie paper {name}`" if one.missing or one.lacking else ""
        counts = f"{one.wanted} | {there}" if one.wanted else "| "
        lines.append(f"| [{name}](#{name}) | {counts} | {rest} |")
    far = [cell for one in plans.values() for cell in one.elsewhere]
    sentences = (
        "\n\nAn answer is a method on a graph, under a missing pattern and rate, with one seed; "
        "methods that look at no feature have one answer for all rates, and with nothing or "
        "everything missing the two patterns are one. In tables, the number of seeds stands in "
        "brackets where it is not ten."
    )
    if far:
        graphs = " and ".join(dict.fromkeys(_graph(cell.dataset) for cell in far))
        sentences += (
            f" Not run here: {graphs}, whose files were not at hand. Where they can be "
            "downloaded, `goodie study run elsewhere` runs their part of Tables 2 and 3, and "
            "`goodie paper table2` and `table3` then show it."
        )
    return "\n".join(lines) + sentences


def _graph(name: str) -> str:
    return "Arxiv with its features" if name == "Arxiv" else name


def _section(thing: Thing, plan: Plan, made: Made) -> str:
    parts: list[str] = [f"## {thing.name}", thing.about]
    for table in made.tables:
        parts += [f"*{table.title}*" if len(made.tables) > 1 else table.title, table.markdown()]
    for name in made.figures:
        parts.append(f"[![{name}]({FIGURES}/{name}.png)]({FIGURES}/{name}.svg)")
    if not (made.tables or made.figures):
        parts.append(f"Not made yet: `goodie paper {thing.name}` does.")
    elif plan.missing or plan.lacking:
        parts.append(_unfinished(plan))
    if thing.caption and made.figures:
        parts.append(thing.caption)
    if thing.notes:
        parts.append("\n".join(f"- {note}" for note in thing.notes))
    return "\n\n".join(parts)


def _unfinished(plan: Plan) -> str:
    """What a thing lacks, in one sentence."""
    graphs: Sequence[str] = list(dict.fromkeys(cell.dataset for cell in plan.missing))
    told = [f"{len(plan.missing)} of {plan.wanted} answers ({', '.join(graphs)})"] if graphs else []
    return f"Not there: {', '.join([*told, *plan.lacking])}."
