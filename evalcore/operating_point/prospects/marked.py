"""What a test can show of marked groups, each of which must hold the target by itself."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from evalcore.inference.binomial import lower_bound, positives_needed
from evalcore.inference.verdicts import MIN_CASES
from evalcore.operating_point.choosing.claims.sentences import MOST_GROUPS, short_of
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL
from evalcore.operating_point.constraints import Thresholds
from evalcore.operating_point.prospects.outlook import Outlook
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.groups import UNSHOWN, GroupCount, Mark, group_verdict
from evalcore.operating_point.wording import counted, percent
from evalcore.text.numerals import percent_at_least


def outlook_of_marked(count: GroupCount, target: float, level: float, where: str) -> str:
    """What rows can show at most of one marked group, as a sentence.

    Parameters
    ----------
    count : its positives.
    target, level : of screening sensitivity, and of its bound, in (0, 1).
    where : the rows, in words.
    """
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


def with_marks(
    said: Outlook, marks: Collection[Mark], chosen: RowSet, tested: RowSet, found: Thresholds
) -> Outlook:
    """The outlook of screening sensitivity where marked groups must hold the target too."""
    target, level = said.constraint.value, said.constraint.confidence or REPORT_LEVEL
    said = replace(said, has_marks=True)
    if said.chance == 0:
        return said
    on_tune, on_test = (
        rows.marked_counts(marks, tau, confidence=level)
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
