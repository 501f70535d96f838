"""A figure as a drawing inside a page: no script, no font file, nothing from outside.

It draws what `evalcore.figures` uses: lines, steps, bands, marks, bars, hatching, error bars, texts. Colours
are those of the light palette by name of a CSS variable, so that the page can show another palette.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

from evalcore.figures import DARK, LIGHT
from evalcore.figures.drawing import Plain
from evalcore.report.axes import Axis, make_axis
from evalcore.report.marks import (
    LETTER,
    LINE,
    arms,
    axes,
    bar_texts,
    colour,
    error_ends,
    label,
    mark,
    n,
    one,
    path,
    shown,
    stroke,
)
from evalcore.report.parts import Part, parts_of

WIDTH, HEIGHT = 640, 400
ON_PAPER = (400, 216)
"""Width and height of one of two figures beside each other on A4: words are as large there as around, and two
lines of them leave room for the data, the targets and the values above them."""
HATCHES = {"/": "M-1 7L7 -1M-1 1L1 -1M5 7L7 5", "x": "M0 0L6 6M6 0L0 6", ".": "M2 3h2", "-": "M0 3H6"}


def palette_css() -> str:
    """The CSS variables of the colours: of the light palette, and of the dark one where the reader's is."""
    light, dark = (
        [palette.ink, palette.grid, palette.positive, *palette.series] for palette in (LIGHT, DARK)
    )
    pairs = dict(zip(light, dark, strict=True))
    names = {day: f"--c{day[1:]}" for day in pairs}
    by_day = " ".join(f"{names[day]}: {day};" for day in pairs)
    by_night = " ".join(f"{names[day]}: {night};" for day, night in pairs.items())
    return (
        f":root {{ {by_day} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {by_night} }} }}"
    )


def svg(figure: Plain, *, key: str, size: tuple[int, int] | None = None) -> str:
    """The figure as an ``<svg>`` that is as wide as its place allows; the same figure makes the same text.

    Parameters
    ----------
    figure : of `evalcore.figures`, in the light palette.
    key : a name without spaces, unique on the page.
    size : width and height that it is drawn for; None for the usual ones.
    """
    traces, layout = parts_of(figure)
    width, height = size or (WIDTH, int(layout.height or HEIGHT))
    drawing = _Drawing(traces, layout, key, width, height)
    body = "\n".join(drawing.parts())
    said = shown(unescape(layout.meta.description))
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{key}-said" '
        f'xmlns="http://www.w3.org/2000/svg">\n<title id="{key}-said">{said}</title>\n{body}\n</svg>'
    )


