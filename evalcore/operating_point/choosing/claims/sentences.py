"""The sentence of a claim, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evalcore.inference.clustered import ShareInterval
from evalcore.inference.verdicts import Verdict
from evalcore.operating_point.constraints import NAMES, PRECISION, SENSITIVITY, Constraint
from evalcore.operating_point.tradeoff.groups import SHORTFALL, GroupCount, group_words, worst_first
from evalcore.operating_point.units import POST, Unit
from evalcore.operating_point.wording import capitalised, percent, percent_at_least, percent_of, words_of

COUNTED = {
    SENSITIVITY: ("check with evidence kept for a reader", "checks with evidence kept for a reader"),
    PRECISION: ("alert right", "alerts right"),
}
"""Of one, of several."""
MOST_GROUPS = 3
"""So many marked groups are named in a claim."""

Marked = tuple[GroupCount, Verdict]
"""A marked group, and the verdict on it by itself."""


def pooled_text(metric: str, target: float, n_good: int, n: int, *, n_folds: int) -> str:
    """The sentence on a target over held-out folds."""
    share = percent_of(n_good, n, target=target)
    outcome = f"{share_in_words(metric, n_good, n)} ({share})" if n else "none"
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


def short_of(whole: Verdict, marked: Sequence[Marked], *, most: int = MOST_GROUPS) -> str:
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
    named = [group_words(*one) for one in short[:most]]
    more = len(short) - most
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
    counts = share_in_words(constraint.metric, case.n_good, case.n)
    return f"{aim} {where}: {outcome}. {counts} ({share}; {bound})."


def share_in_words(metric: str, n_good: int, n: int) -> str:
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
