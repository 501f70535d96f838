"""What a test of one target can come to, from the numbers of its cases alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from evalcore.inference.binomial import lower_bound, positives_needed
from evalcore.inference.cluster_sums import TELLING_POSTS
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint, n_allowed_misses
from evalcore.operating_point.wording import capitalised, counted, percent
from evalcore.text.numerals import percent_at_least

NOTHING_SKIPPED = "nothing can be skipped on tune with this guarantee, so there will be nothing to confirm"
NO_ALERTS = "no threshold reaches the target on tune, so there will be no alerts to confirm"
CASES = {SENSITIVITY: "positive", PRECISION: "alert"}


@dataclass(frozen=True)
class Outlook:
    """What a test of one target can come to.

    Parameters
    ----------
    constraint : the target.
    n_cases : positives to be tested on or, of alert precision, the alerts that tune lets expect.
    best : the lower bound when none of them fails, in [0, 1]; NaN without cases.
    chance : that the target is confirmed when tune and test are alike, in [0, 1]; NaN where it cannot be
        said. Of alert precision it is the most that can be hoped for: the threshold is taken where tune looks
        best.
    reason : why the chance is 0 though enough cases are there, or why it cannot be said; None otherwise.
    has_marks : whether marked groups must hold the target as well: then the chance is at most this.
    """

    constraint: Constraint
    n_cases: int
    best: float
    chance: float
    reason: str | None = None
    has_marks: bool = False

    @property
    def text(self) -> str:
        """The outlook as a sentence."""
        constraint, is_sensitivity = self.constraint, self.constraint.metric == SENSITIVITY
        target, cases = percent(constraint.value), counted(self.n_cases, CASES[constraint.metric])
        if self.n_cases == 0 and is_sensitivity:
            return "Test holds no check with evidence: it can show nothing about screening sensitivity."
        about = "" if is_sensitivity else " of alert precision"
        if self.n_cases == 0:
            why = self.reason or "tune lets expect no alerts there"
            return f"Test can show nothing{about}: {why}."
        expected = "" if is_sensitivity else "about "
        shown = f"Test can show{about} at most ≥ {percent_at_least(self.best)} with {expected}{cases}"
        if math.isnan(self.chance):
            return f"{shown}; the chance that it confirms {target} cannot be said: {self.reason}."
        if self.reason is not None:
            return f"{shown}. {capitalised(self.reason)}."
        if self.chance == 0:
            return f"{shown}: it can never confirm {target}."
        chance = _about(self.chance) if is_sensitivity else f"at best {_about(self.chance)}"
        if self.has_marks:
            chance = f"at most {chance}, for each marked group must hold it as well"
        return f"{shown}; the chance that it confirms {target} is {chance}."


def outlook_on_test(
    constraint: Constraint,
    n_tune_positives: int,
    n_test_positives: int,
    *,
    n_missed: int | None = None,
    n_effective: float | None = None,
) -> Outlook:
    """What a test can show at best, and the chance that the rule's own τ_neg is confirmed by it.

    τ_neg is the (k+1)-th smallest score of the tune positives. When tune and test are alike and positives
    independent, how many test positives lie below it depends on the order of the scores alone: it is
    beta-binomial, whatever the scores. Tied positives are missed together or not at all: where the k+1-th is
    tied with others before it, τ_neg misses those below the tie only, and so does the test.

    Parameters
    ----------
    constraint : target for screening sensitivity.
    n_tune_positives, n_test_positives : positives to choose on and to test on.
    n_missed : positives of tune below τ_neg, where ties leave fewer than the rule allows; −1 where nothing
        can be skipped; None: as many as it allows.
    n_effective : how many independent ones the test positives are worth before a miss is seen; None: all.

    Returns
    -------
    Outlook

    Examples
    --------
    >>> outlook = outlook_on_test(Constraint("gate.screening_sensitivity", 0.995, 0.95), 690, 689)
    >>> round(outlook.best, 4), round(outlook.chance, 2)
    (0.9957, 0.5)
    >>> outlook_on_test(Constraint("gate.screening_sensitivity", 0.995, 0.95), 1103, 276).text
    'Test can show at most ≥ 98.9 % with 276 positives: it can never confirm 99.5 %.'
    """
    level = constraint.confidence or REPORT_LEVEL
    worth = n_test_positives if n_effective is None else n_effective
    best = lower_bound(worth, worth, level)
    n_missed_tune = n_allowed_misses(n_tune_positives, constraint) if n_missed is None else n_missed
    on_test = Constraint(constraint.metric, constraint.value, level)
    n_allowed = n_allowed_misses(n_test_positives, on_test, n_effective=n_effective)
    if n_allowed < 0:
        return Outlook(constraint, n_test_positives, best, 0.0)
    if n_missed_tune < 0:
        return Outlook(constraint, n_test_positives, best, 0.0, NOTHING_SKIPPED)
    chance = _chance(n_missed_tune, n_tune_positives, n_allowed, n_test_positives)
    return Outlook(constraint, n_test_positives, best, chance)


def outlook_of_alerts(
    constraint: Constraint, n_right: int, n_alerts: int, ratio: float, *, design: float = 1.0
) -> Outlook:
    """What a test can show of alert precision, and the most that can be hoped for.

    Right and wrong alerts on test are predicted from those of tune: Poisson, with the uncertainty that so
    many leave (Gamma, Jeffreys). The threshold was taken where tune looks best, which flatters: the chance
    is an upper one.

    Parameters
    ----------
    constraint : target for alert precision.
    n_right, n_alerts : on tune, at the rule's own τ_pos.
    ratio : rows of test for one row of tune, positive.
    design : how many alerts stand for one independent one while none is wrong, at least 1.

    Returns
    -------
    Outlook

    Source
    ------
    The negative binomial as the predictive distribution of a Poisson count; Gelman et al., Bayesian Data
    Analysis, 2.6.

    Examples
    --------
    >>> target = Constraint("gate.alert_precision", 0.9, 0.95)
    >>> outlook = outlook_of_alerts(target, 290, 300, 1.0)
    >>> outlook.n_cases, round(outlook.best, 4), round(outlook.chance, 2)
    (300, 0.9901, 0.98)
    """
    from scipy import stats  # takes longer to import than most evaluations take

    level = constraint.confidence or REPORT_LEVEL
    n_expected = round(n_alerts * ratio)
    if n_expected == 0:
        return Outlook(constraint, 0, math.nan, 0.0, None if n_alerts else NO_ALERTS)
    best = lower_bound(n_expected / design, n_expected / design, level)
    if constraint.value == 1:
        return Outlook(constraint, n_expected, best, 0.0)
    share = 1 / (1 + ratio)
    n_wrong = n_alerts - n_right
    wrong = np.arange(int(stats.nbinom.ppf(1 - 1e-9, n_wrong + 0.5, share)) + 1)
    # As in the bound itself, at best: each wrong alert beside a right one in a post of its own.
    designs = 1 + (design - 1) * np.minimum(np.maximum(0, 1 - wrong / TELLING_POSTS), 1 / (1 + wrong))
    needed = np.array(
        [
            positives_needed(int(n), constraint.value, level, design=float(by)) - n
            for n, by in zip(wrong, designs, strict=True)
        ]
    )
    reached = stats.nbinom.sf(needed - 1, n_right + 0.5, share)
    chance = float(np.sum(stats.nbinom.pmf(wrong, n_wrong + 0.5, share) * reached))
    return Outlook(constraint, n_expected, best, chance)


def _about(chance: float) -> str:
    """A chance that is neither 0 nor 1 in words that do not say so."""
    whole = round(100 * chance)
    if whole in (0, 100):
        return "below 1 %" if whole == 0 else "above 99 %"
    return f"about {whole} %"


def _chance(n_missed: int, n_tune: int, n_allowed: int, n_test: int) -> float:
    """P(at most ``n_allowed`` of the test positives lie below the (``n_missed`` + 1)-th smallest of tune)."""
    below, above = n_missed + 1, n_tune - n_missed
    missed = np.arange(n_allowed + 1)
    log_ways = (
        special.gammaln(n_test + 1) - special.gammaln(missed + 1) - special.gammaln(n_test - missed + 1)
    )
    log_share = special.betaln(missed + below, n_test - missed + above) - special.betaln(below, above)
    return float(np.exp(log_ways + log_share).sum())
