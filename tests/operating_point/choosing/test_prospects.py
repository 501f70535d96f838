"""The outlook of a test at its boundaries, against other computations of it, and in words."""

import math

import numpy as np
import pytest
from scipy import stats

from evalcore.operating_point import outlooks
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY, Constraint
from evalcore.operating_point.prospects.outlook import Outlook, outlook_of_alerts, outlook_on_test
from tests.support.made.choices import halves
from tests.support.made.scored_data import data_of, scored

BOUND = Constraint(SENSITIVITY, 0.995, 0.95)
ALERTS = Constraint(PRECISION, 0.9, 0.95)
ON_TEST = {"tune": "tune", "test": "test"}


# --- in words ---


@pytest.mark.parametrize(
    ("outlook", "text"),
    [
        (
            Outlook(BOUND, 0, math.nan, 0.0),
            "Test holds no check with evidence: it can show nothing about screening sensitivity.",
        ),
        (
            Outlook(ALERTS, 0, math.nan, 0.0),
            "Test can show nothing of alert precision: tune lets expect no alerts there.",
        ),
        (
            Outlook(BOUND, 1, 0.05, math.nan, "nobody knows"),
            "Test can show at most ≥ 5.0 % with 1 positive; the chance that it confirms 99.5 % cannot be "
            "said: nobody knows.",
        ),
        (
            Outlook(ALERTS, 20, 0.86, 0.0),
            "Test can show of alert precision at most ≥ 86.0 % with about 20 alerts: "
            "it can never confirm 90 %.",
        ),
        (
            Outlook(BOUND, 20, 0.86, 0.0),
            "Test can show at most ≥ 86.0 % with 20 positives: it can never confirm 99.5 %.",
        ),
        (
            Outlook(ALERTS, 40, 0.92, 0.25),
            "Test can show of alert precision at most ≥ 92.0 % with about 40 alerts; "
            "the chance that it confirms 90 % is at best about 25 %.",
        ),
    ],
)
def test_every_outlook_is_a_sentence_of_its_own(outlook, text):
    assert outlook.text == text


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (1e-9, "below 1 %"),
        (0.0049, "below 1 %"),
        (0.0051, "about 1 %"),
        (0.014, "about 1 %"),
        (0.994, "about 99 %"),
        (0.9951, "above 99 %"),
    ],
)
def test_a_chance_is_never_rounded_to_certain_or_impossible(chance, words):
    assert Outlook(BOUND, 700, 0.996, chance).text.endswith(f"the chance that it confirms 99.5 % is {words}.")


# --- of positives ---


@pytest.mark.parametrize(("n_tune", "n_test", "n_missed"), [(620, 640, 0), (1000, 1379, 1), (1379, 950, -1)])
def test_the_chance_of_positives_is_beta_binomial(n_tune, n_test, n_missed):
    found = outlook_on_test(BOUND, n_tune, n_test, n_missed=n_missed)
    if n_missed < 0:
        assert (found.chance, found.reason) == (
            0,
            "nothing can be skipped on tune with this guarantee, so there will be nothing to confirm",
        )
        return
    most = {640: 0, 1379: 2}[n_test]
    missed = stats.betabinom(n_test, n_missed + 1, n_tune - n_missed)
    assert found.chance == pytest.approx(missed.cdf(most), rel=1e-9)
    assert found.reason is None
    assert found.best == pytest.approx(0.05 ** (1 / n_test), rel=1e-12)


def test_a_target_without_a_confidence_is_tested_at_the_level_of_the_report():
    """τ_neg of the estimate misses 6 of 1,379; the test has to show it at 95 %, with 2."""
    found = outlook_on_test(Constraint(SENSITIVITY, 0.995, None), 1379, 1379)
    assert found.chance == pytest.approx(stats.betabinom(1379, 7, 1373).cdf(2), rel=1e-9)
    assert found.best == pytest.approx(0.05 ** (1 / 1379), rel=1e-12)


def test_related_positives_are_worth_fewer_and_allow_fewer_misses():
    found = outlook_on_test(BOUND, 1000, 1379, n_missed=1, n_effective=700.0)
    assert found.best == pytest.approx(0.05 ** (1 / 700), rel=1e-12)
    assert found.chance == pytest.approx(stats.betabinom(1379, 2, 999).cdf(0), rel=1e-9)


# --- of alerts ---


def chance_of_alerts(n_right, n_wrong, ratio, design=1.0):
    """That 90 % is shown at 95 % by right and wrong alerts drawn apart, pair by pair."""
    share, right = 1 / (1 + ratio), np.arange(1, 600)
    chance = 0.0
    for wrong in range(60):
        by = 1 + (design - 1) * min(max(0, (10 - wrong) / 10), 1 / (1 + wrong))
        is_enough = stats.beta.ppf(0.05, right / by, wrong / by + 1) >= 0.9
        p_right = stats.nbinom.pmf(right, n_right + 0.5, share)
        beyond = stats.nbinom.sf(right[-1], n_right + 0.5, share)
        chance += (p_right[is_enough].sum() + beyond) * stats.nbinom.pmf(wrong, n_wrong + 0.5, share)
    return chance


