"""The gate: the literal rule at its edges, and every rate against a plain count."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.metrics import gate
from evalcore.spec import METRICS
from evalcore.tallies.decisions import states_at, states_by_row
from evalcore.tallies.scores import ScoredRows, ScoreTable

TIES = [
    (0.2, 1),
    (0.2, 0),
    (0.2, 0),
    (0.8, 1),
    (0.8, 0),
    (1.0, 1),
    (0.0, 0),
    (0.3, 1),
    (0.30000000000000004, 1),
]


def table_of(rows):
    p, y = np.array([row[0] for row in rows], float), np.array([row[1] for row in rows], bool)
    return ScoreTable.from_rows(ScoredRows(p, y, np.arange(len(p)), len(p)))


def plain_state(p, tau_neg, tau_pos):
    if p < tau_neg:
        return "NEG"
    return "UNCERTAIN" if p < tau_pos else "POS"


@pytest.mark.parametrize(
    ("tau_neg", "tau_pos", "expected"),
    [
        (0.2, 0.8, (0, 1, 3, 2, 2, 1)),
        (0.3, 0.30000000000000004, (1, 3, 1, 0, 3, 1)),
        (0.30000000000000004, 0.30000000000000004, (2, 3, 0, 0, 3, 1)),
        (0.0, 1.0, (0, 0, 4, 4, 1, 0)),
        (None, None, (0, 0, 5, 4, 0, 0)),
    ],
)
def test_scores_equal_to_a_threshold_follow_the_literal_rule(tau_neg, tau_pos, expected):
    counts = states_at(table_of(TIES), tau_neg, tau_pos)
    found = (
        counts.neg_pos,
        counts.neg_neg,
        counts.uncertain_pos,
        counts.uncertain_neg,
        counts.pos_pos,
        counts.pos_neg,
    )
    assert found == expected


thresholds = st.one_of(st.sampled_from([0.0, 0.2, 0.3, 0.30000000000000004, 0.8, 1.0]), st.floats(0, 1))


@given(st.lists(st.tuples(thresholds, st.booleans()), min_size=1, max_size=40), thresholds, thresholds)
def test_every_rate_equals_a_plain_count(rows, one, other):
    tau_neg, tau_pos = sorted((one, other))
    counts = states_at(table_of(rows), tau_neg, tau_pos)
    by_row = states_by_row(
        np.array([p for p, _ in rows]),
        np.array([y for _, y in rows]),
        np.full(len(rows), tau_neg),
        np.full(len(rows), tau_pos),
    )
    states = [(plain_state(p, tau_neg, tau_pos), bool(y)) for p, y in rows]
    n, n_pos = len(rows), sum(y for _, y in states)
    missed, alerts = states.count(("NEG", True)), sum(state == "POS" for state, _ in states)
    skipped, right = sum(state == "NEG" for state, _ in states), states.count(("POS", True))

    def share(a, b):
        return a / b if b else math.nan

    expected = {
        "neg_rate": skipped / n,
        "uncertain_rate": (n - skipped - alerts) / n,
        "pos_rate": alerts / n,
        "alerts_per_1000": 1000 * alerts / n,
        "screening_sensitivity": share(n_pos - missed, n_pos),
        "screening_fn_per_1000": 1000 * missed / n,
        "alert_precision": share(right, alerts),
        "alert_recall": share(right, n_pos),
        "neg_npv": share(skipped - missed, skipped),
        "reviews_per_true_alert": share(alerts, right),
    }
    assert expected.keys() == {m.name for m in METRICS.values() if m.family == "gate"}
    for name, value in expected.items():
        for tally in (counts, by_row):
            found = METRICS[f"gate.{name}"](tally).value
            assert found == pytest.approx(value, nan_ok=True, abs=1e-12), name
            assert (METRICS[f"gate.{name}"].reason(tally) is not None) == math.isnan(value), name


def test_no_alerts_leaves_alert_precision_undefined():
    counts = states_at(table_of([(0.1, 1), (0.2, 0)]), 0.15, 0.9)
    assert math.isnan(gate.alert_precision(counts).value)
    assert METRICS["gate.alert_precision"].reason(counts) == "no alerts"


def test_missed_per_1000_names_its_denominator():
    counts = states_at(table_of([(0.1, 1), (0.2, 0), (0.3, 0), (0.9, 1)]), 0.15, 0.5)
    assert gate.screening_fn_per_1000(counts).value == 250
    assert gate.screening_fn_per_1000(counts, variant="per_1000_positives").value == 500
