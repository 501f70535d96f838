"""Operating point: what is skipped, looked at and alerted at two thresholds, and what that misses."""

from math import isnan

import streamlit as st

from evalcore.data import Data
from evalcore.explorer.page import Said, explorer_page
from evalcore.explorer.payload import ACTIONS, ActionName, verdict_words
from evalcore.operating_point import OperatingPoint, outlooks
from evalcore.operating_point.choosing.confirming import enough_to_confirm, needed_to_confirm
from evalcore.operating_point.constraints import NAMES
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.table import Tradeoff, count_tradeoff
from evalcore.operating_point.wording import (
    capitalised,
    counted,
    percent_at_least,
)
from evalcore.problems import InputError
from evalcore.splits import test_split, tune_split
from pages.shared.criteria import criterion_labels
from pages.shared.data import session
from pages.shared.effort import (
    ask_review,
    current_review,
    show_calibration,
    show_limits,
    show_net_benefit,
)
from pages.shared.explorer.widget import Action, Download, packed_once, threshold_explorer
from pages.shared.links import address
from pages.shared.links.split_note import show_split_note, target_of
from pages.shared.memo import kept
from pages.shared.page_words import claim_on_page
from pages.shared.point import offers, status
from pages.shared.point.look_at_test import ask_for_test, show_standing, tested_point
from pages.shared.point.other_choices import show_folds, show_front
from pages.shared.point.point import (
    Aim,
    PointState,
    choose,
    current_point,
    document_for,
    has_split,
    keep_seen_in_address,
    pair_of,
    rows_to_choose_on,
)
from pages.shared.point.rows import choose_part, data_with_scores
from pages.shared.widgets import plain, problem_list
from pages.shared.written import as_markdown

KEY = "explorer"
EMPTY_ZONE = "Leave this zone empty"
FAILURES = "pages/evidence/failures.py"
PARTICULARS = {
    "title": "Title of the document",
    "author": "Who chose",
    "rationale": "Why these thresholds",
    "model_version": "Model version",
    "data_collected": "Dates of the data",
    "setting": "Setting",
    "labelled_by": "Who labelled",
    "label_agreement": "How the labellers agreed",
}


def tradeoff_of(rows: RowSet, state: PointState) -> Tradeoff:
    """The trade-off on the rows to choose on, kept in the session until the data or the aim change.

    A grid, beyond 50,000 distinct scores, is made anew for thresholds between its points.
    """
    taus = tuple(float(text) for text in state.pair if text is not None)
    owner = (state.owner, state.aim)
    kept = st.session_state.get("tradeoff")
    if kept is None or kept[0] != owner or (kept[1].is_grid and kept[2] != taus):
        with st.spinner("Counting every threshold…", show_time=True):
            tradeoff = count_tradeoff(rows.scored, rows.queries, targets=state.aim.targets, also=taus)
        kept = st.session_state["tradeoff"] = (owner, tradeoff, taus)
    return kept[1]


@st.dialog("Find thresholds", width="large")
def find_dialog(data: Data, model: str, state: PointState) -> None:
    """Ask for the targets, choose, and offer a way on where one cannot be met."""
    rows = "the tune rows" if has_split(data) else "all rows"
    st.write(
        "The most that can be skipped while the screening sensitivity holds, then the most alerts while "
        f"their precision holds; chosen on {rows}."
    )
    with st.form("targets", border=False):
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        sensitivity = left.number_input(
            "Screening sensitivity, at least (%)",
            min_value=0.1,
            max_value=100.0,
            value=100 * state.aim.screening_sensitivity,
            step=0.1,
            format="%.4g",
        )
        precision = middle.number_input(
            "Alert precision, at least (%)",
            min_value=0.1,
            max_value=100.0,
            value=100 * state.aim.alert_precision,
            step=1.0,
            format="%.4g",
        )
        how = right.selectbox("Shown by", ["a 95 % lower bound", "the estimate alone"])
        is_asked = st.form_submit_button("Find")
    if is_asked:
        confidence = None if how == "the estimate alone" else 0.95
        aim = offers.marked(
            Aim(round(sensitivity / 100, 10), round(precision / 100, 10), confidence, confidence), state
        )
        try:
            point = choose(data, model, aim)
            st.session_state["search"] = (state.owner, offers.marked_as_in(point, aim), point)
        except InputError as error:
            problem_list(error.problems)
            return
    owner, aim, point = st.session_state.get("search", (None, None, None))
    if owner == state.owner:
        take_found(data, model, state, aim, point)


