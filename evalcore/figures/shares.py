"""Shares and other values on axes and in what a figure says when pointed at: written there as everywhere."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.text.numerals import SIGN, percent_of_share

SHARE_TICKS = ".0%"
"""For an axis whose values are shares: plotly.js would write ``20%`` at its ticks."""
SHARE_CHANGE_TICKS = "+.0%"
"""For an axis of differences of shares: its ticks are points, as its title says."""
VALUE_TICKS = "~g"
"""For an axis of other values: all its ticks have as many decimals."""
VALUE_CHANGE_TICKS = "+~g"
STYLES = (SHARE_TICKS, SHARE_CHANGE_TICKS, VALUE_TICKS, VALUE_CHANGE_TICKS)
N_TICKS = 6
N_FEW_TICKS = 4
NEAR = 0.8  # a rounder step may make a few ticks more
POINTED_AT = re.compile(r"%\{([xy]):%\}")
"""Stands in a trace's ``hovertemplate`` for a share: ``%{y:%}``."""
NO_BREAK = "\N{NO-BREAK SPACE}"


def nice_ticks(low: float, high: float, n: int) -> list[float]:
    """Round numbers from low to high, at most about n of them.

    Examples
    --------
    >>> nice_ticks(0, 1, 6), nice_ticks(0, 730, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 200.0, 400.0, 600.0])
    """
    if not high > low:
        return [low]
    raw = (high - low) / max(n - 1, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * NEAR)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{at * step:.12g}") for at in range(first, last + 1)]


def share_tick(value: float, style: str = SHARE_TICKS) -> str:
    """The label of a tick at a share, or at a difference of shares, which is so many points.

    Examples
    --------
    >>> share_tick(0.2), share_tick(0.005), share_tick(1)
    ('20\N{NO-BREAK SPACE}%', '0.5\N{NO-BREAK SPACE}%', '100\N{NO-BREAK SPACE}%')
    >>> share_tick(-0.1, SHARE_CHANGE_TICKS), share_tick(0.05, SHARE_CHANGE_TICKS)
    ('−10', '+5')
    """
    is_change = style == SHARE_CHANGE_TICKS
    sign, unit = ("+" if value > 0 else "", "") if is_change else ("", SIGN)
    return f"{sign}{100 * value:.10g}{unit}".replace("-", "−").replace(" ", NO_BREAK)


def tick_texts(ticks: Sequence[float], style: str) -> list[str]:
    """The labels of the ticks of an axis; but for shares all have as many decimals.

    Examples
    --------
    >>> tick_texts([0.5, 0.75, 1], VALUE_TICKS), tick_texts([-0.1, 0, 0.05], VALUE_CHANGE_TICKS)
    (['0.50', '0.75', '1.00'], ['−0.10', '0', '+0.05'])
    """
    if style in (SHARE_TICKS, SHARE_CHANGE_TICKS):
        return [share_tick(at, style) for at in ticks]
    places = max((len(f"{at:.10f}".rstrip("0").partition(".")[2]) for at in ticks), default=0)
    if style == VALUE_TICKS:
        return [f"{at:,.{places}f}".replace("-", "−") for at in ticks]
    return [f"{at:+,.{places}f}".replace("-", "−") if at else "0" for at in ticks]


def with_ticks(
    axis: Mapping[str, Any], name: str, traces: Sequence[Mapping[str, Any]], *, is_short: bool = False
) -> dict[str, Any]:
    """An axis whose ticks are labelled, where its format is one of those above.

    Parameters
    ----------
    axis : of a layout.
    name : of it, such as ``xaxis2``.
    traces : of the figure; where the axis has no range, those that lie on it tell how far it goes.
    is_short : whether names beside it may leave it little room on a phone: few labels fit then.
    """
    style = axis.get("tickformat")
    if style not in STYLES or "ticktext" in axis:
        return dict(axis)
    ticks = axis.get("tickvals")
    if ticks is None:
        low, high = sorted(axis.get("range") or _reach(name, traces))
        ticks = nice_ticks(low, high, axis.get("nticks", N_FEW_TICKS if is_short else N_TICKS))
        if axis.get("range") is None and len(ticks) > 1:  # the drawing leaves room around what it shows
            step = ticks[1] - ticks[0]
            ticks = [round(ticks[0] - step, 12), *ticks, round(ticks[-1] + step, 12)]
    return {**axis, "tickvals": list(ticks), "ticktext": tick_texts([float(at) for at in ticks], style)}


def _reach(name: str, traces: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    side, number = name[0], name.removeprefix(name[:5])
    own = [one for one in traces if one.get(f"{side}axis", side) == f"{side}{number}" and side in one]
    values = np.concatenate([np.zeros(0), *(end.ravel() for one in own for end in _ends(one, side))])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)


def _ends(trace: Mapping[str, Any], side: str) -> list[NDArray[np.float64]]:
    """The values of a trace on one axis, and the ends of their intervals."""
    values, arms = np.asarray(trace[side], float), trace.get(f"error_{side}")
    if arms is None:
        return [values]
    above = np.asarray(arms["array"], float)
    return [values, values + above, values - np.asarray(arms.get("arrayminus", above), float)]


def pointed_at(trace: Mapping[str, Any]) -> dict[str, Any]:
    """A trace that says its shares as they are written everywhere, where its template asks for them."""
    template = trace.get("hovertemplate") or ""
    sides = list(dict.fromkeys(POINTED_AT.findall(template)))
    if not sides:
        return dict(trace)
    own = trace.get("customdata")
    rows: list[list[Any]] = [[] for _ in trace[sides[0]]] if own is None else [_row(one) for one in own]
    n_own = len(rows[0]) if rows else 0
    if own is not None:
        template = template.replace("%{customdata}", "%{customdata[0]}")
    for at, side in enumerate(sides):
        template = template.replace(f"%{{{side}:%}}", f"%{{customdata[{n_own + at}]}}")
        for row, value in zip(rows, trace[side], strict=True):
            row.append(percent_of_share(float(value)))
    return {**trace, "customdata": rows, "hovertemplate": template}


def _row(own: Any) -> list[Any]:
    return [own] if isinstance(own, str) else list(own)
