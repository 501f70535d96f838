"""What a test can show, and how likely it is to, before it is looked at."""

import numpy as np
import pytest

from evalcore.inference.binomial import lower_bound
from evalcore.operating_point import choose_operating_point, outlooks
from evalcore.operating_point.constraints import (
    PRECISION,
    SENSITIVITY,
    Constraint,
    find_thresholds,
    n_allowed_misses,
)
from evalcore.operating_point.prospects.outlook import outlook_of_alerts, outlook_on_test
from evalcore.tallies.decisions import states_at
from tests.support.but_long import but_long
from tests.support.made.choices import halves, table_of
from tests.support.made.scored_data import data_of, scored

BOUND = Constraint(SENSITIVITY, 0.995, 0.95)


def outlook(data, **options):
    """The outlook of the screening sensitivity alone; None without one."""
    return next(iter(outlooks(data, alert_precision=None, **options)), None)


def test_half_the_positives_certify_about_half_of_the_time():
    found = outlook_on_test(BOUND, 690, 689)
    assert found.chance == pytest.approx(690 / 1379, abs=1e-9)
    assert found.text == (
        "Test can show at most ≥ 99.56 % with 689 positives; "
        "the chance that it confirms 99.5 % is about 50 %."
    )
    assert outlook_on_test(BOUND, 1103, 276).chance == 0
    assert "nothing about" in outlook_on_test(BOUND, 1103, 0).text


def test_the_outlook_of_data_counts_their_test_positives():
    found = outlook(halves(), tune="tune", test="test")
    assert found == outlook_on_test(BOUND, 700, 700)
    assert outlook(halves()) is None
    assert outlook(halves(), screening_sensitivity=None, tune="tune", test="test") is None


def test_the_chance_to_certify_agrees_with_drawing_splits():
    rng = np.random.default_rng(0)
    constraint = Constraint(SENSITIVITY, 0.95, 0.9)
    n_tune, n_test = 120, 90
    n_missed, n_allowed = n_allowed_misses(n_tune, constraint), n_allowed_misses(n_test, constraint)
    confirmed = []
    for _ in range(4000):
        order = rng.permutation(n_tune + n_test)
        tau = np.sort(order[:n_tune])[n_missed]
        confirmed.append((order[n_tune:] < tau).sum() <= n_allowed)
    assert outlook_on_test(constraint, n_tune, n_test).chance == pytest.approx(np.mean(confirmed), abs=0.03)


def drawn_rates(n_tune, n_test, *, digits, n_draws=150):
    """Mean chance that is told, and how often tune and test of one source really confirm, of both targets."""
    rng = np.random.default_rng(digits)
    targets = Constraint(SENSITIVITY, 0.97, 0.95), Constraint(PRECISION, 0.8, 0.95)
    told, confirmed = [], []
    for _ in range(n_draws):
        tune, test = (drawn(rng, n, digits) for n in (n_tune, n_test))
        found = find_thresholds(tune, *targets)
        on_tune, on_test = (states_at(part, found.tau_neg, found.tau_pos) for part in (tune, test))
        n_missed = int(states_at(tune, found.tau_neg, None).neg_pos)
        said = (
            outlook_on_test(targets[0], int(tune.total_pos), int(test.total_pos), n_missed=n_missed),
            outlook_of_alerts(targets[1], int(on_tune.pos_pos), int(on_tune.n_pos), n_test / n_tune),
        )
        told.append([one.chance for one in said])
        kept = int(test.total_pos - on_test.neg_pos)
        bounds = lower_bound(kept, int(test.total_pos)), lower_bound(int(on_test.pos_pos), int(on_test.n_pos))
        confirmed.append([bound >= target.value for bound, target in zip(bounds, targets, strict=True)])
    return np.mean(told, axis=0), np.mean(confirmed, axis=0)


def drawn(rng, n, digits):
    y = rng.random(n) < 0.12
    p = np.round(np.where(y, rng.beta(4, 1.5, n), rng.beta(1, 5, n)), digits)
    return table_of(p[y], p[~y])


