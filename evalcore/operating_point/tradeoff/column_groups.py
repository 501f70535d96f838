"""What every threshold misses of each group of a column, with the bound and the verdict of each group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries
from evalcore.inference.clustered import ClusterSums, share_interval
from evalcore.inference.verdicts import verdict_codes
from evalcore.operating_point.rules import RULES, Rules
from evalcore.operating_point.tradeoff.groups import CRITERION, group_columns, levels_of
from evalcore.operating_point.tradeoff.post_sums import post_sums
from evalcore.operating_point.tradeoff.share_bounds import best_low
from evalcore.tallies.levels import ordered_levels
from evalcore.tallies.scores import ScoredRows


@dataclass(frozen=True, eq=False)
class ColumnGroups:
    """The groups of a column at every τ_neg: what stands here is looked up by how many positives are missed.

    Parameters
    ----------
    column : its name.
    levels : of the G groups with a row, as text, in natural order.
    n_rows, n_pos : int64, shape (G,): rows and positives of each.
    n_without : rows that have no level.
    score : float64, shape (P,): of the positives, group by group, ascending in each. A positive is missed
        where its score lies below τ_neg.
    low : float64, shape (P + G,), group by group: the one-sided lower bound of screening sensitivity after
        0 … n_pos misses; NaN without positives. Where scores tie, misses in between do not occur.
    verdict : int8, shape (P + G,): the verdict on the target at the same, a position in `VERDICTS`.
    """

    column: str
    levels: tuple[str, ...]
    n_rows: NDArray[np.int64]
    n_pos: NDArray[np.int64]
    n_without: int
    score: NDArray[np.float64]
    low: NDArray[np.float64]
    verdict: NDArray[np.int8]

    @classmethod
    def of_sums(
        cls, sums: ClusterSums, *, target: float, confidence: float, **of_groups: Any
    ) -> ColumnGroups:
        """The groups with their bounds and verdicts, from the sums over posts after every number of misses.

        Parameters
        ----------
        sums : of shape (P + G,), group by group.
        target : screening sensitivity wanted, in (0, 1].
        confidence : of the one-sided bounds, in (0, 1).
        of_groups : every other field.
        """
        low = share_interval(sums, confidence=confidence, sides=1, end="low").low
        best = best_low(sums, confidence=confidence)
        verdict = verdict_codes(sums.successes, sums.n, target=target, low=low, best_low=best)
        found = cls(**of_groups, low=low, verdict=verdict)
        for one in (found.n_rows, found.n_pos, found.score, found.low, found.verdict):
            one.flags.writeable = False  # kept in a session, shared between runs
        return found

    def steps(self, score: NDArray[np.float64]) -> NDArray[np.intp]:
        """The threshold index from which on each positive is missed, shape (P,).

        Parameters
        ----------
        score : float64, shape (S,), ascending: those that thresholds are named by, as of a `Tradeoff`.
        """
        return np.searchsorted(score, self.score, side="right")


def column_groups(
    rows: ScoredRows,
    queries: Queries,
    column: str,
    *,
    target: float,
    confidence: float,
    rules: Rules = RULES,
) -> ColumnGroups:
    """The groups of one column at every threshold; at any of them as `group_counts` has them.

    Parameters
    ----------
    rows, queries, column, confidence, rules : as for `group_counts`.
    target : screening sensitivity wanted, in (0, 1].
    """
    code, levels = ordered_levels(levels_of(queries, column))
    is_case = rows.is_positive & (code >= 0)
    positives, group = rows.where(is_case), code[is_case]
    order = np.lexsort((positives.score, group))
    n_pos = np.bincount(group, minlength=len(levels))
    parts = [
        _after_misses(positives.take(own), rules)
        for own in np.split(order, np.cumsum(n_pos)[:-1])
        if len(levels)
    ]
    return ColumnGroups.of_sums(
        joined(parts),
        column=column,
        levels=levels,
        n_rows=np.bincount(code[code >= 0], minlength=len(levels)),
        n_pos=n_pos,
        n_without=int(np.count_nonzero(code < 0)),
        score=positives.score[order],
        target=target,
        confidence=confidence,
    )


def all_groups(
    rows: ScoredRows, queries: Queries, *, target: float, confidence: float, marked: Iterable[str] = ()
) -> tuple[ColumnGroups, ...]:
    """The groups of every column of the input; of one with a single level here only where it is marked.

    Parameters
    ----------
    rows, queries, target, confidence : as for `column_groups`.
    marked : columns that hold a marked group.
    """
    kept = {CRITERION, *marked}
    found = []
    for column in group_columns(queries):
        code = levels_of(queries, column)[0]
        if column in kept or len(np.unique(code[code >= 0])) > 1:
            found.append(column_groups(rows, queries, column, target=target, confidence=confidence))
    return tuple(found)


def _after_misses(positives: ScoredRows, rules: Rules) -> ClusterSums:
    """The sums over posts of some positives, in order of their scores, after 0 … n of them are missed."""
    n = len(positives)
    score, at = np.unique(positives.score + 0.0, return_inverse=True)
    posts, post = np.unique(positives.post, return_inverse=True)
    rows = ScoredRows(positives.score, positives.is_positive, post, len(posts))
    # The sums at a score are those after every positive below it; with ties the next that can occur.
    after = np.append(0, np.searchsorted(score, positives.score, side="right"))
    return post_sums(rows, at, len(score), rules=rules).kept(after[: n + 1])


def joined(parts: list[ClusterSums]) -> ClusterSums:
    """The sums of several arrays of shares, one after the other."""
    if not parts:
        return ClusterSums.together([])
    return ClusterSums(
        *(
            np.concatenate([np.broadcast_to(getattr(part, one.name), part.n.shape) for part in parts])
            for one in fields(ClusterSums)
        )
    )
