"""Groups at a threshold: what is missed of each level of a column, and whether marked groups hold a target.

A group is a level of a column of the input; a marked one must not be missed. Its screening sensitivity is
held against the target of the whole by the same rule, on its own rows: an average may hide a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

from evalcore.data import Queries, Rankings
from evalcore.inference.clustered import ClusterSums, share_interval
from evalcore.inference.verdicts import MIN_CASES, Verdict, verdict
from evalcore.operating_point.rules import RULES, Rules
from evalcore.operating_point.tradeoff.post_sums import positives_correlation, sums_of
from evalcore.operating_point.tradeoff.share_bounds import best_low
from evalcore.problems import InputError, Problem, problem
from evalcore.spec import Ratio
from evalcore.tallies.grid import GridScores
from evalcore.tallies.levels import Column, level_order, ordered_levels
from evalcore.tallies.scores import ScoredRows

CRITERION = "criterion"
MOST_LEVELS = 1000
"""A column of more levels is no column of groups."""

Mark = tuple[str, str]
"""A marked group: its column and its level."""

SHORTFALL: tuple[Verdict, ...] = (
    "not_met",
    "not_assessed",
    "infeasible_with_this_n",
    "met_point_only",
    "met_with_confidence",
)
"""Verdicts on marked groups, worst first: what any of them says the whole says at best."""

UNSHOWN: tuple[Verdict, ...] = ("not_met", "not_assessed", "infeasible_with_this_n")
"""Verdicts on a marked group of the rows chosen on that stand against a certificate."""

GROUP_WORDS: dict[Verdict, str] = {
    "not_met": "not met",
    "not_assessed": "cannot be shown",
    "infeasible_with_this_n": "cannot be shown",
    "met_point_only": "met by the estimate only",
    "met_with_confidence": "met",
}
"""A verdict on a group in words: with too few positives nothing can be shown."""


@dataclass(frozen=True)
class GroupCount:
    """The rows of a group at τ_neg.

    Parameters
    ----------
    column, level : which group.
    n, n_positive : its rows and its positives.
    n_missed : positives below τ_neg.
    screening_sensitivity : share of its positives at or above τ_neg, in [0, 1]; NaN without positives.
    bound : one-sided lower bound of it, in [0, 1]; NaN without positives.
    best_bound : the same bound if none were missed; NaN without positives.
    """

    column: str
    level: str
    n: int
    n_positive: int
    n_missed: int
    screening_sensitivity: float
    bound: float
    best_bound: float


Grouped = Queries | Rankings | GridScores
"""What has groups: rows, or tallies of sites."""


def group_columns(queries: Grouped) -> tuple[str, ...]:
    """The columns whose levels are groups: criteria, and columns of the input of at most 1,000 levels."""
    return tuple(queries.group_columns(MOST_LEVELS))


def check_marks(queries: Grouped, marks: Iterable[Mark]) -> None:
    """Refuse marks that name no group of the input.

    Parameters
    ----------
    queries : all rows of the input, not those of one split: a group may lack rows there.
    marks : columns and levels.

    Raises
    ------
    InputError : OPT-071 for a column, OPT-072 for a level, each naming what there is.
    """
    columns = group_columns(queries)
    found: list[Problem] = []
    for column, level in dict.fromkeys(marks):
        if column not in columns:
            named = [mark_text((one, "")).removesuffix("=") for one in columns]
            expected = f"one of {', '.join(named)}" if columns else "none: these data have no such column"
            found.append(problem("OPT-071", found=column, expected=expected))
        elif level not in (levels := level_names(queries, column)):
            found.append(problem("OPT-072", found=level, name=column, expected=_instead(level, levels)))
    if found:
        raise InputError(found)


def mark_text(mark: Mark) -> str:
    """A mark as it is typed and stands in links, ``COLUMN=LEVEL``; an equals sign of the column is ``%3D``.

    Examples
    --------
    >>> mark_text(("a", "b=x")), mark_text(("a=b", "x")), read_mark("a%3Db=x")
    ('a=b=x', 'a%3Db=x', ('a=b', 'x'))
    """
    column, level = mark
    return f"{column.replace('%', '%25').replace('=', '%3D')}={level}"


def _instead(level: str, levels: Iterable[str]) -> str:
    """The levels that there are; where some differ from the one asked for in outer blanks alone, these."""
    levels = sorted(levels, key=level_order)
    alike = [repr(one) for one in levels if one.strip() == level.strip()]
    if alike:
        return f"{', '.join(alike)}: the blanks around it differ"
    return ", ".join(one if one == one.strip() else repr(one) for one in levels[:20])


def read_mark(text: str) -> Mark:
    """A mark as it is typed, ``COLUMN=LEVEL``; the level may hold further equals signs.

    The level is taken exactly as it stands behind the first equals sign, for levels are kept as the input
    writes them: `` X`` and ``X`` are two groups.

    Raises
    ------
    InputError : OPT-073 where there is no equals sign, or nothing on either side of it.

    Examples
    --------
    >>> read_mark("criterion=A.9"), read_mark("age =60=+"), read_mark("ward= X")
    (('criterion', 'A.9'), ('age', '60=+'), ('ward', ' X'))
    """
    column, _, level = text.partition("=")
    column = column.strip()
    if not column or not level.strip():
        raise InputError([problem("OPT-073", found=text)])
    return column.replace("%3D", "=").replace("%25", "%"), level


def levels_of(queries: Queries | Rankings, column: str) -> Column:
    """Codes of the rows, −1 where one has no level, and the levels as text, of one of `group_columns`."""
    if column == CRITERION:
        return queries.criterion, tuple(str(id_) for id_ in queries.criterion_ids)
    return queries.slices[column]


def level_names(queries: Grouped, column: str) -> Sequence[str]:
    """The levels of one of `group_columns` as text."""
    return queries.levels(column) if isinstance(queries, GridScores) else levels_of(queries, column)[1]


def known_marks(queries: Grouped) -> dict[str, Mark]:
    """Every group as it is typed, ``COLUMN=LEVEL``, in natural order of the levels."""
    return {
        mark_text((column, level)): (column, level)
        for column in group_columns(queries)
        for level in sorted(level_names(queries, column), key=level_order)
    }


def group_counts(
    rows: ScoredRows,
    queries: Queries,
    column: str,
    tau_neg: float | None,
    *,
    confidence: float = 0.95,
    rules: Rules = RULES,
) -> list[GroupCount]:
    """Every group of a column at a threshold, in natural order of the levels; none that has no row.

    τ_pos plays no part: a check that is not skipped is kept for a person.

    Parameters
    ----------
    rows : scores, labels and independent units of some rows, such as `RowSet.scored`.
    queries : the same rows, such as `RowSet.queries`.
    column : one of `group_columns`.
    tau_neg : rows with ``score < tau_neg`` are skipped; None skips nothing.
    confidence : of the one-sided bounds, in (0, 1).
    rules : those of the document that is made of the counts.

    Returns
    -------
    list of GroupCount. Bounds are those of the group's own rows by themselves: Korn–Graubard over its posts,
    strict where few posts hold most of its positives, exact where each post has one (a criterion).

    Source
    ------
    statistics.md, "Intervals" and "Verdicts".
    """
    code, levels = ordered_levels(levels_of(queries, column))
    if not levels:
        return []
    is_case = rows.is_positive & (code >= 0)
    positives = rows.where(is_case)
    is_kept = np.full(len(positives), True) if tau_neg is None else positives.score >= tau_neg
    sums = _sums_by_group(code[is_case], len(levels), positives, is_kept, rules)
    n_rows = np.bincount(code[code >= 0], minlength=len(levels))
    bound = share_interval(sums, confidence=confidence, sides=1, end="low").low
    best = best_low(sums, confidence=confidence)
    return [
        GroupCount(
            column=column,
            level=level,
            n=int(n_rows[at]),
            n_positive=int(sums.n[at]),
            n_missed=int(sums.n[at] - sums.successes[at]),
            screening_sensitivity=float(sums.share[at]),
            bound=float(bound[at]),
            best_bound=float(best[at]),
        )
        for at, level in enumerate(levels)
    ]


def of_marks(marks: Iterable[Mark], counted: Callable[[str], list[GroupCount]]) -> list[GroupCount]:
    """Of the counts of every group of a column those of marked groups, in their order.

    Parameters
    ----------
    marks : columns and levels; one without a row counts 0.
    counted : column → the counts of its groups.
    """
    marks = list(dict.fromkeys(marks))
    by_mark = {
        (one.column, one.level): one
        for column in dict.fromkeys(column for column, _ in marks)
        for one in counted(column)
    }
    return [by_mark.get(mark, GroupCount(*mark, 0, 0, 0, *[float("nan")] * 3)) for mark in marks]


def group_verdict(count: GroupCount, target: float) -> Verdict:
    """What may be said of "this group's screening sensitivity is at least ``target``".

    The rule of the whole, at the confidence of the count's bounds: with fewer than 20 positives, or so few
    that none missed could not show it, the target cannot be shown.

    Parameters
    ----------
    count : of the group, with its bounds at the confidence of the target, 0.95 for one of the estimate alone.
    target : share wanted, in (0, 1].

    Examples
    --------
    >>> group_verdict(GroupCount("hospital", "B", 210, 41, 3, 38 / 41, 0.82, 0.93), 0.995)
    'not_met'
    >>> group_verdict(GroupCount("hospital", "C", 180, 41, 0, 1.0, 0.93, 0.93), 0.995)
    'infeasible_with_this_n'
    """
    return verdict(
        count.n_positive - count.n_missed,
        count.n_positive,
        target=target,
        low=count.bound,
        best_low=count.best_bound,
    )


def verdict_with_marked(whole: Verdict, marked: Iterable[Verdict]) -> Verdict:
    """The verdict on a target of the whole that marked groups must hold as well.

    What the whole misses stays missed, and what it does not claim (nothing is skipped) unclaimed. Otherwise
    the worst of all holds: a group that misses the target fails it, and one with too few positives leaves it
    at ``infeasible_with_this_n``, which says that it cannot be shown.

    Examples
    --------
    >>> verdict_with_marked("met_with_confidence", ["met_with_confidence", "not_assessed"])
    'infeasible_with_this_n'
    >>> verdict_with_marked("met_point_only", ["infeasible_with_this_n", "not_met"])
    'not_met'
    """
    if whole in ("not_met", "not_assessed"):
        return whole
    worst = min([whole, *marked], key=SHORTFALL.index)
    return "infeasible_with_this_n" if worst == "not_assessed" else worst


def group_words(count: GroupCount, found: Verdict) -> str:
    """A verdict on a group as a part of a sentence.

    Examples
    --------
    >>> group_words(GroupCount("hospital", "B", 210, 41, 3, 38 / 41, 0.82, 0.93), "not_met")
    'not met for hospital = B: 3 of 41 missed'
    >>> group_words(GroupCount("criterion", "A.9", 300, 12, 0, 1.0, 0.78, 0.78), "not_assessed")
    'cannot be shown for criterion = A.9: 0 of 12 missed'
    """
    missed = f"{count.n_missed:,} of {count.n_positive:,} missed" if count.n_positive else "no positives"
    return f"{GROUP_WORDS[found]} for {count.column} = {count.level}: {missed}"


def worst_first(counts: Iterable[GroupCount], *, marks: Iterable[Mark] = ()) -> list[GroupCount]:
    """Marked groups, then the others: those of 20 positives or more, of fewer, of none; worst first in each.

    The lowest screening sensitivity is the worst, of equal ones that with more missed, then with fewer
    positives; the others stay in the order given.
    """
    marked = set(marks)
    return sorted(counts, key=lambda one: ((one.column, one.level) not in marked, *_worst(one)))


def _worst(count: GroupCount) -> tuple[int, float, int, int]:
    is_undefined = isnan(count.screening_sensitivity)
    rank = 2 if is_undefined else int(count.n_positive < MIN_CASES)
    return rank, 0.0 if is_undefined else count.screening_sensitivity, -count.n_missed, count.n_positive


def _sums_by_group(
    group: NDArray[np.intp],
    n_groups: int,
    positives: ScoredRows,
    is_kept: NDArray[np.bool_],
    rules: Rules,
) -> ClusterSums:
    """The sums over posts of the positives of each group, one share a group."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=n_groups))
    return ClusterSums.together(
        [_kept(positives.take(own), is_kept[own], rules) for own in np.split(order, ends[:-1])]
    )


def _kept(positives: ScoredRows, is_kept: NDArray[np.bool_], rules: Rules) -> ClusterSums:
    """The sums behind the share of some positives that are kept."""
    posts, at = np.unique(positives.post, return_inverse=True)
    by_post = Ratio(np.bincount(at[is_kept], minlength=len(posts)), np.bincount(at, minlength=len(posts)))
    correlation = positives_correlation(positives, rules).of_share(is_kept.sum(), len(is_kept), "above")
    return sums_of(by_post, correlation=correlation, rules=rules)
