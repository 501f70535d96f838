"""Operating point: what is skipped, looked at and alerted at two thresholds, and what that misses."""

import streamlit as st

from evalcore.data import Data
from evalcore.explorer.page import Said, explorer_page
from evalcore.explorer.payload import ACTIONS, ActionName, verdict_words
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.groups import Mark
from evalcore.operating_point.tradeoff.table import Tradeoff
from evalcore.operating_point.wording import counted
from pages.shared.data import session
from pages.shared.effort import (
    ask_review,
    current_review,
    show_calibration,
    show_limits,
    show_net_benefit,
)
from pages.shared.explorer.messenger import Listener, Marks, listen
from pages.shared.explorer.widget import Action, Download, threshold_explorer
from pages.shared.links import address
from pages.shared.point import status
from pages.shared.point.exporting import export_dialog, is_asked_for_next
from pages.shared.point.find import find_dialog
from pages.shared.point.look_at_test import ask_for_test, show_standing, standing_now, tested_point
from pages.shared.point.marks import (
    criterion_names,
    failures_of,
    groups_of,
    marks_in_use,
    rows_as_file,
    take_marks,
)
from pages.shared.point.other_choices import show_folds, show_front
from pages.shared.point.path import show_path
from pages.shared.point.pins import pin, show_pins
from pages.shared.point.point import (
    Pair,
    PointState,
    current_point,
    has_split,
    keep_seen_in_address,
    rows_to_choose_on,
)
from pages.shared.point.rows import choose_part, data_with_scores
from pages.shared.threshold_text import are_legal
from pages.shared.widgets import plain

FAILURES = "pages/evidence/failures.py"


def tradeoff_of(rows: RowSet, state: PointState) -> Tradeoff:
    """The trade-off on the rows to choose on, kept in the session until the data or the aim change.

    A grid, beyond 50,000 distinct scores, is made anew for thresholds between its points.
    """
    taus = tuple(float(text) for text in state.pair if text is not None)
    owner = (state.owner, state.aim)
    kept = st.session_state.get("tradeoff")
    if kept is None or kept[0] != owner or (kept[1].is_grid and kept[2] != taus):
        with st.spinner("Counting every threshold…", show_time=True):
            tradeoff = rows.tradeoff(targets=state.aim.targets, also=taus)
        kept = st.session_state["tradeoff"] = (owner, tradeoff, taus)
    return kept[1]


def what_counts(rows: RowSet) -> str:
    """On which rows the screen counts."""
    if rows.role == "all":
        return "On all rows: in-sample"
    return f"On the {counted(rows.n_rows, 'tune row')}"


def tested_for_tiles(data: Data, model: str, state: PointState) -> dict[str, object] | None:
    """What the tiles show at the thresholds for which TEST was shown; None before."""
    point = tested_point(data, model, state)
    if point is None or state.look is None:
        return None
    tau_neg, tau_pos = state.look.pair
    tiles = status.for_tiles(point, most_missed=state.aim.targets.missed_per_1000)
    return {"tau_neg": tau_neg, "tau_pos": tau_pos, **tiles}


WITHOUT_ROWS: tuple[ActionName, ...] = ("pin", "save_page", "copy_link")
"""What the explorer offers of a saved report: everything else makes or shows what names rows."""


OF_TALLIES: tuple[ActionName, ...] = ("find", "export", "save_page", "copy_link", "check_on_test")
"""What it offers of tallies of sites: what needs no rows, which two points side by side do."""


def actions_for(data: Data, *, is_spent: bool) -> tuple[ActionName, ...]:
    """The buttons of the explorer; a check on test needs a split and is there once."""
    if session.current().report is not None:
        return WITHOUT_ROWS
    can_check = has_split(data) and not is_spent
    offered = OF_TALLIES if session.current().is_of_sites else ACTIONS
    return tuple(name for name in offered if name != "check_on_test" or can_check)


def open_failures(action: Action | None) -> None:
    """Go to the checks behind a number where the explorer asks for them."""
    if action is not None and action.name == "show_missed":
        st.switch_page(FAILURES, query_params={"kind": "missed"})
    if action is not None and action.name == "show_group" and action.group is not None:
        st.switch_page(FAILURES, query_params=failures_of(action.group))


