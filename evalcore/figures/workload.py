"""What people do at two thresholds: the checks they skip, look at and are alerted to."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

from evalcore.figures.drawing import DARK, LIGHT, finish
from evalcore.tallies.decisions import StateCounts


def workload_figure(states: Mapping[str, StateCounts], *, dark: bool = False) -> go.Figure:
    """One bar for each group of checks, from top to bottom: the shares that are skipped, looked at, alerted.

    Parameters
    ----------
    states : name → counts by state and label.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    zones = (
        ("Skip", "n_neg", palette.negative, ""),
        ("Look", "n_uncertain", palette.series[4], "/"),
        ("Alert", "n_pos", palette.positive, "x"),
    )
    places = list(range(len(states)))
    for name, counted, colour, shape in zones:
        counts = [int(getattr(one, counted)) for one in states.values()]
        totals = [int(one.total) for one in states.values()]
        shares = [n / total if total else 0.0 for n, total in zip(counts, totals, strict=True)]
        figure.add_trace(
            go.Bar(
                x=shares,
                y=places,
                orientation="h",
                name=name,
                marker={"color": colour, "pattern": {"shape": shape, "fgopacity": 0.5}},
                text=[f"{share:.1%}" for share in shares],
                textposition="inside",
                insidetextanchor="start",
                customdata=[f"{n:,} of {total:,}" for n, total in zip(counts, totals, strict=True)],
                hovertemplate=f"{name}: %{{customdata}} checks<extra></extra>",
            )
        )
    finish(figure, palette, f"Shares of checks that are skipped, looked at and alerted, {len(states)} bars.")
    figure.update_layout(barmode="stack", bargap=0.25)
    figure.update_yaxes(
        tickvals=places,
        ticktext=[escape(name, quote=False) for name in states],
        range=[len(places) - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_xaxes(title_text="share of the checks", tickformat=".0%", range=[0, 1])
    return figure
