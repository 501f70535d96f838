"""What targets cost each other: the Pareto front of thresholds, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from evalcore.figures.drawing import DARK, LIGHT, curve, finish, line, share_axis

if TYPE_CHECKING:
    import pandas as pd


def front_figure(front: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """Screening sensitivity over workload, with the best alert precision that each workload leaves.

    Parameters
    ----------
    front : from `evalcore.operating_point.front.pareto_front`.
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
