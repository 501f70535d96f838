"""The Pareto front of thresholds: against every pair, on ties, and thinned."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.figures.front import front_figure
from evalcore.operating_point.choosing.front import alert_front, pareto_front
from evalcore.problems import InputError
from tests.support.made.choices import table_of

scores = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.1 + 0.2, 0.5, 0.7, 0.9, 1.0])
rows = st.lists(st.tuples(scores, st.booleans()), min_size=1, max_size=30)


def every_pair(p, y, fewest):
    """(workload, screening sensitivity, alert precision) of every pair of thresholds that decides apart."""
    found = set()
    cuts = [*sorted(set(p)), np.inf]
    for low in cuts[:-1]:
        for high in [cut for cut in cuts if cut >= low]:
            alerts = p >= high
            precision = (y & alerts).sum() / alerts.sum() if alerts.sum() >= fewest else -1.0
            found.add(((p >= low).mean(), (y & (p >= low)).sum() / y.sum(), precision))
    return found


def is_beaten(one, others):
    work, kept, right = one
    return any(
        other != one and other[0] <= work and other[1] >= kept and other[2] >= right for other in others
    )


@given(rows, st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_the_front_is_what_no_other_pair_beats(rows, fewest):
    p, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    front = pareto_front(table_of(p[y], p[~y]), fewest_alerts=fewest, most_points=None)
    if not y.any():
        assert front.empty
        return
    pairs = every_pair(p, y, fewest)
    best = {one for one in pairs if not is_beaten(one, pairs)}
    columns = front[["workload", "screening_sensitivity", "alert_precision"]].fillna(-1.0)
    assert {tuple(row) for row in columns.to_numpy().tolist()} == best
    assert len(front) == len(best)


@given(rows, st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_the_thresholds_of_the_front_reach_what_stands_beside_them(rows, fewest):
    p, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    table = table_of(p[y], p[~y])
    for front in (pareto_front(table, fewest_alerts=fewest), alert_front(table, 0.2, fewest_alerts=fewest)):
        for one in front.itertuples():
            skipped = p < one.tau_neg  # of no threshold, NaN, nothing is skipped
            alerts = np.zeros(len(p), bool) if np.isnan(one.tau_pos) else p >= one.tau_pos
            counted = (skipped.sum(), (skipped & y).sum(), alerts.sum(), (alerts & y).sum())
            assert counted == (one.skipped, one.missed, one.alerts, one.alerts_right)


@given(rows, st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_the_alert_front_is_what_no_other_threshold_beats(rows, fewest):
    p, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    front = alert_front(table_of(p[y], p[~y]), 0.2, fewest_alerts=fewest, most_points=None)
    reached = set()
    for cut in {cut for cut in p.tolist() if cut >= 0.2}:
        alerts = p >= cut
        if alerts.sum() >= fewest and (y & alerts).any():
            reached.add((float((y & alerts).sum() / alerts.sum()), int((y & alerts).sum())))
    best = {
        one for one in reached if not any(o != one and o[0] >= one[0] and o[1] >= one[1] for o in reached)
    }
    assert set(zip(front["alert_precision"], front["alerts_right"], strict=True)) == best
    assert front["alert_precision"].is_monotonic_increasing


def test_a_long_front_is_thinned_with_both_ends_kept():
    rng = np.random.default_rng(0)
    table = table_of(rng.beta(3, 1, 3000), rng.beta(1, 3, 3000))
    whole, thin = pareto_front(table, most_points=None), pareto_front(table, most_points=50)
    assert len(whole) > 1000
    assert len(thin) == 50
    assert thin["skipped"].iloc[[0, -1]].tolist() == whole["skipped"].iloc[[0, -1]].tolist()
    assert thin["workload"].is_monotonic_increasing
    assert thin["screening_sensitivity"].is_monotonic_increasing


def test_a_front_of_no_alerts_or_one_point_is_refused():
    table = table_of([0.9], [0.1])
    for wrong in ({"fewest_alerts": 0}, {"most_points": 1}):
        with pytest.raises(InputError, match="OPT-008"):
            pareto_front(table, **wrong)
        with pytest.raises(InputError, match="OPT-008"):
            alert_front(table, None, **wrong)


@pytest.mark.parametrize("dark", [False, True])
def test_the_figures_draw_the_columns(dark):
    table = table_of([0.4, 0.7, 0.8, 0.9], [0.1, 0.2, 0.5])
    front = pareto_front(table, fewest_alerts=1)
    drawn = {trace.name: trace for trace in front_figure(front, dark=dark).data}
    assert list(drawn["screening sensitivity"].y) == front["screening_sensitivity"].tolist()
    assert list(drawn["alert precision"].x) == front["workload"].tolist()
