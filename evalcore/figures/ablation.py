"""Steps of a pipeline and pairs of thresholds: what each step changes, what each threshold costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.ablation import Ablation
from evalcore.catalog import METRICS
from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    WITHIN_SHARES,
    Figure,
    Plain,
    as_written,
    drawn,
    on_axes,
    pattern,
    shortened,
    stacked,
)
from evalcore.figures.shares import SHARE_TICKS
from evalcore.spec import Metric
from evalcore.text.numerals import as_given, change_text, value_text

if TYPE_CHECKING:
    import pandas as pd


@Figure
def waterfall_figure(result: Ablation, metric: str, *, title: str, dark: bool = False) -> Plain:
    """The value of a metric at each step, its spread over folds, and the change from the step before.

    Parameters
    ----------
    result : steps in their order.
    metric : key of a metric in its table.
    title : the metric's name, the title of the axis.
    dark : whether the page is dark.
    """
    palette, of = DARK if dark else LIGHT, METRICS[metric]
    rows = result.of(metric)
    value, change = rows.value.to_numpy(float), rows.change.to_numpy(float)
    before = value - change
    steps = [as_written(shortened(step)) for step in rows.step]
    place = np.arange(len(steps))
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "x": place[is_kind],
            "y": change[is_kind],
            "base": before[is_kind],
            "name": name,
            "width": 0.5,
            "marker": {"color": colour, "pattern": pattern(shape)},
            "hovertemplate": "%{customdata}<extra></extra>",
            "customdata": [f"{change_text(of, one)} from the step before" for one in change[is_kind]],
        }
        for name, is_kind, colour, shape in (
            ("gain", change > 0, palette.negative, ""),
            ("loss", change < 0, palette.positive, "/"),
        )
    ]
    spread = rows.fold_sd.to_numpy(float)
    traces.append(
        {
            "type": "scatter",
            "x": place,
            "y": value,
            "name": "value, ± sd over folds" if not np.isnan(spread).all() else "value",
            "mode": "markers",
            "marker": {"color": palette.ink, "size": 10, "symbol": "line-ew-open", "line": {"width": 3}},
            "error_y": {"type": "data", "array": spread, "color": palette.ink, "thickness": 1, "width": 5},
            "customdata": [value_text(of, one) for one in value],
            "hovertemplate": "%{customdata}<extra></extra>",
        }
    )
    above = {"y": 1, "yref": "y domain", "yanchor": "top", "showarrow": False}
    texts = [_step_text(of, *one) for one in zip(value, change, strict=True)]
    with_value = [(name, one) for name, one in zip(rows.step, value, strict=True) if one == one]
    known = "; ".join(f"{name} {value_text(of, one)}" for name, one in with_value)
    return drawn(
        traces,
        palette,
        f"{title} of {len(steps)} steps: {known or 'no value'}.",
        {
            "annotations": [{"x": at, "text": text, **above} for at, text in enumerate(texts)],
            "xaxis": {
                "tickvals": place,
                "ticktext": steps,
                "range": [-0.5, len(steps) - 0.4],
                "showgrid": False,
            },
            "yaxis": {
                "title": {"text": title},
                "tickformat": SHARE_TICKS if of.is_percent else ".2f",
                "range": _range(value, before, spread),
            },
        },
    )


@Figure
def threshold_grid_figure(grid: pd.DataFrame, *, dark: bool = False) -> Plain:
    """Sensitivity over workload by τ_neg, and precision over alerts by τ_pos, along a grid of thresholds.

    Parameters
    ----------
    grid : of `evalcore.ablation.threshold_grid`; each rate depends on one threshold only.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    sides: tuple[tuple[str, str, str, str, str], ...] = (
        ("tau_neg", "workload", "screening_sensitivity", "τ_neg", palette.negative),
        ("tau_pos", "alerts_per_1000", "alert_precision", "τ_pos", palette.positive),
    )
    traces = []
    for number, (tau, x, y, symbol, colour) in enumerate(sides, start=1):
        one = grid.drop_duplicates(tau).sort_values(x)
        trace = {
            "type": "scatter",
            "x": one[x],
            "y": one[y],
            "name": f"by {symbol}",
            "mode": "lines+markers",
            "line": {"color": colour, "width": 2.5, "dash": "solid" if number == 1 else "dash"},
            "marker": {"size": 9, "symbol": "circle" if number == 1 else "diamond"},
            "customdata": [f"{symbol} = {as_given(value)}" for value in one[tau]],
            "hovertemplate": "%{y:%}<br>%{customdata}<extra></extra>",
        }
        traces.append(on_axes(number, trace))
    layout = stacked(1, 1, gap=0.22)
    layout["xaxis"] |= {
        "title": {"text": "share of checks that are read"},
        "tickformat": SHARE_TICKS,
    } | WITHIN_SHARES
    layout["xaxis2"] |= {"title": {"text": "alerts per 1,000 checks"}}
    layout["yaxis"] |= {"title": {"text": "screening sensitivity"}, "tickformat": SHARE_TICKS} | WITHIN_SHARES
    layout["yaxis2"] |= {"title": {"text": "alert precision"}, "tickformat": SHARE_TICKS} | WITHIN_SHARES
    description = f"Screening sensitivity and alert precision along {len(grid)} threshold pairs."
    return drawn(traces, palette, description, layout)


def _step_text(metric: Metric, value: float, change: float) -> str:
    if np.isnan(value):
        return "n/a"
    told = "" if np.isnan(change) else f"<br>{change_text(metric, change)}"
    return f"<b>{value_text(metric, value)}</b>{told}"


def _range(value: Any, before: Any, spread: Any) -> list[float]:
    """From below the least to above the greatest of what is drawn; the bars show changes, not shares."""
    edge = np.nan_to_num(spread)
    drawn = np.concatenate([value - edge, value + edge, before])
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return [0.0, 1.0]
    low, high = float(drawn.min()), float(drawn.max())
    margin = max(0.2 * (high - low), 0.02)
    return [low - margin, high + 3 * margin]
