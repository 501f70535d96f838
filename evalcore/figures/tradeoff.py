"""What thresholds cost and keep: screening sensitivity over workload, with its interval."""

from __future__ import annotations

from typing import Any

from evalcore.figures.drawing import (
    DARK,
    LIGHT,
    Band,
    Figure,
    Floats,
    Plain,
    band_around,
    curve,
    drawn,
    line,
    reference,
    share_axis,
)
from evalcore.text.numerals import as_given


@Figure
def tradeoff_figure(
    name: str,
    workload: Floats,
    sensitivity: Floats,
    band: Band,
    threshold: Floats,
    *,
    chosen: tuple[float, float] | None = None,
    dark: bool = False,
) -> Plain:
    """Screening sensitivity over workload, within pointwise intervals, against skipping at random.

    Parameters
    ----------
    name : of what is drawn.
    workload, sensitivity, threshold : shape (T,), workload ascending: the share of the checks that is read,
        that of those with evidence that is kept, and the threshold for it; infinity skips all.
    band : limits of the sensitivity over workload.
    chosen : workload and sensitivity at the thresholds in use, which are marked.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    points = curve(name, workload, sensitivity, line(palette, 0), threshold)
    points["customdata"] = [
        f"skipped: p < {as_given(tau)}" if tau > -float("inf") else "none skipped" for tau in threshold
    ]
    traces: list[dict[str, Any]] = [*band_around(band, palette, 0), points]
    traces.append(reference([0, 1], [0, 1], "skipping at random", palette))
    if chosen is not None:
        traces.append(
            {
                "type": "scatter",
                "x": [chosen[0]],
                "y": [chosen[1]],
                "name": "thresholds in use",
                "mode": "markers",
                "marker": {"size": 11, "color": palette.ink, "symbol": "diamond"},
                "hovertemplate": "%{y:%} at %{x:%}<extra>%{fullData.name}</extra>",
            }
        )
    return drawn(
        traces,
        palette,
        "Screening sensitivity over workload, within pointwise intervals.",
        {
            "xaxis": share_axis("workload: share of the checks that somebody looks at"),
            "yaxis": share_axis("screening sensitivity"),
        },
    )
