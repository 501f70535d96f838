"""The parts of a drawing as text: lines, marks, bars' texts, axes, colours by name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from evalcore.figures import LIGHT
from evalcore.report.axes import Axis
from evalcore.text.legible import legible

LETTER = 6.4
LINE = 18
DASHES = {"dash": "8 5", "dot": "2 4", "dashdot": "8 4 2 4"}
OPEN = "-open"
SHAPES = {
    "circle": "M{0} 0A{0} {0} 0 1 0 -{0} 0A{0} {0} 0 1 0 {0} 0Z",
    "square": "M-{0} -{0}H{0}V{0}H-{0}Z",
    "diamond": "M0 -{1}L{1} 0L0 {1}L-{1} 0Z",
}


def axes(x: Axis, y: Axis, *, is_lowest: bool, has_room_above: bool = False) -> Iterator[str]:
    """Grid, frame, ticks and titles; the horizontal axis is labelled under the lowest drawing.

    A title that is longer than its axis stands above the drawing where there is room, else in it.
    """
    lines = []
    if y.has_grid:
        lines += [f"M{n(x.start)} {n(y.place_of(at))}H{n(x.end)}" for at, _ in y.inside]
    if x.has_grid:
        lines += [f"M{n(x.place_of(at))} {n(y.start)}V{n(y.end)}" for at, _ in x.inside]
    lines.append(f"M{n(x.start)} {n(y.end)}V{n(y.start)}H{n(x.end)}")
    yield f'<path d="{"".join(lines)}" style="fill:none;{colour("stroke", LIGHT.grid)}"/>'
    for at, text in y.inside:
        if y.low > y.high and at == y.high:
            continue  # the drawing above says so already
        yield label(x.start - 7, y.place_of(at) + 4, text, anchor="end")
    height = abs(y.start - y.end)
    if y.title and LETTER * len(y.title) <= height + LINE:
        yield label(14, (y.start + y.end) / 2, y.title, anchor="middle", is_turned=True)
    elif y.title and has_room_above:
        yield label(14, min(y.start, y.end) - 9, y.title)
    elif y.title:
        top = y.end + 12 if y.low < y.high else y.start - 5
        yield label(x.end - 4, top, y.title, anchor="end", css="halo")
    if not is_lowest:
        return
    yield from _labels_along(x, y.start + 17)
    if x.title:
        yield label((x.start + x.end) / 2, y.start + 42, x.title, anchor="middle")


def _labels_along(x: Axis, height: float) -> Iterator[str]:
    """Labels of the horizontal axis: the last one always, of the others those that fit."""
    free_until = math.inf
    for at, text in reversed(x.inside):
        half = LETTER * len(text) / 2
        place = min(x.place_of(at), x.end + 20 - half)
        if place + half + 5 < free_until:
            yield label(place, height, text, anchor="middle")
            free_until = place - half


def path(trace: Any, x: Axis, y: Axis, *, backwards: bool = False) -> str:
    """The line of a trace; a NaN lifts the pen."""
    points = [(x.place(a), y.place(b)) for a, b in zip(trace.x, trace.y, strict=True)]
    texts: list[str] = []
    is_down, last = False, ""
    steps = trace.line.shape == "vh"
    before: tuple[float, float] | None = None
    for point in reversed(points) if backwards else points:
        if math.isnan(point[0] + point[1]):
            is_down, before = False, None
            continue
        text = f"{n(point[0])} {n(point[1])}"
        if text == last and is_down:
            continue
        if not is_down:
            texts.append(f"M{text}")
        elif steps and before is not None:
            texts.append(f"V{n(point[1])}H{n(point[0])}")
        else:
            texts.append(f"L{text}")
        is_down, last, before = True, text, point
    return "".join(texts)


def mark(trace: Any, x: float, y: float) -> str:
    """One mark of a trace."""
    size = float(trace.marker.size or 6) / 2
    name = str(trace.marker.symbol or "circle")
    shape = SHAPES.get(name.removesuffix(OPEN), SHAPES["diamond"])
    drawn = shape.format(n(size), n(size * 1.25))
    paint = trace.marker.color or trace.line.color
    filled = (
        f"fill:none;{colour('stroke', paint)};stroke-width:2"
        if name.endswith(OPEN)
        else colour("fill", paint)
    )
    return f'<path transform="translate({n(x)} {n(y)})" d="{drawn}" style="{filled}"/>'


def arms(trace: Any, nth: int, x: Axis, y: Axis) -> Iterator[str]:
    """The error bars of one mark, lying and standing."""
    at = {"x": x.place(trace.x[nth]), "y": y.place(trace.y[nth])}
    for name, axis in (("x", x), ("y", y)):
        error = trace[f"error_{name}"]
        ends = error_ends(trace, name, nth)
        if ends is None:
            continue
        low, high = map(axis.place_of, ends)
        if name == "x":
            drawn = (
                f"M{n(low)} {n(at['y'])}H{n(high)}M{n(low)} {n(at['y'] - 4)}v8M{n(high)} {n(at['y'] - 4)}v8"
            )
        else:
            drawn = (
                f"M{n(at['x'])} {n(low)}V{n(high)}M{n(at['x'] - 4)} {n(low)}h8M{n(at['x'] - 4)} {n(high)}h8"
            )
        yield f'<path d="{drawn}" style="fill:none;{colour("stroke", error.color)};stroke-width:1.5"/>'


def error_ends(trace: Any, name: str, nth: int) -> tuple[float, float] | None:
    """Where the error bar of a mark along an axis ends; None where it has none."""
    error = trace[f"error_{name}"]
    if error.array is None or error.visible is False or math.isnan(float(error.array[nth])):
        return None
    value = float(trace[name][nth])
    return value - float(error.arrayminus[nth]), value + float(error.array[nth])


def bar_texts(
    trace: Any, nth: int, box: tuple[float, float, float, float], along: Axis, *, may_stand_outside: bool
) -> Iterator[str]:
    """The text of a lying bar, inside where it fits, and its error bar."""
    left, top, width, height = box
    middle, end = top + height / 2, left + width
    error = trace.error_x
    if error.array is not None and not math.isnan(float(error.array[nth])):
        value = float(trace.x[nth])
        low = along.place_of(value - float(error.arrayminus[nth]))
        end = along.place_of(value + float(error.array[nth]))
        drawn = f"M{n(low)} {n(middle)}H{n(end)}M{n(low)} {n(middle - 4)}v8M{n(end)} {n(middle - 4)}v8"
        yield f'<path d="{drawn}" style="fill:none;{colour("stroke", LIGHT.ink)}"/>'
    text = "" if trace.text is None else str(one(trace.text, nth))
    if text and width > LETTER * len(text) + 10:
        yield label(left + 6, middle + 4, text, css="on-bar")
    elif text and may_stand_outside:
        yield label(end + 6, middle + 4, text)


def label(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: float = 12,
    css: str = "",
    paint: str = LIGHT.ink,
    is_turned: bool = False,
) -> str:
    """A text at a place; it is shown as it is written."""
    turned = f' transform="rotate(-90 {n(x)} {n(y)})"' if is_turned else ""
    painted = "" if css == "on-bar" else f' style="{colour("fill", paint)}"'
    look = f' class="{css}"{painted}' if css else painted
    return (
        f'<text x="{n(x)}" y="{n(y)}" font-size="{n(size)}" text-anchor="{anchor}"{look}{turned}>'
        f"{shown(text)}</text>"
    )


def shown(text: str) -> str:
    """Text as XML that shows it as it is written."""
    return escape(legible(text))


def stroke(trace: Any) -> str:
    """The style of a trace's line."""
    dash = DASHES.get(trace.line.dash or "")
    drawn = f"fill:none;{colour('stroke', trace.line.color)};stroke-width:{n(float(trace.line.width or 2))}"
    return f"{drawn};stroke-dasharray:{dash}" if dash else drawn


def colour(name: str, value: str) -> str:
    """A colour as a style: a variable for the page to set, with its opacity.

    Examples
    --------
    >>> colour("fill", "#2b66b1"), colour("fill", "rgba(43,102,177,0.18)")
    ('fill:var(--c2b66b1)', 'fill:var(--c2b66b1);fill-opacity:0.18')
    """
    found = re.fullmatch(r"rgba\((\d+),(\d+),(\d+),([\d.]+)\)", value)
    if found is None:
        return f"{name}:var(--c{value.removeprefix('#')})"
    red, green, blue = (int(part) for part in found.groups()[:3])
    return f"{name}:var(--c{red:02x}{green:02x}{blue:02x});{name}-opacity:{found[4]}"


def one(value: Any, nth: int) -> Any:
    """What holds for a point: its own value, or the one that all share."""
    return value[nth] if isinstance(value, list | tuple) or hasattr(value, "shape") else value


def n(value: float) -> str:
    """A length with one digit, as short as it goes.

    Examples
    --------
    >>> n(3.0), n(2.349), n(-0.001)
    ('3', '2.3', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