@pytest.mark.parametrize(
    ("n_right", "n_wrong", "ratio", "design"),
    [
        (60, 2, 1.0, 1.0),
        (60, 2, 1.0, 2.0),
        (90, 9, 0.5, 3.0),
        (40, 1, 1.5, 1.5),
        (300, 14, 1.0, 3.0),  # from ten wrong alerts on, they tell themselves how alike they are
        (100_000, 0, 0.001, 1.0),  # hardly ever one wrong alert, and that one counts
    ],
)
def test_the_chance_of_alerts_is_that_of_right_and_wrong_ones_drawn_apart(n_right, n_wrong, ratio, design):
    found = outlook_of_alerts(ALERTS, n_right, n_right + n_wrong, ratio, design=design)
    n = round((n_right + n_wrong) * ratio)
    assert found.n_cases == n
    assert found.best == pytest.approx(0.05 ** (design / n), rel=1e-12)
    assert found.chance == pytest.approx(chance_of_alerts(n_right, n_wrong, ratio, design), abs=2e-8)


def test_no_alerts_to_expect_are_told_from_no_alerts_on_tune():
    none, few = (outlook_of_alerts(ALERTS, n, n, 0.1) for n in (0, 4))
    assert (few.n_cases, few.chance, few.reason) == (0, 0, None)
    assert none.reason == "no threshold reaches the target on tune, so there will be no alerts to confirm"
    assert np.isnan([none.best, few.best]).all()
    assert outlook_of_alerts(ALERTS, 6, 6, 0.1).n_cases == 1


def test_alerts_without_a_confidence_are_tested_at_the_level_of_the_report():
    bare = outlook_of_alerts(Constraint(PRECISION, 0.9, None), 60, 62, 1.0)
    said = outlook_of_alerts(ALERTS, 60, 62, 1.0)
    assert (bare.best, bare.chance) == (said.best, said.chance)


def test_no_test_confirms_that_every_alert_is_right():
    found = outlook_of_alerts(Constraint(PRECISION, 1.0, None), 300, 300, 1.0)
    assert (found.chance, found.reason) == (0, None)
    assert found.best == pytest.approx(0.05 ** (1 / 300))


# --- of data ---


def parts(n_tune, n_test, *, per_tune=1, per_test=1, negatives=100):
    """Tune and test with so many positives of score 0.9, and so many rows to a post in each."""
    tune = scored(np.full(n_tune, 0.9), np.full(negatives, 0.1), split="tune", per_post=per_tune)
    test = scored(
        np.full(n_test, 0.9), np.full(negatives, 0.1), split="test", first_post=50_000, per_post=per_test
    )
    return [*tune, *test]


def test_targets_and_their_confidence_are_those_of_choosing_where_none_is_said():
    assert [one.constraint for one in outlooks(halves(), **ON_TEST)] == [BOUND, ALERTS]


def test_alerts_are_expected_in_proportion_to_the_rows():
    """200 right and 5 wrong alerts among 1,505 rows of tune; test holds half of such rows."""
    rows = [
        *scored(
            [*np.full(200, 0.95), *np.full(500, 0.5)],
            [*np.full(5, 0.95), *np.full(300, 0.5), *np.full(500, 0.2)],
            split="tune",
        ),
        *scored(np.full(350, 0.5), np.full(402, 0.2), split="test", first_post=50_000),
    ]
    _, found = outlooks(data_of(rows), **ON_TEST)
    assert found == outlook_of_alerts(ALERTS, 200, 205, 752 / 1505)
    assert (found.n_cases, found.reason) == (102, None)


def test_alerts_that_share_posts_on_tune_are_worth_fewer():
    pairs = data_of(parts(200, 200, per_tune=2, per_test=2))
    (found,) = outlooks(pairs, screening_sensitivity=None, **ON_TEST)
    assert found.best == pytest.approx(0.05 ** (1 / 100))  # 200 alerts in 100 posts, as alike as can be
    assert found.chance == outlook_of_alerts(ALERTS, 200, 200, 1.0, design=2.0).chance


def test_related_positives_of_a_test_are_worth_as_many_as_tune_says_they_are():
    """Alike on tune as can be: 1,400 positives in pairs are worth 700; tune misses one pair of 1,001."""
    scores = np.repeat(np.linspace(0.5, 0.9, 1000), 2)
    tune = scored([0.01, 0.02, *scores], np.full(100, 0.005), split="tune", per_post=2)
    test = scored(np.full(1400, 0.9), np.full(100, 0.1), split="test", first_post=50_000, per_post=2)
    (found,) = outlooks(data_of([*tune, *test]), alert_precision=None, **ON_TEST)
    assert found.best == pytest.approx(0.05 ** (1 / 700))
    as_pairs = outlook_on_test(BOUND, 2002, 1400, n_missed=2, n_effective=700.0)
    assert (found.chance, found.reason) == (as_pairs.chance, None)
    assert found.chance < outlook_on_test(BOUND, 2002, 1400, n_missed=2).chance


