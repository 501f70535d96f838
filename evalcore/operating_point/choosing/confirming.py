"""What it takes to confirm a target on rows that the thresholds were not chosen on."""

from __future__ import annotations

import math

from evalcore.inference.binomial import positives_needed
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL
from evalcore.operating_point.constraints import Constraint
from evalcore.operating_point.wording import percent

CASES = "checks with evidence"


def enough_to_confirm(constraint: Constraint, n_positives: int, *, whose: str = "test has") -> str:
    """How many positives a test of the screening sensitivity needs, beside how many there are.

    Parameters
    ----------
    constraint : target for screening sensitivity; of an estimate, confirming is meant with 95 % confidence.
    n_positives : positives that there are, 0 or more.
    whose : who has them, in words.

    Returns
    -------
    str : a sentence. Where posts have several positives it takes more.

    Examples
    --------
    >>> target = Constraint("gate.screening_sensitivity", 0.995, 0.95)
    >>> enough_to_confirm(target, 186)
    '99.5 % needs 598 checks with evidence in test and no miss (95 % confidence); test has 186.'
    """
    if constraint.value == 1:
        return "100 % is confirmed by no number of checks: every lower bound stays below it."
    aim, needed = percent(constraint.value), needed_to_confirm(constraint)
    confidence = f"({percent(constraint.confidence or REPORT_LEVEL)} confidence)"
    return f"{aim} needs {needed:,} {CASES} in test and no miss {confidence}; {whose} {n_positives:,}."


def needed_to_confirm(constraint: Constraint) -> float:
    """Fewest positives that can confirm a screening sensitivity, all found; infinite for 100 %.

    Parameters
    ----------
    constraint : as for `enough_to_confirm`.

    Examples
    --------
    >>> needed_to_confirm(Constraint("gate.screening_sensitivity", 0.995, 0.95))
    598
    """
    if constraint.value == 1:
        return math.inf
    return positives_needed(0, constraint.value, constraint.confidence or REPORT_LEVEL)
