"""Verdicts come in the order of the design, and only a bound makes a claim with confidence."""

import numpy as np
import pytest

from evalcore.inference.binomial import lower_bound
from evalcore.inference.verdicts import (
    VERDICTS,
    codes_of_estimates,
    is_not_excluded,
    verdict,
    verdict_codes,
)

SCREENING = [
    (19, 19, "not_assessed"),  # below twenty cases even a perfect result says nothing
    (0, 0, "not_assessed"),
    (1370, 1379, "not_met"),  # .9935
    (1377, 1379, "met_with_confidence"),  # bound .99544
    (1376, 1379, "met_point_only"),  # estimate .9978, bound .99439
    (276, 276, "infeasible_with_this_n"),  # the best possible bound is .9892
    (597, 597, "infeasible_with_this_n"),
    (598, 598, "met_with_confidence"),
]


@pytest.mark.parametrize(("kept", "n", "expected"), SCREENING)
def test_verdict_on_screening_sensitivity(kept: int, n: int, expected: str) -> None:
    found = verdict(kept, n, target=0.995, low=lower_bound(kept, n), best_low=lower_bound(n, n))
    assert found == expected


@pytest.mark.parametrize(
    ("right", "n", "expected"),
    [
        (0, 0, "not_met"),  # no alerts at all
        (5, 5, "not_assessed"),
        (29, 29, "met_with_confidence"),
        (28, 28, "infeasible_with_this_n"),
        (49, 50, "met_with_confidence"),
        (48, 50, "met_point_only"),
        (44, 50, "not_met"),
    ],
)
def test_verdict_on_alert_precision(right: int, n: int, expected: str) -> None:
    found = verdict(
        right, n, target=0.9, low=lower_bound(right, n), best_low=lower_bound(n, n), none_is_not_met=True
    )
    assert found == expected


def test_estimate_on_the_target_reaches_it() -> None:
    assert verdict(90, 100, target=0.9, low=0.83, best_low=0.97) == "met_point_only"
    assert verdict(199, 200, target=0.995, low=0.97, best_low=0.985) == "infeasible_with_this_n"


def test_twenty_cases_carry_a_verdict_and_nineteen_do_not() -> None:
    for n, expected in ((19, "not_assessed"), (20, "met_with_confidence")):
        assert verdict(n, n, target=0.8, low=lower_bound(n, n), best_low=lower_bound(n, n)) == expected


def test_a_bound_on_the_target_reaches_it_and_the_best_on_the_target_is_feasible() -> None:
    assert verdict(30, 30, target=0.9, low=0.9, best_low=0.9) == "met_with_confidence"
    assert verdict(30, 30, target=0.9, low=np.nextafter(0.9, 0), best_low=0.95) == "met_point_only"
    assert verdict(29, 30, target=0.9, low=0.8, best_low=0.9) == "met_point_only"
    assert verdict(29, 30, target=0.9, low=0.8, best_low=np.nextafter(0.9, 0)) == "infeasible_with_this_n"


def test_estimates_on_any_scale_are_judged_alike() -> None:
    """At most 5 missed per 1,000: more is better with the sign turned."""
    codes = codes_of_estimates([-5.0, -5.01, -4.0], 100, target=-5.0, low=[-7, -8, -5], best_low=-1)
    assert [VERDICTS[code] for code in codes] == ["met_point_only", "not_met", "met_with_confidence"]


def test_no_case_leaves_a_target_open_unless_it_is_said_to_fail_it() -> None:
    codes = [
        codes_of_estimates(0.0, 0, target=-5.0, low=np.nan, best_low=np.nan, **options)
        for options in ({}, {"none_is_not_met": True})
    ]
    assert [VERDICTS[int(code)] for code in codes] == ["not_assessed", "not_met"]


def test_many_verdicts_at_once_equal_single_ones() -> None:
    kept, n = np.array([row[0] for row in SCREENING]), np.array([row[1] for row in SCREENING])
    low = np.array([lower_bound(x, trials) for x, trials in zip(kept, n, strict=True)])
    best = np.array([lower_bound(trials, trials) for trials in n])
    codes = verdict_codes(kept, n, target=0.995, low=low, best_low=best)
    assert [VERDICTS[code] for code in codes] == [row[2] for row in SCREENING]


def test_missed_target_within_the_interval_is_not_excluded() -> None:
    assert is_not_excluded([0.9949, 0.995, np.nan], 0.995).tolist() == [False, True, False]
