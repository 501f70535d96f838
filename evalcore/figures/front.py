"""What targets cost each other: the Pareto front of thresholds, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.figures.drawing import DARK, LIGHT, Figure, Palette, Plain, curve, drawn, line, share_axis

if TYPE_CHECKING:
    import pandas as pd

    from evalcore.tallies.decisions import StateCounts


@Figure
def front_figure(front: pd.DataFrame, *, current: StateCounts | None = None, dark: bool = False) -> Plain:
    """Screening sensitivity over workload, with the best alert precision that each workload leaves.

    Parameters
    ----------
    front : from `evalcore.operating_point.choosing.front.pareto_front`.
    current : rows by state and label at the thresholds in use, marked on both curves; None marks nothing.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces = [
        curve(name, front["workload"], front[column], line(palette, at))
        for at, (name, column) in enumerate(
            (("screening sensitivity", "screening_sensitivity"), ("alert precision", "alert_precision"))
        )
    ]
    if current is not None:
        traces.append(_marks(current, palette))
    return drawn(
        traces,
        palette,
        "Screening sensitivity and the best alert precision, over workload.",
        {
            "xaxis": share_axis("workload: share of the checks that somebody looks at"),
            "yaxis": share_axis("share"),
        },
    )


def _marks(current: StateCounts, palette: Palette) -> dict[str, Any]:
    """Both shares at the thresholds in use; one without cases has no mark."""
    n, n_pos, n_alerts = int(current.total), int(current.total_pos), int(current.n_pos)
    shares = [
        (n_pos - int(current.neg_pos)) / n_pos if n_pos else float("nan"),
        int(current.pos_pos) / n_alerts if n_alerts else float("nan"),
    ]
    return {
        "type": "scatter",
        "x": [(n - int(current.n_neg)) / n] * 2,
        "y": shares,
        "name": "thresholds now",
        "mode": "markers",
        "marker": {"size": 11, "color": palette.ink, "symbol": "diamond"},
        "hovertemplate": "%{y:%} at %{x:%}<extra>%{fullData.name}</extra>",
    }
