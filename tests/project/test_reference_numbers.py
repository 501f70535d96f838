"""Numbers that the statistical specification names, in the digits it gives."""

import pytest
from scipy import stats

from evalcore.inference.binomial import lower_bound, max_misses
from evalcore.operating_point.constraints import SENSITIVITY, Constraint, n_allowed_misses

GUARANTEED = Constraint(SENSITIVITY, 0.995, 0.95)
POINT = Constraint(SENSITIVITY, 0.995, None)


@pytest.mark.parametrize(
    ("n", "guaranteed", "point"), [(1379, 0.968, 0.535), (1103, 0.974, 0.474), (690, 0.969, 0.453)]
)
def test_reach_of_the_chosen_threshold_on_independent_positives(n, guaranteed, point):
    """τ = s_(k+1) truly misses less than ε in 1 − BinomCDF(k; n, ε) of the draws."""
    for constraint, reach in ((GUARANTEED, guaranteed), (POINT, point)):
        allowed = n_allowed_misses(n, constraint)
        assert stats.binom.sf(allowed, n, 0.005) == pytest.approx(reach, abs=5e-4)


def test_reach_is_never_below_the_confidence():
    for n in range(598, 2500):
        assert stats.binom.sf(max_misses(n, 0.995), n, 0.005) >= 0.95


def test_most_that_a_fifth_of_the_positives_could_show():
    """276 positives without a miss: at most "≥ 98.9 %", short of 99.5 %."""
    assert lower_bound(276, 276) == pytest.approx(0.05 ** (1 / 276), abs=1e-12)
    assert f"{lower_bound(276, 276):.3f}" == "0.989"
    assert n_allowed_misses(276, GUARANTEED) == -1


def test_precision_of_90_percent_needs_29_of_29_49_of_50_or_96_of_100():
    for n_right, n in ((29, 29), (49, 50), (96, 100)):
        assert lower_bound(n_right, n) >= 0.9
        assert lower_bound(n_right - 1, n) < 0.9
    assert lower_bound(28, 28) < 0.9
