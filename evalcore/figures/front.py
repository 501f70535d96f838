"""What targets cost each other: the Pareto front of thresholds, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from evalcore.figures.drawing import DARK, LIGHT, Palette, curve, finish, line, share_axis

if TYPE_CHECKING:
    import pandas as pd

    from evalcore.tallies.decisions import StateCounts


def front_figure(front: pd.DataFrame, *, current: StateCounts | None = None, dark: bool = False) -> go.Figure:
    """Screening sensitivity over workload, with the best alert precision that each workload leaves.

    Parameters
    ----------
    front : from `evalcore.operating_point.front.pareto_front`.
    current : rows by state and label at the thresholds in use, marked on both curves; None marks nothing.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure(
        [
            curve(name, front["workload"], front[column], line(palette, at))
            for at, (name, column) in enumerate(
                (("screening sensitivity", "screening_sensitivity"), ("alert precision", "alert_precision"))
            )
        ]
    )
    if current is not None:
        figure.add_trace(_marks(current, palette))
    finish(figure, palette, "Screening sensitivity and the best alert precision, over workload.")
    share_axis(figure.layout.xaxis, "workload: share of the checks that somebody looks at")
    share_axis(figure.layout.yaxis, "share")
    return figure


def alert_front_figure(front: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """Right alerts over the alert precision that is asked for, at a fixed τ_neg.

    Parameters
    ----------
    front : from `evalcore.operating_point.front.alert_front`.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    alerts = curve("right alerts", front["alert_precision"], front["alerts_right"], line(palette, 0))
    alerts.hovertemplate = "%{y:,} right alerts at %{x:.2%}<extra></extra>"
    figure = go.Figure([alerts])
    finish(figure, palette, "Right alerts that are left at each alert precision.")
    share_axis(figure.layout.xaxis, "alert precision")
    figure.update_yaxes(title_text="right alerts", rangemode="tozero")
    return figure


def _marks(current: StateCounts, palette: Palette) -> go.Scatter:
    """Both shares at the thresholds in use; one without cases has no mark."""
    n, n_pos, n_alerts = int(current.total), int(current.total_pos), int(current.n_pos)
    shares = [
        (n_pos - int(current.neg_pos)) / n_pos if n_pos else float("nan"),
        int(current.pos_pos) / n_alerts if n_alerts else float("nan"),
    ]
    return go.Scatter(
        x=[(n - int(current.n_neg)) / n] * 2,
        y=shares,
        name="thresholds now",
        mode="markers",
        marker={"size": 11, "color": palette.ink, "symbol": "diamond"},
        hovertemplate="%{y:.2%} at %{x:.2%}<extra>%{fullData.name}</extra>",
    )
