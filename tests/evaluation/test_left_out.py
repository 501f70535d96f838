"""Units left out in turn: the same by totals and by the definition, in parts of equal size, in any order."""

from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.catalog import METRICS
from evalcore.drawn.weights import hashes
from evalcore.evaluation.intervals import jackknife
from evalcore.evaluation.intervals.bounds import jackknife_bounds
from evalcore.evaluation.intervals.jackknife import standard_error, without_each
from evalcore.evaluation.intervals.replicates import Asked
from evalcore.evaluation.options import Options
from evalcore.evaluation.recommender.gathering import gathered_lists
from evalcore.evaluation.recommender.planning import planned
from evalcore.spec import OfTotals
from evalcore.tallies.units import Units
from tests.recommender.test_road import data_of
from tests.support.recommendations import made_recommendations

BESIDE = [one for one in METRICS.values() if one.lies_beside]


def lists_of(n_users: int, seed: int = 1):
    made = made_recommendations(seed, n_users=n_users, n_items=20)
    found = gathered_lists(made, Options(ks=(5,)), planned([made]), "").ordered()
    return found.users, found.models["model_1"]


def asked(metric, tally):
    return Asked(metric, {}, tally, {"k": 5}, metric(tally, k=5), metric.population[0])


@pytest.mark.parametrize("metric", BESIDE, ids=lambda one: one.key)
@pytest.mark.parametrize("most", [7, 30, 100])
def test_totals_less_a_part_give_what_the_metric_gives_without_it(monkeypatch, metric, most):
    users, tally = lists_of(30)
    one = asked(metric, tally)
    monkeypatch.setattr(jackknife, "BLOCK_CELLS", 60)
    fast = without_each(one, users, most)
    assert len(fast) == {7: 6, 30: 30, 100: 30}[most]
    slow = without_each(one._replace(result=one.result.of_all), users, most)
    assert not isinstance(slow, OfTotals)
    np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-12)


def test_the_order_of_units_changes_nothing():
    users, tally = lists_of(30)
    order = np.random.default_rng(0).permutation(30)
    one, other = asked(BESIDE[0], tally), asked(BESIDE[0], tally.take(order))
    shuffled = Units(np.arange(30), users.hashed[order], "users")
    for most in (7, 100):
        found = sorted(without_each(one, users, most))
        assert found == sorted(without_each(other, shuffled, most))


def test_of_a_mean_it_is_the_standard_error_of_the_mean():
    values = np.random.default_rng(1).random(40)
    without = (values.sum() - values) / 39
    assert standard_error(without) == pytest.approx(values.std(ddof=1) / np.sqrt(40), rel=1e-12)
    assert np.isnan(standard_error(np.array([1.0, np.nan])))


def test_an_interval_lies_in_the_range_and_says_how_it_was_made():
    without = np.array([9.0, 10.0, 11.0, np.nan])
    bounds = jackknife_bounds(10.0, without, "users=4", within=(0.0, 11.0))
    assert bounds.method == "jackknife(users=4;parts=4;undefined=1;sides=2)"
    assert (bounds.low, bounds.high) == (pytest.approx(10 - 1.959964 * np.sqrt(4 / 3), abs=1e-6), 11.0)
    assert jackknife_bounds(3.0, np.full(4, 3.0), "users=4").method == (
        "not_estimable(alike_in_replicates;users=4;parts=4;undefined=0)"
    )
    assert jackknife_bounds(3.0, np.full(1, 3.0), "users=1").method == ""


def test_an_evaluation_has_such_intervals_where_replicates_lie_beside():
    found = evaluate(data_of(made_recommendations(1, n_users=40, n_items=60)), ks=(5,), bootstrap=100).table
    rows = found[found["metric"].isin([one.name for one in BESIDE]) & ~found["params"].str.contains("stat=")]
    assert rows["ci_method"].str.startswith("jackknife(users=40;parts=40;").all()
    assert ((rows["ci_low"] < rows["value"]) & (rows["value"] < rows["ci_high"])).all()


def test_parts_are_of_equal_size():
    units = Units(np.arange(10), hashes(f"u{at}" for at in range(10)), "users")
    sizes = np.bincount(jackknife._parts(units, 4))
    assert sizes.tolist() == [3, 3, 3, 1]
    assert len(np.unique(jackknife._parts(replace(units, hashed=units.hashed[:0]), 4))) == 0
