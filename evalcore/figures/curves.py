"""Curves of models on the same rows: ROC, precision–recall, net benefit."""

from __future__ import annotations

from collections.abc import Mapping

from evalcore.curves import PrCurve, RocCurve
from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    Band,
    Figure,
    Plain,
    band_around,
    curve,
    drawn,
    line,
    reference,
    share_axis,
)
from evalcore.text.numerals import percent_of_share


@Figure
def roc_figure(
    curves: Mapping[str, RocCurve], *, bands: Mapping[str, Band] | None = None, dark: bool = False
) -> Plain:
    """ROC curves against the diagonal of chance, each with its pointwise band where there is one.

    Parameters
    ----------
    curves : name → points.
    bands : name → limits of the true positive rate over a grid of false positive rates.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces = []
    for at, (name, points) in enumerate(curves.items()):
        traces += band_around((bands or {}).get(name), palette, at)
        traces.append(curve(name, points.fpr, points.tpr, line(palette, at), points.threshold))
    traces.append(reference([0, 1], [0, 1], "chance", palette))
    within = ", within pointwise bands" if bands else ""
    return drawn(
        traces,
        palette,
        f"ROC curve of {', '.join(curves)}{within}, with the diagonal of chance.",
        {
            "xaxis": share_axis("false positive rate"),
            "yaxis": share_axis("true positive rate (sensitivity)"),
        },
    )


@Figure
def pr_figure(
    curves: Mapping[str, PrCurve], *, bands: Mapping[str, Band] | None = None, dark: bool = False
) -> Plain:
    """Precision–recall curves as steps, over the baseline at the prevalence.

    Parameters
    ----------
    curves : name → points of curves on the same rows, at least one; the baseline is their prevalence.
    bands : name → limits of the precision over a grid of recalls.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    traces = []
    for at, (name, points) in enumerate(curves.items()):
        traces += band_around((bands or {}).get(name), palette, at)
        steps = {**line(palette, at), "shape": "vh"}
        traces.append(curve(name, points.recall, points.precision, steps, points.threshold))
    prevalence = float(next(iter(curves.values())).prevalence)
    shown = percent_of_share(prevalence)
    baseline = reference([0, 1], [prevalence] * 2, f"call everything positive: {shown}", palette)
    within = ", within pointwise bands" if bands else ""
    return drawn(
        [*traces, baseline],
        palette,
        f"Precision–recall curve of {', '.join(curves)}{within}, over the prevalence {shown}.",
        {"xaxis": share_axis("recall (sensitivity)"), "yaxis": share_axis("precision")},
    )
