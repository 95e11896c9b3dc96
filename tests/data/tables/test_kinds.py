"""What columns are taken for."""

from datetime import date, datetime

import polars as pl
import pytest

from goodie.data.tables.kinds import HOLES, read_column
from goodie.data.tables.sheet import Sheet
from goodie.errors import InputError


def column(values: list, **options):
    typed = not all(isinstance(value, str | None) for value in values)
    sheet = Sheet(pl.DataFrame({"v": values}, strict=False), "nodes.csv", typed=typed)
    return read_column(sheet, "v", **options)


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", " 2.5 ", "-1e3"], "numeric", [1.0, 2.5, -1000.0]),
        (["yes", "No", "TRUE", "f"], "boolean", [True, False, True, False]),
        (["2020-01-31", "1999-12-01"], "date", [date(2020, 1, 31), date(1999, 12, 1)]),
        (["31.01.2020"], "date", [date(2020, 1, 31)]),
        (["2020-01-31T10:00:00"], "date", [datetime(2020, 1, 31, 10)]),
        (["Rome", "Oslo", "Rome"], "categorical", ["Rome", "Oslo", "Rome"]),
        (["1", "2", "3", "x", "y"], "categorical", ["1", "2", "3", "x", "y"]),  # 60 % numbers
        (["0", "1"], "numeric", [0.0, 1.0]),
    ],
)
def test_text_is_found_out(cells: list[str], kind: str, values: list) -> None:
    found = column([*cells, "", None, *sorted(HOLES)])
    assert found.kind == kind
    holes = 2 + len(HOLES)
    assert found.values.to_list() == [*values, *[None] * holes]


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, None, 3], "numeric", [1.0, None, 3.0]),
        ([1.5, float("nan"), float("inf")], "numeric", [1.5, None, None]),
        ([True, None], "boolean", [True, None]),
        ([date(2020, 1, 1), None], "date", [date(2020, 1, 1), None]),
    ],
)
def test_types_that_came_are_believed(values: list, kind: str, expected: list) -> None:
    found = column(values)
    assert found.kind == kind
    assert found.values.to_list() == expected


def test_text_in_parquet_is_categories_even_of_digits() -> None:
    sheet = Sheet(pl.DataFrame({"v": ["007", "008"]}), "nodes.parquet")
    assert read_column(sheet, "v").kind == "categorical"


def test_whole_numbers_are_known_to_be() -> None:
    assert column(["1", "2", ""]).whole
    assert not column(["1", "2.5"]).whole


def test_what_is_asked_for_is_done_and_counted() -> None:
    numbers = column(["1", "2", "x", ""], kind="numeric")
    assert numbers.values.to_list() == [1.0, 2.0, None, None]
    assert numbers.notes == ("taken for holes: 1 value of 'v', not numeric",)
    assert column(["1", "2"], kind="categorical").values.to_list() == ["1", "2"]
    assert column([1, 2], kind="categorical").values.to_list() == ["1", "2"]
    assert column(["1", "2"], kind="ignored").kind == "ignored"


def test_nearly_numbers_are_asked_about_with_the_line() -> None:
    with pytest.raises(InputError) as said:
        column(["1", "2", "3", "4", "many"])
    for word in (
        "'v' of nodes.csv",
        "4 numbers with 1 other value",
        "'many'",
        "row 5",
        "--type v=",
    ):
        assert word in str(said.value)


def test_a_word_of_ones_own_is_a_hole() -> None:
    assert column(["1", "-9"], holes={"-9"}).values.to_list() == [1.0, None]


def test_odd_types_are_left_out_and_said_to_be() -> None:
    found = column([[1], [2]])
    assert found.kind == "ignored"
    assert "List" in found.notes[0]
    assert column([None, None]).kind == "ignored"
