"""The gap between tune and test, from the counts of a document."""

import numpy as np
import pytest

from evalcore.operating_point import choose_operating_point
from evalcore.operating_point.choosing.gaps import Gap, gap_rows, gaps
from tests.support.made.choices import halves


def test_each_rate_stands_beside_what_tune_said():
    point = choose_operating_point(halves(misses_on_test=7), tune="tune", test="test")
    of_sensitivity, of_precision = gaps(point.document)
    assert (of_sensitivity.tune, of_sensitivity.test) == ((700, 700), (693, 700))
    assert of_sensitivity.value == pytest.approx(-0.01)
    assert of_precision.value == pytest.approx(693 / 698 - 700 / 705)
    assert gap_rows(point.document) == [
        ("Screening sensitivity", "100 %", "99.0 %", "−1.0 points"),
        ("Alert precision", "99.29 %", "99.28 %", "−0.01 points"),
    ]


def test_without_a_test_there_is_no_gap():
    assert gaps(choose_operating_point(halves(), tune="tune").document) == ()


def test_an_undefined_rate_has_no_gap():
    gap = Gap("gate.alert_precision", (29, 30), (0, 0))
    assert np.isnan(gap.value)
    assert gap.row == ("Alert precision", "96.7 %", "n/a", "n/a")
