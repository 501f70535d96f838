"""The steps of a pipeline on a page: what each reaches, what it changes; pairs of thresholds as a grid."""

from math import isnan

import pandas as pd
import streamlit as st

from evalcore.ablation import Ablation, Step, StepValues, changes, step_values, steps_of, threshold_grid
from evalcore.catalog import METRICS
from evalcore.data import Data, Rankings
from evalcore.evaluation.lists import label_at
from evalcore.figures.ablation import threshold_grid_figure, waterfall_figure
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.problems import InputError
from evalcore.selection_sweep import Policy
from evalcore.text.numerals import change_text, mean_and_sd_text, percent_of_share, value_text
from pages.shared import choices, widgets
from pages.shared.charts import kept_chart
from pages.shared.data import session
from pages.shared.links import address
from pages.shared.lists.list_metrics import ranked_list, usual_pair
from pages.shared.lists.policy import choose_policy, policy_in_words
from pages.shared.memo import kept, remember
from pages.shared.point.point import current_point, has_split, pair_by_estimate, rows_to_choose_on
from pages.shared.point.rows import counted_key
from pages.shared.written import NONE, as_markdown, told_apart

Pair = tuple[float | None, float | None]
K = 10


def names_of(result: Ablation) -> dict[str, str]:
    """Key → label of each metric of a table of steps, in its order."""
    return {key: label_at(METRICS[key], K) for key in dict.fromkeys(result.table["metric"])}


def names_of_steps(data: Data) -> list[str]:
    """Everything that can be a step: lists, then models."""
    lists = () if data.rankings is None else data.rankings.lists
    return list(dict.fromkeys([*lists, *(() if data.queries is None else data.queries.models)]))


@st.fragment
def show_pipeline(data: Data, model: str) -> None:
    """Several steps beside each other, where the data hold at least two lists or models."""
    names = names_of_steps(data)
    if len(names) < 2:
        st.info(
            "These data hold one model or list only: to set steps beside each other, load the lists or "
            "models of several steps with the same queries."
        )
        return
    st.header("Steps beside each other")
    list_names = [] if data.rankings is None else list(data.rankings.lists)
    models = [] if data.queries is None else list(data.queries.models)
    gates = [name for name in models if name not in list_names]
    usual = [*(dict.fromkeys(usual_pair(list_names)) if len(list_names) > 1 else list_names)]
    usual += [name for name in gates if name == model or not list_names]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Steps, in their order",
            names,
            default=usual if len(usual) > 1 else names,
            key="pipeline_steps",
            width=460,
        )
        base = None
        if gates and list_names:
            words = told_apart(list_names, "no list")
            base = st.selectbox(
                "Models select from",
                [*list_names, None],
                index=list_names.index(usual_pair(list_names)[1]),
                format_func=lambda name: words[name or NONE],
                key="pipeline_base",
                width=230,
                help="The list a model without a list of its own name builds on.",
            )
    if not chosen:
        widgets.plain("Choose at least one step.")
        return
    policy = None
    if data.rankings is not None:
        with st.expander("Policy that selects from the lists"):
            policy = ask_policy(data.rankings)
        if policy is None:
            return
    pairs = {name: pair_for(name) for name in models if name in chosen}
    key = (counted_key(), tuple(chosen), base, policy, tuple(pairs.items()))
    result = remember("ablation", key, lambda: of_steps(data, chosen, base, pairs, policy))
    show_summary(result)
    labels = names_of(result)
    with_values = [key for key in labels if result.of(key)["value"].notna().any()]
    metric = choices.segmented(
        "Metric of the steps",
        "steps",
        list(labels),
        next(iter([*with_values, *labels])),
        format_func=lambda key: as_markdown(labels[key]),
        key="pipeline_metric",
        label_visibility="collapsed",
    )
    address.write()  # a fragment runs without the rest of the app
    left, right = st.columns(2, gap="large")
    rows = result.of(metric)
    with left:
        if rows["value"].isna().all():
            reasons = "; ".join(dict.fromkeys(rows["note"]))
            widgets.plain(f"{labels[metric]}: n/a at every step — {reasons} (n = 0).")
        else:
            kept_chart(
                "waterfall",
                (*key, metric),
                lambda dark: waterfall_figure(result, metric, title=labels[metric], dark=dark),
                height=380,
            )
    with right:
        show_steps(rows)
    told = "" if policy is None else f", else by the policy above ({policy_in_words(policy)})"
    widgets.plain(
        f"Evidence recall: by selected_k of the rows where they state it{told}. Alert precision: at each "
        "model's own thresholds, those of the Operating point page for the model in use. Changes are "
        "estimates; whether chance could make them is not said here.",
        is_quiet=True,
    )


def ask_policy(rankings: Rankings) -> Policy | None:
    """The policy of the page Selection, for the list that it begins with."""
    scored = [name for name, rows in rankings.lists.items() if rows.has_scores]
    name = usual_pair(scored or list(rankings.lists))[1]
    return choose_policy(ranked_list(rankings, name).scored, has_scores=bool(scored))


