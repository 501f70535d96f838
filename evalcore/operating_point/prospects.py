"""What a test can show, and how likely it is to: known before the choice is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from evalcore.inference.binomial import lower_bound
from evalcore.operating_point.constraints import Constraint, n_allowed_misses
from evalcore.operating_point.estimates import REPORT_LEVEL
from evalcore.operating_point.wording import percent, percent_at_least


@dataclass(frozen=True)
class Outlook:
    """What a test of a screening sensitivity can come to.

    Parameters
    ----------
    constraint : the target.
    n_positives : positives to be tested on.
    best : the lower bound when none of them is missed, in [0, 1]; NaN without positives.
    chance : that the target is confirmed when tune and test are alike, in [0, 1]; 0 when no result could.
    """

    constraint: Constraint
    n_positives: int
    best: float
    chance: float

    @property
    def text(self) -> str:
        """The outlook as a sentence."""
        if self.n_positives == 0:
            return "Test holds no check with evidence: it can show nothing about screening sensitivity."
        target = percent(self.constraint.value)
        can_show = f"at most ≥ {percent_at_least(self.best)} with {self.n_positives:,} positives"
        if self.chance == 0:
            return f"Test can show {can_show}: it can never confirm {target}."
        chance = f"{round(100 * self.chance)} %"
        return f"Test can show {can_show}; the chance that it confirms {target} is about {chance}."


def outlook_on_test(constraint: Constraint, n_tune_positives: int, n_test_positives: int) -> Outlook:
    """What a test can show at best, and the chance that the rule's own τ_neg is confirmed by it.

    τ_neg is the (k+1)-th smallest score of the tune positives. When tune and test are alike, how many test
    positives lie below it depends on the order of the scores alone: it is beta-binomial, whatever the scores.

    Parameters
    ----------
    constraint : target for screening sensitivity.
    n_tune_positives, n_test_positives : positives to choose on and to test on.

    Returns
    -------
    Outlook

    Examples
    --------
    >>> outlook = outlook_on_test(Constraint("gate.screening_sensitivity", 0.995, 0.95), 690, 689)
    >>> round(outlook.best, 4), round(outlook.chance, 2)
    (0.9957, 0.5)
    >>> outlook_on_test(Constraint("gate.screening_sensitivity", 0.995, 0.95), 1103, 276).text
    'Test can show at most ≥ 98.92 % with 276 positives: it can never confirm 99.5 %.'
    """
    level = constraint.confidence or REPORT_LEVEL
    best = lower_bound(n_test_positives, n_test_positives, level)
    n_missed_tune = n_allowed_misses(n_tune_positives, constraint)
    n_allowed = n_allowed_misses(n_test_positives, Constraint(constraint.metric, constraint.value, level))
    chance = (
        0.0
        if min(n_missed_tune, n_allowed) < 0
        else _chance(n_missed_tune, n_tune_positives, n_allowed, n_test_positives)
    )
    return Outlook(constraint, n_test_positives, best, chance)


def _chance(n_missed: int, n_tune: int, n_allowed: int, n_test: int) -> float:
    """P(at most ``n_allowed`` of the test positives lie below the (``n_missed`` + 1)-th smallest of tune)."""
    below, above = n_missed + 1, n_tune - n_missed
    missed = np.arange(n_allowed + 1)
    log_ways = (
        special.gammaln(n_test + 1) - special.gammaln(missed + 1) - special.gammaln(n_test - missed + 1)
    )
    log_share = special.betaln(missed + below, n_test - missed + above) - special.betaln(below, above)
    return float(np.exp(log_ways + log_share).sum())
