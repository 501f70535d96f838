"""Every number of an evaluation of recommendation lists, of everybody and of every group, a second time."""

from dataclasses import replace

import pytest

from evalcore.crosscheck import OF_RECOMMENDATIONS, compare
from evalcore.data import Data
from evalcore.tasks import evaluate
from tests.support.but_long import but_long
from tests.support.recommendations import KEYS, made_recommendations, table

EXTENDED = (
    ("recommender.f1", (("of", ("ndcg", "s_recall")), ("beta", 0.5))),
    ("recommender.efd", (("relevance", "discounted"),)),
    ("recommender.aclt", (("pop_ratio", 0.6),)),
    ("recommender.euc_distance", (("of", ("recall", "gini")), ("utopia", (1.0, 0.2)))),
    ("recommender.hypervolume", (("of", ("recall", "gini")), ("nadir", (0.0, 1.0)))),
    (
        "recommender.hypervolume",
        (("of", ("recall", "arp")), ("nadir", (0.0, 9.0)), ("higher", (True, False))),
    ),
)


def both(recommendations, **options):
    """The table of an evaluation and its comparison with the second implementation."""
    data = Data("recommender", (), {"recommendations": recommendations})
    found = evaluate(data, by=("user_group",), **options).table
    return found, compare(found, data, families=OF_RECOMMENDATIONS)


def assert_agrees(recommendations, **options):
    found, checked = both(recommendations, **options)
    assert checked.missing == ()
    far = [deviation for deviation in checked.deviations if deviation.largest > 1e-9]
    assert far == []
    return found, checked


@pytest.mark.parametrize("seed", but_long([3, 0, 1, 2], 1))
def test_every_value_of_a_random_table_is_that_of_the_second_implementation(seed):
    made = made_recommendations(seed, n_models=4, has_ratings=seed != 3)
    found, checked = assert_agrees(made, ks=(1, 3, 40), pop_ratio=(0.8, 0.5)[seed % 2], settings=EXTENDED)
    assert {deviation.key for deviation in checked.deviations} == {
        f"recommender.{name}" for name in KEYS.values()
    }
    of_groups = found[found.group_by.isin(["user_group", "item_group", "user_group;item_group"])]
    assert of_groups.value.notna().sum() > 1000


@pytest.mark.parametrize("left_out", ["train", "test", "features", "item_groups", "slices", "scores"])
def test_tables_that_lack_something_agree_too(left_out):
    made = made_recommendations(2, n_models=4)
    empty = {"train": None, "test": None, "features": None, "item_groups": {}, "slices": {}, "scores": {}}
    lacking = replace(made, **{left_out: empty[left_out]})
    if left_out == "features":
        lacking = replace(lacking, feature_names=())
    data = Data("recommender", (), {"recommendations": lacking})
    found = evaluate(data, ks=(2, 40)).table
    checked = compare(found, data, families=OF_RECOMMENDATIONS)
    assert checked.missing == ()
    assert [deviation for deviation in checked.deviations if deviation.largest > 1e-9] == []


def test_scores_are_held_against_ratings_alone():
    found, _ = assert_agrees(made_recommendations(1, has_ratings=False), ks=(2,))
    errors = found[found.metric.isin(["mae", "mse", "rmse"])]
    assert errors.value.isna().all()
    reasons = set(errors.note[(errors.model == "model_1") & (errors.group_by == "user_group")])
    assert reasons == {"no test pair has a rating and a score"}
    assert found[(found.metric == "ndcg") & (found.group_by == "")].value.notna().all()


def test_a_wrong_value_of_a_group_is_found():
    made = made_recommendations(1)
    data = Data("recommender", (), {"recommendations": made})
    found = evaluate(data, by=("user_group",), ks=(3,)).table
    for group_by in ("user_group", "item_group", "user_group;item_group"):
        at = found.index[(found.group_by == group_by) & (found.value > 0)][0]
        wrong = found.copy()
        wrong.loc[at, "value"] *= 1.5
        checked = compare(wrong, data, families=OF_RECOMMENDATIONS)
        far = [deviation for deviation in checked.deviations if deviation.largest > 0.01]
        assert [deviation.key for deviation in far] == [f"recommender.{found.metric[at]}"]
        assert f"{group_by}; {found.group[at]}" in far[0].place


def test_names_of_groups_may_hold_what_joins_them():
    made = table(
        lists={"model": {"u1": ["a", "b"], "u2": ["b", "c"]}},
        train=[("u1", "c"), ("u2", "a")],
        test=[("u1", "a"), ("u2", "c")],
        user_groups={"u1": "young; urban", "u2": "old"},
        item_groups={"a": "film; short", "b": "book", "c": "book"},
    )
    found, _ = assert_agrees(made, ks=(2,))
    pair = (found.group == "young; urban;film; short") & (found.metric == "bias_disparity_br")
    assert found.value[pair].tolist() == [(1 / 2) / (1 / 3)]


@pytest.mark.parametrize("scale", [1e-12, 400, 3e5])
def test_ratings_of_any_size_agree(scale):
    made = made_recommendations(3)
    test = replace(made.test, rating=made.test.rating * scale)
    found, _ = assert_agrees(replace(made, test=test), ks=(2, 5), settings=EXTENDED)
    of_all = found[(found.group_by == "") & (found.metric == "ndcg")]
    assert of_all.value.between(0, 1).all()