def test_a_test_that_names_no_posts_has_no_related_cases():
    tune, test = (
        data_of([row for row in parts(3500, 3500, per_tune=5) if row[4] == split], has_posts=split == "tune")
        for split in ("tune", "test")
    )
    of_sensitivity, of_precision = outlooks(tune, test_data=test)
    assert of_precision == outlook_of_alerts(ALERTS, 3500, 3500, 1.0)
    assert of_sensitivity.best == pytest.approx(0.05 ** (1 / 3500))
    assert of_sensitivity == outlook_on_test(BOUND, 3500, 3500, n_missed=0)


def test_the_best_of_a_test_is_at_the_confidence_that_was_said():
    (found,) = outlooks(data_of(parts(700, 700)), alert_precision=None, confidence=0.8, **ON_TEST)
    assert found.best == pytest.approx(0.2 ** (1 / 700))
    (bare,) = outlooks(data_of(parts(700, 700)), alert_precision=None, confidence=None, **ON_TEST)
    assert bare.best == pytest.approx(0.05 ** (1 / 700))


def test_too_few_alerts_to_expect_may_be_more_and_too_few_positives_never_are():
    unlike = np.random.default_rng(0).uniform(0.5, 0.9, 2000)
    tune = scored(unlike, np.full(100, 0.1), split="tune", per_post=2)
    test = scored(np.full(1400, 0.9), np.full(100, 0.1), split="test", first_post=50_000, per_post=5)
    (of_sensitivity,) = outlooks(data_of([*tune, *test]), alert_precision=None, **ON_TEST)
    assert of_sensitivity.best == pytest.approx(0.05 ** (1 / 280))  # 280 posts of five, however unlike
    assert (of_sensitivity.chance, of_sensitivity.reason) == (0, None)
    (of_precision,) = outlooks(
        data_of([*parts(200, 0)[:300], *scored([0.5] * 20, [0.2] * 10, split="test", first_post=50_000)]),
        screening_sensitivity=None,
        **ON_TEST,
    )
    assert of_precision == outlook_of_alerts(ALERTS, 200, 200, 0.1)
    assert of_precision.best < ALERTS.value
    assert 0.01 < of_precision.chance < 0.2


@pytest.mark.parametrize(("per_tune", "per_test"), [(5, 1), (1, 5)])
def test_the_chance_is_not_said_where_cases_are_heavily_clustered_on_either_side(per_tune, per_test):
    low = [0.02] * 4 + [0.1]
    tune = scored([*low, *np.full(3500, 0.9)], np.full(100, 0.05), split="tune", per_post=per_tune)
    test = scored(np.full(3500, 0.9), np.full(100, 0.05), split="test", first_post=50_000, per_post=per_test)
    (found,) = outlooks(data_of([*tune, *test]), alert_precision=None, screening_sensitivity=0.99, **ON_TEST)
    assert math.isnan(found.chance)
    assert found.reason == "few posts hold most positives, and nobody knows how alike those of one post are"


def test_a_chance_known_to_be_none_stays_so_where_cases_are_heavily_clustered():
    (found,) = outlooks(data_of(parts(100, 3500, per_tune=5, per_test=5)), alert_precision=None, **ON_TEST)
    assert (found.chance, found.reason) == (
        0,
        "nothing can be skipped on tune with this guarantee, so there will be nothing to confirm",
    )


def test_a_test_without_positives_shows_nothing_however_tune_is_clustered():
    rows = [row for row in parts(3500, 1, per_tune=5) if row[4] == "tune" or not row[3]]
    (found,) = outlooks(data_of(rows), alert_precision=None, **ON_TEST)
    assert (found.n_cases, found.chance, found.reason) == (0, 0, None)
    assert found.text == "Test holds no check with evidence: it can show nothing about screening sensitivity."


def test_a_bound_that_just_reaches_the_target_can_confirm_it():
    data = data_of(parts(2000, 400, per_test=2))
    (found,) = outlooks(data, screening_sensitivity=0.9, alert_precision=None, **ON_TEST)
    options = {"screening_sensitivity": found.best, "alert_precision": None}
    (exactly,) = outlooks(data, **options, **ON_TEST)
    assert exactly.best == found.best
    assert exactly.chance > 0
    (beyond,) = outlooks(data, **options | {"screening_sensitivity": np.nextafter(found.best, 1)}, **ON_TEST)
    assert beyond.chance == 0
