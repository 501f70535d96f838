"""Overview: the forty numbers of document 004 at one K, what they rest on, and all models side by side."""

import math

import streamlit as st

from evalcore.evaluation import Report
from evalcore.report.layout import Value
from evalcore.spec import Metric
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.data.files import show_files
from pages.shared.recommended import recommended
from pages.shared.tasks import RECOMMENDER
from pages.shared.tiles import Tile, show_tiles

NARROW = "12.5rem"
ALIKE = """<style>
@media (min-width: 40.01rem) { .st-key-recommender_all table.facts { table-layout: fixed; } }
</style>"""
"""The columns of all sections stand beneath each other."""
POPULATIONS = {
    "users_with_relevant": "users with a relevant item",
    "users_with_list": "users with a list",
    "users_with_train": "users with train items",
    "test_pairs": "test pairs with rating and score",
    "all_users": "all users",
}


def tile(metric: Metric, one: Value, k: int) -> Tile:
    """A metric with its interval and what it rests on."""
    title = recommended.label_at(metric, k)
    if math.isnan(one.value):
        return Tile(title, "n/a", f"{one.note} (n = {one.n:,})")
    over = f"n = {one.n:,}, {population_of(one)}; {recommended.direction_of(metric)}"
    return Tile(title, one.text, recommended.interval_of(one), over)


def population_of(one: Value) -> str:
    """The population of a value in words."""
    return POPULATIONS.get(one.population, one.population)


def show_headlines(values: recommended.Values, model: str, k: int) -> None:
    """The metrics that are declared to be shown first."""
    found = [(one, recommended.value_at(values, one, model, k)) for one in recommended.headlines()]
    show_tiles((tile(metric, one, k) for metric, one in found if one is not None), least=NARROW)


def show_resting(found: Report, model: str, k: int) -> None:
    """What the numbers rest on, and what was left out of the files."""
    resting = recommended.resting_of(found, model, k)
    pairs = [] if resting is None else list(resting.in_words)
    for source in found.data.sources:
        dropped = " + ".join(f"{n:,} left out ({reason})" for reason, n in source.excluded.items())
        if dropped:
            pairs.append((source.name, f"{source.n_rows:,} rows = {source.n_used:,} used + {dropped}"))
    if pairs:
        st.subheader("What these rest on")
        widgets.facts(pairs)


def over(found: list[Value]) -> str:
    """What the values of a line are over: their population and n."""
    shown = [one for one in found if not math.isnan(one.value)]
    if not shown:
        return ""
    n = sorted({one.n for one in shown})
    numbers = f"{n[0]:,}" if len(n) == 1 else f"{n[0]:,} to {n[-1]:,}"
    return f"n = {numbers}, {population_of(shown[0])}"


def show_all(found: Report, values: recommended.Values, models: list[str], k: int) -> None:
    """Every metric, section by section, a column for each model."""
    st.subheader("All metrics")
    widgets.html(ALIKE)
    with st.container(key="recommender_all"):
        show_sections(values, models, k)
    recommended.quiet(
        (
            recommended.intervals(found),
            "Other variants, populations and groups stand in metrics.csv, definitions on the Reference page.",
        )
    )


def show_sections(values: recommended.Values, models: list[str], k: int) -> None:
    """A table for each section of document 004."""
    for section, metrics in recommended.sections().items():
        recommended.strong(section)
        lines = []
        for metric in metrics:
            row = [recommended.value_at(values, metric, model, k) for model in models]
            present = [one for one in row if one is not None]
            lines.append([recommended.label_at(metric, k), *map(recommended.cell, row), over(present)])
        widgets.table(["", *models, "over"], lines)


def show() -> None:
    """Tiles of one model, what they rest on, and the forty metrics of all models."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = recommended.choose_k()
        place = st.container()
    found = recommended.report(k)
    models = recommended.models_of(found)
    with place:
        model = recommended.choose_model(models)
    values = recommended.values_of(found)
    show_headlines(values, model, k)
    show_resting(found, model, k)
    show_all(found, values, models, k)
    show_files(found, "recommender", (session.of_task(RECOMMENDER).key, k))


st.title("Recommender overview")
if recommended.in_use() is not None:
    show()
