"""What a test can show of each target and marked group of some data, before it is looked at."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

from evalcore.data import Data
from evalcore.inference.cluster_sums import ClusterSums
from evalcore.inference.clustered import share_interval
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
)
from evalcore.operating_point.prospects.marked import outlook_of_marked, with_marks
from evalcore.operating_point.prospects.outlook import CASES, Outlook, outlook_of_alerts, outlook_on_test
from evalcore.operating_point.test_rows.row_sets import RowSet
from evalcore.operating_point.tradeoff.groups import Mark
from evalcore.operating_point.tradeoff.post_sums import flawless
from evalcore.tallies.decisions import states_at

CLUSTERED = "few {several} hold most {cases}s, and nobody knows how alike those of one {one} are"


class _Asked(NamedTuple):
    """What is to be tested, on which rows."""

    constraints: tuple[Constraint, ...]
    marks: tuple[Mark, ...]
    chosen: RowSet
    tested: RowSet | None


def outlooks(data: Data, *, marks: Collection[Mark] = (), **wanted: Any) -> tuple[Outlook, ...]:
    """What a test can show of each target, before it is looked at; empty without a test or a target.

    Of the test rows only their number, their positives and how these share posts and marked groups are used,
    no score.

    Parameters
    ----------
    data : checked data with labels and scores.
    marks : groups that must hold the target of screening sensitivity by themselves: the chance is then at
        most that of all rows, and 0 where one cannot show the target on test, or misses it or cannot show it
        on tune, where the rule's own threshold is known.
    wanted : ``screening_sensitivity``, ``alert_precision``, ``confidence``, ``tune``, ``test``,
        ``test_data``, ``model`` and ``cluster``, as for `choose_operating_point`.

    Raises
    ------
    InputError : as for `choose_operating_point`.
    """
    constraints, known, chosen, tested = _asked(data, marks, **wanted)
    if tested is None:
        return ()
    targets = targets_of(constraints)
    found = find_thresholds(chosen.table, *targets, posts=chosen.posts_to_choose_by(*targets))
    of_metric = {SENSITIVITY: _of_sensitivity, PRECISION: _of_precision}
    said = [of_metric[one.metric](one, chosen, tested, found) for one in constraints]
    if known:
        said = [
            with_marks(one, known, chosen, tested, found) if one.constraint.metric == SENSITIVITY else one
            for one in said
        ]
    return tuple(said)


def marked_outlooks(data: Data, marks: Collection[Mark], **wanted: Any) -> tuple[str, ...]:
    """What the rows that decide can show at most of each marked group, as sentences; no score is read.

    Parameters
    ----------
    data, wanted : as for `outlooks`.
    marks : columns and levels.

    Raises
    ------
    InputError : as for `choose_operating_point`.
    """
    constraints, known, chosen, tested = _asked(data, marks, **wanted)
    target, _ = targets_of(constraints)
    rows = chosen if tested is None else tested
    if target is None or not known:
        return ()
    level = target.confidence or REPORT_LEVEL
    counts = rows.marked_counts(known, None, confidence=level)
    return tuple(outlook_of_marked(one, target.value, level, rows.in_words) for one in counts)


def _asked(
    data: Data,
    marks: Collection[Mark],
    *,
    tune: str | None = None,
    test: str | None = None,
    test_data: Data | None = None,
    model: str | None = None,
    cluster: str | None = None,
    screening_sensitivity: float | None = 0.995,
    alert_precision: float | None = 0.9,
    confidence: Confidence = 0.95,
) -> _Asked:
    constraints = constraints_of(screening_sensitivity, alert_precision, confidence)
    chosen, tested = row_sets_of(data, tune, test, test_data, model, cluster=cluster)
    known, _ = checked_groups(marks, (), data, test_data, divided_by=split_in_use(tune, test))
    return _Asked(constraints, known, chosen, tested)


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
