"""What it takes to confirm a target on rows that the thresholds were not chosen on."""

from __future__ import annotations

import math

from evalcore.inference.binomial import lower_bound, positives_needed
from evalcore.operating_point.constraints import Constraint
from evalcore.operating_point.estimates import REPORT_LEVEL
from evalcore.operating_point.wording import percent, percent_at_least, percent_at_most

CASES = "checks with evidence"


def enough_to_confirm(constraint: Constraint, n_positives: int) -> str:
    """How many positives a test of the screening sensitivity needs, beside how many there are to split.

    Parameters
    ----------
    constraint : target for screening sensitivity; of an estimate, confirming is meant with 95 % confidence.
    n_positives : positives of all rows, 0 or more, of which a test would get a part.

    Returns
    -------
    str : one sentence; posts with several positives make it more.

    Examples
    --------
    >>> target = Constraint("gate.screening_sensitivity", 0.995, 0.95)
    >>> print(enough_to_confirm(target, 186))
    99.5 % with 95 % confidence needs 598 checks with evidence in test and no miss: these rows have 186 in \
all, which could show at most ≥ 98.4 %.
    >>> print(enough_to_confirm(target, 1379))
    99.5 % with 95 % confidence needs 598 checks with evidence in test and no miss: at least 43.37 % of the \
1,379 that these rows have.
    """
    level = constraint.confidence or REPORT_LEVEL
    if constraint.value == 1:
        return "100 % can be confirmed by no number of checks: a lower bound stays below it."
    needed = positives_needed(0, constraint.value, level)
    aim = (
        f"{percent(constraint.value)} with {percent(level)} confidence needs {needed:,} {CASES} in test and "
    )
    if n_positives >= needed:
        share = percent_at_most(needed / n_positives)
        return f"{aim}: at least {share} of the {n_positives:,} that these rows have."
    best = lower_bound(n_positives, n_positives, level)
    shown = "" if math.isnan(best) else f", which could show at most ≥ {percent_at_least(best)}"
    return f"{aim}: these rows have {n_positives:,} in all{shown}."


def too_few_to_confirm(constraint: Constraint, n_test_positives: int) -> str | None:
    """That a test has too few positives for its target, in a sentence; None where they may be enough.

    Parameters
    ----------
    constraint : as for `enough_to_confirm`.
    n_test_positives : positives of the test rows, 0 or more.

    Examples
    --------
    >>> target = Constraint("gate.screening_sensitivity", 0.995, 0.95)
    >>> too_few_to_confirm(target, 598)
    >>> print(too_few_to_confirm(target, 186))
    99.5 % with 95 % confidence needs 598 checks with evidence in test and no miss; test has 186.
    """
    level = constraint.confidence or REPORT_LEVEL
    if constraint.value == 1:
        return enough_to_confirm(constraint, n_test_positives)
    needed = positives_needed(0, constraint.value, level)
    if n_test_positives >= needed:
        return None
    aim = f"{percent(constraint.value)} with {percent(level)} confidence needs {needed:,} {CASES}"
    return f"{aim} in test and no miss; test has {n_test_positives:,}."
