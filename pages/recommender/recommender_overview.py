"""Overview: the forty numbers of document 004 at one K, what they rest on, and all models side by side."""

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from evalcore.evaluation import Report
from evalcore.evaluation.recommender import best
from evalcore.evaluation.recommender.defaults import further_rows
from evalcore.problems import InputError
from evalcore.report.layout import Value
from evalcore.spec import Metric
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.data.files import show_files
from pages.shared.recommended import recommended, rows, settings
from pages.shared.tasks import RECOMMENDER
from pages.shared.tiles import Tile, show_tiles
from pages.shared.written import as_html

NARROW = "12.5rem"
ALIKE = """<style>
.st-key-recommender_all table.facts { table-layout: fixed; }
.st-key-recommender_all table.facts td:first-child { white-space: normal; overflow-wrap: anywhere; }
</style>"""
"""The columns of all sections stand beneath each other."""
MOST_BESIDE = 2
"""Models whose values a phone has room for beside each other."""
POPULATIONS = {
    "users_with_relevant": "users with a relevant item",
    "users_with_list": "users with a list",
    "users_with_train": "users with train items",
    "relevant_pairs": "relevant pairs of a user and an item",
    "test_pairs": "test pairs with rating and score",
    "users_with_pairs": "users with such a test pair",
    "all_users": "all users",
}


def of_one(model: int) -> str:
    """The style that leaves a phone the column of one of many models, and which place it takes among them."""
    place = as_html(str(model + 2))
    return f"""<style>
@media (min-width: 40.01rem) {{
  .st-key-recommender_all :is(th, td):last-child, .st-key-recommender_one {{ display: none; }}
}}
@media (max-width: 40rem) {{
  .st-key-recommender_all table.wide thead {{ display: table-header-group; }}
  .st-key-recommender_all table.wide thead tr::before {{ content: none; }}
  .st-key-recommender_all table.wide tr {{ display: table-row; }}
  .st-key-recommender_all table.wide :is(th, td) {{ padding: .4rem .3rem .4rem 0; }}
  .st-key-recommender_all table.wide td::before {{ content: none !important; }}
  .st-key-recommender_all :is(th, td):not(:first-child, :nth-child({place}), :last-child) {{ display: none; }}
  .st-key-recommender_all :is(th, td):nth-child({place}) {{ width: 53%; font-size: .82rem; }}
  .st-key-recommender_all :is(th, td):last-child {{ width: 3.2rem; text-align: right; white-space: nowrap; }}
}}
</style>"""


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
        st.header("What these rest on")
        widgets.facts(pairs)


def over(found: list[Value]) -> str:
    """What the values of a line are over: their population and n."""
    shown = [one for one in found if not math.isnan(one.value)]
    if not shown:
        return ""
    n = sorted({one.n for one in shown})
    numbers = f"{n[0]:,}" if len(n) == 1 else f"{n[0]:,} to {n[-1]:,}"
    return f"n = {numbers}, {population_of(shown[0])}"


def show_all(found: Report, values: recommended.Values, models: list[str], model: str, k: int) -> None:
    """Every metric, section by section, a column for each model; on a phone of one, where they are many."""
    st.header("All metrics")
    widgets.html(ALIKE)
    if len(models) > MOST_BESIDE:
        widgets.html(of_one(models.index(model)))
        with st.container(key="recommender_one"):
            widgets.plain(
                f"Of {model}, as chosen above, and its place among {len(models)} models.", is_quiet=True
            )
    with st.container(key="recommender_all"):
        show_sections(values, models, model, k)
    recommended.quiet(
        (
            recommended.intervals(found),
            "Other variants, populations and groups stand in metrics.csv, definitions on the Reference page.",
        )
    )


def show_sections(values: recommended.Values, models: list[str], model: str, k: int) -> None:
    """A table for each section of document 004."""
    are_many = len(models) > MOST_BESIDE
    for section, metrics in recommended.sections().items():
        widgets.small_heading(section)
        lines, rests = [], {}
        for metric in metrics:
            if is_of_groups(metric):
                continue
            row = [recommended.value_at(values, metric, name, k) for name in models]
            place = [place_of(metric, row, models.index(model))] if are_many else []
            lines.append([recommended.label_at(metric, k), *row, *place])
            rests[recommended.label_at(metric, k)] = over([one for one in row if one is not None])
        header = ["", *models, *(["place"] if are_many else [])]
        recommended.show_values(header, lines, name=section, meanings=recommended.meanings(metrics, k))
        of_groups = [recommended.label_at(one, k) for one in metrics if is_of_groups(one)]
        told = [f"{', '.join(of_groups)}: a value for each group of items, on Fairness."] if of_groups else []
        recommended.quiet([*over_in_words(rests), *told])


def place_of(metric: Metric, row: Sequence[Value | None], at: int) -> str:
    """The place of a model's value among those that there are, the best first; of neither direction none."""
    place = best.place_of(metric, [math.nan if one is None else one.value for one in row], at)
    return "–" if place is None else f"{place[0]} of {place[1]}"


def is_of_groups(metric: Metric) -> bool:
    """Whether a metric has a value of each group of items alone, and none of all together."""
    return metric.tally == rows.OF_ITEMS and metric.better == "neither"


def over_in_words(rests: Mapping[str, str]) -> list[str]:
    """What the lines of a table are over, told once: what most are over, then the others by name."""
    told = [one for one in rests.values() if one]
    if not told:
        return []
    most = max(dict.fromkeys(told), key=told.count)
    others: dict[str, list[str]] = {}
    for name, one in rests.items():
        if one not in ("", most):
            others.setdefault(one, []).append(name)
    words = [most, *(f"{', '.join(names)}: {one}" for one, names in others.items())]
    return [f"Over {'; '.join(words)}."]


def further_name(one: Value, k: int) -> str:
    """A metric in a further setting: its name at K, and the parameters that make it another."""
    label = recommended.label_at(one.declared, k)
    params = [part for part in one.params.split(";") if not part.startswith("k=")]
    return f"{label} with {', '.join(params)}"


def show_further(found: Report, models: list[str], k: int) -> None:
    """Metrics in the further settings that were asked for, under names of their own."""
    table = further_rows(found.table, k)
    values = [Value(*row) for row in table[table["group_by"] == ""].itertuples(index=False)]
    if not values:
        return
    widgets.small_heading("Further settings")
    by_name: dict[str, dict[str, Value]] = {}
    for one in values:
        by_name.setdefault(further_name(one, k), {})[one.model] = one
    lines = [[name, *(of.get(model) for model in models)] for name, of in by_name.items()]
    recommended.show_values(["", *models], lines, name="Further settings")
    recommended.quiet(over_in_words({name: over(list(of.values())) for name, of in by_name.items()}))


def evaluated(k: int) -> Report:
    """Every metric at K, in the further settings too; what these may not be is said, without them."""
    try:
        return recommended.report(k, **settings.options())
    except InputError as error:
        widgets.problem_list(error.problems)
        return recommended.report(k)


def show() -> None:
    """Tiles of one model, what they rest on, and the forty metrics of all models."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        k = recommended.choose_k()
    found = evaluated(k)
    models = recommended.models_of(found)
    with row:
        model = recommended.choose_model(models)
    values = recommended.values_of(found)
    show_headlines(values, model, k)
    show_resting(found, model, k)
    show_all(found, values, models, model, k)
    show_further(found, models, k)
    if recommended.saved() is None:
        settings.ask()
    show_files(found, "recommender", (session.of_task(RECOMMENDER).key, k, *settings.options().values()))


st.title("Recommender overview")
if recommended.in_use() is not None:
    show()