@pytest.mark.parametrize("digits", but_long([6, 2], 1), ids=["no ties", "ties"])
def test_what_is_told_of_both_targets_agrees_with_drawing(digits):
    told, confirmed = drawn_rates(1000, 1000, digits=digits)
    assert told[0] == pytest.approx(confirmed[0], abs=0.12)  # three standard errors of 150 draws
    assert confirmed[1] <= told[1] + 0.12  # an upper chance
    assert told[1] == pytest.approx(confirmed[1], abs=0.15)


def test_tied_positives_are_counted_as_the_rule_counts_them():
    positives = [0.1, 0.2, 0.2, 0.2, *np.full(1375, 0.9)]
    tune = scored(positives, [0.05, *np.full(50, 0.15)], split="tune")
    test = scored(positives, [0.05, *np.full(50, 0.15)], split="test", first_post=5000)
    found = outlook(data_of([*tune, *test]), tune="tune", test="test")
    # The rule allows two misses; three positives are tied at the second, so that it takes one.
    assert found.chance == outlook_on_test(BOUND, 1379, 1379, n_missed=1).chance
    assert found.chance > outlook_on_test(BOUND, 1379, 1379).chance


def test_a_tune_that_supports_nothing_is_said_to():
    tune = scored(np.full(300, 0.9), np.full(300, 0.1), split="tune")
    test = scored(np.full(3000, 0.9), np.full(300, 0.1), split="test", first_post=5000)
    found = outlook(data_of([*tune, *test]), tune="tune", test="test")
    assert found.chance == 0
    assert found.text == (
        "Test can show at most ≥ 99.90 % with 3,000 positives. Nothing can be skipped on tune with this "
        "guarantee, so there will be nothing to confirm."
    )


def test_no_alerts_on_tune_leave_nothing_to_confirm():
    tune = scored(np.full(20, 0.9), np.full(300, 0.1), split="tune")
    test = scored(np.full(20, 0.9), np.full(300, 0.1), split="test", first_post=5000)
    data = data_of([*tune, *test])
    (found,) = outlooks(data, screening_sensitivity=None, tune="tune", test="test")
    assert (found.chance, found.n_cases) == (0, 0)
    assert found.text == (
        "Test can show nothing of alert precision: no threshold reaches the target on tune, so there will be "
        "no alerts to confirm."
    )


def test_where_few_posts_hold_most_cases_the_chance_is_not_said():
    tune, test = (
        scored(np.full(3500, 0.9), np.full(500, 0.1), split=split, first_post=first, per_post=5)
        for split, first in (("tune", 0), ("test", 50_000))
    )
    of_sensitivity, of_precision = outlooks(data_of([*tune, *test]), tune="tune", test="test")
    for found, cases in ((of_sensitivity, "positives"), (of_precision, "alerts")):
        assert np.isnan(found.chance)
        assert f"cannot be said: few posts hold most {cases}, and nobody knows how alike" in found.text
    assert of_sensitivity.best == pytest.approx(0.05 ** (1 / 700))  # 700 posts of five, not 3,500 positives


def test_a_test_of_too_few_posts_can_never_confirm_however_many_positives_it_has():
    tune, test = (
        scored(np.full(700, 0.9), np.full(100, 0.1), split=split, first_post=first, per_post=5)
        for split, first in (("tune", 0), ("test", 50_000))
    )
    found = outlook(data_of([*tune, *test]), tune="tune", test="test")
    assert found.best < BOUND.value < lower_bound(700, 700, 0.95)  # 140 posts of five
    assert found.chance == 0


def test_too_few_alerts_can_never_confirm():
    found = outlook_of_alerts(Constraint(PRECISION, 0.9, 0.95), 100, 100, 0.1)
    assert found.best == pytest.approx(0.05 ** (1 / 10))
    assert found.text.startswith("Test can show of alert precision at most ≥ 74.1 % with about 10 alerts; ")
    assert "at best below 1 %" in found.text


def test_the_outlook_looks_at_no_score_of_the_test():
    data = halves()
    before = [one.text for one in outlooks(data, tune="tune", test="test")]
    codes, levels = data.queries.slices["split"]
    is_test = codes == levels.index("test")
    data.queries.score[is_test] = data.queries.score[is_test][::-1]
    assert [one.text for one in outlooks(data, tune="tune", test="test")] == before
    assert choose_operating_point(data, tune="tune", test="test").status != "certified"
