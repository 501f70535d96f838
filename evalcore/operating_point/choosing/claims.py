"""What may be said of targets on one set of rows: verdicts, each with its sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from evalcore.inference.binomial import lower_bound, positives_needed
from evalcore.inference.clustered import ShareInterval
from evalcore.inference.verdicts import MIN_CASES, Verdict, is_not_excluded, verdict
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL, Counted
from evalcore.operating_point.choosing.folds import OverFolds
from evalcore.operating_point.choosing.without_model import BEGINNING, WithoutModel, without_model
from evalcore.operating_point.constraints import NAMES, PRECISION, SENSITIVITY, Constraint
from evalcore.operating_point.rules import FIRST
from evalcore.operating_point.tradeoff.groups import (
    SHORTFALL,
    GroupCount,
    Mark,
    group_verdict,
    group_words,
    verdict_with_marked,
    worst_first,
)
from evalcore.operating_point.tradeoff.post_sums import flawless
from evalcore.operating_point.units import POST, Unit
from evalcore.operating_point.wording import (
    capitalised,
    percent,
    percent_at_least,
    percent_of,
    words_of,
)
from evalcore.spec import METRICS

COUNTED = {
    SENSITIVITY: ("check with evidence kept for a reader", "checks with evidence kept for a reader"),
    PRECISION: ("alert right", "alerts right"),
}
"""Of one, of several."""

MET = ("met_with_confidence", "met_point_only", "infeasible_with_this_n")
"""Verdicts of a target that the estimate reaches."""

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
MOST_GROUPS = 3
"""So many marked groups are named in a claim."""

Marked = tuple[GroupCount, Verdict]
"""A marked group, and the verdict on it by itself."""

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


def claims(
    counted: Counted,
    constraints: tuple[Constraint, ...],
    *,
    prevalence: float | None = None,
    marks: Sequence[Mark] = (),
) -> list[dict[str, Any]]:
    """The verdict on every target, on these rows, as entries of a document's ``claims``.

    Parameters
    ----------
    counted : the rows by state and label.
    constraints : the targets.
    prevalence : the prevalence that claims on test are for, where it is named.
    marks : the groups that must hold the target of screening sensitivity by themselves.
    """
    return [_claim(_Case(constraint, counted, prevalence, tuple(marks))) for constraint in constraints]


def pooled_claims(folds: OverFolds, constraints: tuple[Constraint, ...]) -> list[dict[str, Any]]:
    """What the procedure came to over the folds, for every target; no verdict is given."""
    found = []
    for constraint in constraints:
        ratio = METRICS[constraint.metric](folds.pooled)
        n_good, n = int(ratio.numerator), int(ratio.denominator)
        text = pooled_text(constraint.metric, constraint.value, n_good, n, n_folds=len(folds.folds))
        found.append(
            {
                "text": text,
                "metric": constraint.metric,
                "op": ">=",
                "value": constraint.value,
                "confidence": constraint.confidence or REPORT_LEVEL,
                "verdict": "not_assessed",
                "evaluated_on": "folds",
                "note": POOLED,
            }
        )
    return found


def pooled_text(metric: str, target: float, n_good: int, n: int, *, n_folds: int) -> str:
    """The sentence on a target over held-out folds."""
    share = percent_of(n_good, n, target=target)
    outcome = f"{_share_in_words(metric, n_good, n)} ({share})" if n else "none"
    aim = f"{NAMES[metric].capitalize()} of at least {percent(target)}"
    return f"{aim} over {n_folds} held-out folds: no verdict. {capitalised(outcome)}."


@dataclass(frozen=True)
class Said:
    """What the sentence of a claim rests on: counted on rows, or read from a document.

    Parameters
    ----------
    constraint : the target.
    level : of the bound.
    where : the rows in words.
    is_in_sample : whether the thresholds were chosen on them.
    is_nothing_skipped : whether nothing is claimed because nothing is skipped.
    n_good, n : the counts.
    interval : the bounds; None without a case.
    prevalence : that the claim is for, where it names one.
    unit : what is taken as independent.
    whole : the verdict on all rows, where marked groups fall short of it.
    short : these groups, in words.
    """

    constraint: Constraint
    level: float
    where: str
    is_in_sample: bool
    is_nothing_skipped: bool
    n_good: int
    n: int
    interval: ShareInterval | None
    prevalence: float | None = None
    unit: Unit = POST
    whole: Verdict | None = None
    short: str = ""


def judge(constraint: Constraint, counted: Counted) -> Verdict:
    """The verdict on a target from the counts alone, whether or not the thresholds were chosen on them."""
    return _Case(constraint, counted).verdict


@dataclass(frozen=True)
class _Case:
    """A target and the rows on which it is judged."""

    constraint: Constraint
    counted: Counted
    prevalence: float | None = None
    marks: tuple[Mark, ...] = ()

    @cached_property
    def marked(self) -> list[Marked]:
        """The marked groups, each with the verdict on it by itself."""
        if self.constraint.metric != SENSITIVITY or not self.marks:
            return []
        rows = self.counted.rows
        counts = rows.marked_counts(self.marks, self.counted.tau_neg, confidence=self.level)
        return [(one, group_verdict(one, self.constraint.value)) for one in counts]

    @property
    def level(self) -> float:
        return self.constraint.confidence or REPORT_LEVEL

    @property
    def is_in_sample(self) -> bool:
        return self.counted.rows.role != "test"

    @property
    def is_nothing_skipped(self) -> bool:
        return self.constraint.metric == SENSITIVITY and int(self.counted.total.n_neg) == 0

    @cached_property
    def n_good(self) -> int:
        return int(self.counted.share(METRICS[self.constraint.metric]).numerator)

    @cached_property
    def n(self) -> int:
        return int(self.counted.share(METRICS[self.constraint.metric]).denominator)

    @cached_property
    def interval(self) -> ShareInterval:
        sums = self.counted.sums(METRICS[self.constraint.metric])
        return self.counted.interval(sums, confidence=self.level, sides=1)

    @cached_property
    def best(self) -> ShareInterval:
        sums = flawless(self.counted.sums(METRICS[self.constraint.metric]))
        return self.counted.interval(sums, confidence=self.level, sides=1)

    @property
    def said(self) -> Said:
        """What the sentence rests on."""
        return Said(
            self.constraint,
            self.level,
            self.counted.rows.in_words,
            self.is_in_sample,
            self.is_nothing_skipped,
            self.n_good,
            self.n,
            self.interval if self.n else None,
            self.prevalence,
            self.counted.rows.unit,
        )

    @property
    def without_model(self) -> WithoutModel | None:
        """What a rule without scores reaches; None in documents that do not say it."""
        n_skipped = int(self.counted.total.n_neg)
        return without_model(self.counted.rows, self.constraint.metric, self.constraint.value, n_skipped)

    @cached_property
    def verdict(self) -> Verdict:
        if self.is_nothing_skipped:
            return "not_assessed"
        return verdict(
            self.n_good,
            self.n,
            target=self.constraint.value,
            low=float(self.interval.low),
            best_low=float(self.best.low),
            none_is_not_met=self.constraint.metric == PRECISION,
        )


def _claim(case: _Case) -> dict[str, Any]:
    constraint, found, note = case.constraint, case.verdict, _note(case)
    if case.is_in_sample and constraint.is_from_data and case.n and not case.is_nothing_skipped:
        found, note = "not_assessed", None
    elif case.is_in_sample and constraint.metric == PRECISION and found == "met_with_confidence":
        found, note = "met_point_only", IN_SAMPLE
    whole, found = found, verdict_with_marked(found, [one for _, one in case.marked])
    if case.without_model is not None and found in MET:
        note = " ".join(filter(None, (note, case.without_model.note)))
    claim: dict[str, Any] = {
        "text": text_of(with_marked(case.said, whole, case.marked), found),
        "metric": constraint.metric,
        "op": ">=",
        "value": constraint.value,
        "confidence": case.level,
        "verdict": found,
        "evaluated_on": case.counted.rows.role,
    }
    beside = {"verdict_of_all": whole} if case.marked else {}
    return claim | beside | ({"note": note} if note else {})


def with_marked(said: Said, whole: Verdict, marked: Sequence[Marked]) -> Said:
    """What a sentence rests on, with the marked groups that fall short of the whole.

    Parameters
    ----------
    said : what it rests on without them.
    whole : the verdict on all rows.
    marked : the marked groups, each with the verdict on it.
    """
    short = short_of(whole, marked)
    return replace(said, whole=whole, short=short) if short else said


def short_of(whole: Verdict, marked: Sequence[Marked]) -> str:
    """The marked groups that fall short of the whole, in words, worst first; empty where none does."""
    if whole in ("not_met", "not_assessed"):
        return ""
    verdicts = {(one.column, one.level): found for one, found in marked}
    short = [
        (one, verdicts[one.column, one.level])
        for one in worst_first(one for one, _ in marked)
        if SHORTFALL.index(verdicts[one.column, one.level]) < SHORTFALL.index(whole)
    ]
    short.sort(key=lambda one: SHORTFALL.index(one[1]))
    named = [group_words(*one) for one in short[:MOST_GROUPS]]
    more = len(short) - MOST_GROUPS
    if more > 0:
        named.append(f"{more:,} more marked group{'s fall' if more > 1 else ' falls'} short")
    return "; ".join(named)


def outcome_in_words(found: Verdict, whole: Verdict | None, short: str, level: float) -> str:
    """A verdict in words or, where marked groups fall short, these and what holds of all checks together."""
    if whole is None or not short:
        return words_of(found, level)
    return f"{short}; all checks together: {words_of(whole, level)}"


def text_of(case: Said, found: Verdict) -> str:
    """The sentence of a claim.

    Parameters
    ----------
    case : what it rests on.
    found : the verdict.
    """
    constraint = case.constraint
    aim = f"{NAMES[constraint.metric].capitalize()} of at least {percent(constraint.value)}"
    where = f"on {case.where}"
    if case.prevalence is not None and not case.is_in_sample:
        where += f", at a prevalence of {percent(case.prevalence)}"
    if case.is_nothing_skipped:
        return f"{aim} {where}: nothing is skipped, so nothing is claimed."
    if case.interval is None:
        is_precision = constraint.metric == PRECISION
        outcome = "not met, no alerts" if is_precision else "not assessed, no checks with evidence"
        return f"{aim} {where}: {outcome}."
    level = percent(case.level)
    outcome = outcome_in_words(found, case.whole, case.short, case.level)
    if case.is_in_sample and constraint.is_from_data:
        outcome = "the highest that these rows can support, set after seeing them"
    share = percent_of(case.n_good, case.n, target=constraint.value)
    remark = _remark(case.interval, case.unit)
    bound = f"at least {percent_at_least(float(case.interval.low))}, one-sided {level}{remark}"
    counts = _share_in_words(constraint.metric, case.n_good, case.n)
    return f"{aim} {where}: {outcome}. {counts} ({share}; {bound})."


def _needed_to_skip(case: _Case) -> str | None:
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


def _share_in_words(metric: str, n_good: int, n: int) -> str:
    one, several = COUNTED[metric]
    return f"{n_good:,} of {n:,} {one if n == 1 else several}"


def _remark(interval: ShareInterval, unit: Unit) -> str:
    """What the bound rests on, where that is not the variation between units."""
    if interval.method == "strict":
        return f", strict: worth {float(interval.n_effective):,.1f} independent ones"
    if not math.isnan(float(interval.correlation)):
        worth, rho = float(interval.n_effective), float(interval.correlation)
        return f", worth {worth:,.1f} independent ones at a correlation of {rho:.2f} within {unit.several}"
    return ", independence assumed" if bool(interval.is_independence_assumed) else ""


def _note(case: _Case) -> str | None:
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
