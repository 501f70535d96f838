"""What people say of retrieved chunks and answers: by rank, by label, by annotator."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from evalcore.agreement import Alpha
from evalcore.figures.drawing import DARK, DASHES, LIGHT, finish, line, pattern, share_axis

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")
SIDE_STEP = 0.12
"""How far series at one rank stand apart, so that their intervals do not cover each other."""

LEAST_RANGE = 0.1
"""Differences below this are not blown up to the width of the figure."""


def by_rank_figure(table: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """The share of chunks with each label at each rank, with intervals.

    Parameters
    ----------
    table : of `evalcore.agreement.rates_by_rank`.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    labels = list(dict.fromkeys(table["label"]))
    for at, label in enumerate(labels):
        rows = table[table["label"] == label]
        aside = (at - (len(labels) - 1) / 2) * SIDE_STEP
        figure.add_trace(
            go.Scatter(
                x=rows["rank"].to_numpy(float) + aside,
                y=rows["share"].to_numpy(float),
                name=words(label),
                mode="lines+markers",
                line=line(palette, at),
                marker={"symbol": SYMBOLS[at % len(SYMBOLS)], "size": 8},
                error_y=_whiskers(rows["share"], rows["low"], rows["high"]),
                customdata=_counted(rows),
                hovertemplate="%{customdata}<extra>%{fullData.name}</extra>",
            )
        )
    ranks = sorted({int(rank) for rank in table["rank"]})
    finish(
        figure, palette, f"Share of chunks with {_listed(labels)} at ranks 1 to {len(ranks)}, with intervals."
    )
    share_axis(figure.layout.yaxis, "share of the chunks at this rank")
    figure.layout.xaxis.update(title={"text": "rank of the chunk"}, tickvals=ranks, range=_around(ranks))
    return figure


def alpha_figure(alphas: Sequence[Alpha], *, dark: bool = False) -> go.Figure:
    """Krippendorff's alpha of each label from top to bottom, with its interval; in words where it has none.

    Parameters
    ----------
    alphas : of `evalcore.agreement.alphas`, of one task or several.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    places = list(range(len(alphas)))
    value = pd.Series([alpha.value for alpha in alphas], dtype=float)
    low, high = (pd.Series([getattr(one, end) for one in alphas], dtype=float) for end in ("low", "high"))
    figure = go.Figure(
        go.Scatter(
            x=value,
            y=places,
            name="alpha",
            mode="markers",
            marker={"color": palette.series[0], "size": 10},
            error_x=_whiskers(value, low, high),
            customdata=[_rests_on(alpha) for alpha in alphas],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    unmeasured = [alpha.label for alpha in alphas if np.isnan(alpha.value)]
    finish(
        figure,
        palette,
        f"Krippendorff's alpha of {len(alphas)} labels with intervals, {len(unmeasured)} of them undefined.",
    )
    for place, alpha in enumerate(alphas):
        if np.isnan(alpha.value):
            figure.add_annotation(
                x=0,
                y=place,
                xanchor="left",
                showarrow=False,
                text=f"n/a — {alpha.reason} (n = {alpha.n_pairable})",
            )
    least = min([0.0, *low.dropna(), *value.dropna()])
    figure.layout.xaxis.update(
        title={"text": "Krippendorff's alpha"},
        range=[min(-0.05, 1.08 * least), 1.05],
        tickformat=".1f",
    )
    figure.update_layout(showlegend=False)
    _rows(figure, [words(alpha.label) for alpha in alphas])
    return figure


def label_counts_figure(counts: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """How many responses say yes, no or nothing to each label, and how many were discarded.

    Parameters
    ----------
    counts : of `evalcore.agreement.label_counts`, of one task or several.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    places = list(range(len(counts)))
    for column, name, colour, shape in (
        ("n_yes", "yes", palette.positive, ""),
        ("n_no", "no", palette.negative, ""),
        ("n_unsaid", "not said", palette.series[4], "/"),
        ("n_discarded", "discarded", palette.series[4], "x"),
    ):
        if counts[column].any():
            figure.add_trace(_bar(counts[column], places, name, colour, shape))
    finish(figure, palette, f"Responses by what they say of each of {len(counts)} labels.")
    figure.update_layout(barmode="stack", bargap=0.25)
    figure.layout.xaxis.update(title={"text": "responses"}, rangemode="tozero")
    _rows(figure, [words(label) for label in counts["label"]])
    return figure