@dataclass
class _Drawing:
    traces: list[Part]
    layout: Part
    key: str
    width: int
    height: int

    @property
    def is_small(self) -> bool:
        """Whether a title may be longer than its axis: it stands above the drawing then."""
        return self.width < WIDTH

    def parts(self) -> Iterator[str]:
        """Everything, from the back to the front."""
        names = [
            trace
            for trace in self.traces
            if trace.name and trace.showlegend is not False and self.layout.showlegend
        ]
        legend, top = self._legend(names)
        top += LINE if self.is_small else 0
        yield from self._patterns()
        panels = self._panels(top)
        for number, ((x, y), traces) in enumerate(panels.items()):
            is_lowest = y.start == max(other.start for _, other in panels)
            yield from axes(x, y, is_lowest=is_lowest, has_room_above=self.is_small and number == 0)
            name = f"{self.key}-panel-{number}"
            if any(_leaves(trace, x, y) for trace, _ in traces):
                yield f'<clipPath id="{name}">{_rectangle(x, y)}</clipPath>'
            for trace, at in traces:
                drawn = self._trace(trace, at, traces, x, y)
                if _leaves(trace, x, y):
                    drawn = iter([f'<g clip-path="url(#{name})">', *drawn, "</g>"])
                yield from drawn
        yield from self._annotations(panels)
        yield from legend

    def _panels(self, top: float) -> dict[tuple[Axis, Axis], list[tuple[Any, int]]]:
        grouped: dict[tuple[str, str], list[tuple[Any, int]]] = {}
        for at, trace in enumerate(self.traces):
            grouped.setdefault((trace.xaxis or "x", trace.yaxis or "y"), []).append((trace, at))
        on_x: list[Any] = [value for trace in self.traces for value in _extent(trace, "x")]
        left = 30 + LETTER * max(
            (len(text) for name in {y for _, y in grouped} for text in self._labels(name, grouped)), default=3
        )
        inner = self.height - 56 - top
        panels: dict[tuple[Axis, Axis], list[tuple[Any, int]]] = {}
        for (x_name, y_name), traces in grouped.items():
            own_x = self.layout[f"xaxis{x_name[1:]}"]
            own_y = self.layout[f"yaxis{y_name[1:]}"]
            low, high = own_y.domain or (0.0, 1.0)
            is_bar = [trace.type == "bar" for trace, _ in traces]
            lies = [trace.orientation == "h" for trace, _ in traces if trace.type == "bar"]
            x = make_axis(own_x, on_x, start=left, end=self.width - 24, has_bars=any(lies))
            y = make_axis(
                own_y,
                self._extent_y(traces),
                start=self.height - 56 - inner * low,
                end=self.height - 56 - inner * high,
                has_bars=any(is_bar) and not any(lies),
            )
            panels[x, y] = traces
        return panels

    def _labels(self, y_name: str, grouped: dict[tuple[str, str], list[tuple[Any, int]]]) -> list[str]:
        values = [v for (_, y), traces in grouped.items() if y == y_name for v in self._extent_y(traces)]
        axis = make_axis(self.layout[f"yaxis{y_name[1:]}"], values, start=0, end=1, has_bars=False)
        return [text for _, text in axis.ticks]

    def _extent_y(self, traces: list[tuple[Any, int]]) -> list[Any]:
        return [value for trace, _ in traces for value in _extent(trace, "y")]

    def _legend(self, names: list[Any]) -> tuple[list[str], float]:
        """The names above the drawing, wrapped, and where the drawing begins."""
        parts, x, y = [], 8.0, 16.0
        for trace in names:
            text = unescape(trace.name)
            width = 30 + LETTER * len(text) + 14
            if x > 8 and x + width > self.width:
                x, y = 8.0, y + LINE
            parts.append(self._sign(trace, x, y))
            parts.append(label(x + 30, y + 4, text))
            x += width
        return parts, (y + 16 if names else 12)

    def _sign(self, trace: Any, x: float, y: float) -> str:
        if trace.type == "bar":
            return "".join(self._filled(trace, f'x="{n(x + 6)}" y="{n(y - 6)}" width="16" height="12"'))
        line = f'<path d="M{n(x)} {n(y)}h26" style="{stroke(trace)}"/>' if "lines" in trace.mode else ""
        return line + (mark(trace, x + 13, y) if "markers" in trace.mode else "")

    def _trace(self, trace: Any, at: int, traces: list[tuple[Any, int]], x: Axis, y: Axis) -> Iterator[str]:
        if trace.type == "bar":
            yield from self._bars(trace, traces, x, y)
            return
        if trace.fill == "tonexty":
            below = next(other for other, number in traces if number == at - 1)
            edge = path(below, x, y) + path(trace, x, y, backwards=True).replace("M", "L", 1)
            yield f'<path d="{edge}Z" style="{colour("fill", trace.fillcolor)}"/>'
        if trace.fill == "toself":
            yield f'<path d="{path(trace, x, y)}Z" style="{colour("fill", trace.fillcolor)}"/>'
            return
        mode = trace.mode or "lines"
        if "lines" in mode and trace.line.width != 0:
            yield f'<path d="{path(trace, x, y)}" style="{stroke(trace)}"/>'
        if "markers" not in mode:
            return
        for place, (value, other) in enumerate(zip(trace.x, trace.y, strict=True)):
            at_x, at_y = x.place(value), y.place(other)
            if math.isnan(at_x + at_y):
                continue
            yield from arms(trace, place, x, y)
            yield mark(trace, at_x, at_y)
            if "text" in mode:
                yield label(at_x + 7, at_y + 13, str(trace.text[place]), size=11)

    def _bars(self, trace: Any, traces: list[tuple[Any, int]], x: Axis, y: Axis) -> Iterator[str]:
        lies = trace.orientation == "h"
        along, across = (x, y) if lies else (y, x)
        lengths, places = (trace.x, trace.y) if lies else (trace.y, trace.x)
        bars = [other for other, _ in traces if other.type == "bar"]
        for nth, (place, length) in enumerate(zip(places, lengths, strict=True)):
            if math.isnan(length) or length == 0:
                continue
            base = self._base(trace, bars, nth)
            low, high = self._width(trace, bars, across.number(place), nth)
            first, second = sorted((across.place_of(low), across.place_of(high)))
            start, end = sorted((along.place_of(base), along.place_of(base + float(length))))
            box = (
                (start, first, end - start, second - first)
                if lies
                else (first, start, second - first, end - start)
            )
            size = 'x="{}" y="{}" width="{}" height="{}"'.format(*map(n, box))
            yield from self._filled(trace, size, nth)
            if lies:
                is_free = self.layout.barmode != "stack"
                yield from bar_texts(trace, nth, box, along, may_stand_outside=is_free)

    def _base(self, trace: Any, bars: list[Any], nth: int) -> float:
        if self.layout.barmode != "stack":
            return 0.0
        before = bars[: bars.index(trace)]
        return math.fsum(float((bar.x if bar.orientation == "h" else bar.y)[nth]) for bar in before)

    def _width(self, trace: Any, bars: list[Any], place: float, nth: int) -> tuple[float, float]:
        if trace.width is not None:
            width = float(trace.width if isinstance(trace.width, int | float) else trace.width[nth])
            offset = float(trace.offset or 0.0)
            return place + offset, place + offset + width
        width = 1.0 - (self.layout.bargap or 0.2)
        if self.layout.barmode != "group":
            return place - width / 2, place + width / 2
        share = width / len(bars)
        low = place - width / 2 + share * bars.index(trace)
        return low, low + share

    def _filled(self, trace: Any, size: str, nth: int = 0) -> Iterator[str]:
        yield f'<rect {size} style="{colour("fill", one(trace.marker.color, nth))}"/>'
        if one(trace.marker.pattern.shape, nth):
            yield f'<rect {size} fill="url(#{self._hatch(one(trace.marker.pattern.shape, nth))})"/>'

    def _hatch(self, shape: str) -> str:
        return f"{self.key}-hatch{list(HATCHES).index(shape)}"

    def _patterns(self) -> Iterator[str]:
        shapes: dict[str, None] = {}
        for trace in self.traces:
            if trace.type == "bar":
                shape = trace.marker.pattern.shape
                shapes.update(dict.fromkeys([shape] if isinstance(shape, str) else shape or []))
        for shape in shapes:
            if shape:
                yield (
                    f'<pattern id="{self._hatch(shape)}" width="6" height="6" '
                    f'patternUnits="userSpaceOnUse"><path d="{HATCHES[shape]}" class="hatch"/></pattern>'
                )

    def _annotations(self, panels: dict[tuple[Axis, Axis], Any]) -> Iterator[str]:
        numbered = {f"y{'' if at == 0 else at + 1}": panel for at, panel in enumerate(panels)}
        for note in map(Part, self.layout.annotations or ()):
            x, y = numbered[(note.yref or "y").split()[0]]
            in_domain = "domain" in (note.yref or "")
            at_x = x.start + note.x * (x.end - x.start) if in_domain else x.place(note.x)
            at_y = y.start + note.y * (y.end - y.start) if in_domain else y.place(note.y)
            anchor = {"right": "end", "left": "start"}.get(note.xanchor or "", "middle")
            yield label(
                at_x,
                at_y + 4,
                unescape(note.text),
                anchor=anchor,
                paint=note.font.color or LIGHT.ink,
                css="halo",
            )


