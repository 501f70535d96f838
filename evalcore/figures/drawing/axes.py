"""Palettes and axes: colours of a light and a dark page, names as figures write them, diagrams and scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from functools import lru_cache
from html import escape
from typing import Any

from evalcore.figures.shares import SHARE_TICKS
from evalcore.text.legible import legible

FONT_SIZE = 13
FONT = "-apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
DASHES = ("solid", "dash", "dot", "dashdot")
LONGEST_NAME = 36
"""Characters of a name beside an axis or in a legend; the longest name of a metric has fewer."""
LONGEST_IN_LINE = 24
"""Characters of a name that has a line of a phone to share with other words."""
BESIDE_TICKS = {"x": 16, "y": 8}
"""Pixels between the labels of an axis and its title, which would else lie over long or turned ones."""
WITHIN_SHARES = {"autorangeoptions": {"clipmin": -0.02, "clipmax": 1.02}}
"""For an axis that shows shares only where they lie: of equal ones it would reach from 1 below to 1 above."""


@dataclass(frozen=True)
class Palette:
    """Colours of one theme.

    Parameters
    ----------
    ink, grid : words and axes, lines of a grid.
    on_mark : words on a bar.
    faint : the least of a scale of fields.
    least, most : its ends, without evidence and with; words in ``ink`` can be read on all of it.
    positive, negative : with evidence, and without.
    series : in the order in which models get them.
    """

    ink: str
    grid: str
    on_mark: str
    faint: str
    least: str
    most: str
    positive: str
    negative: str
    series: tuple[str, ...]


LIGHT = Palette(
    ink="#1f2933",
    grid="#dfe3e8",
    on_mark="#ffffff",
    faint="#f3f6fa",
    least="#7099cc",
    most="#e08a4c",
    positive="#d9681d",
    negative="#2b66b1",
    series=("#2b66b1", "#d9681d", "#1f3f66", "#8c3d0a", "#6b7280"),
)
DARK = Palette(
    ink="#e6eaef",
    grid="#37414c",
    on_mark="#10151b",
    faint="#18202a",
    least="#2f62a3",
    most="#8f5420",
    positive="#f2a665",
    negative="#7aa5dc",
    series=("#7fb2ee", "#f2a665", "#bcd6f7", "#ffd2ad", "#9aa4b2"),
)


def on_white() -> dict[str, str]:
    """Each colour of a dark page, as figures write it, with the one of a light page in its place."""
    colours: dict[str, str] = {}
    for name in (field.name for field in fields(Palette)):
        dark, light = getattr(DARK, name), getattr(LIGHT, name)
        colours |= zip(dark, light, strict=True) if name == "series" else {dark: light}
    return colours | {_faded(dark): _faded(light) for dark, light in colours.items()}


def as_written(name: str) -> str:
    """A name of a file as plotly.js shows it unchanged: neither as markup nor as a template.

    It fills in what stands in ``%{…}`` of names and titles, too: a name with it would lose that part.

    Examples
    --------
    >>> as_written("<b>100%{x}</b>")
    '&lt;b&gt;100%&#123;x}&lt;/b&gt;'
    """
    return escape(legible(name), quote=False).replace("%{", "%&#123;")


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that a figure has room for: of a longer one the beginning and the end, which tell it apart.

    Examples
    --------
    >>> shortened("gate"), shortened("a gate with a name that goes on, seed 7", 20)
    ('gate', 'a gate wit…n, seed 7')
    """
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[-end:]}"


def stacked(*heights: float, gap: float, shares_x: bool = False) -> dict[str, Any]:
    """The axes of diagrams beneath each other.

    Parameters
    ----------
    heights : of each diagram, from top to bottom, against that of the others.
    gap : between two, as a share of the whole figure.
    shares_x : whether they have one horizontal axis, which is labelled under the lowest.

    Examples
    --------
    >>> axes = stacked(3, 1, gap=0.2)
    >>> axes["yaxis"]["domain"], axes["yaxis2"]["domain"]
    ([0.4, 1.0], [0.0, 0.2])
    """
    last = len(heights)
    room, total = 1.0 - gap * (last - 1), sum(heights)
    found: dict[str, Any] = {}
    for at, height in enumerate(heights):
        low = room * sum(heights[at + 1 :]) / total + (last - 1 - at) * gap
        of_this = "" if at == 0 else str(at + 1)
        shared = {"matches": f"x{last}", "showticklabels": False} if shares_x and at + 1 < last else {}
        found[f"xaxis{of_this}"] = {"anchor": f"y{of_this}", "domain": [0.0, 1.0], **shared}
        high = 1.0 if at == 0 else low + room * height / total
        found[f"yaxis{of_this}"] = {"anchor": f"x{of_this}", "domain": [low, high]}
    return found


@lru_cache(maxsize=16)
def _diagrams(n_lines: int, columns: int, **options: Any) -> dict[str, Any]:
    from plotly.subplots import make_subplots

    figure = make_subplots(n_lines, columns, **options)
    layout: dict[str, Any] = figure.layout.to_plotly_json()
    return {name: part for name, part in layout.items() if name != "template"}


def diagrams(n_lines: int, columns: int = 1, **options: Any) -> dict[str, Any]:
    """The layout of several diagrams in one figure, as ``plotly.subplots.make_subplots`` arranges their axes.

    Parameters
    ----------
    n_lines, columns : diagrams beneath and beside each other.
    options : of ``make_subplots``; hashable.

    Returns
    -------
    Axes by name, and the annotations that are the titles of diagrams, where there are any.
    """
    return deepcopy(_diagrams(n_lines, columns, **options))


def on_axes(number: int, trace: Mapping[str, Any]) -> dict[str, Any]:
    """A trace in the diagram with this number, counted from 1."""
    of_diagram = "" if number == 1 else str(number)
    return {**trace, "xaxis": f"x{of_diagram}", "yaxis": f"y{of_diagram}"}


def share_axis(title: str) -> dict[str, Any]:
    """An axis of shares, 0 % to 100 %."""
    return {"title": {"text": title}, "range": [-0.02, 1.02], "tickformat": SHARE_TICKS}


def unit_axis(title: str) -> dict[str, Any]:
    """An axis of values from 0 to 1 that are not read as shares, such as nDCG."""
    return {"title": {"text": title}, "range": [-0.02, 1.02], "tickformat": ".1f"}


def zero_line(palette: Palette, **line: Any) -> dict[str, Any]:
    """A vertical line at x = 0, as a shape of the layout."""
    return {
        "type": "line",
        "x0": 0,
        "x1": 0,
        "xref": "x",
        "y0": 0,
        "y1": 1,
        "yref": "y domain",
        "line": {"color": palette.ink, **line},
    }


def named_lines(names: Sequence[str], longest: int = LONGEST_NAME) -> dict[str, Any]:
    """A vertical axis with a name at each whole number, from top to bottom; names are text, no markup."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": [as_written(shortened(name, longest)) for name in names],
        "range": [len(names) - 0.5, -0.5],
        "showgrid": False,
    }


def pattern(shape: str) -> dict[str, Any]:
    """Lines or dots over a full colour, for what colour alone must not tell apart; empty for none."""
    return {"shape": shape, "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.55, "size": 6}


def faded(colour: str, opacity: float) -> str:
    """A colour that lets what lies behind it shine through."""
    return f"{_faded(colour)}{opacity})"


def _faded(colour: str) -> str:
    """How a colour begins where its opacity follows."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},"
