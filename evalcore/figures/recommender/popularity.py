"""Which items lists show: shares of interactions and of recommendations along the popularity of items."""

from __future__ import annotations

from math import isnan

from evalcore.curves.popularity import PopularityCurves
from evalcore.figures.drawing import DARK, LIGHT, Figure, Plain, curve, drawn, line, reference, share_axis
from evalcore.text.numerals import percent_of_share


@Figure
def popularity_figure(curves: PopularityCurves, *, dark: bool = False) -> Plain:
    """Cumulative shares over items, the most popular first: of train, and of each model's recommendations.

    Parameters
    ----------
    curves : from `evalcore.curves.popularity_curves`.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    shares = curves.share_of_items
    head = curves.head_share_of_items
    traces = [
        reference([0, 1], [0, 1], "every item alike", palette),
        reference(
            [head, head],
            [0, 1],
            f"end of the head: {curves.n_head:,} of {curves.n_items:,} items",
            palette,
            "dot",
        ),
    ]
    of_train = {"color": palette.ink, "width": 2.5, "dash": "solid"}
    lines = [("interactions in train", curves.train, of_train)]
    lines += [(name, one, line(palette, at)) for at, (name, one) in enumerate(curves.recommended.items())]
    for name, cumulative, how in lines:
        trace = curve(name, shares, cumulative, how) | {"mode": "lines"}
        trace["hovertemplate"] = "%{y:%} in the first %{x:%} of the items<extra>%{fullData.name}</extra>"
        traces.append(trace)
    of_head = {name: curves.of_head(one) for name, one, _ in lines}
    said = [f"{name} {percent_of_share(share)}" for name, share in of_head.items() if not isnan(share)]
    return drawn(
        traces,
        palette,
        f"Cumulative shares over {curves.n_items:,} items, the most popular first; of the head: "
        f"{', '.join(said) or 'nothing'}.",
        {
            "xaxis": share_axis("share of the items, the most popular in train first"),
            "yaxis": share_axis("cumulative share"),
        },
    )
