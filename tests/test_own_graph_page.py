"""docs/your-own-graph.md: its commands run, and print what the page says."""

from pathlib import Path

import pytest

import bad_inputs
import own_graph_page
from goodie.errors import InputError

TEXT = own_graph_page.PAGE.read_text()

# Arithmetic that is the same everywhere; the rest depends on the last bits of trained weights.
EXACT = ("python", "head -4 digits/nodes.csv", "head -3 digits/edges.csv")


def test_its_commands_print_what_it_says(tmp_path: Path) -> None:
    own_graph_page.lay_out(tmp_path)
    commands = list(own_graph_page.commands(TEXT))
    ran = [command.split()[1] for command, _ in commands if command.startswith("goodie")]
    assert ran == ["check", "fit", "predict", "impute", "links", "links", "report"]
    for command, printed in commands:
        now = own_graph_page.run(command, tmp_path)
        assert own_graph_page.stable(now) == own_graph_page.stable(printed), command
        if command.startswith(EXACT):
            assert now.strip() == printed.strip()
        if command.startswith("goodie check"):  # up to the table of accuracies
            assert now.split("method")[0].split() == printed.split("method")[0].split()


@pytest.mark.parametrize("case", bad_inputs.CASES, ids=lambda case: case.what)
def test_what_bad_inputs_get(case: bad_inputs.Case, tmp_path: Path) -> None:
    """An answer, or an `InputError`: anything else would pass through `outcome` and fail here."""
    told = bad_inputs.outcome(case, tmp_path)
    assert told.startswith(("works", "error: "))
    row = f"| {case.what} | {bad_inputs.cell(told)} |"
    assert row in TEXT, "python tests/own_graph_page.py brings the page up to date"


def test_the_page_has_no_other_rows() -> None:
    rows = TEXT.split(own_graph_page.BEGIN)[1].split(own_graph_page.END)[0].splitlines()
    assert len(rows) == len(bad_inputs.CASES) + 2


def test_anything_else_is_not_swallowed(tmp_path: Path) -> None:
    def act(_: Path) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bad_inputs.outcome(bad_inputs.Case("a bug", act), tmp_path)
    assert issubclass(InputError, ValueError)
