"""Units left out in turn: the same by totals and by the definition, in parts of equal size, in any order."""

from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.catalog import METRICS
from evalcore.drawn.weights import hashes
from evalcore.evaluation.intervals import jackknife
from evalcore.evaluation.intervals.bounds import jackknife_bounds, spread_bounds
from evalcore.evaluation.intervals.defined_values import Asked
from evalcore.evaluation.intervals.jackknife import figures_without_each, standard_error, without_each
from evalcore.evaluation.options import Options
from evalcore.evaluation.recommender.gathering import gathered_lists
from evalcore.evaluation.recommender.planning import planned
from evalcore.metrics.recommender.facts import mean_absolute_deviation
from evalcore.spec import OfTotals, Spread
from evalcore.tallies.recommended import ItemGroups
from evalcore.tallies.units import Units
from tests.recommender.test_road import data_of
from tests.support.recommendations import groups_alike, made_recommendations, table

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


SETTINGS = (
    ("recommender.euc_distance", (("of", ("gini",)),)),
    ("recommender.euc_distance", (("of", ("shannon_entropy", "precision")), ("utopia", (0.0, 1.0)))),
    ("recommender.euc_distance", (("of", ("user_coverage",)), ("utopia", (80.0,)))),
    ("recommender.euc_distance", (("of", ("pop_rsp", "precision")),)),
    ("recommender.hypervolume", (("of", ("item_coverage", "user_coverage")),)),
    ("recommender.hypervolume", (("of", ("gini", "precision")),)),
)


def intervals(n_users, **how):
    made = made_recommendations(1, n_users=n_users, n_items=40)
    found = evaluate(data_of(made), bootstrap=100, by=("user_group",), settings=SETTINGS, **how)
    rows = found.table[found.table["model"] == "model_1"]
    return found, rows[~rows["params"].str.contains("stat=") & (rows["variant"] == "default")]


@pytest.mark.parametrize("n_users", [5, 60])
def test_every_value_lies_in_its_interval_and_that_in_the_range_of_the_value(n_users):
    found, rows = intervals(n_users, ks=(5,))
    rows = rows[rows["ci_low"].notna()]
    assert len(rows) > 50
    bounds = [METRICS[f"recommender.{name}"].bounds for name in rows["metric"]]
    low, high = (rows["value"] * 0 + [ends[at] for ends in bounds] for at in (0, 1))
    lists = found.gathered.tallies["recommendations"].models["model_1"]
    most = {"item_coverage": len(lists.catalogue), "user_coverage": lists.is_evaluated.sum()}
    most["user_coverage_at_n"], most["shannon_entropy"] = most["user_coverage"], np.log(len(lists.catalogue))
    high = rows["metric"].map(most).fillna(high)
    by_params = rows["params"].map(
        {
            "k=5;of=gini": 1.0,
            "k=5;of=item_coverage+user_coverage": most["item_coverage"] * most["user_coverage"],
            "k=5;of=gini+precision": 1.0,
        }
    )
    high = by_params.fillna(high)
    ends = rows[["ci_low", "value", "ci_high"]].to_numpy(float)
    wrong = (ends[:, 0] < low) | (ends[:, 2] > high) | (np.diff(ends, axis=1) < -1e-12).any(axis=1)
    assert rows[wrong][["metric", "params", "group", "ci_low", "value", "ci_high"]].to_numpy().tolist() == []


def test_what_holds_of_the_chance_of_a_part_holds_of_what_is_made_of_it():
    _, rows = intervals(60, ks=(5,))
    rows = rows[(rows["group_by"] == "") & rows["params"].str.contains("of=")]
    method = dict(zip(rows["params"], rows["ci_method"].str.partition("(")[0], strict=True))
    assert method == {
        "k=5;of=gini": "jackknife",
        "k=5;of=shannon_entropy+precision;utopia=0.0+1.0": "jackknife",
        "k=5;of=user_coverage;utopia=80.0": "cluster_bootstrap",
        "k=5;of=pop_rsp+precision": "not_estimable",
        "k=5;of=item_coverage+user_coverage": "jackknife",
        "k=5;of=gini+precision": "jackknife",
    }
    whys = rows["ci_method"][rows["params"] == "k=5;of=pop_rsp+precision"].tolist()
    assert whys == ["not_estimable(of_a_spread)"]


def test_as_many_users_are_served_in_every_draw_where_all_are():
    lists = {f"u{at}": ["a", "b"] for at in range(30)}
    made = table(lists={"m": lists}, test=[(user, "a") for user in lists])
    found = evaluate(data_of(made), ks=(2,), bootstrap=100).table
    served = found[found["metric"].isin(["user_coverage", "user_coverage_at_n"])]
    assert served["value"].tolist() == [30, 30]
    assert served["ci_method"].str.startswith("not_estimable(alike_in_replicates;").all()


