"""Trade-off: accuracy against what else counts, the systems as points, and which of them others beat."""

import math
from typing import Any

import numpy as np
import streamlit as st

from evalcore.evaluation.recommender.tradeoff import Front, front_of
from evalcore.figures.drawing import Ends
from evalcore.figures.recommender.tradeoff import Values, tradeoff_figure
from evalcore.report.layout import Value
from evalcore.spec import Metric
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.data import session
from pages.shared.recommended import recommended
from pages.shared.tasks import RECOMMENDER

ACCURACY = ("Accuracy", "Rating")
HEIGHT = 460


def choose_metrics(k: int) -> tuple[Metric, Metric]:
    """The metric of accuracy and the one beyond it; those that are shown first at first."""
    sections = recommended.sections()
    accurate = {one.name: one for name in ACCURACY for one in sections.get(name, [])}
    beyond = {one.name: one for name, of in sections.items() if name not in ACCURACY for one in of}
    first = [one.name for one in recommended.headlines()]
    usual = next((name for name in first if name in accurate), next(iter(accurate)))
    directed = (name for name in first if name in beyond and beyond[name].better != "neither")
    how: dict[str, Any] = {
        "width": 240,
        "format_func": lambda name: recommended.label_at({**accurate, **beyond}[name], k),
    }
    one = choices.selectbox("Accuracy", "accuracy", list(accurate), usual, key="recommender_accuracy", **how)
    other = choices.selectbox(
        "against",
        "against",
        list(beyond),
        next(directed, next(iter(beyond))),
        key="recommender_against",
        **how,
    )
    return accurate[one], beyond[other]


def values_of(found: list[Value | None], title: str) -> Values:
    """A metric of every model, for the figure."""
    numbers = [(math.nan,) * 3 if one is None else (one.value, one.ci_low, one.ci_high) for one in found]
    value, low, high = np.array(numbers).T
    return Values(title, value, Ends(low, high))


def say(front: Front | None, metrics: tuple[Metric, Metric], k: int) -> list[str]:
    """Which systems are on the front, which are beaten and by whom, in words."""
    first, second = (recommended.label_at(one, k) for one in metrics)
    if front is None:
        name = first if metrics[0].better == "neither" else second
        return [
            f"Neither direction of {name} is better: no system beats another in it, and no front is drawn."
        ]
    if len(front.names) < 2:
        return ["There is one model: a trade-off takes the lists of several."]
    on_front = [name for name, is_on in zip(front.names, front.is_on_front, strict=True) if is_on]
    if not on_front:
        return ["No system has both values: nothing can be compared."]
    they_are = "it is" if len(on_front) == 1 else "they are"
    told = [f"No other system beats {listed(on_front)} in both: {they_are} on the Pareto front."]
    told += [
        f"{name} is beaten by {listed(by)}: at least as good in both, and better in one."
        for name, by in zip(front.names, front.beaten_by, strict=True)
        if by
    ]
    return told


def listed(names: list[str] | tuple[str, ...]) -> str:
    """Names in a sentence."""
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def show() -> None:
    """Two metrics of all systems at one K."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = recommended.choose_k()
        metrics = choose_metrics(k)
    found = recommended.report(k)
    models, values = recommended.models_of(found), recommended.values_of(found)
    of_both = [[recommended.value_at(values, metric, model, k) for model in models] for metric in metrics]
    up, across = (
        values_of(row, f"{recommended.label_at(metric, k)} ({recommended.direction_of(metric)})")
        for row, metric in zip(of_both, metrics, strict=True)
    )
    front = front_of(models, (up.value, across.value), (metrics[0].better, metrics[1].better))
    for line in say(front, metrics, k):
        widgets.plain(line)
    if not np.isnan(across.value + up.value).all():
        kept_chart(
            "recommender_tradeoff",
            (session.of_task(RECOMMENDER).key, k, *(one.key for one in metrics)),
            lambda dark: tradeoff_figure(tuple(models), across, up, front, dark=dark),
            height=HEIGHT,
        )
    lines = [[model, *(row[at] for row in of_both)] for at, model in enumerate(models)]
    means = recommended.meanings(metrics, k)
    recommended.show_values(["model", *means], lines, name="Both metrics", meanings=means)
    if len(models) < 2:
        recommended.quiet((recommended.intervals(found),))
        return
    recommended.quiet(
        (
            recommended.intervals(found),
            "The front compares the points alone: where crosses overlap, the order may be chance; "
            "Compare tests it. Filled marks are on the front, open ones are beaten.",
        )
    )


st.title("Trade-off")
if recommended.in_use() is not None:
    show()
