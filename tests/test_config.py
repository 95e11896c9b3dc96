from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from goodie import config
from goodie.config import build, parse_assignments, read_toml
from goodie.errors import InputError


@dataclass(frozen=True)
class Settings:
    alpha: float = 0.9
    steps: int = 50
    form: Literal["residual", "reset"] = "residual"
    scaled: bool = False
    name: str = "x"
    limit: int | None = None
    decay: float | None = 0.1


def test_defaults() -> None:
    assert build(Settings) == Settings()


def test_later_layers_win() -> None:
    layers = {"alpha": 0.1, "steps": 1, "name": "a"}, {"alpha": 0.2, "steps": 2}, {"alpha": 0.3}
    assert build(Settings, *layers) == Settings(alpha=0.3, steps=2, name="a")
    assert layers == (
        {"alpha": 0.1, "steps": 1, "name": "a"},
        {"alpha": 0.2, "steps": 2},
        {"alpha": 0.3},
    )


def test_settings_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        build(Settings).alpha = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("alpha", 1, 1.0),
        ("steps", 0, 0),
        ("form", "reset", "reset"),
        ("scaled", True, True),
        ("name", "", ""),
        ("limit", 3, 3),
        ("limit", None, None),
        ("decay", 2, 2.0),
        ("decay", None, None),
    ],
)
def test_values_that_fit(key: str, value: Any, expected: Any) -> None:
    got = getattr(build(Settings, {key: value}), key)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("alhpa", 1, "unknown setting 'alhpa'; there are alpha, steps, form, scaled, name"),
        ("alpha", "much", "alpha is 'much'; it must be float"),
        ("alpha", True, "alpha is True; it must be float"),
        ("alpha", [1.0], r"alpha is \[1.0\]; it must be float"),
        ("steps", 1.5, "steps is 1.5; it must be int"),
        ("steps", True, "steps is True; it must be int"),
        ("steps", None, "steps is None; it must be int"),
        ("form", "hard", "form is 'hard'; it can be 'residual', 'reset'"),
        ("form", 1, "form is 1; it can be"),
        ("scaled", 1, "scaled is 1; it must be bool"),
        ("scaled", "yes", "scaled is 'yes'; it must be bool"),
        ("name", 3, "name is 3; it must be str"),
        ("limit", "all", "limit is 'all'; it must be int or none"),
        ("limit", False, "limit is False; it must be int or none"),
        ("limit", 1.0, "limit is 1.0; it must be int or none"),
    ],
)
def test_values_that_do_not(key: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(Settings, {key: value})


def test_a_bad_value_is_an_error_even_where_a_later_layer_is_right() -> None:
    with pytest.raises(InputError, match="steps is 'many'"):
        build(Settings, {"steps": "many"}, {"steps": 3})


def test_settings_to_a_dict_and_back() -> None:
    settings = Settings(alpha=0.5, limit=3)
    assert config.as_dict(settings)["steps"] == 50
    assert build(Settings, config.as_dict(settings)) == settings


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("k=1", 1),
        ("k=-1", -1),
        ("k=1e-3", 0.001),
        ("k=true", True),
        ("k=[1, 2]", [1, 2]),
        ('k="quoted"', "quoted"),
        ("k='1'", "1"),
        ("k=reset", "reset"),
        ("k=a=b", "a=b"),
        ("k=", ""),
        ("k=two words", "two words"),
        ("k=0.5\nsteps = 3", "0.5\nsteps = 3"),
    ],
)
def test_assignments(word: str, value: Any) -> None:
    assert parse_assignments([word]) == {"k": value}


def test_several_assignments_of_which_the_last_wins() -> None:
    assert parse_assignments(["a=1", "b=2", "a=3"]) == {"a": 3, "b": 2}
    assert parse_assignments([]) == {}


@pytest.mark.parametrize("word", ["alpha", "=1", "", "="])
def test_words_that_assign_nothing(word: str) -> None:
    with pytest.raises(InputError, match=f"'{word}' is not of the form key=value"):
        parse_assignments([word])


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('alpha = 0.5  # "α"\nform = "reset"\n', encoding="utf-8")
    assert build(Settings, read_toml(path)) == Settings(alpha=0.5, form="reset")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"alpha 0.5", r"settings\.toml is not TOML: .*line 1"),
        (b"a = 1\na = 2", r"settings\.toml is not TOML"),
        (b'name = "\xff\xfe"', r"settings\.toml is not"),
        (None, r"cannot read .*settings\.toml: No such file"),
    ],
    ids=["no equals sign", "a key twice", "not UTF-8", "no file"],
)
def test_files_that_are_none(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_toml(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_toml(tmp_path)
