"""The users and items behind a number."""

from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.catalog import METRICS
from evalcore.data import Data
from evalcore.evaluation.recommender.behind import (
    items_behind,
    list_of_user,
    per_user_metrics,
    user_values,
)
from evalcore.figures.recommender.groups import user_values_figure
from evalcore.problems import InputError
from evalcore.spec import PerQuery
from tests.support.but_long import but_long
from tests.support.recommendations import beside_a_stranger, made_recommendations, table

LISTS = {"u1": ["b", "a"], "u2": ["c", "b"], "u10": ["a", "c"], "u3": ["b"]}
TEST = [("u1", "a", 3), ("u1", "d", 1), ("u2", "c", 2), ("u10", "d", 1), ("u4", "a", 1)]
TRAIN = [("u1", "c"), ("u3", "c"), ("u3", "a"), ("u4", "c")]


def report_of(rows, **options):
    return evaluate(Data("recommender", (), {"recommendations": rows}), **{"ks": (2,), **options})


@pytest.fixture(scope="module")
def report():
    rows = table(
        lists={"knn": LISTS},
        train=TRAIN,
        test=TEST,
        user_groups={"u1": "f", "u2": "m", "u4": "m"},
        item_groups={"a": "x", "b": "y"},
    )
    return report_of(rows)


def recall(report, k=2):
    return user_values(report, "knn", METRICS["recommender.recall"], k)


def test_users_stand_worst_first_with_what_their_value_rests_on(report):
    found = recall(report).table
    assert found["user"].tolist() == ["u10", "u4", "u1", "u2"]
    assert found["value"].tolist() == [0, 0, 1 / 2, 1]
    assert found["n_relevant"].tolist() == [1, 1, 2, 1]
    assert found["n_found"].tolist() == [0, 0, 1, 1]
    assert found["n_listed"].tolist() == [2, 0, 2, 2]
    assert found["user_group"].tolist() == ["", "m", "f", "m"]


def test_users_without_a_value_are_counted():
    rows = table(lists={"knn": LISTS}, test=TEST, features={"a": ["x"]})
    found = user_values(report_of(rows), "knn", METRICS["recommender.s_recall"], 2)
    liked = sorted({user for user, item, *_ in TEST if item == "a"})
    assert sorted(found.table["user"]) == liked
    assert found.n_left_out == len({user for user, *_ in TEST}) - len(liked) > 0


def test_where_less_is_better_the_highest_value_is_worst(report):
    metric = replace(METRICS["recommender.recall"], better="lower")
    assert user_values(report, "knn", metric, 2).table["user"].tolist() == ["u2", "u1", "u10", "u4"]


