"""What figures share: colours of a light and a dark page, axes, lines, bands and intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from functools import lru_cache, update_wrapper
from html import escape
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, Protocol

import numpy as np
from numpy.typing import NDArray

from evalcore.figures.finding import finding
from evalcore.figures.shares import SHARE_TICKS, pointed_at, with_ticks
from evalcore.text.legible import legible
from evalcore.text.numerals import as_given

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Given = ParamSpec("Given")
FONT_SIZE = 13
FONT = "-apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
DASHES = ("solid", "dash", "dot", "dashdot")
FEW_POINTS = 40
LONGEST_NAME = 36
"""Characters of a name beside an axis or in a legend; the longest name of a metric has fewer."""
LONGEST_IN_LINE = 24
"""Characters of a name that has a line of a phone to share with other words."""
BESIDE_TICKS = {"x": 16, "y": 8}
"""Pixels between the labels of an axis and its title, which would else lie over long or turned ones."""
WITHIN_SHARES = {"autorangeoptions": {"clipmin": -0.02, "clipmax": 1.02}}
"""For an axis that shows shares only where they lie: of equal ones it would reach from 1 below to 1 above."""


class Limits(Protocol):
    """Lower and upper limits, one pair for each bin."""

    @property
    def low(self) -> Any: ...

    @property
    def high(self) -> Any: ...


class Ends(NamedTuple):
    """Limits as two columns of a table hold them."""

    low: Floats
    high: Floats


class Band(Limits, Protocol):
    """Lower and upper limits over a grid of x."""

    @property
    def grid(self) -> Any: ...


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


class Plain(NamedTuple):
    """A figure as plotly.js reads it, in values of Python and NumPy.

    Parameters
    ----------
    traces : each with its ``type``.
    layout : axes, legend and the description of the figure.
    """

    traces: list[dict[str, Any]]
    layout: dict[str, Any]

    def plotly(self) -> go.Figure:
        """The figure as an object of plotly, which checks every value, with what each point says."""
        import plotly.graph_objects as go

        return go.Figure(list(map(pointed_at, self.traces)), self.layout)


class Figure(Generic[Given]):
    """A function that draws a figure of plotly.

    Parameters
    ----------
    plain : makes the same as plain values, in a small part of the time.
    """

    def __init__(self, plain: Callable[Given, Plain]) -> None:
        self.plain = plain
        update_wrapper(self, plain)

    def __call__(self, *given: Given.args, **options: Given.kwargs) -> go.Figure:
        return self.plain(*given, **options).plotly()


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


def line(palette: Palette, at: int) -> dict[str, Any]:
    """The line of the series in this place: colour and dash together."""
    return {"color": palette.series[at % len(palette.series)], "width": 2.5, "dash": DASHES[at % len(DASHES)]}


def curve(name: str, x: Any, y: Any, line: dict[str, Any], threshold: Floats | None = None) -> dict[str, Any]:
    """A named line; a few points are marked, and each says its threshold where there is one."""
    calls = (
        []
        if threshold is None
        else ["nothing called positive" if t == np.inf else f"score ≥ {as_given(t)}" for t in threshold]
    )
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "name": as_written(shortened(name)),
        "mode": "lines+markers" if len(x) <= FEW_POINTS else "lines",
        "line": line,
        "customdata": calls or None,
        "hovertemplate": "%{y:%} at %{x:%}"
        + ("<br>%{customdata}" if calls else "")
        + "<extra>%{fullData.name}</extra>",
    }


def band_around(band: Band | None, palette: Palette, at: int) -> list[dict[str, Any]]:
    """The traces of a shade around the series in this place; none where there is no band."""
    if band is None:
        return []
    edge = {
        "type": "scatter",
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    shade = {"fill": "tonexty", "fillcolor": faded(palette.series[at % len(palette.series)], 0.18)}
    return [
        {"x": band.grid, "y": band.low, "name": "lower limit"} | edge,
        {"x": band.grid, "y": band.high, "name": "upper limit"} | edge | shade,
    ]


def segments(x: Floats, limits: Limits, colour: str) -> dict[str, Any]:
    """One vertical line for each x, from its lower to its upper limit."""
    gap = np.full(len(x), np.nan)
    return {
        "type": "scatter",
        "x": np.column_stack([x, x, gap]).ravel(),
        "y": np.column_stack([limits.low, limits.high, gap]).ravel(),
        "name": "interval",
        "mode": "lines",
        "line": {"color": colour, "width": 1.5},
        "hoverinfo": "skip",
    }


def reference(x: Any, y: Any, name: str, palette: Palette, dash: str = "dash") -> dict[str, Any]:
    """A thin line to compare with."""
    line = {"color": palette.ink, "width": 1, "dash": dash}
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "name": name,
        "line": line,
        "hoverinfo": "skip",
    }


def drawn(
    traces: Sequence[dict[str, Any]], palette: Palette, description: str, layout: Mapping[str, Any]
) -> Plain:
    """A figure of these traces, with the background, font, legend and description that every figure has.

    Parameters
    ----------
    traces : as plotly.js reads them, each with its ``type``.
    palette : colours of the page.
    description : what the figure is, for people who do not see it; what it shows is added in numbers.
    layout : what the figure has of its own; it wins, and every axis it names is drawn alike.
    """
    of_every_figure: dict[str, Any] = {
        "template": "none",
        "font": {"family": FONT, "size": FONT_SIZE, "color": palette.ink},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 64, "r": 16, "t": 16, "b": 56},
        "showlegend": True,
        "dragmode": False,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        "meta": {"description": f"{description} {finding(traces, layout)}".strip()},
    }
    axis = {"gridcolor": palette.grid, "linecolor": palette.grid, "zeroline": False, "automargin": True}
    names = {name for name in layout if name.startswith(("xaxis", "yaxis"))} | {"xaxis", "yaxis"}
    axes: dict[str, dict[str, Any]] = {}
    for name in sorted(names):
        is_short = name[0] == "x" and "ticktext" in layout.get(f"y{name[1:]}", {})
        own = {**axis, **with_ticks(layout.get(name, {}), name, traces, is_short=is_short)}
        if "title" in own:
            of_every_title = {"font": {"size": FONT_SIZE}, "standoff": BESIDE_TICKS[name[0]]}
            own["title"] = of_every_title | own["title"]
        axes[name] = own
    return Plain([*traces], {**of_every_figure, **layout, **axes})


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