def _leaves(trace: Any, x: Axis, y: Axis) -> bool:
    """Whether a line runs out of the range of its axes."""
    if trace.type == "bar":
        return False
    for values, axis in ((trace.x, x), (trace.y, y)):
        low, high = sorted((axis.low, axis.high))
        if any(number < low or number > high for number in map(axis.number, values)):  # NaN is neither
            return True
    return False


def _rectangle(x: Axis, y: Axis) -> str:
    """The place between the axes; no thinner for the line that lies on one."""
    (left, right), (top, bottom) = sorted((x.start, x.end)), sorted((y.start, y.end))
    size = (left - 2, top - 2, right - left + 4, bottom - top + 4)
    return '<rect x="{}" y="{}" width="{}" height="{}"/>'.format(*map(n, size))


def _extent(trace: Any, name: str) -> list[Any]:
    """The values that a trace needs room for along an axis."""
    values = list(trace[name]) if trace[name] is not None else []
    if trace.type == "scatter" and trace[f"error_{name}"].array is not None:
        ends = (error_ends(trace, name, nth) for nth in range(len(values)))
        return [*values, *(end for both in ends if both is not None for end in both)]
    if trace.type == "bar" and trace.width is not None and name == "x" and len(values):
        return [*values, float(values[-1]) + float(one(trace.width, len(values) - 1))]
    if (
        trace.type == "bar"
        and name == "x"
        and trace.orientation != "h"
        and values
        and not isinstance(values[0], str)
    ):
        return [float(min(values)) - 0.5, *values, float(max(values)) + 0.5]
    return values
