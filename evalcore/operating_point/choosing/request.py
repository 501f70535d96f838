"""What is asked of a choice: targets, rows to choose and to test on, and what a person says about it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from evalcore.data import Data
from evalcore.operating_point.choosing.alternatives import is_offer
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint, check_constraints
from evalcore.operating_point.test_rows.row_sets import RowSet, row_set
from evalcore.operating_point.test_rows.site_rows import groups_in, refuse_tallies
from evalcore.operating_point.tradeoff.groups import Grouped, Mark, check_marks, group_columns
from evalcore.problems import InputError, Problem, problem
from evalcore.spec import METRICS
from evalcore.splits import SPLIT
from evalcore.tallies.grid import GridScores

Confidence = float | None | tuple[float | None, float | None]
TARGETS = {METRICS[key].name: key for key in (SENSITIVITY, PRECISION)}
"""Option → metric of its target."""


def is_synthetic(*data: Data | None) -> bool:
    """Whether any of the data say that they were generated."""
    return any(one is not None and bool(one.facts.get("synthetic")) for one in data)


def constraints_of(
    screening_sensitivity: float | None,
    alert_precision: float | None,
    confidence: Confidence,
    from_data: Collection[str] = (),
) -> tuple[Constraint, ...]:
    """The targets of the options of `choose_operating_point`, screening sensitivity first.

    Raises
    ------
    InputError : OPT-003 for a target out of range, and for an unknown name in ``from_data``.
    """
    unknown = [name for name in from_data if name not in TARGETS]
    if unknown:
        expected = " or ".join(TARGETS)
        raise InputError([problem("OPT-003", name="targets_from_data", found=unknown[0], expected=expected)])
    seen = {TARGETS[name] for name in from_data}
    levels = confidence if isinstance(confidence, tuple) else (confidence, confidence)
    wanted = ((SENSITIVITY, screening_sensitivity, levels[0]), (PRECISION, alert_precision, levels[1]))
    constraints = tuple(
        Constraint(metric, float(value), None if level is None else float(level), metric in seen)
        for metric, value, level in wanted
        if value is not None
    )
    check_constraints(constraints)
    return constraints


def targets_of(constraints: tuple[Constraint, ...]) -> tuple[Constraint | None, Constraint | None]:
    """The targets for screening sensitivity and for alert precision; None for one that is not set."""
    by_metric = {constraint.metric: constraint for constraint in constraints}
    return by_metric.get(SENSITIVITY), by_metric.get(PRECISION)


def row_sets_of(
    data: Data,
    tune: str | None,
    test: str | None,
    test_data: Data | None,
    model: str | None,
    *,
    cluster: str | None = None,
) -> tuple[RowSet, RowSet | None]:
    """The rows to choose on and, where there are any, those to test on.

    Raises
    ------
    InputError : for splits, models and kinds of score that do not go together.
    """
    if test is not None and tune is None and test_data is None:
        raise InputError([option_problem("a test split and no tune split", "both", "Say --tune too.")])
    if test is not None and test == tune and test_data is None:
        found = f"the split {test!r} for both tune and test"
        advice = "Rows that were chosen on cannot test the choice: name another split."
        raise InputError([option_problem(found, "two splits", advice)])
    if test_data is not None:
        advice = "name a split that every site has, with --tune and --test."
        refuse_tallies("a file to test on", advice, data, test_data)
    is_tested = test is not None or test_data is not None
    chosen = row_set(
        data, "tune" if tune is not None or is_tested else "all", split=tune, model=model, cluster=cluster
    )
    if not is_tested:
        return chosen, None
    tested = test_data or data
    if tested.score_kind != data.score_kind:
        found = f"scores of kind {tested.score_kind} to test on"
        raise InputError(
            [option_problem(found, f"{data.score_kind}, as on tune", "Give scores of one scale.")]
        )
    return chosen, row_set(tested, "test", split=test, model=model, cluster=cluster)


def checked_groups(
    marks: Collection[Mark], by: Collection[str], *several: Data | None, divided_by: str | None = None
) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """Marked groups and columns of groups, each once and sorted; a level may lack rows in some of the data.

    Parameters
    ----------
    marks, by : marked groups, and columns that are shown beside theirs.
    several : the data.
    divided_by : the column that says which rows are chosen on and which are held out; None where none does.

    Raises
    ------
    InputError : OPT-071 and OPT-072 for a marked column or level that is not there; OPT-100 for a mark on
        the column that divides the rows; OPT-006 for a column shown; OPT-003 for a mark that is no pair of
        texts; SIT-007 for groups that a site left out as too small.
    """
    queries = [groups for one in several if one is not None and (groups := groups_in(one)) is not None]
    columns = [group_columns(one) for one in queries]
    found = [
        problem("OPT-003", name="must_not_miss", found=repr(one), expected="pairs of a column and a level")
        for one in marks
        if not _is_mark(one)
    ]
    if found:
        raise InputError(found)
    if divided_by is not None and any(column == divided_by for column, _ in marks):
        found.append(problem("OPT-100", found=divided_by))
    for mark in dict.fromkeys(mark for mark in marks if mark[0] != divided_by):
        told = [_problems_of(one, mark) for one in queries]
        is_known = all(mark[0] in known for known in columns)
        found += [] if is_known and not all(told) else next(filter(None, told), [])
    for column in dict.fromkeys(by):
        if not all(column in known for known in columns):
            shared = [name for name in columns[0] if all(name in known for known in columns)]
            found.append(problem("OPT-006", found=column, expected=f"one of {', '.join(shared)}"))
    found += [] if found else _not_whole(queries, {*by, *(column for column, _ in marks)})
    if found:
        raise InputError(found)
    return tuple(sorted(set(marks))), tuple(sorted(set(by)))


def _not_whole(several: Collection[Grouped], columns: Collection[str]) -> list[Problem]:
    """Groups that a site left out as too small: what is counted of them is not all that there is."""
    advice = "gather with a smaller cell size, or leave the column out."
    return [
        problem("SIT-007", found=f"{name}, which a site left out", expected="whole groups", advice=advice)
        for one in several
        if isinstance(one, GridScores)
        for name in one.lacking(columns)
    ]


def split_in_use(tune: str | None, test: str | None) -> str | None:
    """The column that divides the rows where a part of them is named; None where all are taken."""
    return None if tune is None and test is None else SPLIT


def _is_mark(mark: Any) -> bool:
    return isinstance(mark, tuple) and len(mark) == 2 and all(isinstance(part, str) for part in mark)


def _problems_of(queries: Grouped, mark: Mark) -> list[Problem]:
    try:
        check_marks(queries, [mark])
    except InputError as error:
        return list(error.problems)
    return []


def marked_offers(
    chosen: RowSet, constraints: tuple[Constraint, ...], tau_neg: float | None
) -> tuple[Constraint, ...]:
    """The targets, marked as set after seeing the data where they are the very numbers that are offered."""
    return tuple(
        replace(one, is_from_data=True) if is_offer(chosen, one, tau_neg) else one for one in constraints
    )


def check_prevalence(prevalence: float | None) -> None:
    """Refuse a prevalence that is no share.

    Raises
    ------
    InputError : OPT-003.
    """
    if prevalence is not None and not 0 < prevalence < 1:
        expected = "a share between 0 and 1, such as 0.09"
        raise InputError([problem("OPT-003", name="prevalence", found=prevalence, expected=expected)])


def option_problem(found: str, expected: str, advice: str) -> Any:
    """The problem of options that do not go together."""
    return problem("OPT-008", found=found, expected=expected, advice=advice)
