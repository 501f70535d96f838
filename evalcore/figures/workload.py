"""What people do at two thresholds: the checks they skip, look at and are alerted to."""

from __future__ import annotations

from collections.abc import Mapping

from evalcore.figures.drawing import DARK, FONT_SIZE, LIGHT, Figure, Plain, drawn, named_lines, pattern
from evalcore.figures.shares import SHARE_TICKS
from evalcore.tallies.decisions import StateCounts
from evalcore.text.numerals import percent_of_share


@Figure
def workload_figure(states: Mapping[str, StateCounts], *, dark: bool = False) -> Plain:
    """One bar for each group of checks, from top to bottom: the shares that are skipped, looked at, alerted.

    Parameters
    ----------
    states : name → counts by state and label.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    hatching = "#ffffff" if dark else "#000000"
    zones = (
        ("Skip", "n_neg", palette.negative, ""),
        ("Look", "n_uncertain", palette.series[4], "/"),
        ("Alert", "n_pos", palette.positive, "x"),
    )
    totals = [int(one.total) for one in states.values()]
    traces = []
    for name, counted, colour, shape in zones:
        counts = [int(getattr(one, counted)) for one in states.values()]
        shares = [n / total if total else 0.0 for n, total in zip(counts, totals, strict=True)]
        traces.append(
            {
                "type": "bar",
                "x": shares,
                "y": list(range(len(states))),
                "orientation": "h",
                "name": name,
                "marker": {
                    "color": colour,
                    # Lines in the colour of the text would cross it out.
                    "pattern": {**pattern(shape), "fgcolor": hatching, "fgopacity": 0.25, "size": 7},
                },
                "text": [percent_of_share(share) for share in shares],
                "textposition": "inside",
                "insidetextfont": {"color": palette.on_mark, "size": FONT_SIZE},
                "textangle": 0,
                "insidetextanchor": "start",
                "customdata": [f"{n:,} of {total:,}" for n, total in zip(counts, totals, strict=True)],
                "hovertemplate": f"{name}: %{{customdata}} checks<extra></extra>",
            }
        )
    return drawn(
        traces,
        palette,
        f"Shares of checks that are skipped, looked at and alerted, {len(states)} bars.",
        {
            "barmode": "stack",
            "bargap": 0.25,
            "uniformtext": {"mode": "hide", "minsize": 11},
            "xaxis": {"title": {"text": "share of the checks"}, "tickformat": SHARE_TICKS, "range": [0, 1]},
            "yaxis": named_lines(tuple(states)),
        },
    )
