"""Runs what docs/your-own-graph.md shows; `python tests/own_graph_page.py` pastes what comes out.

A console block is commands, each on a line that starts with `$ `, and below each what it prints on
stdout. `…` on a line of its own stands for lines that are not shown.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import bad_inputs

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "your-own-graph.md"

BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", flags=re.DOTALL)
BEGIN, END = "<!-- bad inputs -->\n", "<!-- end of bad inputs -->"

WIDTH = "100"


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of the page, and what the page says it prints."""
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def run(command: str, folder: Path) -> str:
    """What a command prints, run in a folder in which the example lies as it does in the tree."""
    words = shlex.split(command)
    if words[0] == "goodie":
        return _goodie(words[1:], folder)
    if words[0] == "python":
        words[0] = sys.executable
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def _goodie(words: list[str], folder: Path) -> str:
    """In this process, as starting one takes longer than most commands."""
    from goodie.cli import main

    out = io.StringIO()
    before = Path.cwd()
    try:
        os.chdir(folder)
        with (
            mock.patch.object(sys, "argv", ["goodie", *words]),
            mock.patch.dict(os.environ, {"COLUMNS": WIDTH}),
            contextlib.redirect_stdout(out),
            contextlib.suppress(SystemExit),
        ):
            main()
    finally:
        os.chdir(before)
    return out.getvalue()


def lay_out(folder: Path) -> None:
    """The example where the page finds it."""
    (folder / "examples").symlink_to(ROOT / "examples")


def rendered(text: str, folder: Path) -> str:
    """The page with what its commands print now, and the table of bad inputs as it is now."""
    lay_out(folder)

    def pasted(block: re.Match[str]) -> str:
        lines = []
        for part in re.split(r"^\$ ", block[0], flags=re.MULTILINE)[1:]:
            command = part.partition("\n")[0]
            printed = re.sub(r" +$", "", run(command, folder), flags=re.MULTILINE)
            lines.append(f"$ {command}\n{printed}")
        return "\n".join(lines)

    return with_bad_inputs(BLOCK.sub(pasted, text), folder / "bad")


def with_bad_inputs(text: str, folder: Path) -> str:
    """The page with the table of bad inputs as it is now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + bad_inputs.rendered(folder) + END + after


def stable(printed: str) -> str:
    """What is printed, without what may differ from machine to machine: numbers and widths."""
    masked = re.sub(r"\d[\d,.]*", "#", printed)
    return re.sub(r"[ \n\r━─┏┓┳┡╇┩└┴┘┃│]+", " ", masked).strip()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        PAGE.write_text(rendered(PAGE.read_text(), Path(name)))
