"""A table or figure as files."""

from pathlib import Path

from goodie.appearing import appearing
from goodie.errors import InputError
from goodie.study.paper import figure as look
from goodie.study.paper.catalogue import Thing
from goodie.study.paper.evidence import Made
from goodie.study.paper.plan import Plan


def write(thing: Thing, plan: Plan, out: Path) -> tuple[Made, list[Path]]:
    """Make a thing and write it: Markdown and LaTeX for tables, PDF, SVG and PNG for figures."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with look.styled():
            made = thing.make(plan.evidence)
            written = [
                path
                for name, figure in made.figures.items()
                for path in look.write(figure, out / name)
            ]
        if made.tables:
            tables = "\n\n".join(f"{table.title}\n\n{table.markdown()}" for table in made.tables)
            notes = "".join(f"\n- {note}" for note in (*thing.notes, *plan.absent()))
            page = f"# {thing.about}\n\n{tables}\n" + (f"{notes}\n" if notes else "")
            written.append(_text(out / f"{thing.name}.md", page))
            tex = "\n".join(table.latex() for table in made.tables)
            written.append(_text(out / f"{thing.name}.tex", tex))
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror or error}") from error
    return made, written


def _text(path: Path, text: str) -> Path:
    with appearing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path
