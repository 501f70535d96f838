"""What a figure shows, in numbers: for people who do not see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.figures.shares import SHARE_CHANGE_TICKS
from evalcore.text.numerals import as_given, percent_of_share, points

MOST_SERIES = 5
BESIDE = 0.3
Layout = Mapping[str, Any]
Trace = Mapping[str, Any]


def finding(traces: Sequence[Trace], layout: Layout) -> str:
    """Where each series begins and ends and its highest, or the highest and lowest of what has names.

    Parameters
    ----------
    traces : as `drawn` takes them; what nobody can point at (limits, lines to compare with) is left out.
    layout : with the axes of the traces.

    Returns
    -------
    A sentence, or nothing where no series has a value.
    """
    said = [told for trace in traces if trace.get("hoverinfo") != "skip" and (told := _of(trace, layout))]
    more = f"; and {len(said) - MOST_SERIES} more" if len(said) > MOST_SERIES else ""
    whole = "; ".join(said[:MOST_SERIES]) + more
    return f"{whole}." if whole else ""


def _of(trace: Trace, layout: Layout) -> str:
    axes = {
        side: layout.get(trace.get(f"{side}axis", side).replace(side, f"{side}axis"), {}) for side in "xy"
    }
    if trace["type"] == "heatmap":
        return _of_cells(trace, axes)
    if trace["type"] not in ("bar", "scatter"):
        return ""
    is_lying = trace.get("orientation") == "h" or ("ticktext" in axes["y"] and "ticktext" not in axes["x"])
    along, across = ("y", "x") if is_lying else ("x", "y")
    values = _numbers(trace[across])
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return ""
    name = unescape(str(trace.get("name", "")))

    def at(place: int) -> str:
        where = _where(axes[along], list(trace[along])[place])
        return f"{_shown(axes[across], values[place])} at {where}"

    first, last = known[0], known[-1]
    highest, lowest = known[values[known].argmax()], known[values[known].argmin()]
    if values[highest] == values[lowest]:
        told = at(highest)
    elif trace["type"] == "scatter" and not is_lying:
        is_between = values[highest] > max(values[first], values[last])
        peak = f", highest {at(highest)}" if is_between else ""
        told = f"from {at(first)} to {at(last)}{peak}"
    else:
        told = f"highest {at(highest)}, lowest {at(lowest)}"
    return f"{name}: {told}" if name else told


def _of_cells(trace: Trace, axes: Mapping[str, Layout]) -> str:
    cells = np.array([_numbers(line) for line in trace["z"]])
    if not cells.size or np.isnan(cells).all():
        return ""

    def at(place: int) -> str:
        line, column = np.unravel_index(place, cells.shape)
        where = [
            _where(axes[side], list(trace.get(side, range(cells.shape[end])))[here])
            for side, end, here in (("y", 0, line), ("x", 1, column))
        ]
        return f"{as_given(cells[line, column], 4)} at {where[0]} and {where[1]}"

    return f"highest {at(int(np.nanargmax(cells)))}, lowest {at(int(np.nanargmin(cells)))}"


def _numbers(values: Any) -> NDArray[np.float64]:
    return np.array([np.nan if one is None else float(one) for one in values])


def _where(axis: Layout, value: Any) -> str:
    """What the axis calls a place: the name of the tick next to it, where ticks have names."""
    if isinstance(value, str):
        return unescape(value)
    ticks = axis.get("tickvals")
    if ticks is None or not len(ticks) or isinstance(ticks[0], str):
        return _shown(axis, float(value))
    nearest = int(np.abs(_numbers(ticks) - float(value)).argmin())
    names = axis.get("ticktext")
    if names is not None:
        return unescape(str(names[nearest]).replace("<br>", " "))
    is_beside = abs(float(value) - ticks[nearest]) < BESIDE  # series are set a little apart at a rank
    return _shown(axis, float(ticks[nearest]) if is_beside and float(ticks[nearest]) >= 1 else float(value))


def _shown(axis: Layout, value: float) -> str:
    if axis.get("tickformat") == SHARE_CHANGE_TICKS:
        return points(value)
    if "%" in axis.get("tickformat", ""):
        return percent_of_share(value)
    return f"{value:,.0f}" if value == int(value) and value >= 1 else as_given(value, 4)
