"""Curves of models on the same rows: ROC, precision–recall, net benefit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from evalcore.curves import DecisionCurve, PrCurve, RocCurve
from evalcore.figures.drawing import DARK, LIGHT, Band, add_band, curve, finish, line, reference, share_axis


def roc_figure(
    curves: Mapping[str, RocCurve], *, bands: Mapping[str, Band] | None = None, dark: bool = False
) -> go.Figure:
    """ROC curves against the diagonal of chance, each with its pointwise band where there is one.

    Parameters
    ----------
    curves : name → points.
    bands : name → limits of the true positive rate over a grid of false positive rates.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    for at, (name, points) in enumerate(curves.items()):
        add_band(figure, (bands or {}).get(name), palette, at)
        figure.add_trace(curve(name, points.fpr, points.tpr, line(palette, at), points.threshold))
    figure.add_trace(reference([0, 1], [0, 1], "chance", palette))
    within = ", within pointwise bands" if bands else ""
    finish(figure, palette, f"ROC curve of {', '.join(curves)}{within}, with the diagonal of chance.")
    share_axis(figure.layout.xaxis, "false positive rate")
    share_axis(figure.layout.yaxis, "true positive rate (sensitivity)")
    return figure


def pr_figure(
    curves: Mapping[str, PrCurve], *, bands: Mapping[str, Band] | None = None, dark: bool = False
) -> go.Figure:
    """Precision–recall curves as steps, over the baseline at the prevalence.

    Parameters
    ----------
    curves : name → points of curves on the same rows, at least one; the baseline is their prevalence.
    bands : name → limits of the precision over a grid of recalls.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    for at, (name, points) in enumerate(curves.items()):
        add_band(figure, (bands or {}).get(name), palette, at)
        steps = {**line(palette, at), "shape": "vh"}
        figure.add_trace(curve(name, points.recall, points.precision, steps, points.threshold))
    prevalence = float(next(iter(curves.values())).prevalence)
    baseline = reference([0, 1], [prevalence] * 2, f"call everything positive: {prevalence:.1%}", palette)
    figure.add_trace(baseline)
    within = ", within pointwise bands" if bands else ""
    finish(
        figure,
        palette,
        f"Precision–recall curve of {', '.join(curves)}{within}, over the prevalence {prevalence:.1%}.",
    )
    share_axis(figure.layout.xaxis, "recall (sensitivity)")
    share_axis(figure.layout.yaxis, "precision")
    return figure


def decision_figure(curves: Mapping[str, DecisionCurve], *, dark: bool = False) -> go.Figure:
    """Net benefit by threshold probability, against calling everything and nothing positive.

    Parameters
    ----------
    curves : name → points of curves on the same rows and thresholds, at least one.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    for at, (name, points) in enumerate(curves.items()):
        figure.add_trace(curve(name, points.threshold, points.net_benefit, line(palette, at)))
    first = next(iter(curves.values()))
    everything = reference(first.threshold, first.all_positive, "everything positive", palette, dash="dot")
    nothing = reference(first.threshold, np.zeros(len(first.threshold)), "nothing positive", palette)
    figure.add_traces([everything, nothing])
    finish(
        figure, palette, f"Net benefit of {', '.join(curves)}, of everything and of nothing called positive."
    )
    figure.update_xaxes(title_text="threshold probability", tickformat=".0%")
    figure.update_yaxes(title_text="net benefit per row", autorangeoptions={"clipmin": -0.05})
    return figure
