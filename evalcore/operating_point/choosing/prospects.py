"""What a test can show, and how likely it is to: known before the choice is made."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from evalcore.data import Data
from evalcore.inference.binomial import lower_bound, positives_needed
from evalcore.inference.cluster_sums import TELLING_POSTS, ClusterSums
from evalcore.inference.clustered import share_interval
from evalcore.inference.verdicts import MIN_CASES
from evalcore.operating_point.choosing.claims import MOST_GROUPS, short_of
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL
from evalcore.operating_point.choosing.request import (
    Confidence,
    checked_groups,
    constraints_of,
    row_sets_of,
    split_in_use,
    targets_of,
)
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    Thresholds,
    find_thresholds,
    n_allowed_misses,
)
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.groups import (
    UNSHOWN,
    GroupCount,
    Mark,
    group_verdict,
    marked_counts,
)
from evalcore.operating_point.tradeoff.post_sums import flawless
from evalcore.operating_point.wording import capitalised, counted, percent, percent_at_least
from evalcore.tallies.decisions import states_at

NOTHING_SKIPPED = "nothing can be skipped on tune with this guarantee, so there will be nothing to confirm"
NO_ALERTS = "no threshold reaches the target on tune, so there will be no alerts to confirm"
CASES = {SENSITIVITY: "positive", PRECISION: "alert"}
CLUSTERED = "few {several} hold most {cases}s, and nobody knows how alike those of one {one} are"


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


def outlooks(
    data: Data,
    *,
    screening_sensitivity: float | None = 0.995,
    alert_precision: float | None = 0.9,
    confidence: Confidence = 0.95,
    tune: str | None = None,
    test: str | None = None,
    test_data: Data | None = None,
    model: str | None = None,
    cluster: str | None = None,
    marks: Collection[Mark] = (),
) -> tuple[Outlook, ...]:
    """What a test can show of each target, before it is looked at; empty without a test or a target.

    Of the test rows only their number, their positives and how these share posts and marked groups are used,
    no score.

    Parameters
    ----------
    data, screening_sensitivity, alert_precision, confidence, tune, test, test_data, model, cluster : as for
        `choose_operating_point`.
    marks : groups that must hold the target of screening sensitivity by themselves: the chance is then at
        most that of all rows, and 0 where one cannot show the target on test, or misses it or cannot show it
        on tune, where the rule's own threshold is known.

    Raises
    ------
    InputError : as for `choose_operating_point`.
    """
    constraints = constraints_of(screening_sensitivity, alert_precision, confidence)
    chosen, tested = row_sets_of(data, tune, test, test_data, model, cluster=cluster)
    if tested is None:
        return ()
    targets = targets_of(constraints)
    found = find_thresholds(chosen.table, *targets, posts=chosen.posts_to_choose_by(*targets))
    of_metric = {SENSITIVITY: _of_sensitivity, PRECISION: _of_precision}
    said = [of_metric[one.metric](one, chosen, tested, found) for one in constraints]
    known, _ = checked_groups(marks, (), data, test_data, divided_by=split_in_use(tune, test))
    if known:
        said = [
            _with_marks(one, known, chosen, tested, found) if one.constraint.metric == SENSITIVITY else one
            for one in said
        ]
    return tuple(said)


def marked_outlooks(
    data: Data,
    marks: Collection[Mark],
    *,
    screening_sensitivity: float | None = 0.995,
    alert_precision: float | None = 0.9,
    confidence: Confidence = 0.95,
    tune: str | None = None,
    test: str | None = None,
    test_data: Data | None = None,
    model: str | None = None,
    cluster: str | None = None,
) -> tuple[str, ...]:
    """What the rows that decide can show at most of each marked group, as sentences; no score is read.

    Parameters
    ----------
    data, screening_sensitivity, alert_precision, confidence, tune, test, test_data, model, cluster : as for
        `choose_operating_point`.
    marks : columns and levels.

    Raises
    ------
    InputError : as for `choose_operating_point`.
    """
    target, _ = targets_of(constraints_of(screening_sensitivity, alert_precision, confidence))
    known, _ = checked_groups(marks, (), data, test_data, divided_by=split_in_use(tune, test))
    chosen, tested = row_sets_of(data, tune, test, test_data, model, cluster=cluster)
    rows = chosen if tested is None else tested
    if target is None or not known:
        return ()
    level = target.confidence or REPORT_LEVEL
    counts = marked_counts(rows.scored, rows.queries, known, None, confidence=level, rules=rows.rules)
    return tuple(_of_marked(one, target.value, level, rows.in_words) for one in counts)


def _of_marked(count: GroupCount, target: float, level: float, where: str) -> str:
    n = count.n_positive
    held = f"{count.column} = {count.level}: {counted(n, 'positive')} on {where}"
    if n == 0:
        return f"{held} can show nothing of it."
    best = lower_bound(n, n, level)
    shown = f"{held} can show at most ≥ {percent_at_least(best)}"
    if not _can_show(n, target, level):
        needed = _needed(target, level)
        return f"{shown}: {percent(target)} cannot be shown of it, which takes {needed}."
    return f"{shown}."


def _can_show(n: int, target: float, level: float) -> bool:
    """Whether so many positives of a group, none of them missed, could show a target."""
    return n >= MIN_CASES and bool(lower_bound(n, n, level) >= target)


def _needed(target: float, level: float) -> str:
    if target == 1:
        return "more than any number"
    return f"at least {max(positives_needed(0, target, level), MIN_CASES):,}"


def _with_marks(
    said: Outlook, marks: Collection[Mark], chosen: RowSet, tested: RowSet, found: Thresholds
) -> Outlook:
    """The outlook of screening sensitivity where marked groups must hold the target too."""
    target, level = said.constraint.value, said.constraint.confidence or REPORT_LEVEL
    said = replace(said, has_marks=True)
    if said.chance == 0:
        return said
    on_tune, on_test = (
        marked_counts(rows.scored, rows.queries, marks, tau, confidence=level, rules=rows.rules)
        for rows, tau in ((chosen, found.tau_neg), (tested, None))
    )
    unshown = [one for one in on_test if not _can_show(one.n_positive, target, level)]
    if unshown:
        held = [
            f"{one.column} = {one.level} with {counted(one.n_positive, 'positive')}"
            for one in unshown[:MOST_GROUPS]
        ]
        if len(unshown) > MOST_GROUPS:
            held.append(f"{len(unshown) - MOST_GROUPS:,} more")
        reason = (
            f"it can never confirm {percent(target)} of each marked group, which takes "
            f"{_needed(target, level)} positives: {', '.join(held)}"
        )
        return replace(said, chance=0.0, reason=reason)
    short = [(one, told) for one in on_tune if (told := group_verdict(one, target)) in UNSHOWN]
    if short:
        reason = f"a certificate is ruled out by tune: {short_of('met_with_confidence', short)}"
        return replace(said, chance=0.0, reason=reason)
    return said


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
    'Test can show at most ≥ 98.92 % with 276 positives: it can never confirm 99.5 %.'
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


def _of_sensitivity(constraint: Constraint, chosen: RowSet, tested: RowSet, found: Thresholds) -> Outlook:
    tau = found.tau_neg
    n_missed = -1 if tau is None else int(states_at(chosen.table, tau, None).neg_pos)
    on_tune, on_test = (rows.whole.kept(slice(0, 1)) for rows in (chosen, tested))
    # How alike the scores of a post are is taken from tune: no score of the test is looked at.
    on_test = replace(on_test, correlation=on_tune.correlation)
    said = outlook_on_test(
        constraint,
        chosen.n_positives,
        tested.n_positives,
        n_missed=n_missed,
        n_effective=float(on_test.n_if_unseen[0]),
    )
    return _with_posts(said, on_tune, on_test, tested)


def _of_precision(constraint: Constraint, chosen: RowSet, tested: RowSet, found: Thresholds) -> Outlook:
    counts = states_at(chosen.table, None, found.tau_pos)
    ratio = tested.n_rows / chosen.n_rows
    at = len(chosen.table.score) if found.tau_pos is None else chosen.table.index(found.tau_pos)
    alerts = chosen.posts.right(slice(at, at + 1))
    said = outlook_of_alerts(
        constraint,
        int(counts.pos_pos),
        int(counts.n_pos),
        ratio,
        design=float(alerts.n[0] / alerts.n_if_unseen[0]) if tested.has_units else 1.0,
    )
    return _with_posts(said, alerts, None, tested)


def _with_posts(said: Outlook, on_tune: ClusterSums, on_test: ClusterSums | None, tested: RowSet) -> Outlook:
    """The outlook where cases share posts: nobody can say the chance where few posts hold most of them."""
    known = [sums for sums in (on_tune, on_test) if sums is not None]
    if not tested.has_units or said.n_cases == 0:
        return said
    best = said.best
    if on_test is not None:
        level = said.constraint.confidence or REPORT_LEVEL
        best = float(share_interval(flawless(on_test), confidence=level, sides=1, end="low").low[0])
    if best < said.constraint.value:
        return Outlook(said.constraint, said.n_cases, best, said.chance if on_test is None else 0.0)
    is_clustered = any(bool(sums.is_heavily_clustered[0]) for sums in known)
    if not is_clustered or said.reason is not None:
        return Outlook(said.constraint, said.n_cases, best, said.chance, said.reason)
    reason = CLUSTERED.format(
        cases=CASES[said.constraint.metric], one=tested.unit.one, several=tested.unit.several
    )
    return Outlook(said.constraint, said.n_cases, best, math.nan, reason)


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
