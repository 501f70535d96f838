"""A test whose prevalence differs from that of tune, or from the one claimed, by more than chance."""

import numpy as np
import pytest
from scipy import stats

from evalcore.operating_point.choosing.tested import facts_of_test
from evalcore.operating_point.constraints import Thresholds
from evalcore.operating_point.test_rows.row_sets import row_set
from tests.support.made.scored_data import data_of, scored


def rows_of(n_positives, n, *, per_post=1, name="tune"):
    """Rows of random scores, positives first, so that posts of several rows are of one class."""
    rng = np.random.default_rng(n_positives + 1000 * n)
    rows = scored(rng.random(n_positives), rng.random(n - n_positives), per_post=per_post)
    return row_set(data_of([(f"{name}{post}", *rest) for post, *rest in rows]), "all", split=None, model=None)


def facts(tune, test, claimed=None):
    return facts_of_test(tune, test, [], Thresholds(None, None), claimed=claimed)


def limit(*n, n_posts, of):
    """How far two prevalences, or one and a claim, may lie apart at 99.9 %: n positives of so many posts."""
    shares = np.array(n) / of
    variance = np.sum(shares * (1 - shares) / (n_posts - 1))
    return stats.t.ppf(0.9995, n_posts - 1) * np.sqrt(variance)


@pytest.mark.parametrize("per_post", [1, 4])
def test_prevalences_of_tune_and_test_differ_where_posts_cannot_explain_it(per_post):
    n, n_tune = 400, 100
    steps = [
        k for k in range(n_tune, n, 4) if (k - n_tune) / n > limit(n_tune, k, n_posts=n // per_post, of=n)
    ]
    tune = rows_of(n_tune, n, per_post=per_post)
    for n_test, expected in ((steps[0], True), (steps[0] - 4, False)):
        test = rows_of(n_test, n, per_post=per_post, name="test")
        assert facts(tune, test).is_shifted == expected
        assert facts(test, tune).is_shifted == expected


def test_a_claimed_prevalence_is_excluded_by_the_spread_of_the_test_alone():
    tune, test = rows_of(100, 400), rows_of(100, 400, name="test")
    most = limit(100, n_posts=400, of=400)
    for claimed, expected in ((0.25 + most, False), (0.25 + most + 1e-6, True), (0.25 - most - 1e-6, True)):
        claimed = claimed - 1e-9 if not expected else claimed
        assert facts(tune, test, claimed).excludes_claimed == expected
    assert not facts(tune, test).excludes_claimed


def test_without_a_positive_the_error_of_the_prevalence_is_half_a_row():
    """½/400 is the error, of which 3.3 are allowed: 1.66 of 400."""
    none = rows_of(0, 400, name="test")
    assert not facts(none, none, 1.6 / 400).excludes_claimed
    assert facts(none, none, 1.7 / 400).excludes_claimed


def test_the_side_of_fewer_posts_says_how_well_the_spread_is_known():
    """5 of 15 has an error of .126, of which 14 degrees of freedom allow 4.14: .52, where 999 allowed .42."""
    tune = rows_of(5, 15)
    for n_test, expected in ((800, False), (870, True)):
        test = rows_of(n_test, 1000, name="test")
        assert facts(tune, test).is_shifted == facts(test, tune).is_shifted == expected
