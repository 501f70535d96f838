"""Find thresholds: presets with their cost, other targets, what was met first, then what cannot be had."""

from dataclasses import replace

import streamlit as st

from evalcore.data import Data
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.choosing.request import constraints_of
from evalcore.operating_point.constraints import Thresholds
from evalcore.operating_point.deciding.presets import USUAL, Found, found_for, in_words
from evalcore.operating_point.wording import capitalised, percent
from evalcore.problems import InputError
from pages.shared import widgets
from pages.shared.data import session
from pages.shared.memo import kept
from pages.shared.page_words import claim_on_page
from pages.shared.point import offers
from pages.shared.point.exporting import ask_for_export_next
from pages.shared.point.point import Aim, PointState, choose, has_split, pair_of, rows_to_choose_on
from pages.shared.written import as_markdown

SEARCH, ASKED, OWN, PICKED = "search", "targets_asked", "targets_of_this_session", "preset"
MOST_OWN = 4
BOUND, ESTIMATE = "a 95 % lower bound", "the estimate alone"
SENSITIVITY, PRECISION, SHOWN_BY = "target_of_sensitivity", "target_of_precision", "targets_shown_by"


@st.dialog("Find thresholds", width="large")
def find_dialog(data: Data, model: str, state: PointState) -> None:
    """Offer presets with what they cost and ask for other targets; then say what was found."""
    rows = "the tune rows" if has_split(data) else "all rows"
    st.write(
        "The most that can be skipped while the screening sensitivity holds, then the most alerts while "
        f"their precision holds; chosen on {rows}."
    )
    ask_preset(data, model, state)
    ask_targets(state)
    aim: Aim | None = st.session_state.pop(ASKED, None)
    if aim is not None:
        aim = offers.marked(aim, state)
        try:
            point = choose(data, model, aim)
            st.session_state[SEARCH] = (state.owner, offers.marked_as_in(point, aim), point)
        except InputError as error:
            widgets.problem_list(error.problems)
            return
    owner, aim, point = st.session_state.get(SEARCH, (None, None, None))
    if owner == state.owner and aim is not None:
        take_found(data, model, state, aim, point)


def ask_preset(data: Data, model: str, state: PointState) -> None:
    """The usual targets and those of this session, each with the workload it leaves."""
    now = state.aim
    aims = [
        replace(now, screening_sensitivity=value, set_from_data=now.set_from_data - {"screening_sensitivity"})
        for value in USUAL
    ]
    aims = [*aims, *(aim for aim in st.session_state.get(OWN, ()) if aim not in aims)]

    def ask() -> None:
        at = st.session_state.pop(PICKED, None)
        if at is not None:
            st.session_state[ASKED] = aims[at]
            show_in_form(aims[at])

    st.pills(
        "Presets for screening sensitivity, with the workload they leave",
        range(len(aims)),
        format_func=lambda at: as_markdown(_preset(data, model, aims[at], is_own=at >= len(USUAL))),
        key=PICKED,
        on_change=ask,
    )


def _preset(data: Data, model: str, aim: Aim, *, is_own: bool) -> str:
    """A preset in a few words; one's own names its alert precision too."""
    found = found_of(data, model, aim)
    if not is_own:
        return found.short
    target, workload = found.short.split(" · ")
    return f"yours: {target}, alerts ≥ {percent(aim.alert_precision)} · {workload}"


def found_of(data: Data, model: str, aim: Aim) -> Found:
    """What the rule finds for an aim."""
    key = (session.current().key, model, aim)
    constraints = constraints_of(**aim.targets_wanted, from_data=aim.set_from_data)
    return kept("found_for", key, lambda: found_for(rows_to_choose_on(data, model), constraints))


def show_in_form(aim: Aim) -> None:
    """Let the form say the targets of an aim."""
    st.session_state[SENSITIVITY] = round(100 * aim.screening_sensitivity, 8)
    st.session_state[PRECISION] = round(100 * aim.alert_precision, 8)
    st.session_state[SHOWN_BY] = ESTIMATE if aim.sensitivity_confidence is None else BOUND


def ask_targets(state: PointState) -> None:
    """The form for any other targets; what is found by it is offered again as one's own."""
    if SENSITIVITY not in st.session_state:
        show_in_form(state.aim)
    with st.form("targets", border=False):
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        sensitivity = left.number_input(
            "Screening sensitivity, at least (%)",
            min_value=0.1,
            max_value=100.0,
            step=0.1,
            format="%.4g",
            key=SENSITIVITY,
        )
        precision = middle.number_input(
            "Alert precision, at least (%)",
            min_value=0.1,
            max_value=100.0,
            step=1.0,
            format="%.4g",
            key=PRECISION,
        )
        how = right.selectbox("Shown by", [BOUND, ESTIMATE], key=SHOWN_BY)
        is_asked = st.form_submit_button("Find")
    if is_asked:
        confidence = None if how == ESTIMATE else 0.95
        aim = Aim(round(sensitivity / 100, 10), round(precision / 100, 10), confidence, confidence)
        st.session_state[ASKED] = aim
        own = [one for one in st.session_state.get(OWN, ()) if one != aim]
        st.session_state[OWN] = [*own, aim][-MOST_OWN:]


def take_found(data: Data, model: str, state: PointState, aim: Aim, point: OperatingPoint) -> None:
    """Say what was met and what it costs, then what cannot be had, and offer to use what was met."""
    offers.remember(point, aim, state)
    above, picked = st.container(), aim
    for one in found_of(data, model, aim).unmet:
        said = f"**Cannot be had: {as_markdown(in_words(one))}.**"
        options = [other for other in point.alternatives if other.instead_of == one.metric]
        if not options:
            st.markdown(said)
            continue
        instead = st.radio(
            f"{said} Set after seeing the data, instead:",
            options,
            index=None,
            format_func=lambda other: as_markdown(capitalised(other.text)),
            key=f"instead_{one.name}",
        )
        picked = picked if instead is None else picked.instead(instead.constraint)
    with above:
        shown = point if picked == aim else choose(data, model, picked)
        show_met(found_of(data, model, picked), shown)
        offer_to_use(state, picked, shown)


def show_met(found: Found, point: OperatingPoint) -> None:
    """Each target that is met, what it costs, and what may be claimed of it."""
    if not found.met:
        st.markdown("**Nothing was met**: every check is looked at, and no alert is raised.")
    claims = {claim["metric"]: claim for claim in point.document["claims"]}
    for one in found.met:
        cost = capitalised(found.cost(one.metric))
        st.markdown(f"**Met: {as_markdown(in_words(one))}.** {as_markdown(cost)}.")
        claim = claims[one.metric]
        st.caption(as_markdown(claim_on_page(claim)))


def offer_to_use(state: PointState, aim: Aim, point: OperatingPoint) -> None:
    """The buttons that move the handles to what was found; nothing where both zones would be empty."""
    tau_neg, tau_pos = pair_of(Thresholds(point.tau_neg, point.tau_pos))
    if tau_neg is None and tau_pos is None:
        st.caption("Pick what can be had instead, below, or set other targets.")
        return
    skip = "skip nothing" if tau_neg is None else f"skip below {tau_neg}"
    alert = "raise no alerts" if tau_pos is None else f"alert from {tau_pos}"
    with st.container(horizontal=True):
        label = f"Use these: {as_markdown(skip)}, {as_markdown(alert)}"
        is_used = st.button(label, type="primary", key="use_found")
        is_exported = st.button("Export these…", key="use_and_export")
    if is_used or is_exported:
        state.take((tau_neg, tau_pos), aim)
        if is_exported:
            ask_for_export_next()
        st.rerun()
