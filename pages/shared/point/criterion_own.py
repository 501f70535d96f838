"""What thresholds of its own would buy a criterion, beside those that all criteria share."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from evalcore.data import Data
from evalcore.evaluation.criteria import CriterionResult, criterion_results
from evalcore.operating_point.choosing.confirming import needed_to_confirm
from evalcore.operating_point.choosing.own_thresholds import OwnThresholds, own_thresholds
from evalcore.operating_point.constraints import SENSITIVITY, Constraint
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import counted, percent
from evalcore.text.numerals import percent_of
from pages.shared import widgets
from pages.shared.criteria import label_of
from pages.shared.data import session
from pages.shared.memo import remember
from pages.shared.point.point import Aim, PointState, rows_to_choose_on

if TYPE_CHECKING:
    from evalcore.tallies.decisions import StateCounts

ESTIMATE = "own, by the estimate alone"


def thresholds_of(state: PointState) -> tuple[float | None, float | None]:
    """The session's thresholds as numbers."""
    tau_neg, tau_pos = (None if text is None else float(text) for text in state.pair)
    return tau_neg, tau_pos


def show_own_of(data: Data, model: str, state: PointState, criterion: str) -> None:
    """Own thresholds are chosen where the session chooses: on tune rows, or on all."""
    rows = rows_to_choose_on(data, model)
    found = remember(
        "criteria",
        (session.current().key, model, rows.role, state.pair),
        lambda: criterion_results(rows.queries, *thresholds_of(state)),
    )
    one = next((one for one in found if one.criterion == criterion), None)
    if one is None:
        widgets.plain(f"No thresholds of its own: {criterion} has no row among {rows.in_words}.")
    else:
        show_own(one, rows, state)


def outcome(name: str, tau_neg: str, tau_pos: str, states: StateCounts) -> list[str]:
    """One pair of thresholds as a row of text."""
    n_alerts = int(states.n_pos)
    right = f"{percent_of(int(states.pos_pos), n_alerts)} of {n_alerts:,}" if n_alerts else "no alerts"
    skipped = f"{int(states.n_neg):,} ({percent_of(int(states.n_neg), int(states.total))})"
    missed = f"{int(states.neg_pos):,} of {int(states.total_pos):,}"
    return [name, tau_neg, tau_pos, skipped, missed, right]


def show_own(one: CriterionResult, rows: RowSet, state: PointState) -> None:
    """What thresholds chosen for this criterion alone would skip and miss, beside the shared ones."""
    widgets.small_heading("What its own thresholds would buy")
    shared = outcome("shared", state.tau_neg or "none", state.tau_pos or "none", one.states)
    level = state.aim.sensitivity_confidence or state.aim.precision_confidence or 0.95
    ways = {f"own, shown with {percent(level)} confidence": level, ESTIMATE: None}
    found = {name: own_of(one, state.aim, confidence) for name, confidence in ways.items()}
    widgets.table(
        ["thresholds", "skip below", "alert from", "skipped", "missed", "alerts that are right"],
        [shared, *(outcome(name, *texts_of(own), own.states) for name, own in found.items())],
        name="The shared thresholds and those of its own",
    )
    needed = needed_to_confirm(Constraint(SENSITIVITY, state.aim.screening_sensitivity, level))
    if one.n_positives < needed:
        takes = (
            f"at least {needed:,} positives without a miss" if isfinite(needed) else "more than any number"
        )
        widgets.plain(
            f"With {percent(level)} confidence nothing can be skipped: that takes {takes}, and "
            f"{label_of(one.criterion)} has {one.n_positives:,}."
        )
    widgets.plain(
        f"Optimistic: its own thresholds are chosen and counted on the same rows, {rows.in_words} "
        f"(with {counted(one.n_positives, 'positive')} of {label_of(one.criterion)}). On other rows expect "
        "more missed evidence and fewer alerts that are right, all the more where positives are few."
    )
    aim = f"{percent(state.aim.screening_sensitivity)} sensitivity, {percent(state.aim.alert_precision)}"
    widgets.plain(
        f"Aim of the session: {aim} alert precision. " + difference(one.states, found[ESTIMATE]),
        is_quiet=True,
    )


def own_of(one: CriterionResult, aim: Aim, confidence: float | None) -> OwnThresholds:
    """Thresholds of one criterion for the session's aim."""
    return own_thresholds(
        one.table,
        screening_sensitivity=aim.screening_sensitivity,
        alert_precision=aim.alert_precision,
        confidence=confidence,
    )


def texts_of(own: OwnThresholds) -> tuple[str, str]:
    """Both thresholds as text."""
    taus = (own.thresholds.tau_neg, own.thresholds.tau_pos)
    tau_neg, tau_pos = ("none" if tau is None else threshold_text(tau) for tau in taus)
    return tau_neg, tau_pos


def difference(shared: StateCounts, own: OwnThresholds) -> str:
    """What changes from the shared thresholds to those that the estimate alone allows."""
    skipped, missed = own.beside(shared)
    more = f"{counted(abs(skipped), 'check')} {'more' if skipped >= 0 else 'fewer'} would be skipped"
    misses = f"{abs(missed):,} {'more' if missed > 0 else 'fewer'}" if missed else "no more"
    return f"By the estimate alone: {more} than at the shared thresholds, and {misses} missed."
