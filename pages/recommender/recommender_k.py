"""Metric against K: how the chosen metrics of every model change with the number of places that count."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from evalcore.evaluation import Report
from evalcore.evaluation.recommender.best import best_at
from evalcore.figures.drawing import Ends
from evalcore.figures.recommender.over_k import OverK, over_k_figure
from evalcore.spec import Metric
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.data import session
from pages.shared.recommended import recommended, rows
from pages.shared.tasks import RECOMMENDER

MOST = 6
HEIGHT = 340


def choose_metrics() -> list[Metric]:
    """The metrics that are drawn; those that are shown first where none is chosen."""
    of_k = {one.name: one for metrics in recommended.sections().values() for one in metrics if one.is_cut}
    usual = [one for one in recommended.headlines() if one.is_cut]
    chosen = choices.several(
        "Metrics",
        "metrics",
        list(of_k),
        key="recommender_metrics",
        format_func=lambda name: recommended.label_at(of_k[name]),
        placeholder=", ".join(recommended.label_at(one) for one in usual),
        max_selections=MOST,
        width=520,
    )
    return [of_k[name] for name in chosen] or usual


def series(values: recommended.Values, metric: Metric, model: str, ks: tuple[int, ...]) -> OverK:
    """The values of a model at every K."""
    found = [values.get((metric.key, model, k)) for k in ks]
    ends = [(math.nan, math.nan) if one is None else (one.ci_low, one.ci_high) for one in found]
    low, high = np.array(ends).T
    return OverK(np.array([math.nan if one is None else one.value for one in found]), Ends(low, high))


def show_metric(values: recommended.Values, metric: Metric, models: list[str], ks: tuple[int, ...]) -> None:
    """One metric: its lines, and why there are none where there are none."""
    lines = {model: series(values, metric, model, ks) for model in models}
    title = recommended.label_at(metric)
    widgets.small_heading(title, level=2)
    if all(np.isnan(one.value).all() for one in lines.values()):
        why = {
            recommended.short_reason(one)
            for model in models
            for k in ks
            if (one := values.get((metric.key, model, k))) is not None
        }
        widgets.plain("; ".join(sorted(why)))
        return
    recommended.quiet(leading(metric, {model: one.value for model, one in lines.items()}, ks))
    kept_chart(
        f"recommender_k_{metric.name}",
        (session.of_task(RECOMMENDER).key, ks),
        lambda dark: over_k_figure(ks, lines, title=title, dark=dark, has_legend=False),
        height=HEIGHT,
    )


def leading(metric: Metric, of_models: Mapping[str, NDArray[np.float64]], ks: tuple[int, ...]) -> list[str]:
    """Which model has the best value at which K, or the highest where neither direction is better."""
    word = "highest" if metric.better == "neither" else "best"
    at = {listed(who): found for who, found in best_at(metric, of_models, ks).items()}
    if len(at) == 1 and len(ks) > 1:
        (who,) = at
        return [f"{word.capitalize()} at every K: {who}."]
    told = [f"{who} at {', '.join(f'{k:,}' for k in found)}" for who, found in at.items()]
    return [f"{word.capitalize()} at K: {'; '.join(told)}."] if told else []


def listed(models: tuple[str, ...]) -> str:
    """Names in a sentence."""
    return " and ".join([", ".join(models[:-1]), models[-1]] if models[1:] else models)


def show_table(
    values: recommended.Values, metrics: list[Metric], models: list[str], ks: tuple[int, ...]
) -> None:
    """The same as numbers."""
    with st.expander("As a table"):
        lines = [
            [
                recommended.label_at(metric),
                model,
                *(values.get((metric.key, model, k)) for k in ks),
            ]
            for metric in metrics
            for model in models
        ]
        recommended.show_values(
            ["", "model", *(f"K = {k}" for k in ks)], lines, name="Every metric at every K"
        )


def show() -> None:
    """A figure for each metric, then all of them as a table."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ks = recommended.choose_ks()
        metrics = choose_metrics()
    # Only what is drawn: with intervals at every K all forty take many times as long.
    found = recommended.report(*ks, metrics=tuple(one.key for one in metrics))
    models, values = recommended.models_of(found), recommended.values_of(found)
    recommended.quiet(short_lists(found, models, ks))
    rows.show_legend(models)
    for at in range(0, len(metrics), 2):  # line by line: on a phone they keep their order
        for place, metric in zip(st.columns(2, gap="small"), metrics[at : at + 2], strict=False):
            with place:
                show_metric(values, metric, models, ks)
    show_table(values, metrics, models, ks)
    recommended.quiet((recommended.intervals(found),))


def short_lists(found: Report, models: list[str], ks: tuple[int, ...]) -> list[str]:
    """Which K are beyond the longest list, and which models have lists that are shorter than the largest."""
    k = ks[-1]
    resting = {model: recommended.resting_of(found, model, k) for model in models}
    short = {model: one for model, one in resting.items() if one is not None and one.n_short}
    if not short:
        return []
    of = {model: f" of {model}" if len(models) > 1 else "" for model in short}
    told = [f"{one.n_short:,} of {one.n_with_list:,} lists{of[model]}" for model, one in short.items()]
    longest = max(one.longest for one in resting.values() if one is not None)
    beyond = [f"The longest list has {longest:,} items."] if k > longest else []
    empty = "An empty place is no hit and adds no popularity: where a value is divided by K, it falls."
    return [*beyond, f"Shorter than {k:,}: {', '.join(told)}.", empty]


st.title("Metric against K")
if recommended.in_use() is not None:
    show()
