"""Two points side by side on the same rows: what the second does more or less of, and in which posts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

from evalcore.inference.clustered import share_interval
from evalcore.operating_point.choosing.estimates import REPORT_LEVEL
from evalcore.operating_point.missed import PER
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.groups import GroupCount
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from evalcore.operating_point.wording import counted, percent
from evalcore.tallies.decisions import STATES, Pair, StateCounts, states_of
from evalcore.text.numerals import percent_at_least, percent_of

DONE = dict(zip(STATES, ("skip", "look", "alert"), strict=True))
"""State → what is done with a check in it."""
NAMED = 5
"""Posts that are named in a sentence; of more, how many more there are."""


@dataclass(frozen=True)
class Line:
    """One figure of both points, as text, and how far the second lies from the first."""

    name: str
    a: str
    b: str
    difference: str


@dataclass(frozen=True)
class Flip:
    """Checks that change what is done with them: how many, and how many of them hold evidence."""

    before: str
    after: str
    n: int
    n_positive: int


@dataclass(frozen=True)
class TwoPoints:
    """Two points on the same rows.

    Parameters
    ----------
    rows : where both are counted.
    a, b : (τ_neg, τ_pos) of the first and the second; None for an empty zone.
    counts_a, counts_b : rows by state and label.
    posts : ids of the posts in which the second misses evidence that the first keeps or, where it misses
        less, the other way round; by id.
    """

    rows: RowSet
    a: Pair
    b: Pair
    counts_a: StateCounts
    counts_b: StateCounts
    posts: tuple[str, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Thresholds, workload, what is missed, and alerts of both."""
        a, b = self.counts_a, self.counts_b
        n, n_pos = int(a.total), int(a.total_pos)
        looked_a, looked_b = n - int(a.n_neg), n - int(b.n_neg)
        low_a, low_b = (self._low(pair[0]) for pair in (self.a, self.b))
        return (
            Line("Skip below", _tau(self.a[0]), _tau(self.b[0]), ""),
            Line("Alert from", _tau(self.a[1]), _tau(self.b[1]), ""),
            Line("Workload", _share(looked_a, n), _share(looked_b, n), _more(looked_b - looked_a)),
            Line(
                "Missed evidence",
                f"{int(a.neg_pos):,} of {n_pos:,}",
                f"{int(b.neg_pos):,} of {n_pos:,}",
                _more(int(b.neg_pos) - int(a.neg_pos)),
            ),
            Line(
                f"Screening sensitivity, lower bound at {percent(REPORT_LEVEL)}",
                f"{percent_of(n_pos - int(a.neg_pos), n_pos)}, {low_a}",
                f"{percent_of(n_pos - int(b.neg_pos), n_pos)}, {low_b}",
                "",
            ),
            Line(
                f"Missed per {PER:,} checks",
                f"{PER * int(a.neg_pos) / n:.2f}",
                f"{PER * int(b.neg_pos) / n:.2f}",
                f"{PER * (int(b.neg_pos) - int(a.neg_pos)) / n:+.2f}".replace("-", "−"),
            ),
            Line("Alerts", f"{int(a.n_pos):,}", f"{int(b.n_pos):,}", _more(int(b.n_pos) - int(a.n_pos))),
            Line(
                "Alerts that are right",
                _share(int(a.pos_pos), int(a.n_pos)),
                _share(int(b.pos_pos), int(b.n_pos)),
                _more(int(b.pos_pos) - int(a.pos_pos)),
            ),
        )

    def sentence(self, name_a: str, name_b: str, *, has_names: bool = True) -> str:
        """What the second does more or less of than the first.

        Parameters
        ----------
        name_a, name_b : what the points are called.
        has_names : whether posts may be named: those of a saved report have hashes for names.
        """
        a, b = self.counts_a, self.counts_b
        skipped, missed = int(b.n_neg) - int(a.n_neg), int(b.neg_pos) - int(a.neg_pos)
        alerts, right = int(b.n_pos) - int(a.n_pos), int(b.pos_pos) - int(a.pos_pos)
        parts = []
        if skipped:
            parts.append(f"skips {_than(skipped)}")
        if missed:
            parts.append(f"misses {_than(missed)}")
        elif skipped:
            parts.append("misses as many")
        if alerts:
            of_them = f"{_than(right)} of them right" if right else "none of the difference right"
            parts.append(f"raises {_than(alerts, 'alert')}, {of_them}")
        if not parts:
            return f"{name_b} decides every check as {name_a} does."
        said = f"{name_b} {'; '.join(parts)} than {name_a}."
        only = name_b if missed > 0 else name_a
        return f"{said} What only {only} misses lies in {self._named(has_names)}." if missed else said

    @property
    def flips(self) -> tuple[Flip, ...]:
        """Every change of what is done, of those that happen; most evidence first."""
        score, label = self.rows.queries.score, self.rows.queries.has_evidence
        before, after = states_of(score, self.a), states_of(score, self.b)
        counts = np.zeros((3, 3, 2), np.int64)
        np.add.at(counts, (before, after, label.astype(int)), 1)
        found = [
            Flip(DONE[STATES[i]], DONE[STATES[j]], int(counts[i, j].sum()), int(counts[i, j, 1]))
            for i in range(3)
            for j in range(3)
            if i != j and counts[i, j].sum()
        ]
        return tuple(sorted(found, key=lambda one: (-one.n_positive, -one.n)))

    def groups(self, column: str) -> tuple[tuple[GroupCount, GroupCount], ...]:
        """Each group of a column at both points, where they miss different numbers; largest difference first.

        Parameters
        ----------
        column : one of `evalcore.operating_point.tradeoff.groups.group_columns`.
        """
        both = (self.rows.group_counts(column, pair[0]) for pair in (self.a, self.b))
        found = [(a, b) for a, b in zip(*both, strict=True) if a.n_missed != b.n_missed]
        return tuple(sorted(found, key=lambda one: -abs(one[1].n_missed - one[0].n_missed)))

    def _named(self, has_names: bool) -> str:
        n = len(self.posts)
        if not (has_names and self.rows.queries.has_posts):
            return counted(n, "post") if self.rows.queries.has_posts else "rows that name no post"
        rest = f" and {n - NAMED:,} more" if n > NAMED else ""
        return f"{counted(n, 'post')} ({', '.join(self.posts[:NAMED])}{rest})"

    def _low(self, tau_neg: float | None) -> str:
        at = 0 if tau_neg is None else self.rows.table.index(tau_neg)
        kept = self.rows.posts.kept(slice(at, at + 1))
        low = float(share_interval(kept, confidence=REPORT_LEVEL, sides=1, end="low").low[0])
        return "no bound" if isnan(low) else f"at least {percent_at_least(low)}"