def take_found(data: Data, model: str, state: PointState, aim: Aim, point: OperatingPoint) -> None:
    """Offer what a search found; where a target cannot be met, a choice of what can be had instead."""
    offers.remember(point, aim, state)
    is_open = False
    for metric, name in NAMES.items():
        options = [one for one in point.alternatives if one.instead_of == metric]
        if options:
            picked = st.radio(
                f"**{as_markdown(aim.in_words(metric))} cannot be had.** Set after seeing the data, instead:",
                [*options, EMPTY_ZONE],
                index=None,
                format_func=lambda one: as_markdown(one if isinstance(one, str) else capitalised(one.text)),
                key=f"instead_{name}",
            )
            is_open = is_open or picked is None
            aim = aim if picked is None or isinstance(picked, str) else aim.instead(picked.constraint)
    if is_open:
        st.caption("Nothing is chosen for you: the targets above were set before the data were seen.")
        return
    point = choose(data, model, aim) if point.alternatives else point
    for claim in point.document["claims"]:
        st.caption(as_markdown(claim_on_page(claim)))
    tau_neg, tau_pos = pair_of(point)
    skip = "skip nothing" if tau_neg is None else f"skip below {tau_neg}"
    alert = "raise no alerts" if tau_pos is None else f"alert from {tau_pos}"
    if st.button(f"Use these: {as_markdown(skip)}, {as_markdown(alert)}", type="primary", key="use_found"):
        state.take((tau_neg, tau_pos), aim)
        st.rerun()


def what_counts(data: Data, model: str, aim: Aim, *, is_spent: bool) -> str:
    """On which rows the screen counts and, with a split, what the test rows could show at best or that they
    were looked at.
    """
    if not has_split(data):
        return "On all rows: in-sample"
    on_tune = f"On the {counted(len(rows_to_choose_on(data, model).queries), 'tune row')}"
    if is_spent:
        return f"{on_tune}. The test rows have been looked at: what they said stands above the tiles"
    (found,) = outlooks(
        data,
        screening_sensitivity=aim.screening_sensitivity,
        alert_precision=None,
        confidence=aim.targets.sensitivity_confidence,
        tune=tune_split(data),
        test=test_split(data),
        model=model,
    )
    n, target = found.n_cases, target_of(aim)
    best = "nothing" if isnan(found.best) else f"at best ≥ {percent_at_least(found.best)}"
    few = f". {enough_to_confirm(target, n)}" if n < needed_to_confirm(target) else ""
    return f"{on_tune}. Test can show {best} ({counted(n, 'positive')}){few}"


def tested_for_tiles(data: Data, model: str, state: PointState) -> dict[str, object] | None:
    """What the tiles show at the thresholds for which TEST was shown; None before."""
    point = tested_point(data, model, state)
    if point is None or state.look is None:
        return None
    tau_neg, tau_pos = state.look.pair
    tiles = status.for_tiles(point, most_missed=state.aim.targets.missed_per_1000)
    return {"tau_neg": tau_neg, "tau_pos": tau_pos, **tiles}


def ask_particulars(state: PointState) -> None:
    """What an auditor asks for, typed once and carried into the document."""
    with st.expander("Facts for the document: who chose, on what data, why"):
        left, right = st.columns(2)
        for at, (name, label) in enumerate(PARTICULARS.items()):
            column = left if at % 2 == 0 else right
            state.particulars[name] = column.text_input(
                label, state.particulars.get(name, ""), key=f"particular_{name}"
            )