def test_a_value_of_0_has_a_bin_of_its_own_and_1_is_in_the_last(report):
    assert recall(report).n_zero == 2
    bins = recall(report).bins
    assert bins.labels[0] == "0"
    assert bins.labels[-1] == "to 1"
    assert bins.n.tolist() == [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    figure = user_values_figure(bins.labels, bins.n, title="Recall@2")
    assert figure.layout.meta["description"] == (
        "Users by Recall@2, in 11 bins from 0 on. users: highest 2 at 0, lowest 0 at to 0.1."
    )


def test_the_list_of_a_user_marks_what_is_relevant_and_ends_with_what_is_missed(report):
    own = list_of_user(report, "knn", "u1", 2)
    assert (own.n_shown, own.n_relevant, own.n_found) == (2, 2, 1)
    found = own.table
    assert found["rank"].tolist() == [1, 2, 0]
    assert found["item"].tolist() == ["b", "a", "d"]
    assert found["is_relevant"].tolist() == [False, True, True]
    assert found["rating"].fillna(-1).tolist() == [-1, 3, 1]
    assert found["popularity"].tolist() == [0, 1, 0]
    assert found["item_group"].tolist() == ["y", "x", ""]
    assert found["score"].isna().all()


def test_a_place_below_k_is_missed(report):
    found = list_of_user(report, "knn", "u1", 1).table
    assert list(zip(found["rank"], found["item"], strict=True)) == [(1, "b"), (0, "a"), (0, "d")]


def test_items_tell_how_often_they_are_recommended_relevant_and_found(report):
    found = items_behind(report, "knn", 2).set_index("item")
    assert found.index.tolist() == ["b", "c", "a", "d"]
    assert found["popularity"].tolist() == [0, 3, 1, 0]
    assert found["n_recommended"].tolist() == [3, 2, 2, 0]
    assert found["n_relevant"].tolist() == [0, 1, 2, 2]
    assert found["n_found"].tolist() == [0, 1, 1, 0]
    assert found["is_head"].tolist() == [False, True, True, False]


@pytest.mark.parametrize("seed", but_long(range(4), 2))
def test_values_of_users_have_the_metrics_mean_and_ids_are_those_of_the_rows(seed):
    rows = made_recommendations(seed, n_models=3)
    report = report_of(rows, ks=(3, 5))
    lists = report.gathered.tallies["recommendations"].models
    for model in lists:
        for metric in per_user_metrics(report):
            found = user_values(report, model, metric, 3)
            params = "k=3" if "k" in metric.params else ""
            where = {"variant": metric.default_variant, "population": metric.population[0]}
            own = report.table.query("metric == @metric.name and group_by == '' and model == @model")
            own = own[(own["variant"] == where["variant"]) & (own["population"] == where["population"])]
            own = own[own["params"].str.split(";").str[0].eq(params) & ~own["params"].str.contains("stat=")]
            (value,), (n,) = own["value"], own["n"]
            assert len(found.table) == n
            np.testing.assert_allclose(found.table["value"].mean(), value, rtol=0, atol=1e-12)
            assert found.bins.n.sum() == n
        users = user_values(report, model, METRICS["recommender.recall"], 3).table
        listed = items_behind(report, model, 3)
        assert listed["n_found"].sum() == users["n_found"].sum()
        test = {
            (str(rows.user_ids[user]), str(rows.item_ids[item]))
            for user, item, rating in zip(rows.test.user, rows.test.item, rows.test.rating, strict=True)
            if rating > 0
        }
        shown = [
            (user, item)
            for user in users["user"]
            for item in list_of_user(report, model, user, 3).table.query("is_relevant")["item"]
        ]
        assert sorted(shown) == sorted(test)


def test_the_metrics_of_users_are_those_that_give_a_value_for_each(report):
    names = {metric.name for metric in per_user_metrics(report)}
    assert {"precision", "ndcg", "f1", "aplt", "num_retrieved"} <= names
    assert not {"gini", "item_coverage", "auc", "rsp", "user_mad_ranking"} & names


def test_what_is_not_there_is_refused_by_name(report):
    with pytest.raises(InputError, match="model = kmm, expected knn"):
        user_values(report, "kmm", METRICS["recommender.recall"], 2)
    with pytest.raises(InputError, match="user = u9, expected a user of the data"):
        list_of_user(report, "knn", "u9", 2)
    with pytest.raises(InputError, match="expected a metric with a value for each user"):
        user_values(report, "knn", METRICS["recommender.gini"], 2)
    without = replace(report, data=replace(report.data, tables={}))
    with pytest.raises(InputError, match="a report without rows, expected the files it was made of"):
        items_behind(without, "knn", 2)


def test_a_metric_of_users_that_nobody_prepared_for_is_among_them(report, monkeypatch):
    prepared = METRICS["recommender.recall"]
    made = replace(prepared, name="new", function=lambda lists, *, k: PerQuery(np.full(len(lists), k / 8.0)))
    monkeypatch.setitem(METRICS, "recommender.new", made)
    assert made in per_user_metrics(report)
    assert user_values(report, "knn", made, 2).table["value"].tolist() == [0.25] * 4


def test_items_are_named_as_in_the_catalogue_of_the_model():
    made = made_recommendations(3, n_models=2)
    found, alone = report_of(beside_a_stranger(made)), report_of(made)
    for model in made.models:
        own, expected = (items_behind(one, model, 2) for one in (found, alone))
        assert own.to_csv() == expected.to_csv()
    new = {f"new{at}" for at in range(6)}
    assert new < set(items_behind(found, "stranger", 2)["item"])