def legal(pair: Pair, data: Data, state: PointState) -> Pair:
    """The thresholds that stood on the screen when a button was pressed, else those of the point."""
    return pair if are_legal(*pair, data.score_kind) else state.pair


def show(data: Data, model: str) -> None:
    """The explorer, then what the server adds once a handle is released."""
    rows = rows_to_choose_on(data, model)
    state = current_point(data, model)
    above = st.container()

    def build_page(tau_neg: str | None, tau_pos: str | None) -> Download:
        page = explorer_page(rows, tradeoff, (tau_neg, tau_pos), said=said, groups=groups)
        return Download("explorer.html", page, "text/html")

    def build_rows(tau_neg: str | None, tau_pos: str | None, group: Mark) -> Download:
        return rows_as_file(data, model, (tau_neg, tau_pos), group)

    def take_marked(marks: Marks, of: str = session.current().key) -> None:
        if session.current().key == of:  # else other data were chosen in the same moment
            take_marks(marks)

    tradeoff = tradeoff_of(rows, state)
    listen(Listener(tradeoff.data_id, data.score_kind, state.take_released, take_marked))
    marks = marks_in_use(data)
    groups = groups_of(rows, state.owner, state.aim.targets, marks.marks)
    said = Said(
        names=criterion_names(data),
        marks=marks.marks,
        words=verdict_words(state.aim.targets, state.aim.set_from_data),
        review=current_review(),
        tested=tested_for_tiles(data, model, state),
    )
    is_spent, is_saved = state.look is not None, session.current().report is not None
    is_of_sites = session.current().is_of_sites
    action = threshold_explorer(
        tradeoff,
        tau_neg=state.tau_neg,
        tau_pos=state.tau_pos,
        revision=state.revision,
        groups=groups,
        names=said.names,
        marks=marks,
        score_kind=data.score_kind,
        review=said.review,
        actions=actions_for(data, is_spent=is_spent),
        status=what_counts(rows),
        counted_on="tune" if has_split(data) else "all rows",
        words=said.words,
        tested=said.tested,
        build={"save_page": build_page} | ({} if is_saved or is_of_sites else {"group_rows": build_rows}),
        take={"pin": lambda tau_neg, tau_pos: pin(state, legal((tau_neg, tau_pos), data, state))},
        link=address.shareable(),
        is_alone=is_of_sites,
    )
    address.write()
    open_failures(action)
    if action is not None and action.name == "find":
        find_dialog(data, model, state)
    elif action is not None and action.name == "check_on_test":
        ask_for_test(data, model, state)
    elif action is not None and action.name == "export":
        export_dialog(data, model, state, legal((action.tau_neg, action.tau_pos), data, state))
    elif is_asked_for_next():
        export_dialog(data, model, state, state.pair)
    keep_seen_in_address(data, state)
    with above:
        standing = standing_now(data, model, state)
        show_path(data, rows, state, standing)
        show_standing(data, model, state, standing)
        if not is_of_sites:
            show_pins(rows, state)
    ask_review(tradeoff.has_posts)
    show_front(rows, state)
    show_folds(rows, state.aim)
    show_net_benefit(data, rows, state)
    if not is_of_sites:
        show_calibration(data, rows, state)
    if not is_saved:
        show_limits(data, model, state)
    if is_of_sites:
        plain(
            "Tallies of sites hold no rows: counts are exact at the points of their grid, a typed threshold "
            "between two points becomes the next one, and a point that is chosen here is never certified, "
            "as nobody can see whether test rows repeat tune rows under other ids.",
            is_quiet=True,
        )
    if is_saved:
        plain(
            "A saved report holds no rows: thresholds are looked at here. To search for them, to test them "
            "and to export a document, which names its rows by a digest, load the files that it was made of.",
            is_quiet=True,
        )


st.title("Operating point")
in_use = data_with_scores("choose thresholds for", from_tallies=True)
if in_use is not None and (has_split(in_use) or choose_part(in_use, "Operating point") is not None):
    show(in_use, session.model())
