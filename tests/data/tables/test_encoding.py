"""Columns as numbers, by what training rows show."""

import json
from datetime import date

import numpy as np
import polars as pl
import pytest
import torch

from goodie.data.tables.columns import OneHot, Scaled
from goodie.data.tables.encoding import Encoding
from goodie.data.tables.kinds import Column, Kind
from goodie.errors import InputError


def made(name: str, kind: Kind, values: list) -> Column:
    return Column(name, kind, pl.Series(name, values, strict=False))


def everyone(n: int) -> np.ndarray:
    return np.ones(n, dtype=bool)


def test_numbers_are_standardised_by_training_rows_alone() -> None:
    values = [1.0, 5.0, None, 1000.0, 3.0]
    training = np.array([True, True, True, False, False])
    encoding = Encoding.fit([made("v", "numeric", values)], training).encoding
    known = np.array([1.0, 5.0])
    assert encoding.columns == (Scaled("v", "numeric", known.mean(), known.std()),)
    x = encoding.apply([made("v", "numeric", values)], 5)
    expected = (np.array([1.0, 5.0, np.nan, 1000.0, 3.0]) - 3.0) / 2.0
    expected[3] = 10.0  # cut
    assert np.allclose(x[:, 0], expected, equal_nan=True)


def test_values_of_other_rows_change_nothing() -> None:
    training = np.arange(6) < 3
    one = [made("v", "numeric", [1.0, 2, 3, 4, 5, 6]), made("c", "categorical", list("abcdef"))]
    other = [made("v", "numeric", [1.0, 2, 3, -9, 0, 7]), made("c", "categorical", list("abcxyz"))]
    assert Encoding.fit(one, training).encoding == Encoding.fit(other, training).encoding


def test_categories_are_one_hot_and_strangers_are_holes_that_are_counted() -> None:
    column = made("c", "categorical", ["b", "a", None, "z", "z"])
    encoding = Encoding.fit([column], np.array([True, True, True, False, False])).encoding
    assert encoding.names == ("c=a", "c=b")
    with pytest.warns(UserWarning, match="taken for holes: 2 values of 'c', a category that"):
        x = encoding.apply([column], 5)
    nan = float("nan")
    expected = torch.tensor([[0.0, 1.0], [1.0, 0.0], [nan, nan], [nan, nan], [nan, nan]])
    assert torch.equal(x.nan_to_num(9), expected.nan_to_num(9))


def test_dates_are_days_and_yes_is_one() -> None:
    when = made("when", "date", [date(2020, 1, 1), date(2020, 1, 3), None])
    fine = made("fine", "boolean", [True, False, None])
    encoding = Encoding.fit([when, fine], everyone(3)).encoding
    assert encoding.columns == (
        Scaled("when", "date", 18263.0, 1.0),  # days from 1970 to 2 January 2020
        Scaled("fine", "boolean", 0.5, 0.5),
    )
    assert encoding.apply([when, fine], 3)[:2].tolist() == [[-1.0, 1.0], [1.0, -1.0]]


@pytest.mark.parametrize("value", [0.0, 3.0, 0.1, 1e9 + 0.1])
def test_a_constant_says_nothing(value: float) -> None:
    column = made("v", "numeric", [value, value, value, None])
    encoding, notes = Encoding.fit([column], everyone(4))
    assert notes == ("telling nothing, as a single value is shown: 1 column ('v')",)
    x = encoding.apply([column], 4)[:, 0]
    assert x[:3].abs().max() == 0.0
    assert x[3].isnan()


def test_what_no_training_row_shows_is_left_out_and_named() -> None:
    training = np.array([True, True, False])
    hidden = made("v", "numeric", [None, None, 2.0])
    fitted = Encoding.fit([hidden, made("w", "numeric", [1.0, 2.0, 3.0])], training)
    assert [column.name for column in fitted.encoding.columns] == ["w"]
    assert fitted.notes == ("left out, as no training node shows it: 1 column ('v')",)


def test_texts_are_left_out_and_said_to_be() -> None:
    names = made("name", "categorical", [f"n{i}" for i in range(101)])
    fitted = Encoding.fit([names], everyone(101))
    assert fitted.encoding.width == 0
    assert "'name' shows 101 different values, more than 100" in fitted.notes[0]
    assert Encoding.fit([names], everyone(101), max_categories=101).encoding.width == 101


def test_a_column_that_is_gone_is_holes() -> None:
    encoding = Encoding.fit([made("v", "numeric", [1.0, 2.0])], everyone(2)).encoding
    with pytest.warns(UserWarning, match="1 column that the model was fitted on"):
        assert encoding.apply([], 3).isnan().all()


def test_json_gives_it_back_to_the_bit() -> None:
    columns = [
        made("v", "numeric", [0.1, 0.2, 1 / 3]),
        made("c", "categorical", ["ü", "€", '"']),
        made("when", "date", [date(1900, 1, 1), date(2100, 1, 1), None]),
    ]
    encoding = Encoding.fit(columns, everyone(3)).encoding
    assert Encoding.from_json(json.loads(json.dumps(encoding.to_json()))) == encoding


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"columns": None},
        {"columns": [{}]},
        {"columns": [{"name": 3, "kind": "numeric", "mean": 0, "scale": 1}]},
        {"columns": [{"name": "v", "kind": "numeric", "mean": "x", "scale": 1}]},
        {"columns": [{"name": "v", "kind": "numeric", "mean": 0, "scale": -1}]},
        {"columns": [{"name": "v", "kind": "numeric", "mean": float("nan"), "scale": 1}]},
        {"columns": [{"name": "v", "kind": "odd", "mean": 0, "scale": 1}]},
        {"columns": [{"name": "v", "kind": "categorical", "categories": ["a", "a"]}]},
        {"columns": [{"name": "v", "kind": "categorical", "categories": "ab"}]},
    ],
)
def test_damaged_json_is_refused(change: dict) -> None:
    page = Encoding((OneHot("c", ("a",)),)).to_json() | change
    with pytest.raises(InputError, match="encoding"):
        Encoding.from_json(page)
    with pytest.raises(InputError, match="no encoding"):
        Encoding.from_json([])
