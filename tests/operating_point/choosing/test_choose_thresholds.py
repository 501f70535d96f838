"""The thresholds that are found: counts by hand, every threshold tried, and few digits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    find_thresholds,
    n_allowed_misses,
)
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.tallies.decisions import states_at
from tests.support.made.choices import table_of
from tests.support.made.scored_data import data_of, scored

BOUND = Constraint(SENSITIVITY, 0.995, 0.95)

scores = st.sampled_from([0.0, 0.001, 0.02, 0.1, 0.25, 0.3, 0.1 + 0.2, 0.5, 0.51, 0.7, 0.9, 0.99, 1.0])
rows = st.lists(st.tuples(scores, st.booleans()), min_size=1, max_size=60)
shares = st.sampled_from([0.5, 0.6, 0.75, 0.8, 0.9, 0.95])
levels = st.sampled_from([None, 0.8, 0.9, 0.95])


@pytest.mark.parametrize(
    ("n", "target", "confidence", "expected"),
    [
        (1379, 0.995, 0.95, 2),
        (1103, 0.995, 0.95, 1),
        (598, 0.995, 0.95, 0),
        (597, 0.995, 0.95, -1),
        (946, 0.995, 0.95, 0),
        (947, 0.995, 0.95, 1),
        (1258, 0.995, 0.95, 2),
        (1549, 0.995, 0.95, 3),
        (1379, 0.995, None, 6),
        (1000, 0.995, None, 5),
        (199, 0.995, None, 0),
        (10, 1.0, None, 0),
        (0, 0.995, None, -1),
        (0, 0.995, 0.95, -1),
    ],
)
def test_so_many_misses_are_allowed(n, target, confidence, expected):
    assert n_allowed_misses(n, Constraint(SENSITIVITY, target, confidence)) == expected


def test_tau_neg_is_the_positive_after_the_allowed_misses():
    positives = np.arange(1379) / 2000 + 0.1
    table = table_of(positives, [0.05])
    found = find_thresholds(table, BOUND, None)
    assert positives[1] < found.tau_neg < positives[2]
    assert states_at(table, found.tau_neg, None).neg_pos == 2
    assert found.tau_pos is None


def test_tied_positives_are_missed_together_or_not_at_all():
    positives = [0.1, 0.2, 0.2, 0.2, *np.full(1375, 0.9)]
    found = find_thresholds(table_of(positives, [0.05, 0.15, 0.85]), BOUND, None)
    assert found.tau_neg == 0.19  # misses 1 of the 2 allowed; the next step would miss 4


def test_nothing_is_skipped_when_the_lowest_scores_hold_too_many_positives():
    found = find_thresholds(table_of([0, 0, 0, *np.full(1376, 0.9)], np.zeros(5000)), BOUND, None)
    assert found.tau_neg is None


def test_nothing_is_skipped_below_598_positives():
    table = table_of(np.full(597, 0.9), np.full(1000, 0.1))
    assert find_thresholds(table, BOUND, None).tau_neg is None
    assert find_thresholds(table, Constraint(SENSITIVITY, 0.995, None), None).tau_neg == 0.8


def test_nothing_is_skipped_when_no_row_lies_below_the_threshold():
    assert find_thresholds(table_of(np.full(700, 0.3), np.full(50, 0.6)), BOUND, None).tau_neg is None
    assert find_thresholds(table_of(np.full(700, 0.3), []), BOUND, None).tau_neg is None


def test_the_exported_thresholds_have_the_fewest_digits_that_decide_alike():
    table = table_of([0.0853124, 0.91327, 0.93], [0.0847, 0.05, 0.9071])
    found = find_thresholds(table, Constraint(SENSITIVITY, 1.0, None), Constraint(PRECISION, 1.0, None))
    assert (found.tau_neg, found.tau_pos) == (0.085, 0.91)
    counts = states_at(table, found.tau_neg, found.tau_pos)
    assert (counts.n_neg, counts.neg_pos, counts.n_pos, counts.pos_pos) == (2, 0, 2, 2)


@pytest.mark.parametrize(
    ("n_right", "n_wrong", "is_reached"),
    [(29, 0, True), (28, 0, False), (49, 1, True), (48, 2, False), (96, 4, True), (95, 5, False)],
)
def test_precision_of_90_percent_needs_so_many_alerts(n_right, n_wrong, is_reached):
    table = table_of(np.full(n_right, 0.9), np.full(n_wrong, 0.9))
    found = find_thresholds(table, None, Constraint(PRECISION, 0.9, 0.95))
    assert (found.tau_pos is not None) == is_reached


def test_the_most_alerts_win_even_where_precision_dips_between():
    positives = [*np.full(40, 0.9), *np.full(60, 0.5)]
    negatives = [*np.full(8, 0.7), *np.full(1, 0.3)]
    table = table_of(positives, negatives)
    found = find_thresholds(table, None, Constraint(PRECISION, 0.85, 0.95))
    # from 0.7 on 40 of 48 are right (not enough), from 0.5 on 100 of 108, from 0.3 on 100 of 109
    assert found.tau_pos == 0.2
    assert states_at(table, None, found.tau_pos).n_pos == 109


def test_tau_pos_is_never_below_tau_neg():
    table = table_of([0.2, *np.full(99, 0.6)], [0.1] * 5)
    found = find_thresholds(table, Constraint(SENSITIVITY, 0.98, None), Constraint(PRECISION, 0.5, None))
    assert found.tau_neg == 0.5
    assert found.tau_pos == 0.5


def reaches(constraint, n_good, n):
    """Whether so many of n reach the target, by the tail of the binomial instead of the bound."""
    if n == 0:
        return False
    if constraint.confidence is None:
        return n_good / n >= constraint.value
    return binom.sf(n_good - 1, n, constraint.value) <= 1 - constraint.confidence


def best_by_trying(p, y, sensitivity, precision):
    """(rows skipped, alerts) of the best thresholds among all, by plain counting."""
    cuts = [*sorted(set(p)), np.inf]
    skipped = [
        tau
        for tau in cuts[:-1]
        if reaches(sensitivity, int((y & (p >= tau)).sum()), int(y.sum())) and (p < tau).any()
    ]
    tau_neg = max(skipped, key=lambda tau: (p < tau).sum(), default=-np.inf)
    alerted = [
        tau
        for tau in cuts
        if tau >= tau_neg and reaches(precision, int((y & (p >= tau)).sum()), int((p >= tau).sum()))
    ]
    tau_pos = max(alerted, key=lambda tau: (p >= tau).sum(), default=np.inf)
    return int((p < tau_neg).sum()), int((p >= tau_pos).sum())


@given(rows, shares, shares, levels)
@settings(max_examples=300, deadline=None)
def test_the_choice_is_the_best_of_all_thresholds(rows, least_kept, least_right, confidence):
    p, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    sensitivity, precision = (
        Constraint(SENSITIVITY, least_kept, confidence),
        Constraint(PRECISION, least_right, confidence),
    )
    found = find_thresholds(table_of(p[y], p[~y]), sensitivity, precision)
    n_skipped = 0 if found.tau_neg is None else int((p < found.tau_neg).sum())
    n_alerts = 0 if found.tau_pos is None else int((p >= found.tau_pos).sum())
    assert (n_skipped, n_alerts) == best_by_trying(p, y, sensitivity, precision)
    assert found.tau_neg is None or found.tau_pos is None or found.tau_neg <= found.tau_pos


@given(st.integers(0, 400), st.integers(0, 10), shares, st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=200, deadline=None)
def test_allowed_misses_agree_with_the_binomial_tail(n, n_extra, target, confidence):
    constraint = Constraint(SENSITIVITY, target, confidence)
    allowed = n_allowed_misses(n, constraint)
    assert allowed < 0 or reaches(constraint, n - allowed, n)
    assert not any(
        reaches(constraint, n - k, n) for k in range(allowed + 1, min(allowed + 2 + n_extra, n + 1))
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.lists(st.floats(0, 1), max_size=30))
@settings(deadline=None)
def test_the_order_of_the_rows_changes_nothing(positives, negatives):
    sensitivity, precision = Constraint(SENSITIVITY, 0.8, None), Constraint(PRECISION, 0.6, None)
    forwards = find_thresholds(table_of(positives, negatives), sensitivity, precision)
    backwards = find_thresholds(table_of(positives[::-1], negatives[::-1]), sensitivity, precision)
    assert forwards == backwards


def test_positives_that_share_posts_are_counted_strictly():
    rows = scored([*np.full(2995, 0.9), *np.full(5, 0.2)], np.full(500, 0.1), per_post=5)
    table, rows = table_and_posts(rows)
    found = find_thresholds(table, Constraint(SENSITIVITY, 0.995, 0.95), None, posts=rows)
    # 3,000 positives allow 8 misses if independent; 600 posts of five are worth 600, which allow none.
    assert n_allowed_misses(3000, Constraint(SENSITIVITY, 0.995, 0.95)) == 8
    assert n_allowed_misses(3000, Constraint(SENSITIVITY, 0.995, 0.95), n_effective=600.0) == 0
    assert found.tau_neg == 0.19


def table_and_posts(rows):
    chosen = row_set(data_of(rows), "all", split=None, model=None)
    return chosen.table, chosen.posts
