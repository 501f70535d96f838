"""Presets of targets, each with what it costs on the rows chosen on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalcore.operating_point.choosing.request import targets_of
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    Thresholds,
    find_thresholds,
)
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.wording import capitalised, counted, percent
from evalcore.tallies.decisions import StateCounts
from evalcore.text.numerals import percent_of

USUAL = (0.95, 0.98, 0.995)
"""Screening sensitivities that are offered as presets: set before any figure, none is read from data."""


@dataclass(frozen=True)
class Found:
    """What the rule finds for targets, and what that costs on the rows chosen on.

    Parameters
    ----------
    constraints : the targets.
    thresholds : None where a target cannot be met: its zone stays empty.
    counts : rows by state and label at these thresholds.
    """

    constraints: tuple[Constraint, ...]
    thresholds: Thresholds
    counts: StateCounts

    @property
    def workload(self) -> float:
        """Share of the rows that somebody looks at, in [0, 1]."""
        return float((self.counts.total - self.counts.n_neg) / self.counts.total)

    @property
    def short(self) -> str:
        """The screening sensitivity and its workload, where there is little room."""
        target = next((one for one in self.constraints if one.metric == SENSITIVITY), None)
        named = "none" if target is None else f"≥ {percent(target.value)}"
        if self.thresholds.tau_neg is None:
            return f"{named} · nothing skipped"
        n = int(self.counts.total)
        return f"{named} · workload {percent_of(n - int(self.counts.n_neg), n)}"

    @property
    def met(self) -> tuple[Constraint, ...]:
        """The targets that are met."""
        return tuple(one for one in self.constraints if self._is_met(one))

    @property
    def unmet(self) -> tuple[Constraint, ...]:
        """The targets that cannot be had on these rows."""
        return tuple(one for one in self.constraints if not self._is_met(one))

    def _is_met(self, one: Constraint) -> bool:
        taus = {SENSITIVITY: self.thresholds.tau_neg, PRECISION: self.thresholds.tau_pos}
        return taus[one.metric] is not None

    def cost(self, metric: str) -> str:
        """What meeting the target of a metric costs and leaves, as a part of a sentence."""
        counts = self.counts
        n, skipped = int(counts.total), int(counts.n_neg)
        if metric == SENSITIVITY:
            return (
                f"{skipped:,} of {counted(n, 'check')} are skipped, {n - skipped:,} are looked at (workload "
                f"{percent_of(n - skipped, n)}), {int(counts.neg_pos):,} of {int(counts.total_pos):,} with "
                "evidence are missed"
            )
        return f"{counted(int(counts.n_pos), 'alert')}, {int(counts.pos_pos):,} of them right"


def in_words(one: Constraint) -> str:
    """A target as the beginning of a sentence.

    Examples
    --------
    >>> in_words(Constraint(SENSITIVITY, 0.98, 0.95))
    'Screening sensitivity of at least 98 % with 95 % confidence'
    """
    shown = "as an estimate" if one.confidence is None else f"with {percent(one.confidence)} confidence"
    return f"{capitalised(one.name)} of at least {percent(one.value)} {shown}"


def found_for(rows: RowSet, constraints: Sequence[Constraint]) -> Found:
    """The thresholds that the rule finds for targets on these rows, and their counts.

    Parameters
    ----------
    rows : those to choose on.
    constraints : the targets, at most one of a metric.
    """
    targets = targets_of(tuple(constraints))
    thresholds = find_thresholds(rows.table, *targets, posts=rows.posts_to_choose_by(*targets))
    counts = rows.states(thresholds.tau_neg, thresholds.tau_pos)
    return Found(tuple(constraints), thresholds, counts)