def of_steps(
    data: Data, chosen: list[str], base: str | None, pairs: dict[str, Pair | None], policy: Policy | None
) -> Ablation:
    """The chosen steps in the order in which they were chosen; each is evaluated once in whatever order."""
    models = () if data.queries is None else data.queries.models
    known = {name: pair for name, pair in pairs.items() if pair is not None}
    builds_on = {name: base for name in models if base is not None}
    lists = {}
    if data.rankings is not None:
        lists = {name: ranked_list(data.rankings, name) for name in data.rankings.lists}
    steps = {step.name: step for step in steps_of(data, lists=builds_on, gates=known, ranked=lists)}

    def values_of(step: Step) -> StepValues:
        key = (counted_key(), builds_on.get(step.name), pairs.get(step.name), policy)
        return kept(f"values_of_{step.name}", key, lambda: step_values(step, policy=policy, k=K))

    return changes([values_of(steps[name]) for name in chosen])


def pair_for(model: str) -> Pair | None:
    """The thresholds of a model: the session's for the model in use, else what the same targets give."""
    data = session.current().data
    if data.queries is None or model not in data.queries.models:
        return None

    def find() -> Pair | None:
        state = current_point(data, session.model())
        pair = state.pair
        if model != session.model():
            try:
                pair = pair_by_estimate(data, model, state.aim)
            except InputError:
                return None
        low, high = (None if text is None else float(text) for text in pair)
        return low, high

    in_use = current_point(data, session.model()) if session.model() in data.queries.models else None
    key = (session.current().key, model, session.model(), in_use and (in_use.pair, in_use.aim))
    found: Pair | None = remember("pair_of_model", key, find) if in_use is not None else None
    return found


def show_summary(result: Ablation) -> None:
    """Every metric of every step, with its change, or the reason where there is no value."""
    lines = []
    labels = names_of(result)
    for step in result.steps:
        of_step = result.table[result.table["step"] == step].set_index("metric")
        lines.append([step, *(cell(of_step.loc[key], key) for key in labels)])
    means = {label: widgets.meaning(METRICS[key]) for key, label in labels.items()}
    widgets.table(("step", *means), lines, name="Every metric of every step", meanings=means)


def cell(row: pd.Series, key: str) -> str:
    """A value with its change."""
    if isnan(row["value"]):
        return f"n/a — {row['note']} (n = {row['n']:,})"
    metric = METRICS[key]
    change = "" if isnan(row["change"]) else f" ({change_text(metric, row['change'])})"
    return value_text(metric, row["value"]) + change


def show_steps(rows: pd.DataFrame) -> None:
    """One metric at every step: pooled, over folds, and the change."""
    lines = [
        (
            row["step"],
            value_text(METRICS[row["metric"]], row["value"]),
            "" if isnan(row["change"]) else change_text(METRICS[row["metric"]], row["change"]),
            ""
            if isnan(row["fold_mean"])
            else mean_and_sd_text(METRICS[row["metric"]], row["fold_mean"], row["fold_sd"]),
            f"{row['n']:,}",
            row["note"],
        )
        for _, row in rows.iterrows()
    ]
    widgets.table(
        ("step", "pooled", "change", "mean ± sd over folds", "n", ""), lines, name="One metric of every step"
    )
    widgets.plain("The sd over folds is 1/N and no confidence interval.", is_quiet=True)


@st.fragment
def show_threshold_grid(data: Data, model: str) -> None:
    """What pairs of thresholds cost, counted on tune rows where there is a split."""
    if data.queries is None or model not in data.queries.models:
        return
    st.header("Pairs of thresholds")
    rows = rows_to_choose_on(data, model)
    key = (session.current().key, model)
    grid = remember("threshold_grid", key, lambda: threshold_grid(rows.scored))
    left, right = st.columns(2, gap="large")
    with left:
        kept_chart("threshold_grid", key, lambda dark: threshold_grid_figure(grid, dark=dark), height=480)
    with right:
        names = {
            "tau_neg": "τ_neg",
            "tau_pos": "τ_pos",
            "screening_sensitivity": "screening sensitivity",
            "n_missed": "missed",
            "alert_precision": "alert precision",
            "n_alerts": "alerts",
            "workload": "read",
        }
        shares = dict.fromkeys(("screening sensitivity", "alert precision", "read"), percent_of_share)
        shown = grid[list(names)].rename(columns=names)
        for name in ("τ_neg", "τ_pos"):
            shown[name] = [threshold_text(tau) for tau in shown[name]]
        st.dataframe(
            widgets.written(shown, shares),
            hide_index=True,
            key="grid_table",
            height=480,
            alt="Pairs of thresholds",
        )
    whose = "the tune rows" if has_split(data) else "all rows: in-sample"
    widgets.plain(
        f"{model}, counted on {whose}. Screening sensitivity and the share that is read depend on τ_neg "
        "only, alert precision and alerts on τ_pos only. A pair is chosen on the Operating point page.",
        is_quiet=True,
    )