def tendencies_figure(table: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """How much more often each annotator says yes than the others on the same units, label by label.

    Parameters
    ----------
    table : of `evalcore.agreement.tendencies`; annotators without shared units are left out.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    shown = table[table["n_shared"] > 0]
    labels = list(dict.fromkeys(shown["label"]))
    annotators = sorted(set(shown["annotator"]))
    for at, annotator in enumerate(annotators):
        rows = shown[shown["annotator"] == annotator]
        figure.add_trace(
            go.Scatter(
                x=rows["difference"],
                y=[labels.index(label) for label in rows["label"]],
                name=escape(annotator, quote=False),
                mode="markers",
                marker={
                    "color": palette.series[at % len(palette.series)],
                    "symbol": SYMBOLS[at // len(palette.series) % len(SYMBOLS)],
                    "size": 10,
                    "line": {"width": 1, "color": palette.ink},
                },
                customdata=[
                    f"{own:.1%} yes, others {others:.1%}, on {n} shared units"
                    for own, others, n in zip(rows["share"], rows["others"], rows["n_shared"], strict=True)
                ],
                hovertemplate="%{customdata}<extra>%{fullData.name}</extra>",
            )
        )
    finish(
        figure,
        palette,
        f"Yes of {len(annotators)} annotators less the others' on shared units; {len(labels)} labels.",
    )
    figure.add_vline(x=0, line={"color": palette.ink, "width": 1, "dash": DASHES[1]})
    largest = table["difference"].abs().max()
    widest = min(max(1.2 * largest, LEAST_RANGE), 1.05) if largest == largest else LEAST_RANGE  # NaN: nobody
    figure.layout.xaxis.update(
        title={"text": "share of yes,<br>less the others'"},
        tickformat="+.0%",
        range=[-widest, widest],
    )
    _rows(figure, [words(label) for label in labels])
    return figure


def discards_figure(table: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """Discarded responses by reason, one colour a task.

    Parameters
    ----------
    table : of `evalcore.agreement.discards`, of one task or several.
    dark : whether the page is dark.
    """
    palette = DARK if dark else LIGHT
    figure = go.Figure()
    reasons = list(dict.fromkeys(table["reason"]))
    for at, task in enumerate(dict.fromkeys(table["task"])):
        rows = table[table["task"] == task]
        places = [reasons.index(reason) for reason in rows["reason"]]
        figure.add_trace(_bar(rows["n"], places, task, palette.series[at], ("", "/", "x")[at % 3]))
    finish(figure, palette, f"{int(table['n'].sum())} discarded responses by {len(reasons)} reasons.")
    figure.update_layout(barmode="stack", bargap=0.25)
    figure.layout.xaxis.update(title={"text": "discarded responses"}, rangemode="tozero")
    _rows(figure, [words(reason) for reason in reasons])
    return figure


def words(name: str) -> str:
    """A name of a file as people read it."""
    return escape(name.replace("_", " "), quote=False)


def _bar(counts: pd.Series, places: list[int], name: str, colour: str, shape: str) -> go.Bar:
    return go.Bar(
        x=counts,
        y=places,
        orientation="h",
        name=words(name),
        marker={"color": colour, "pattern": pattern(shape)},
        hovertemplate="%{x} responses<extra>%{fullData.name}</extra>",
    )


def _whiskers(value: pd.Series, low: pd.Series, high: pd.Series) -> dict[str, Any]:
    """Error bars from the value to both limits; none where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": (high - value).to_numpy(float),
        "arrayminus": (value - low).to_numpy(float),
        "thickness": 1.5,
        "width": 4,
    }


def _counted(rows: pd.DataFrame) -> list[str]:
    return [
        f"rank {rank}: {n_yes} of {n} chunks, {share:.1%} ({low:.1%} to {high:.1%})"
        if n
        else f"rank {rank}: no settled chunk"
        for rank, n_yes, n, share, low, high in zip(
            rows["rank"], rows["n_yes"], rows["n"], rows["share"], rows["low"], rows["high"], strict=True
        )
    ]


def _rests_on(alpha: Alpha) -> str:
    """What one point of the figure says."""
    interval = alpha.ci_note if np.isnan(alpha.low) else f"{alpha.low:.3f} to {alpha.high:.3f}"
    return (
        f"{words(alpha.label)}: alpha {alpha.value:.3f} ({interval})"
        f"<br>{alpha.observed_agreement:.1%} of pairs agree, {alpha.n_pairable} units, "
        f"{alpha.n_annotators} annotators"
    )


def _rows(figure: go.Figure, names: list[str]) -> None:
    """One named place a row, from top to bottom."""
    figure.layout.yaxis.update(
        tickvals=list(range(len(names))),
        ticktext=names,
        range=[len(names) - 0.5, -0.5],
        showgrid=False,
    )


def _around(ranks: list[int]) -> list[float] | None:
    return [ranks[0] - 0.5, ranks[-1] + 0.5] if ranks else None


def _listed(labels: list[str]) -> str:
    return ", ".join(words(label) for label in labels) or "no label"
