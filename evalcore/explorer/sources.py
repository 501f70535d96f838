"""The files that a browser is given: the same for the widget of a dashboard and for a page of its own."""

from __future__ import annotations

import re
from importlib.resources import files

from evalcore.glossary import GLOSSARY

PARTS = (
    "channel",
    "counts",
    "numbers",
    "axis",
    "drawing",
    "histogram",
    "curve",
    "rates",
    "panels",
    "groups",
    "words",
    "keeper",
    "history",
    "hands",
    "export",
    "picture",
)
"""In this order: a later part may use an earlier one while it is loaded."""


def markup() -> str:
    """The explorer's HTML: one section, to be put into whatever page."""
    return _source("explorer.html")


def style() -> str:
    """The explorer's CSS; its colours follow ``data-theme`` and the page's own variables."""
    return _source("explorer.css")


def script() -> str:
    """The explorer's JavaScript, its parts joined to one module, whose default export shows it."""
    return "\n".join([*(part(name) for name in PARTS), _source("explorer.js")])


def part(name: str) -> str:
    """One of `PARTS`."""
    return _source(f"explorer_parts/{name}.js")


def terms() -> dict[str, str]:
    """What every word of the markup means that explains itself, by its key."""
    return {key: GLOSSARY[key].plain for key in dict.fromkeys(re.findall(r'data-term="(\w+)"', markup()))}


def page_style() -> str:
    """The CSS of the page around the explorer, where it stands alone."""
    return _source("page_parts/page.css")


def page_script() -> str:
    """What starts the explorer where it stands alone; it follows `script` in one module."""
    return _source("page_parts/page.js")


def _source(name: str) -> str:
    return files("evalcore.explorer").joinpath(name).read_text(encoding="utf-8")
