"""Failures: the checks behind the numbers, worst first, and the ranked candidates of each."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evalcore.data import Data, Queries, Rankings
from evalcore.evaluation import Options, gate_thresholds, natural_key
from evalcore.failures import (
    N_BINS,
    STATES,
    Candidates,
    DeepGold,
    Failures,
    Filter,
    Flips,
    as_csv,
    candidates_of,
    deep_gold,
    false_alerts,
    flips,
    missed_evidence,
)
from evalcore.operating_point.thresholds import threshold_text
from pages.shared import session, widgets
from pages.shared.criteria import label_of
from pages.shared.explorer import link_values, thresholds_from_link
from pages.shared.memo import remember
from pages.shared.point import TEST, TUNE, Pair, PointState, current_point, has_split

KINDS = {
    "missed": "Missed evidence",
    "false_alerts": "False alerts",
    "deep_gold": "Deep gold",
    "flips": "Changes of state",
}
ACTIONS = dict(zip(STATES, ("Skip", "Look", "Alert"), strict=True))
SHOWN_NAMES = {
    "post": "post",
    "criterion": "criterion",
    "has_evidence": "evidence",
    "score": "score",
    "state": "state",
    "state_before": "before",
    "state_after": "after",
    "gold": "gold",
    "rank": "rank",
    "list_length": "of",
}
NOTHING = {
    "missed": "No check with evidence is skipped here.",
    "false_alerts": "No check without evidence raises an alert here.",
    "deep_gold": "All gold stands within these ranks.",
    "flips": "No check changes its state here.",
}
ONLY_FOR = {"deep_gold": ("state", "k"), "flips": ("state", "other")}
ALL = "all"
RANK = 10
WIDTH = 140


def kinds_for(data: Data) -> list[str]:
    """The kinds of failures that the data can show."""
    scored = ["missed", "false_alerts"] if data.queries is not None else []
    has_lists = data.rankings is not None or session.current().is_sample
    ranked = ["deep_gold"] if has_lists else []
    return [*scored, *ranked, *(["flips"] if data.queries is not None else [])]


def linked(name: str, legal: Sequence[str], otherwise: str) -> str:
    """The value of the address where it is a legal one."""
    found = st.query_params.get(name, otherwise)
    return found if found in legal else otherwise


def choice(label: str, name: str, options: Sequence[str], otherwise: str, **shown: object) -> str:
    """A select box that starts with the value of the address and keeps the address up to date."""
    key = f"failures_{name}"
    if st.session_state.get(key) not in options:
        st.session_state[key] = linked(name, options, otherwise)
    chosen = st.selectbox(label, options, key=key, width=WIDTH, **shown)
    keep_in_address(name, chosen, otherwise)
    return chosen


def keep_in_address(name: str, value: str, otherwise: str) -> None:
    """Name a value in the address, unless it is the one meant when the address says nothing."""
    if value != otherwise:
        st.query_params[name] = value
    elif name in st.query_params:
        del st.query_params[name]


def ask_kind(kinds: list[str]) -> str:
    """Which failures to show."""
    if st.session_state.get("failures_kind") not in kinds:
        st.session_state["failures_kind"] = linked("kind", kinds, kinds[0])
    kind = st.segmented_control(
        "Show",
        kinds,
        key="failures_kind",
        format_func=KINDS.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
    keep_in_address("kind", kind, kinds[0])
    for name in {"state", "other", "k"} - set(ONLY_FOR.get(kind, ())):
        st.query_params.pop(name, None)
    return kind


def ask_filter(part: Queries | Rankings, data: Data, kind: str) -> Filter:
    """Which rows to look at."""
    picked: dict[str, str] = {}
    if len(part.criterion_ids) > 1:
        ids = sorted(map(str, part.criterion_ids), key=natural_key)
        picked["criterion"] = choice(
            "Criterion",
            "criterion",
            [ALL, *ids],
            ALL,
            format_func=lambda id_: ALL if id_ == ALL else label_of(id_),
        )
    for name in ("fold", "split"):
        levels = sorted(part.slices.get(name, ((), ()))[1], key=natural_key)
        if len(levels) > 1:
            otherwise = TUNE if name == "split" and has_split(data) else ALL
            picked[name] = choice(name.capitalize(), name, [ALL, *levels], otherwise)
    if data.queries is not None and kind in ("deep_gold", "flips"):
        label = "State before" if kind == "flips" else "State of the check"
        states = {ALL: ALL, **ACTIONS}
        picked["state"] = choice(label, "state", list(states), ALL, format_func=states.__getitem__)
    score_bin = ALL
    if data.queries is not None and data.score_kind == "probability":
        bins = [ALL, *map(str, range(N_BINS))]
        score_bin = choice("Score", "bin", bins, ALL, format_func=bin_in_words)
    named = {name: None if value == ALL else value for name, value in picked.items()}
    return Filter(**named, score_bin=None if score_bin == ALL else int(score_bin))


def bin_in_words(number: str) -> str:
    """A bin of the score as its two edges."""
    return ALL if number == ALL else f"0.{number} to {'1' if number == '9' else f'0.{int(number) + 1}'}"


def ask_other_pair(data: Data, model: str) -> Pair | None:
    """The thresholds to compare with; None where they are not in order."""
    known = thresholds_from_link(st.query_params.get_all("other"), data.score_kind) or other_pair(data, model)
    texts = [
        st.text_input(label, value=text or "none", key=f"failures_{key}", width=WIDTH)
        for label, key, text in zip(
            ("Other: skip below", "Other: alert from"), ("other_neg", "other_pos"), known, strict=True
        )
    ]
    other = thresholds_from_link([text.strip() for text in texts], data.score_kind)
    if other is not None:
        st.query_params["other"] = link_values(*other)
    return other


def other_pair(data: Data, model: str) -> Pair:
    """The thresholds of the file, or 0.5 for both, as a start."""
    queries = data.queries
    own = gate_thresholds(queries.where(queries.model == queries.models.index(model)), Options())
    return tuple(threshold_text(tau) for tau in own or (0.5, 0.5))


def found(kind: str, data: Data, model: str, taus: Pair, only: Filter) -> Failures | Flips | DeepGold | None:
    """What fails, from the core."""
    key = (session.current().key, model, taus, only)
    at = numbers(taus)
    if kind == "missed":
        return remember("failures", (kind, *key), lambda: missed_evidence(data, model, at, only))
    if kind == "false_alerts":
        return remember("failures", (kind, *key), lambda: false_alerts(data, model, at, only))
    if kind == "flips":
        other = ask_other_pair(data, model)
        if other is None:
            widgets.plain("Two thresholds are needed, the lower one first; “none” empties a zone.")
            return None
        return remember("failures", (kind, *key, other), lambda: flips(data, model, at, numbers(other), only))
    with_lists = session.with_lists()
    by, k = ask_list(with_lists.rankings), ask_rank()
    return remember(
        "failures",
        (kind, *key, by, k),
        lambda: deep_gold(
            with_lists, by, k, only, model=model if data.queries is not None else None, taus=at
        ),
    )


def numbers(pair: Pair) -> tuple[float | None, float | None]:
    """Two thresholds as numbers."""
    return tuple(None if text is None else float(text) for text in pair)


def ask_list(rankings: Rankings) -> str:
    """Which list the ranks are of."""
    names = list(rankings.lists)
    otherwise = session.model() if session.model() in names else names[-1]
    return choice("Ranked by", "list", names, otherwise)


def ask_rank() -> int:
    """The last rank that is not too deep."""
    linked_rank = st.query_params.get("k", "")
    first = (
        int(linked_rank) if linked_rank.isascii() and linked_rank.isdigit() and linked_rank != "0" else RANK
    )
    k = st.number_input("Deeper than rank", 1, 10_000, min(first, 10_000), key="failures_k", width=WIDTH)
    keep_in_address("k", str(k), str(RANK))
    return int(k)


def show_table(kind: str, failures: Failures | Flips | DeepGold) -> int | None:
    """The rows with their count and the way out as CSV; returns the row that is selected."""
    shown = len(failures)
    if not shown:
        st.info(NOTHING[kind])
        return None
    first = "with evidence first" if kind == "flips" else "worst first"
    of_all = "all shown" if shown == failures.total else f"the first {shown:,} shown"
    st.markdown(f"**{failures.total:,}** {unit(kind, failures.total)}, {first}; {of_all}")
    table = in_words(failures.as_table())
    picked = st.dataframe(
        for_screen(table),
        hide_index=True,
        height=min(35 * (shown + 1) + 3, 560),
        on_select="rerun",
        selection_mode="single-row",
        key=f"failures_table_{kind}",
        column_config=column_settings(table),
        alt=f"{KINDS[kind]}, {first}",
    )
    # Under the table: above it the table's own buttons would cover it.
    st.download_button(
        f"{shown:,} {unit(kind, shown)} as CSV",
        as_csv(table).encode(),
        file_name=f"{kind}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    rows = [row for row in picked.selection.rows if row < shown]
    return rows[0] if rows else 0


def unit(kind: str, n: int) -> str:
    """What is counted."""
    if kind == "deep_gold":
        return "gold sentence" if n == 1 else "gold sentences"
    return "check" if n == 1 else "checks"


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """The table with states named by what people do."""
    states = [name for name in table.columns if name.startswith("state")]
    return table.assign(**{name: table[name].map(ACTIONS) for name in states})


def for_screen(table: pd.DataFrame) -> pd.DataFrame:
    """The table with labels in words."""
    if "has_evidence" not in table:
        return table
    return table.assign(has_evidence=table["has_evidence"].map({True: "yes", False: "no"}))


def column_settings(table: pd.DataFrame) -> dict[str, object]:
    """Every id as text, numbers with enough digits."""
    settings: dict[str, object] = {}
    for name in table.columns:
        label = SHOWN_NAMES.get(name, name)
        if name == "score":
            settings[name] = st.column_config.NumberColumn(label, format="%.6g")
        elif name in ("rank", "list_length", "row"):
            settings[name] = st.column_config.NumberColumn(label, format="%d")
        else:
            settings[name] = st.column_config.TextColumn(label)
    return settings


def show_changes(failures: Flips) -> None:
    """How many checks go from which state to which."""
    rows = [
        (f"{ACTIONS[before]} → {ACTIONS[after]}", f"{with_evidence + without:,}", f"{with_evidence:,}")
        for at, before in enumerate(STATES)
        for to, after in enumerate(STATES)
        for without, with_evidence in [failures.counts[at, to].tolist()]
        if with_evidence + without
    ]
    if rows:
        widgets.table(("change", "checks", "with evidence"), rows)


def show_candidates(rankings: Rankings | None, post: str, criterion: str) -> None:
    """The ranked candidates of one check with its gold marked."""
    with st.container(border=True):
        widgets.plain(f"{post} · {label_of(criterion)}" if criterion else post)
        if rankings is None:
            widgets.plain("No ranked lists are loaded: load them beside the predictions.", is_quiet=True)
            return
        names = list(rankings.lists)
        by = st.session_state.get("failures_list", names[-1])
        if st.session_state.get("failures_kind") != "deep_gold" and len(names) > 1:
            by = choice("Ranked by", "list", names, names[-1])
        candidates = candidates_of(rankings, by if by in names else names[-1], post, criterion)
        if candidates is None:
            widgets.plain("The ranked lists lack this check.", is_quiet=True)
            return
        show_list(candidates)


def show_list(candidates: Candidates) -> None:
    """Rank, candidate, gold mark and, where the list has them, score."""
    n_gold = int(candidates.is_gold.sum()) + len(candidates.missing)
    widgets.plain(f"{len(candidates):,} candidates, {n_gold:,} gold", is_quiet=True)
    table = pd.DataFrame(
        {
            "rank": range(1, len(candidates) + 1),
            "gold": ["● gold" if one else "" for one in candidates.is_gold],
            "candidate": candidates.item,
        }
    )
    settings = {name: st.column_config.TextColumn(name) for name in ("gold", "candidate")}
    settings["rank"] = st.column_config.NumberColumn("rank", format="%d", width="small")
    if not all(pd.isna(candidates.score)):
        table["score"] = candidates.score
        settings["score"] = st.column_config.NumberColumn("score", format="%.6g")
    st.dataframe(
        table,
        hide_index=True,
        height=min(35 * (len(table) + 1) + 3, 440),
        column_config=settings,
        key="failures_candidates",
        alt="Ranked candidates with gold marked",
    )
    if candidates.missing:
        names = ", ".join(candidates.missing[:20])
        more = f" and {len(candidates.missing) - 20:,} more" if len(candidates.missing) > 20 else ""
        widgets.plain(f"Gold that the list lacks: {names}{more}")


def say_thresholds(state: PointState | None) -> None:
    """At which thresholds, and where they are moved."""
    if state is None:
        return
    skip = "nothing is skipped" if state.tau_neg is None else f"skip below {state.tau_neg}"
    alert = "no alerts" if state.tau_pos is None else f"alert from {state.tau_pos}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":gray[At the operating point: {skip}, {alert}.]", width="content")
        st.page_link("pages/evidence/operating_point.py", label="Move the thresholds")


def mark_test_seen(data: Data, state: PointState | None, only: Filter) -> None:
    """Rows of TEST on the screen count as a look at TEST: thresholds moved from here on are exploratory."""
    if state is None or not has_split(data) or only.split not in (None, TEST):
        return
    if state.tested is None:
        state.tested = state.pair
    st.caption("The test rows are seen here: thresholds that are moved from now on are exploratory.")


def show(data: Data) -> None:
    """Kind, filter, table, and the candidates of the selected row."""
    queries = data.queries
    in_use = session.model()
    model = in_use if queries is None or in_use in queries.models else queries.models[0]
    state = current_point(data, model) if queries is not None else None
    pair = state.pair if state is not None else (None, None)
    say_thresholds(state)
    kind = ask_kind(kinds_for(data))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = session.rankings() if kind == "deep_gold" else queries
        only = ask_filter(part, data, kind)
        failures = found(kind, data, model, pair, only)
    mark_test_seen(data, state, only)
    if state is not None:
        st.query_params["tau"] = link_values(*pair)
    if failures is None:
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if isinstance(failures, Flips):
            show_changes(failures)
        row = show_table(kind, failures)
    if row is not None:
        table = failures.as_table()
        with right:
            show_candidates(session.rankings(), str(table["post"][row]), str(table["criterion"][row]))


st.title("Failures")
# The tables' own download would write ids as they are, and a spreadsheet could run them.
st.html('<style>button[aria-label^="Download as CSV"] { display: none; }</style>')
in_use = session.current()
if in_use.data.queries is None and in_use.data.rankings is None:
    st.info("These data hold neither labels and scores nor ranked lists: there are no rows to look at.")
    st.page_link("pages/common/data.py", label="To the Data page")
else:
    show(in_use.data)
