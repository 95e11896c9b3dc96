"""An account as one HTML file that needs nothing else: no network, no fonts, no other file."""

import html
import json
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from goodie.report import stored
from goodie.report.account import Account

# Put together in this order into one script.
SCRIPTS = ("elements.js", "tables.js", "charts.js", "map.js", "sections.js")

# In a script element nothing ends the element but these, and they are only ever inside strings.
_INERT = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def render(account: Account) -> str:
    """The page.

    Args:
        account: from `goodie.report.account`.
    """
    parts = {
        "TITLE": html.escape(account.title),
        "STYLE": _asset("style.css"),
        "ACCOUNT": inert(account),
        "SCRIPT": "\n".join(_asset(name) for name in SCRIPTS),
    }
    page = _asset("index.html")
    pieces = page.split("@@")
    # Every second piece is a name; what is put in is not looked at again.
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def write(account: Account, path: str | Path) -> None:
    """Write the page to a file, which is there whole or not at all."""
    stored.write(Path(path), render(account))


def inert(account: Account) -> str:
    """The account as JSON that cannot end the script element that holds it."""
    text = json.dumps(asdict(account), separators=(",", ":"), allow_nan=False)
    return text.translate(_INERT)


def _asset(name: str) -> str:
    return (files("goodie.report") / "page" / name).read_text(encoding="utf-8")
