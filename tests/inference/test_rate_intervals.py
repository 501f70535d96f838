"""Workload rates of a document: percentiles of the one bootstrap over posts, recomputed to the last bit."""

import json

import numpy as np
import pytest

import evalcore
from evalcore.operating_point import OperatingPoint, choose_operating_point, point_from_thresholds
from evalcore.operating_point.choosing import rate_intervals as module
from evalcore.operating_point.choosing.choice import Choice
from evalcore.operating_point.choosing.estimates import RATES, is_bootstrapped
from evalcore.operating_point.choosing.rate_intervals import replicated
from evalcore.operating_point.constraints import Thresholds
from evalcore.operating_point.document.build import build_document
from evalcore.operating_point.document.canonical import content_sha256
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.post_sums import states_by_post
from evalcore.operating_point.typed import Particulars
from tests.support.made.scored_data import data_of, scored


def rows_of(n=300, *, seed=0, per_post=3):
    rng = np.random.default_rng(seed)
    return scored(np.round(rng.beta(4, 1.2, n), 3), np.round(rng.beta(1, 5, 3 * n), 3), per_post=per_post)


DATA = data_of(rows_of())
BOUNDS = ("korn_graubard(", "strict(")


def point_of(data, low=0.1, high=0.7):
    return point_from_thresholds(data, low, high)


def intervals_of(point):
    return {one["metric"].split(".")[1]: one["ci"] for one in point.document["estimates"]}


def test_rates_carry_the_bootstrap_and_shares_near_the_ends_their_bounds():
    found = intervals_of(point_of(DATA))
    for name, interval in found.items():
        if name in RATES:
            assert interval["method"] == "cluster_bootstrap(posts=400;B=2000;undefined=0;seed=0;sides=2)"
            assert (interval["replicates"], interval["replicates_undefined"], interval["seed"]) == (
                2000,
                0,
                0,
            )
        else:
            assert interval["method"].startswith(BOUNDS)


def test_the_replicates_are_those_of_drawing_posts_by_their_weights():
    rows = row_set(DATA, "all", split=None, model=None)
    states = replicated(rows, states_by_post(rows.scored, 0.1, 0.7))
    names = [str(name) for name in DATA.queries.post_ids]
    weights = evalcore.drawn.weights.poisson_weights(names, seed=0, start=0, stop=2000)
    drawn = weights[17][DATA.queries.post].astype(int)
    is_skipped = DATA.queries.score < 0.1
    assert states.n_neg[17] == drawn[is_skipped].sum()
    assert states.neg_pos[17] == drawn[is_skipped & DATA.queries.has_evidence].sum()
    assert states.total[17] == drawn.sum()


def test_the_intervals_are_those_of_evaluate():
    table = evalcore.evaluate(DATA, tau_neg=0.1, tau_pos=0.7, bootstrap=2000, seed=0).table
    for name in RATES:
        line = table[
            (table["family"] == "gate") & (table["metric"] == name) & (table["group_by"] == "")
        ].iloc[0]
        interval = intervals_of(point_of(DATA))[name]
        assert (interval["low"], interval["high"]) == pytest.approx(
            (line["ci_low"], line["ci_high"]), abs=1e-12
        )
        assert interval["method"] == line["ci_method"]


def test_a_half_draws_its_posts_as_the_whole_does():
    part = [row for row in rows_of() if int(row[0][1:]) % 2]
    alone = intervals_of(point_of(data_of(part)))["neg_rate"]
    split = [(*row[:4], "tune" if int(row[0][1:]) % 2 else "test") for row in rows_of()]
    within = point_from_thresholds(data_of(split), 0.1, 0.7, tune="tune")
    assert intervals_of(within)["neg_rate"] == alone


def test_a_rate_of_nothing_or_all_is_bounded_like_a_share():
    found = intervals_of(point_of(DATA, None, None))
    assert found["neg_rate"]["method"].startswith(BOUNDS)
    assert found["neg_rate"]["high"] > 0
    assert found["uncertain_rate"]["low"] < 1
    assert found["reviews_per_true_alert"] is None


def test_rows_without_posts_are_drawn_one_by_one():
    data = data_of(rows_of(per_post=1), has_posts=False)
    assert "cluster_bootstrap(rows=1200;" in intervals_of(point_of(data))["neg_rate"]["method"]


def test_very_many_posts_are_bounded_like_shares_and_the_document_holds(monkeypatch):
    monkeypatch.setattr("evalcore.operating_point.choosing.estimates.MOST_UNITS", 399)
    point = point_of(DATA)
    assert intervals_of(point)["neg_rate"]["method"].startswith(BOUNDS)
    assert point.verify(DATA).holds


def test_a_document_from_before_still_verifies_and_says_so_by_its_methods():
    rows = row_set(DATA, "all", split=None, model=None)
    choice = Choice(rows, None, (), Thresholds(0.1, 0.7), is_manual=True)
    before = build_document(choice, Particulars(), is_synthetic=False, is_bootstrapped=False)
    assert not is_bootstrapped(before)
    assert OperatingPoint(before).verify(DATA).differences == ()


@pytest.mark.parametrize(
    "change", [{"low": 0.5}, {"seed": 1}, {"replicates": 100}, {"method": "cluster_bootstrap(posts=1)"}]
)
def test_a_changed_interval_does_not_hold(change):
    document = json.loads(choose_operating_point(DATA, screening_sensitivity=0.9).text)
    document["estimates"][0]["ci"].update(change)
    point = OperatingPoint(document | {"content_sha256": content_sha256(document)})
    (key,) = change
    assert str(point.verify(DATA).first).startswith(f"found estimates[0].ci.{key} = ")


def test_the_draws_are_kept_and_change_nothing():
    module._weights.cache_clear()
    first = intervals_of(point_of(DATA))
    hits = module._weights.cache_info().hits
    assert intervals_of(point_of(DATA)) == first
    assert module._weights.cache_info().hits > hits
