"""Distance and volume of several metrics: their usual points, what is refused, and whom they are over."""

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.catalog import METRICS
from evalcore.evaluation.options import Options
from evalcore.evaluation.recommender.gathering import gathered_lists
from evalcore.evaluation.recommender.planning import planned
from evalcore.problems import InputError
from evalcore.tallies.recommended import ItemGroups
from tests.recommender.test_road import data_of
from tests.support.recommendations import made_recommendations, table

DISTANCE, VOLUME = METRICS["recommender.euc_distance"], METRICS["recommender.hypervolume"]


def lists_of():
    made = made_recommendations(2, n_models=1)
    return gathered_lists(made, Options(ks=(3,)), planned([made]), "").models["model_1"]


LISTS = lists_of()


def value(name):
    result = METRICS[f"recommender.{name}"](LISTS, k=3)
    if hasattr(result, "of_all"):
        return result.of_all
    return result.over(LISTS.members(METRICS[f"recommender.{name}"].population[0]))[0]


def test_the_best_and_the_worst_follow_the_direction_of_each_metric():
    assert DISTANCE(LISTS, k=3, of=("gini",)).of_all == pytest.approx(value("gini"))
    expected = np.hypot(value("gini"), 1 - value("precision"))
    assert DISTANCE(LISTS, k=3, of=("gini", "precision")).of_all == pytest.approx(expected)
    assert VOLUME(LISTS, k=3, of=("gini",)).of_all == pytest.approx(1 - value("gini"))
    expected = value("precision") * (1 - value("gini"))
    assert VOLUME(LISTS, k=3, of=("precision", "gini")).of_all == pytest.approx(expected) != 0
    # As they are said to be, and not as the metric declares.
    found = VOLUME(LISTS, k=3, of=("precision",), higher=(False,)).of_all
    assert found == pytest.approx(1 - value("precision"))


def test_the_usual_objectives_have_the_points_of_the_document():
    three = [value(name) for name in ("precision", "recall", "ndcg")]
    assert DISTANCE(LISTS, k=3).of_all == pytest.approx(np.sqrt(sum((1 - one) ** 2 for one in three)))
    assert VOLUME(LISTS, k=3).of_all == pytest.approx(np.prod(three))


@pytest.mark.parametrize(
    ("metric", "given", "told"),
    [
        (DISTANCE, {"of": ("item_coverage",)}, "item_coverage has none of its own"),
        (DISTANCE, {"of": ("arp", "precision")}, "arp has none of its own"),
        (VOLUME, {"of": ("precision", "mae")}, "mae has none of its own"),
        (VOLUME, {"of": ("arp",), "nadir": (0.0,)}, "of arp neither is"),
        (DISTANCE, {"of": ("precision",), "utopia": (float("nan"),)}, "finite numbers"),
        (DISTANCE, {"of": ("precision",), "utopia": (float("inf"),)}, "finite numbers"),
        (DISTANCE, {"of": ("precision",), "utopia": ("1",)}, "finite numbers"),
        (VOLUME, {"of": ("precision",), "nadir": (float("nan"),)}, "finite numbers"),
        (VOLUME, {"of": ("precision",), "nadir": (0.0, 0.0)}, "1 numbers"),
        (VOLUME, {"of": ("precision",), "higher": ("False",)}, "1 times true or false"),
        (VOLUME, {"of": ("precision",), "higher": (1,)}, "1 times true or false"),
        (VOLUME, {"of": ("rsp",)}, "metrics with one value for a model"),
    ],
)
def test_a_point_that_is_no_number_or_that_nobody_can_know_is_refused(metric, given, told):
    with pytest.raises(InputError, match="OPT-003") as raised:
        metric(LISTS, k=3, **given)
    assert told in str(raised.value)


def test_points_that_are_given_serve_metrics_without_an_end():
    found = DISTANCE(LISTS, k=3, of=("item_coverage",), utopia=(100.0,)).of_all
    assert found == pytest.approx(100 - value("item_coverage"))
    found = VOLUME(LISTS, k=3, of=("arp",), nadir=(50.0,), higher=(False,)).of_all
    assert found == pytest.approx(50 - value("arp"))


def test_they_are_over_the_users_with_a_relevant_item():
    made = table(
        lists={"m": {"u1": ["a", "b"], "u2": ["b", "c"], "u3": ["c", "a"]}},
        test=[("u1", "a"), ("u2", "c", 0)],
    )
    settings = (
        ("recommender.hypervolume", (("of", ("precision", "gini")),)),
        ("recommender.euc_distance", (("of", ("gini",)),)),
    )
    found = evaluate(data_of(made), ks=(2,), settings=settings).table
    rows = found[found.metric.isin(["hypervolume", "euc_distance"])]
    assert len(rows) == 4
    assert set(rows.population) == {"users_with_relevant"}
    assert set(rows.n) == {1}


def test_what_is_asked_for_twice_stands_in_the_table_once():
    again = ("recommender.f1", (("beta", 2.0),))
    settings = (("recommender.euc_distance", ()), again, again, ("recommender.aclt", (("pop_ratio", 0.8),)))
    found = evaluate(data_of(made_recommendations(2)), ks=(1, 3), settings=settings).table
    place = ["metric", "params", "variant", "population", "model", "group_by", "group"]
    assert not found.duplicated(place).any()
    assert (found.params == "k=3;beta=2.0").any()


def test_the_range_of_a_value_holds_it():
    tallies = {"RecommendationLists": LISTS, "ItemGroups": ItemGroups(LISTS)}
    found = [
        (metric, metric(tallies[metric.tally], k=3))
        for metric in METRICS.values()
        if metric.tally in tallies and "k" in metric.params
    ]
    ranges = [
        (metric.key, result.bounds, result.of_all)
        for metric, result in found
        if getattr(result, "bounds", None) is not None and not np.isnan(result.of_all)
    ]
    assert len(ranges) > 8
    assert [one for one in ranges if not one[1][0] <= one[2] <= one[1][1]] == []
    assert DISTANCE(LISTS, k=3, of=("gini",), utopia=(-1.0,)).bounds == (1.0, 2.0)
    assert VOLUME(LISTS, k=3, of=("gini", "precision"), nadir=(0.5, 0.5)).bounds == (0.0, 0.25)
    assert VOLUME(LISTS, k=3, of=("arp",), nadir=(0.0,), higher=(True,)).bounds == (0.0, np.inf)