def two_points(rows: RowSet, a: Pair, b: Pair) -> TwoPoints:
    """Two points on the same rows.

    Parameters
    ----------
    rows : checked rows, such as those chosen on.
    a, b : (τ_neg, τ_pos) of each; None for an empty zone.
    """
    missed = [_missed(rows, pair[0]) for pair in (a, b)]
    at = np.unique(rows.queries.post[missed[0] != missed[1]])
    posts = sorted(str(rows.queries.post_ids[code]) for code in at)
    return TwoPoints(rows, a, b, rows.states(*a), rows.states(*b), tuple(posts))


def _missed(rows: RowSet, tau_neg: float | None) -> NDArray[np.bool_]:
    if tau_neg is None:
        return np.zeros(len(rows.queries), bool)
    return np.asarray(rows.queries.has_evidence & (rows.queries.score < tau_neg))


def _tau(tau: float | None) -> str:
    return "none" if tau is None else threshold_text(tau)


def _share(n: int, of: int) -> str:
    return f"{percent_of(n, of)} ({n:,} of {of:,})" if of else "none"


def _more(n: int) -> str:
    return f"{n:+,}".replace("-", "−") if n else "0"


def _than(n: int, noun: str = "") -> str:
    """A difference as words: ``395 more``, ``1 alert fewer``."""
    named = counted(abs(n), noun) if noun else f"{abs(n):,}"
    return f"{named} {'more' if n > 0 else 'fewer'}"


def letters(taken: Sequence[str]) -> str:
    """The first free name of a pinned point: A, B, … Z, then P27 and so on.

    Examples
    --------
    >>> letters([]), letters(["A", "safe"]), letters(["A", "B"])
    ('A', 'B', 'C')
    """
    names = [chr(ord("A") + at) for at in range(26)]
    return next((name for name in names if name not in taken), f"P{len(taken) + 1}")
