"""A target and the rows on which it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from evalcore.inference.clustered import ShareInterval
from evalcore.inference.verdicts import Verdict, verdict
from evalcore.operating_point.choosing.claims.sentences import Marked, Said
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL, Counted
from evalcore.operating_point.choosing.without_model import WithoutModel, without_model
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint
from evalcore.operating_point.tradeoff.groups import Mark, group_verdict
from evalcore.operating_point.tradeoff.post_sums import flawless
from evalcore.spec import METRICS


@dataclass(frozen=True)
class Case:
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