WITHOUT_ROWS: tuple[ActionName, ...] = ("save_page", "copy_link")
"""What the explorer offers of a saved report: everything else makes or shows what names rows."""


def actions_for(data: Data, *, is_spent: bool) -> tuple[ActionName, ...]:
    """The buttons of the explorer; a check on test needs a split and is there once."""
    if session.current().report is not None:
        return WITHOUT_ROWS
    can_check = has_split(data) and not is_spent
    return tuple(name for name in ACTIONS if name != "check_on_test" or can_check)


def open_failures(action: Action | None) -> None:
    """Go to the checks behind a number where the explorer asks for them."""
    if action is not None and action.name == "show_missed":
        st.switch_page(FAILURES, query_params={"kind": "missed"})
    if action is not None and action.name == "show_criterion" and action.criterion is not None:
        st.switch_page(FAILURES, query_params={"criterion": action.criterion})


def show(data: Data, model: str) -> None:
    """The explorer, then what the server adds once a handle is released."""
    rows = rows_to_choose_on(data, model)
    state = current_point(data, model)
    above = st.container()

    def build_export(tau_neg: str | None, tau_pos: str | None) -> Download:
        point = document_for(data, model, state, (tau_neg, tau_pos))
        return Download(f"operating-point_{tau_neg or 'none'}_{tau_pos or 'none'}.json", point.text)

    def build_page(tau_neg: str | None, tau_pos: str | None) -> Download:
        page = explorer_page(rows, tradeoff, (tau_neg, tau_pos), said=said, packed=packed_once(tradeoff, KEY))
        return Download("explorer.html", page, "text/html")

    tradeoff = tradeoff_of(rows, state)
    said = Said(
        criteria=criterion_labels(str(name) for name in data.queries.criterion_ids),
        words=verdict_words(state.aim.targets, state.aim.set_from_data),
        review=current_review(),
        tested=tested_for_tiles(data, model, state),
    )
    is_spent, is_saved = state.look is not None, session.current().report is not None
    result = threshold_explorer(
        tradeoff,
        key=KEY,
        tau_neg=state.tau_neg,
        tau_pos=state.tau_pos,
        revision=state.revision,
        criteria=said.criteria,
        score_kind=data.score_kind,
        review=said.review,
        actions=actions_for(data, is_spent=is_spent),
        status=kept(
            "what_counts",
            (session.current().key, model, state.aim, is_spent),
            lambda: what_counts(data, model, state.aim, is_spent=is_spent),
        ),
        counted_on="tune" if has_split(data) else "all rows",
        words=said.words,
        tested=said.tested,
        build={"save_page": build_page} if is_saved else {"export": build_export, "save_page": build_page},
        link=address.shareable(),
    )
    if result.revision > state.revision:
        state.tau_neg, state.tau_pos, state.revision = result.tau_neg, result.tau_pos, result.revision
    address.write()
    open_failures(result.action)
    if result.action is not None and result.action.name == "find":
        find_dialog(data, model, state)
    if result.action is not None and result.action.name == "check_on_test":
        ask_for_test(data, model, state)
    keep_seen_in_address(data, state)
    with above:
        show_standing(data, model, state)
        show_split_note(data, rows, state.aim)
    ask_review(tradeoff.has_posts)
    show_front(rows, state)
    show_folds(rows, state.aim)
    show_net_benefit(data, rows, state)
    show_calibration(data, rows, state)
    if not is_saved:
        show_limits(data, model, state)
    if is_saved:
        plain(
            "A saved report holds no rows: thresholds are looked at here. To search for them, to test them "
            "and to export a document, which names its rows by a digest, load the files that it was made of.",
            is_quiet=True,
        )
    else:
        ask_particulars(state)


st.title("Operating point")
in_use = data_with_scores("choose thresholds for")
if in_use is not None and (has_split(in_use) or choose_part(in_use, "Operating point") is not None):
    show(in_use, session.model())
