"""The page in a real browser: it loads, is quiet, fits, and does what is asked of it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from goodie import GoodieClassifier, NodeClassifier, missing, splits, synthetic
from goodie.report import account, write
from goodie.report.layout import principal
from report.browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="no chromium with its chromedriver; Debian has them as chromium and chromium-driver",
)

DESKTOP, PHONE = (1280, 900), (390, 844)

CLASSES = ["red </script>", "green & <b>", 'blue "q"']

# The cells of the tables in a section.
ROWS = (
    "return [...document.querySelectorAll(`${arguments[0]} tbody tr`)]"
    ".map(row => [...row.children].map(cell => cell.textContent))"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as one:
        yield one


@pytest.fixture(scope="module")
def page(model: GoodieClassifier, holed: Data, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    ids = [f"node <{i}>" for i in range(400)]
    write(account(model, holed, ids=ids, class_names=CLASSES, title="A <title>"), path)
    return path


@pytest.fixture(params=[(DESKTOP, False), (PHONE, True)], ids=["desktop", "phone"])
def opened(request: pytest.FixtureRequest, browser: Browser, page: Path) -> Browser:
    (width, height), phone = request.param
    browser.size(width, height, phone=phone)
    browser.open(page)
    return browser


def quiet(browser: Browser, page: Path) -> None:
    assert browser.run("return document.body.dataset.ready") == "true"
    assert browser.console() == []
    assert browser.requests() == [page.resolve().as_uri()]


def fits(browser: Browser) -> bool:
    return bool(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"))


def test_it_loads_quietly_and_fits(opened: Browser, page: Path) -> None:
    assert opened.run("return document.title") == "A <title>"
    quiet(opened, page)
    assert fits(opened)
    names = opened.run("return [...document.querySelectorAll('h2')].map(h => h.textContent)")
    assert names[:2] == ["Answers", "Probabilities"]
    assert len(names) == 7
    opened.run("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert fits(opened)


def test_every_control_has_a_name(opened: Browser) -> None:
    nameless = opened.run(
        "return [...document.querySelectorAll('select, input, button, canvas, svg, .scroll')]"
        ".filter(e => !(e.ariaLabel || e.textContent.trim() || (e.labels && e.labels.length)))"
        ".map(e => e.outerHTML)"
    )
    assert nameless == []


def test_a_table_sorts(opened: Browser) -> None:
    def probabilities() -> list[float]:
        return [float(row[2].removesuffix(" %")) for row in opened.run(ROWS, "#doubts")]

    assert probabilities() == sorted(probabilities())
    assert len(probabilities()) == 25
    opened.click("#doubts th button", 2)
    assert probabilities() == sorted(probabilities(), reverse=True)
    sort = "return document.querySelectorAll('#doubts thead th')[2].getAttribute('aria-sort')"
    assert opened.run(sort) == "descending"
    opened.click("#doubts th button", 0)
    names = [row[0] for row in opened.run(ROWS, "#doubts")]
    numbers = [int(name[6:-1]) for name in names]
    assert numbers == sorted(numbers)  # as numbers, though they are words


def test_a_table_filters_and_shows_more(opened: Browser) -> None:
    opened.choose("#doubts select", "1")
    rows = opened.run(ROWS, "#doubts")
    assert rows
    assert all(CLASSES[1] in (row[1], row[3]) for row in rows)
    opened.choose("#doubts select", "")
    opened.click("#doubts .more-rows")
    assert len(opened.run(ROWS, "#doubts")) == 125
    first = opened.run(ROWS, "#doubts")[0][0]
    opened.type("#doubts input", first.upper())
    assert [row[0] for row in opened.run(ROWS, "#doubts")] == [first]
    said = opened.run("return document.querySelector('#doubts .count').textContent")
    assert said == "1 of 1 shown"


def canvas(browser: Browser) -> tuple[int, int, int]:
    """How many of its dots are painted, in how many colours, and a sum to know a picture by."""
    found = browser.run(
        "const c = document.querySelector('canvas');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "const colours = new Set(); let painted = 0, sum = 0;"
        "for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 150) {"
        "  painted++; colours.add(`${d[i] >> 5} ${d[i + 1] >> 5} ${d[i + 2] >> 5}`);"
        "  sum = (sum * 31 + d[i] + 3 * d[i + 1] + 7 * d[i + 2] + i) % 1000003; }"
        "return [painted, colours.size, sum]"
    )
    return tuple(found)


def test_the_map_changes_colours_and_filters(opened: Browser) -> None:
    painted, colours, _ = canvas(opened)
    assert painted > 1000
    assert colours >= 3
    pictures = set()
    for mode in ("predicted", "known", "structure", "confidence", "observed"):
        opened.choose("#map select", mode)
        pictures.add(canvas(opened)[2])
    assert len(pictures) == 5
    opened.choose("#map select", "predicted")
    opened.run(
        "const s = document.querySelectorAll('#map select')[1]; s.value = '1';"
        "s.dispatchEvent(new Event('change'))"
    )
    assert 0 < canvas(opened)[0] < painted
    said = opened.run("return document.querySelector('#map .count').textContent")
    assert said.endswith(" of 400 points")
    assert not said.startswith("400")
    before = canvas(opened)[2]
    opened.type("#map input", "<1")
    assert canvas(opened)[2] != before
    assert "names found" in opened.run("return document.querySelector('#map .count').textContent")


def test_hovering_tells(opened: Browser, model: GoodieClassifier) -> None:
    # A node is where a dot is painted.
    opened.scroll_to("canvas")
    place = opened.run(
        "const c = document.querySelector('canvas');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "const b = c.getBoundingClientRect();"
        "for (let y = Math.floor(c.height / 3); y < c.height; y++)"
        "  for (let x = 0; x < c.width; x++) if (d[4 * (y * c.width + x) + 3] > 150)"
        "    return [b.left + x * b.width / c.width, b.top + y * b.height / c.height];"
    )
    opened.hover(*place)
    told = opened.run(
        "const t = document.getElementById('tip'); return t.hidden ? '' : t.innerText"
    )
    name, answer, *rest = told.split("\n")
    i = int(name.removeprefix("node <").removesuffix(">"))
    best = int(model.proba_[i].argmax())
    assert answer == f"{CLASSES[best]}, {100 * np.round(model.proba_[i, best], 3):.1f} %"
    assert any(line.startswith("from structure") for line in rest)
    opened.scroll_to("#shares .track")
    place = opened.run(
        "const b = document.querySelector('#shares .track').getBoundingClientRect();"
        "return [b.left + b.width / 2, b.top + 4]"
    )
    opened.hover(*place)
    assert "from structure" in opened.run("return document.getElementById('tip').innerText")
    opened.hover(1, 1)
    assert opened.run("return document.getElementById('tip').hidden") is True


def test_the_links_lead_to_the_sections(opened: Browser) -> None:
    opened.click("nav a", 2)
    assert opened.run("return location.hash") == "#data"
    assert opened.run("return document.querySelector(location.hash + ' h2').textContent")


def test_dark_is_dark_and_paper_is_white(browser: Browser, page: Path) -> None:
    background = "return getComputedStyle(document.body).backgroundColor"
    shades = {}
    for dark in (False, True):
        browser.size(*DESKTOP, dark=dark)
        browser.open(page)
        shades[dark] = browser.run(background)
        quiet(browser, page)
    assert shades == {False: "rgb(251, 250, 247)", True: "rgb(21, 24, 29)"}
    browser.devtools("Emulation.setEmulatedMedia", media="print")
    assert browser.run(background) == "rgb(255, 255, 255)"
    assert browser.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
    browser.size(700, 990)  # what margins leave of a sheet
    browser.devtools("Emulation.setEmulatedMedia", media="print")
    wide = "return Math.max(...[...document.querySelectorAll('table')].map(t => t.scrollWidth))"
    assert browser.run(wide) <= 700
    browser.devtools("Emulation.setEmulatedMedia", media="")
    assert browser.printed().startswith(b"%PDF")


@pytest.mark.parametrize("case", ["one class", "nothing to judge", "forty classes"])
def test_odd_models_have_a_page(case: str, browser: Browser, tmp_path: Path) -> None:
    if case == "forty classes":
        data = synthetic(600, 40, num_features=8, random_state=0)
        data = splits.stratified(data.y, train=0.3, val=0.2).apply(data)
    else:
        data = synthetic(60, 2, random_state=0)
        data.y = torch.zeros_like(data.y) if case == "one class" else data.y
        data.y[20:] = -1
    write(account(NodeClassifier(method="lp").fit(data), data), tmp_path / "odd.html")
    for (width, height), phone in ((DESKTOP, False), (PHONE, True)):
        browser.size(width, height, phone=phone)
        browser.open(tmp_path / "odd.html")
        quiet(browser, tmp_path / "odd.html")
        assert fits(browser)


def test_a_large_graph_has_a_small_page(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200,000 nodes with long names; how long it takes to open is told, not judged."""
    # Where points lie does not matter here, and t-SNE takes a while.
    monkeypatch.setattr("goodie.report.nodes.layout", lambda z: (principal(z), "somewhere"))
    data = synthetic(200_000, 12, num_features=0, average_degree=4.0, random_state=0)
    data = splits.stratified(data.y, train=0.02, val=0.02).apply(missing.uniform(data, 0.0))
    model = NodeClassifier(method="lp", settings={"steps": 10}).fit(data)
    ids = [f"customer {i:070d} of many" for i in range(200_000)]
    path = tmp_path / "large.html"
    write(account(model, data, ids=ids), path)
    assert path.stat().st_size < 10e6
    browser.size(*DESKTOP)
    browser.open(path)
    quiet(browser, path)
    timing = "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd"
    print(f"{path.stat().st_size / 1e6:.1f} MB, open after {browser.run(timing):.0f} ms")
