"""The note of a claim: why there is no verdict, or what would show more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from evalcore.inference.binomial import lower_bound, positives_needed
from evalcore.inference.verdicts import MIN_CASES, is_not_excluded
from evalcore.operating_point.choosing.claims.case import Case
from evalcore.operating_point.choosing.without_model import BEGINNING
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY
from evalcore.operating_point.rules import FIRST
from evalcore.operating_point.wording import percent_at_least
from evalcore.spec import METRICS

CASES = {SENSITIVITY: "checks with evidence", PRECISION: "alerts"}
IN_SAMPLE = (
    "The bound reaches the target, but the threshold was chosen on these rows: other rows must confirm it."
)
BY_EXACT_BOUND = (
    "The exact bound reaches the target if checks are independent; the bound that takes {several} into "
    "account does not."
)
POOLED = "The counts describe the procedure, not the exported thresholds."
TOO_FEW = f"Fewer than {MIN_CASES} cases carry an interval and no verdict."

NEVER = "No number of cases can show it."
MAY_STILL_HOLD = "It may still hold: these checks are too few to rule it out."
NOT_EXCLUDED = "The interval does not exclude it."
"""What documents said in its place before."""
_OWN = "|".join(
    [
        *map(re.escape, (IN_SAMPLE, POOLED, TOO_FEW, NEVER, MAY_STILL_HOLD, NOT_EXCLUDED)),
        re.escape(BY_EXACT_BOUND).replace(r"\{several\}", "(posts|values of .+)"),
        r"To skip any it needs at least [\d,]+ independent checks with evidence, none of them missed; "
        r"here are [\d,]+(, worth [\d,.]+ independent ones)?\.",
        r"It needs at least [\d,]+ (independent )?cases without a failure; [\d,]+(, worth [\d,.]+ "
        r"independent ones,)? can show at most [\d.]+ %\.",
        r"With [\d,]+ failures? it would need at least [\d,]+ independent "
        r"(checks with evidence|alerts)\.",
    ]
)


def plain_note(claim: Mapping[str, Any]) -> str:
    """The note of a claim in the words of today; empty without one.

    Examples
    --------
    >>> plain_note({"note": NOT_EXCLUDED}), plain_note({})
    ('It may still hold: these checks are too few to rule it out.', '')
    """
    return str(claim.get("note") or "").replace(NOT_EXCLUDED, MAY_STILL_HOLD)


NOTE = re.compile(rf"({_OWN})?((^| ){re.escape(BEGINNING)}.+\.)?", re.ASCII)
"""What a claim's note can say; its numbers are recomputed from the data."""
LONGEST_NOTE = 10_000
"""Characters; the names in a note have a tenth of it at most, and a longer one takes long to compare."""


def _needed_to_skip(case: Case) -> str | None:
    """How many checks with evidence it would take to skip anything, where these are too few."""
    target, level, n = case.constraint.value, case.constraint.confidence, case.n
    if level is None or target == 1 or float(case.best.low) >= target:
        return None
    needed = positives_needed(0, target, level)
    worth = float(case.best.n_effective)
    shown = f"{n:,}" if worth >= n or n == 0 else f"{n:,}, worth {worth:,.1f} independent ones"
    return (
        f"To skip any it needs at least {needed:,} independent checks with evidence, none of them missed; "
        f"here are {shown}."
    )


def note_of(case: Case) -> str | None:
    constraint, n, found = case.constraint, case.n, case.verdict
    if case.is_nothing_skipped and case.counted.rows.rules != FIRST:
        return _needed_to_skip(case)
    if found == "not_assessed" and 0 < n < MIN_CASES:
        return TOO_FEW
    if found == "infeasible_with_this_n" and constraint.value == 1:
        return NEVER
    if found == "infeasible_with_this_n":
        needed = positives_needed(0, constraint.value, case.level)
        worth = float(case.best.n_effective)
        best = percent_at_least(float(case.best.low))
        if worth >= n:
            return f"It needs at least {needed:,} cases without a failure; {n:,} can show at most {best}."
        return (
            f"It needs at least {needed:,} independent cases without a failure; {n:,}, worth {worth:,.1f} "
            f"independent ones, can show at most {best}."
        )
    if found == "met_point_only":
        if constraint.metric == SENSITIVITY and lower_bound(case.n_good, n, case.level) >= constraint.value:
            return BY_EXACT_BOUND.format(several=case.counted.rows.unit.several)
        n_failed = n - case.n_good
        needed = positives_needed(n_failed, constraint.value, case.level)
        failures = "failure" if n_failed == 1 else "failures"
        cases = CASES[constraint.metric]
        return f"With {n_failed:,} {failures} it would need at least {needed:,} independent {cases}."
    if found == "not_met" and n:
        sums = case.counted.sums(METRICS[constraint.metric])
        high = case.counted.interval(sums, confidence=case.level, sides=2).high
        return MAY_STILL_HOLD if bool(is_not_excluded(high, constraint.value)) else None
    return None