def test_the_number_of_users_served_has_the_interval_of_their_share():
    lists = {f"u{at}": ["a", "b"] for at in range(40)}
    test = [(f"u{at}", "a") for at in range(100)]
    train = [(f"other{at}", "a") for at in range(50)]
    found = evaluate(
        data_of(table(lists={"m": lists}, test=test, train=train)), ks=(2,), bootstrap=2000
    ).table
    row = found[(found["metric"] == "user_coverage") & (found["group_by"] == "")].iloc[0]
    assert row["value"] == 40
    half = 100 * 1.96 * np.sqrt(0.4 * 0.6 / 100)
    assert (row["ci_low"], row["ci_high"]) == (
        pytest.approx(40 - half, abs=1),
        pytest.approx(40 + half, abs=1),
    )


SPREADS = ("rsp", "reo", "pop_rsp", "pop_reo", "item_mad_ranking", "user_mad_ranking", "user_mad_rating")


@pytest.mark.long
@pytest.mark.parametrize("n_groups", [2, 5])
@pytest.mark.parametrize("unlike", [0.0, 0.2, 0.8])
def test_the_interval_of_a_spread_holds_the_true_one_of_groups_alike_and_not(n_groups, unlike):
    rng, made = np.random.default_rng(5), []
    keys = tuple(f"recommender.{name}" for name in SPREADS)
    for _ in range(40):
        data = data_of(groups_alike(rng, n_groups, unlike))
        found = evaluate(data, ks=(6,), bootstrap=200, metrics=keys, pop_ratio=0.5)
        rows = found.table[(found.table["group_by"] == "") & (found.table["variant"] == "default")]
        rows = rows[~rows["params"].str.contains("stat=")]
        figures = {}
        lists = found.gathered.tallies["recommendations"].models["m"]
        for metric in (METRICS[key] for key in keys):
            tally = ItemGroups(lists) if metric.kind is ItemGroups else lists
            result = metric(tally, k=6, **({"pop_ratio": 0.5} if "pop_ratio" in metric.params else {}))
            total = np.asarray(result.columns.sum(axis=0), float)
            figures[metric.name] = result.spread.figures(total), result.spread.size
        made.append((rows.set_index("metric"), figures))
    for name in SPREADS:
        size = made[0][1][name][1]
        true = size(np.mean([figures[name][0] for _, figures in made], axis=0))
        if not unlike:
            true = 0.0
        holds = [rows["ci_low"][name] <= true <= rows["ci_high"][name] for rows, _ in made]
        # Of 40, a lower bound of 95 % of the binomial; percentiles never hold 0.
        assert np.mean(holds) >= 0.85, name


def test_a_spread_of_two_groups_has_the_interval_of_their_difference_folded_at_0():
    rng = np.random.default_rng(0)
    values = rng.normal([0.5, 0.0], 1.0, (80, 2))
    units = Units(np.arange(80), hashes(f"u{at}" for at in range(80)), "users")
    spread = Spread(lambda totals: totals / 80, mean_absolute_deviation)
    result = OfTotals(values, lambda totals: spread.size(spread.figures(totals)), 80, spread=spread)
    figures = figures_without_each(result, spread, units, 80)
    bounds = spread_bounds(result.of_all, [figures], [spread.size], "users=80", within=(0, np.inf))
    # Units left out of a sum of 80: each mean over 80 in place of 79.
    differences = values[:, 0] - values[:, 1]
    half = 1.96 * differences.std(ddof=1) / np.sqrt(80) * (79 / 80)
    assert bounds.low == pytest.approx(result.of_all - half, abs=0.03 * half)
    assert bounds.high == pytest.approx(result.of_all + half, abs=0.03 * half)
    assert bounds.method == "spread(users=80;parts=80;sides=2)"


def test_a_group_of_one_user_leaves_a_spread_without_an_interval():
    lists = {f"u{at}": ["a", "b"][:: 1 - 2 * (at % 2)] for at in range(20)}
    groups = {user: "1" if user == "u0" else "2" for user in lists}
    made = table(lists={"m": lists}, test=[(user, "a") for user in lists], user_groups=groups)
    found = evaluate(data_of(made), ks=(2,), bootstrap=100).table
    row = found[(found["metric"] == "user_mad_ranking") & (found["group_by"] == "")].iloc[0]
    assert row["value"] > 0
    assert row["ci_method"] == "not_estimable(a_group_of_one_part;users=20;parts=20)"


def test_scores_of_found_items_have_no_interval_and_the_reason():
    _, rows = intervals(60, ks=(5,))
    rows = rows[(rows["metric"] == "item_mad_rating") & rows["value"].notna()]
    assert len(rows) > 3
    assert set(rows["ci_method"]) == {"not_estimable(most_items_are_found_by_few_users)"}


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
