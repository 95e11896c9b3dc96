"""The page and its file: what users wrote stays text; what is stored comes back or is refused."""

import json
import re
from dataclasses import fields, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from goodie import GoodieClassifier
from goodie.errors import InputError
from goodie.report import Account, account, load, render, save, write
from goodie.report.stored import NAME

NASTY = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "&lt;b&gt;",
    "\"'`${x}\\u003c",
    "@@STYLE@@",
    "\u2028\u2029\x00\ufeff",
    "\ud800",
]


class Elements(HTMLParser):
    """Which elements there are, and what is in those that hold raw text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: dict[str, str] = {}
        self.current = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.current = dict(attrs).get("id") or tag
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text[self.current] = self.text.get(self.current, "") + data


@pytest.fixture(scope="module")
def page(model: GoodieClassifier, holed: Data) -> Account:
    """With few points, as it is read and written many times."""
    whole = account(model, holed)
    few = {f.name: getattr(whole.points, f.name)[:9] for f in fields(whole.points)[1:]}
    return replace(whole, points=replace(whole.points, **few), doubts=whole.doubts[:9])


def renamed(page: Account, words: list[str]) -> Account:
    """The same report, in which users' words are these."""

    def word(i: int) -> str:
        return words[i % len(words)]

    assert page.verdict is not None
    verdict = replace(
        page.verdict,
        classes=tuple(replace(row, name=word(i)) for i, row in enumerate(page.verdict.classes)),
    )
    points = replace(page.points, ids=tuple(word(i) for i in range(len(page.points.ids))))
    return replace(
        page,
        title=word(0),
        classes=tuple(word(i) for i in range(len(page.classes))),
        points=points,
        verdict=verdict,
        abstainers=tuple(word(i) for i in range(len(page.abstainers))),
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.one_of(st.text(), st.sampled_from(NASTY)), min_size=1, max_size=4))
def test_words_stay_words(page: Account, words: list[str]) -> None:
    told = renamed(page, words)
    plain, found = Elements(render(page)), Elements(render(told))
    assert found.tags == plain.tags
    assert found.text["script"] == plain.text["script"]
    stored = json.loads(found.text["account"])
    assert stored["points"]["ids"] == list(told.points.ids)
    assert stored["classes"] == list(told.classes)


def test_it_asks_for_nothing(page: Account) -> None:
    text = render(page)
    assert "default-src 'none'" in text
    addresses = set(re.findall(r"\w+://[^\"'\s]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not a place
    tags = Elements(text).tags
    assert {"img", "iframe", "object", "base"}.isdisjoint(tags)
    assert tags.count("link") == 1  # the empty icon


def test_no_markup_is_made_of_text(page: Account) -> None:
    script = Elements(render(page)).text["script"]
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script


def test_what_is_stored_comes_back(page: Account, tmp_path: Path) -> None:
    save(page, tmp_path)
    assert load(tmp_path) == page
    assert [file.name for file in tmp_path.iterdir()] == [NAME]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "holds no account.json"),
        ("", "is not a whole account"),
        ('{"format": 1, "account": {"title"', "is not a whole account"),
        ("[]", "is not the account of a model"),
        ('{"format": 99, "account": {}}', "has format 99; this version reads 1"),
        ('{"format": 1, "account": {}}', "account should be an object with title, method"),
        ("[" * 100_000, "is not a whole account"),
    ],
)
def test_other_files_are_refused(text: str | None, message: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / NAME).write_text(text)
    with pytest.raises(InputError, match=message):
        load(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("graph", "nodes"), "many", "account.graph.nodes should not be 'many'"),
        (("graph", "nodes"), True, "account.graph.nodes should not be True"),
        (("verdict", "on"), "train", "account.verdict.on should not be 'train'"),
        (("classes",), "abc", "account.classes should be a list, not 'abc'"),
        (("points", "x"), [1], "columns differ in length"),
    ],
)
def test_a_value_that_is_wrong_is_named(
    path: tuple[str, ...], value: object, message: str, page: Account, tmp_path: Path
) -> None:
    save(page, tmp_path)
    stored = json.loads((tmp_path / NAME).read_text())
    inner = stored["account"]
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    (tmp_path / NAME).write_text(json.dumps(stored))
    with pytest.raises(InputError, match=message):
        load(tmp_path)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0, 1), junk=st.binary(max_size=20))
def test_a_damaged_file_is_refused_or_whole(
    cut: float, junk: bytes, page: Account, tmp_path: Path
) -> None:
    save(page, tmp_path)
    whole = (tmp_path / NAME).read_bytes()
    at = int(cut * len(whole))
    (tmp_path / NAME).write_bytes(whole[:at] + junk + whole[at + len(junk) :])
    try:
        loaded = load(tmp_path)
    except InputError:
        return
    render(loaded)


def test_a_page_is_there_whole_or_not_at_all(
    page: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "deep" / "report.html"
    write(page, out)
    assert out.read_text() == render(page)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match=r"cannot write .*: No space left"):
        write(replace(page, title="another"), out)
    assert out.read_text() == render(page)
    assert [file.name for file in out.parent.iterdir()] == ["report.html"]
    with pytest.raises(InputError, match="is a folder"):
        write(page, tmp_path)
