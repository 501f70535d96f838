"""Net benefit of a gate: counted by hand, against everything and nothing."""

from fractions import Fraction

import numpy as np
import pytest

from evalcore.curves import gate_decision_curves
from evalcore.figures.net_benefit import gate_net_benefit_figure
from evalcore.metrics.classification.at_threshold import net_benefit
from evalcore.tallies.decisions import Confusion, StateCounts

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


def test_the_drawn_range_holds_all_rules_down_to_twice_the_prevalence() -> None:
    mild = gate_net_benefit_figure(COUNTS, [0.0, 0.1, 0.12]).layout.yaxis.range
    assert mild[0] < (10 - 90 * 0.12 / 0.88) / 100 < 0 < 0.1 < mild[1]
    steep = gate_net_benefit_figure(COUNTS, [0.0, 0.5, 0.99, 1.0]).layout.yaxis.range
    assert steep == pytest.approx((-0.2 - 0.015, 0.1 + 0.015))


def test_what_is_drawn_is_what_is_declared() -> None:
    t = [0.0, 0.1, 0.5, 0.9, 1.0]
    curves = gate_decision_curves(COUNTS, t)
    for at, price in enumerate(t):
        alert = Confusion(true_pos=5, false_pos=10, false_neg=5, true_neg=80, threshold=price)
        kept = Confusion(true_pos=9, false_pos=40, false_neg=1, true_neg=50, threshold=price)
        expected = [float(net_benefit(kept)), float(net_benefit(alert))]
        assert [curves.screened_in[at], curves.alert[at]] == pytest.approx(expected, nan_ok=True)


def test_without_rows_nothing_is_gained_and_nothing_is_invented() -> None:
    empty = gate_decision_curves(StateCounts(0, 0, 0, 0, 0, 0), [0.1])
    assert np.isnan([*empty.screened_in, *empty.alert, *empty.everything, empty.prevalence]).all()
    assert gate_net_benefit_figure(StateCounts(0, 0, 0, 0, 0, 0), [0.1]).layout.yaxis.range is None
