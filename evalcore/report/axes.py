"""Axes of a drawing: from values to places on the paper, and where the ticks stand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

from evalcore.figures.shares import N_TICKS, nice_ticks

ROOM = 0.05


@dataclass(frozen=True)
class Axis:
    """One axis of a drawing.

    Parameters
    ----------
    low, high : values at the start and at the end of the axis; low above high where it runs backwards.
    start, end : places on the paper, in pixels.
    categories : names at 0, 1, …; empty for numbers.
    ticks : (value, label).
    title : what the axis shows.
    has_labels : whether ticks are labelled.
    has_grid : whether lines run from the ticks across the drawing.
    """

    low: float
    high: float
    start: float
    end: float
    categories: tuple[str, ...]
    ticks: tuple[tuple[float, str], ...]
    title: str
    has_labels: bool
    has_grid: bool

    def number(self, value: Any) -> float:
        """A value of a trace as a number; NaN for a category that the axis lacks."""
        if self.categories:
            return float(self.categories.index(str(value))) if str(value) in self.categories else math.nan
        return float(value)

    def place(self, value: Any) -> float:
        """Where a value of a trace lies on the paper."""
        return self.place_of(self.number(value))

    def place_of(self, number: float) -> float:
        """Where a number lies on the paper."""
        return self.start + (number - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def inside(self) -> list[tuple[float, str]]:
        """The ticks that lie on the axis."""
        low, high = sorted((self.low, self.high))
        slack = 1e-9 * (high - low)
        return [tick for tick in self.ticks if low - slack <= tick[0] <= high + slack]


def make_axis(layout: Any, values: Iterable[Any], *, start: float, end: float, has_bars: bool) -> Axis:
    """The axis of a plotly layout over the values of its traces.

    Parameters
    ----------
    layout : an axis of a plotly figure's layout.
    values : every value that stands along it.
    start, end : places on the paper, in pixels.
    has_bars : whether bars grow along it, from 0.
    """
    all_values = list(values)
    categories = _categories(layout, all_values)
    low, high = _range(layout, all_values, categories, has_bars)
    if layout.tickvals is not None:
        ticks = [
            (float(at), unescape(str(text)))
            for at, text in zip(layout.tickvals, layout.ticktext or layout.tickvals, strict=True)
        ]
    elif categories:
        ticks = [(float(at), name) for at, name in enumerate(categories)]
    else:
        n_ticks = layout.nticks or N_TICKS
        between = nice_ticks(min(low, high), max(low, high), n_ticks)
        ticks = [(at, tick_text(at, layout.tickformat)) for at in between]
    return Axis(
        low,
        high,
        start,
        end,
        tuple(categories),
        tuple(ticks),
        unescape(layout.title.text or ""),
        has_labels=layout.showticklabels is not False,
        has_grid=layout.showgrid is not False and not categories,
    )


def tick_text(value: float, style: str | None) -> str:
    """A tick's label in one of the formats of the figures.

    Examples
    --------
    >>> tick_text(12000, ","), tick_text(0.25, None)
    ('12,000', '0.25')
    """
    if style == ",":
        return format(value if value != int(value) else int(value), style)
    return f"{value:g}"


def _categories(layout: Any, values: Sequence[Any]) -> list[str]:
    if layout.type == "category" or any(isinstance(value, str) for value in values):
        return list(dict.fromkeys(str(value) for value in values))
    return []


def _range(
    layout: Any, values: Sequence[Any], categories: Sequence[str], has_bars: bool
) -> tuple[float, float]:
    if layout.range is not None:
        return float(layout.range[0]), float(layout.range[1])
    if categories:
        return -0.5, len(categories) - 0.5
    found = [float(value) for value in values if not math.isnan(float(value))] or [0.0, 1.0]
    low, high = min(found), max(found)
    starts_at_0 = (has_bars or layout.rangemode == "tozero") and low >= 0
    room = ROOM * ((high - (0.0 if starts_at_0 else low)) or 1.0)
    low, high = (0.0 if starts_at_0 else low - room), high + room
    return (high, low) if layout.autorange == "reversed" else (low, high)
