"""Net benefit of a gate: counted by hand, against everything and nothing."""

from fractions import Fraction

import numpy as np
import pytest

from evalcore.figures.net_benefit import gate_net_benefit_figure
from evalcore.tallies.decisions import StateCounts

COUNTS = StateCounts(
    neg_pos=1, neg_neg=50, uncertain_pos=4, uncertain_neg=30, pos_pos=5, pos_neg=10
)  # 10 with evidence, 90 without


def drawn(t: list[float]) -> dict[str, list[float]]:
    return {trace.name: list(trace.y) for trace in gate_net_benefit_figure(COUNTS, t).data}


def test_screened_in_counts_what_is_not_skipped_and_alert_what_is_alerted() -> None:
    lines = drawn([0.2])
    assert lines["screened in"] == pytest.approx([float(Fraction(9, 100) - Fraction(40, 100) / 4)])
    assert lines["alert"] == pytest.approx([float(Fraction(5, 100) - Fraction(10, 100) / 4)])
    assert lines["everything"] == pytest.approx([float(Fraction(10, 100) - Fraction(90, 100) / 4)])
    assert lines["nothing"] == [0]


def test_without_a_price_of_false_alarms_everything_is_best() -> None:
    lines = drawn([0.0])
    assert [lines[name][0] for name in ("everything", "screened in", "alert")] == [0.1, 0.09, 0.05]


def test_net_benefit_is_undefined_where_a_false_alarm_costs_without_limit() -> None:
    lines = drawn([0.5, 1.0])
    assert np.isnan([lines[name][1] for name in ("screened in", "alert", "everything")]).all()
