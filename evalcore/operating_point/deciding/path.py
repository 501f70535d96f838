"""The way to a certificate in four steps, rows, targets, thresholds, test, and what blocks each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evalcore.operating_point.choosing.confirming import enough_to_confirm, needed_to_confirm
from evalcore.operating_point.constraints import SENSITIVITY, Constraint, Thresholds
from evalcore.operating_point.document.certification import LEAST_CONFIDENCE, NO_POSTS
from evalcore.operating_point.prospects.outlook import Outlook
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.wording import capitalised, counted, percent

State = Literal["done", "open", "blocked"]
NO_SPLIT = "No split: nothing can confirm this choice, which is made and counted on the same rows."
BY_HAND = "Set by hand: tuned at best. A certificate needs thresholds that the rule finds for the targets."
AFTER_TEST = "Others than those that were tested: what is exported now is exploratory."
NOTHING_SKIPPED = "Nothing is skipped, so there is nothing to confirm about what is missed."
NO_ALERTS = "No alert is raised, so there is nothing to confirm about alerts."
BY_ESTIMATE = "Found for the estimate alone: about half of such thresholds miss their target on other rows."


@dataclass(frozen=True)
class Step:
    """One step.

    Parameters
    ----------
    name : ``Rows``, ``Targets``, ``Thresholds`` or ``Test``.
    state : ``done``, ``open`` (something is left to do) or ``blocked`` (no certificate as things are).
    short : the step in a few words.
    why : what blocks it or is left to do, as sentences; what is known, where it is done.
    """

    name: str
    state: State
    short: str
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class OnTest:
    """What the test rows said of a point: its status, in a few words, and whether it is certified."""

    words: str
    is_certified: bool


def path_to_certificate(
    chosen: RowSet,
    tested: RowSet | None,
    constraints: Sequence[Constraint],
    thresholds: Thresholds,
    *,
    outlooks: Sequence[Outlook] = (),
    looks: LooksAtTest | None = None,
    is_found: bool = False,
    is_set_after_test: bool = False,
    result: OnTest | None = None,
) -> tuple[Step, Step, Step, Step]:
    """The four steps, each with its state and what blocks it in plain words.

    Of the test rows only their number, posts and positives are used, no score.

    Parameters
    ----------
    chosen, tested : the rows chosen on and, with a split, the test rows.
    constraints : the targets.
    thresholds : those that stand.
    outlooks : from `evalcore.operating_point.outlooks`, for these rows, targets and marked groups; empty
        without a test.
    looks : what is known of looks at the test rows before; None where nobody counted.
    is_found : whether the rule found the thresholds for the targets.
    is_set_after_test : whether thresholds, targets or marked groups were set after test rows had been seen.
    result : what the test rows said of this very point; None before.
    """
    return (
        _rows(chosen, tested),
        _targets(chosen, tested, constraints, outlooks),
        _thresholds(constraints, thresholds, is_found=is_found, is_set_after_test=is_set_after_test),
        _test(tested, outlooks, looks, result, is_set_after_test=is_set_after_test),
    )


def first_to_say(steps: Sequence[Step]) -> Step | None:
    """The first step that is blocked, else the first that is open; None where all are done."""
    of_state = (step for state in ("blocked", "open") for step in steps if step.state == state)
    return next(of_state, None)


def _rows(chosen: RowSet, tested: RowSet | None) -> Step:
    if tested is None:
        return Step("Rows", "blocked", "no split", (NO_SPLIT,))
    sizes = f"{chosen.n_rows:,} tune, {tested.n_rows:,} test"
    if not (chosen.queries.has_posts and tested.queries.has_posts):
        return Step("Rows", "blocked", sizes, (NO_POSTS.partition(": ")[2].capitalize(),))
    n_shared = chosen.n_shared_posts(tested)
    if n_shared:
        have = f"{counted(n_shared, 'post')} {'has' if n_shared == 1 else 'have'}"
        said = f"{have} rows in both tune and test, so a test is not independent."
        return Step("Rows", "blocked", f"{n_shared:,} shared", (said,))
    posts = f"{chosen.n_posts:,} and {tested.n_posts:,} posts"
    said = f"Chosen on tune, confirmed by test: {sizes}, of {posts}, none in both."
    return Step("Rows", "done", sizes, (said,))


def _targets(
    chosen: RowSet, tested: RowSet | None, constraints: Sequence[Constraint], outlooks: Sequence[Outlook]
) -> Step:
    short = ", ".join(f"≥ {percent(one.value)}" for one in constraints) or "none"
    why: list[str] = [] if constraints else ["No target is set, so nothing can be confirmed."]
    for one in constraints:
        named = f"{capitalised(one.name)} of at least {percent(one.value)}"
        if one.is_from_data:
            why.append(
                f"{named} is the number that these rows were said to support, no target set before: nothing "
                "can confirm it."
            )
        if one.confidence is not None and one.confidence < LEAST_CONFIDENCE:
            why.append(
                f"{named} with {percent(one.confidence)} confidence: a certificate needs at least "
                f"{percent(LEAST_CONFIDENCE)}."
            )
        if one.metric == SENSITIVITY:
            why += _too_few(one, chosen, tested, outlooks)
    if why:
        return Step("Targets", "blocked", short, tuple(why))
    names = " and ".join(f"{one.name} of at least {percent(one.value)}" for one in constraints)
    return Step("Targets", "done", short, (f"{capitalised(names)}.",))


def _too_few(
    one: Constraint, chosen: RowSet, tested: RowSet | None, outlooks: Sequence[Outlook]
) -> list[str]:
    """That there are too few positives to show a screening sensitivity; nothing where they are enough."""
    counted_on = chosen if tested is None else tested
    n, whose = counted_on.n_positives, "these rows have" if tested is None else "test has"
    if n < needed_to_confirm(one):
        return [enough_to_confirm(one, n, whose=whose)]
    of_metric = [outlook for outlook in outlooks if outlook.constraint.metric == one.metric]
    return [said.text for said in of_metric if said.best < one.value]


def _thresholds(
    constraints: Sequence[Constraint], thresholds: Thresholds, *, is_found: bool, is_set_after_test: bool
) -> Step:
    if is_set_after_test:
        return Step("Thresholds", "blocked", "set after test", (AFTER_TEST,))
    if not is_found:
        return Step("Thresholds", "open", "set by hand", (BY_HAND,))
    asked = {one.metric: one for one in constraints}
    empty = []
    if SENSITIVITY in asked and thresholds.tau_neg is None:
        empty.append(NOTHING_SKIPPED)
    if len(asked) > (SENSITIVITY in asked) and thresholds.tau_pos is None:
        empty.append(NO_ALERTS)
    if empty:
        return Step("Thresholds", "blocked", "a zone is empty", tuple(empty))
    if any(one.confidence is None for one in constraints):
        return Step("Thresholds", "done", "found, by estimate", (BY_ESTIMATE,))
    return Step("Thresholds", "done", "found", ("Found by the rule for these targets.",))


def _test(
    tested: RowSet | None,
    outlooks: Sequence[Outlook],
    looks: LooksAtTest | None,
    result: OnTest | None,
    *,
    is_set_after_test: bool,
) -> Step:
    if result is not None:
        return Step("Test", "done" if result.is_certified else "blocked", result.words)
    if tested is None:
        return Step("Test", "open", "no test rows", ("Without test rows there is nothing to test on.",))
    if is_set_after_test:
        said = (
            "The test rows were seen with other thresholds, targets or marked groups: these they can confirm "
            "no more."
        )
        return Step("Test", "blocked", "looked at", (said,))
    if looks is not None and looks.n_before:
        said = (
            f"The test rows were looked at {counted(looks.n_before, 'time')} before: only the first look can "
            "confirm anything."
        )
        return Step("Test", "blocked", f"{counted(looks.n_before, 'look')} before", (said,))
    state: State = "blocked" if any(one.chance == 0 for one in outlooks) else "open"
    return Step("Test", state, _chance(outlooks), tuple(one.text for one in outlooks))


def _chance(outlooks: Sequence[Outlook]) -> str:
    """The smallest chance that test confirms a target: both together are less likely still."""
    known = [one.chance for one in outlooks if not math.isnan(one.chance)]
    if not known:
        return "not looked at"
    least = min(known)
    if least == 0:
        return "cannot confirm"
    whole = round(100 * least)
    shown = "below 1 %" if whole == 0 else "above 99 %" if whole == 100 else f"about {whole} %"
    return f"chance {'at most ' if len(known) > 1 or any(one.has_marks for one in outlooks) else ''}{shown}"
