"""The second implementation against published problems, reported faults, scikit-learn and itself."""

import json
from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest
from sklearn.metrics import (
    label_ranking_average_precision_score,
    mean_absolute_error,
    ndcg_score,
    roc_auc_score,
    root_mean_squared_error,
)

from evalcore.crosscheck.recommended import recommended
from evalcore.crosscheck.recommended_users import VALUES, Setting, of_users
from evalcore.crosscheck.recommender import RECOMMENDER, value
from evalcore.recommendations import Interactions, ItemLists, ScoreMatrix
from tests.support.inputs import CASES
from tests.support.recommendations import (
    golden_cells,
    golden_problems,
    made_recommendations,
    recommendations_of,
    table,
)

PRINTED = 1e-9  # the golden values have nine decimals


def groups_of(name):
    """The groups that the name of a golden value means."""
    *of_users, of_items = name.split(";")
    found = {"of_items": ("item_group", of_items)}
    return {**found, "of_users": ("user_group", of_users[0])} if of_users else found


def test_every_golden_value_is_met():
    n_checked = 0
    for document in golden_problems():
        data = recommended(recommendations_of(document["problem"]), "scored")
        for cell in golden_cells(document):
            here = f"{document['name']} {cell.metric}@{cell.k}"
            found = {"": value(data, cell.metric, Setting(k=cell.k))}
            expected = {"": cell.value, **cell.users, **cell.groups}
            if cell.users:
                users = of_users(data, cell.metric, Setting(k=cell.k))
                found |= {user: users.get(user, nan) for user in cell.users}
            for group in cell.groups:
                found[group] = value(data, cell.metric, Setting(k=cell.k, **groups_of(group)))
            for name, number in expected.items():
                assert found[name] == pytest.approx(number, rel=PRINTED, abs=PRINTED, nan_ok=True), (
                    here,
                    name,
                )
                n_checked += 1
    assert n_checked > 3 * 4 * 40


def of_case(k, **parts):
    """Metric → its value at K, or without K for 0, of the only model of a case."""
    kind = "lists" if "lists" in parts else "scores"
    given = {**parts, kind: {"model": parts[kind]}}
    data = recommended(table(**given), "model")
    return lambda name: value(data, name, Setting(k=k))


@pytest.fixture
def case():
    return lambda name: json.loads((CASES / "recommender" / f"{name}.json").read_text())


def test_list_and_ideal_list_are_both_cut(case):
    document = case("C01")
    given, expected = document["input"], document["expect"]
    rows = [("u", item, rating) for item, rating in given["relevance"].items()]
    for k in (2, 3):
        found = of_case(k, lists={"u": given["list"]}, test=rows)("ndcg")
        assert found == pytest.approx(expected.get(f"nDCG_exp@{k}", found), abs=1e-12)
        assert found < 1
    for k in (1, 2, 3):
        assert of_case(k, lists={"u": ["p", "q", "r"]}, test=rows)("ndcg") == 1


def test_average_precision_of_a_perfect_list_is_1_with_more_relevant_items_than_places(case):
    document = case("C03")
    given, expected = document["input"], document["expect"]
    rows = [("u", item) for item in given["relevant"]]
    of = of_case(given["k"], lists={"u": given["list"]}, test=rows)
    assert of("map") == expected["AP@3"]
    assert of("recall") == expected["Recall@3"]
    assert of_case(3, lists={"u": ["i0", "x", "i1"]}, test=rows)("map") == pytest.approx((1 + 2 / 3) / 3)


def test_a_short_list_is_never_filled(case):
    document = case("C05")
    given, expected = document["input"], document["expect"]
    rows, groups = [("u", item) for item in given["relevant"]], dict.fromkeys(given["catalogue"], "1")
    of = of_case(given["k"], lists={"u": given["list"]}, test=rows, item_groups=groups)
    found = [of(name) for name in ("precision", "recall", "hit_rate", "item_coverage", "num_retrieved")]
    assert found == [
        expected[f"{name}@3"] for name in ("Precision", "Recall", "HitRate", "ItemCoverage", "NumRetrieved")
    ]


def test_a_list_whose_repetitions_were_left_out(case):
    document = case("C07")
    kept = document["expect"]["after_keeping_first_occurrence"]
    rows = [("u", item) for item in document["input"]["relevant"]]
    of = of_case(document["input"]["k"], lists={"u": kept["list"]}, test=rows)
    assert [of("precision"), of("recall"), of("map")] == [
        kept[f"{name}@3"] for name in ("Precision", "Recall", "AP")
    ]


def test_items_of_train_are_neither_recommended_nor_negatives(case):
    document = case("C09")
    given, kept = document["input"], document["expect"]["with_train_masking"]
    test, train = ([("u", item) for item in given[part]] for part in ("relevant", "train"))
    data = recommended(table(scores={"model": {"u": given["scores"]}}, test=test, train=train), "model")
    assert data.lists["u"] == kept["list"]
    found = [value(data, name, Setting(k=given["k"])) for name in ("precision", "recall", "mrr", "auc")]
    assert found == [kept["Precision@2"], kept["Recall@2"], kept["MRR@2"], kept["AUC"]]


def test_auc_without_negatives_is_undefined(case):
    given = case("C11")["input"]
    of = of_case(2, scores={"u": given["scores"]}, test=[("u", item) for item in given["relevant"]])
    assert all(isnan(of(name)) for name in ("auc", "gauc", "lauc"))


def test_coverage_depends_on_the_cut_off(case):
    document = case("C13")
    given, expected = document["input"], document["expect"]
    groups = dict.fromkeys("abcde", "1")
    for k in given["k"]:
        assert (
            of_case(k, lists=given["lists"], item_groups=groups)("item_coverage")
            == expected[f"ItemCoverage@{k}"]
        )


def untied(seed):
    """Random scores without ties and graded ratings: users × items."""
    rng = np.random.default_rng(seed)
    scores = rng.permutation(20 * 12).reshape(20, 12) / 10
    return scores, rng.integers(0, 6, scores.shape)


def as_table(scores, ratings):
    users = [str(user) for user in range(len(scores))]
    given = {
        user: {str(item): float(s) for item, s in enumerate(row)}
        for user, row in zip(users, scores, strict=True)
    }
    test = [
        (user, str(item), int(r))
        for user, row in zip(users, ratings, strict=True)
        for item, r in enumerate(row)
    ]
    return recommended(table(scores={"model": given}, test=test), "model")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, 10, 12])
def test_agrees_with_scikit_learn(seed, k):
    scores, ratings = untied(seed)
    data = as_table(scores, ratings)
    is_relevant = ratings > 0
    expected = {
        "ndcg": ndcg_score(2.0**ratings - 1, scores, k=k),
        "ndcg_rendle2020": ndcg_score(is_relevant.astype(float), scores, k=k),
        "mae": mean_absolute_error(ratings.ravel(), scores.ravel()),
        "rmse": root_mean_squared_error(ratings.ravel(), scores.ravel()),
    }
    if k == scores.shape[1]:
        expected["map"] = label_ranking_average_precision_score(is_relevant, scores)
    for name, number in expected.items():
        assert value(data, name, Setting(k=k)) == pytest.approx(number, abs=1e-12), name


@pytest.mark.parametrize("seed", range(5))
def test_auc_of_a_user_with_ties_is_that_of_scikit_learn(seed):
    scores, ratings = untied(seed)
    tied = np.floor(scores / 8)
    found = of_users(as_table(tied, ratings), "gauc", Setting())
    assert len(found) == len(scores)
    for user, number in found.items():
        row = int(user)
        both = len(set(ratings[row] > 0)) == 2
        assert number == pytest.approx(
            roc_auc_score(ratings[row] > 0, tied[row]) if both else nan, nan_ok=True
        )


def everything(data, ks=(2, 40)):
    """Every value of a model: of all, of each user, of each group of users and of items."""
    found = {}
    groups = [None, *(("user_group", group) for group in "123")]
    sides = [None, *(("item_group", group) for group in ("1", "2", "10"))]
    for name in RECOMMENDER:
        for k in ks:
            for of_group in groups:
                for of_items in sides:
                    setting = Setting(k=k, of_users=of_group, of_items=of_items)
                    found[(name, k, of_group, of_items)] = value(data, name, setting)
            if name in VALUES:
                found |= {
                    (name, k, user): number for user, number in of_users(data, name, Setting(k=k)).items()
                }
    return found


def assert_same(first, second):
    assert first.keys() == second.keys()
    for key, number in first.items():
        assert number == pytest.approx(second[key], rel=1e-12, abs=1e-12, nan_ok=True), key


@pytest.mark.parametrize("seed", range(3))
def test_a_model_beside_others_has_the_values_that_it_has_alone(seed):
    made = made_recommendations(seed, n_models=4)
    for model in made.models:
        lists, scores = (
            {n: of for n, of in some.items() if n == model} for some in (made.lists, made.scores)
        )
        alone = replace(made, lists=lists, scores=scores)
        assert_same(everything(recommended(made, model)), everything(recommended(alone, model)))


@pytest.mark.parametrize("seed", range(3))
def test_order_of_users_items_and_rows_plays_no_part(seed):
    made = made_recommendations(seed, n_models=4)
    turned = shuffled(made, np.random.default_rng(seed))
    for model in made.models:
        assert_same(everything(recommended(made, model)), everything(recommended(turned, model)))


def shuffled(made, rng):
    """The same table with users, items and rows in another order."""
    users, items = (rng.permutation(len(ids)) for ids in (made.user_ids, made.item_ids))
    new_user, new_item = np.argsort(users), np.argsort(items)

    def rows(some):
        if isinstance(some, ScoreMatrix):
            down, across = rng.permutation(len(some.user)), rng.permutation(len(some.item))
            values = some.values[down][:, across]
            return ScoreMatrix(new_user[some.user[down]], new_item[some.item[across]], values)
        order = rng.permutation(len(some))
        pairs = new_user[some.user[order]], new_item[some.item[order]]
        if isinstance(some, Interactions):
            return Interactions(*pairs, some.rating[order], some.has_rating)
        return ItemLists(*pairs, some.score[order], some.has_scores)

    return replace(
        made,
        user_ids=made.user_ids[users],
        item_ids=made.item_ids[items],
        lists={model: rows(some) for model, some in made.lists.items()},
        scores={model: rows(some) for model, some in made.scores.items()},
        train=rows(made.train),
        test=rows(made.test),
        slices={name: (codes[users], levels) for name, (codes, levels) in made.slices.items()},
        item_groups={name: (codes[items], levels) for name, (codes, levels) in made.item_groups.items()},
        features=made.features[items],
    )


RATES = (
    *("precision", "recall", "ndcg", "ndcg_rendle2020", "hit_rate", "map", "mar", "mrr", "f1"),
    *("auc", "gauc", "lauc", "epc", "s_recall", "aplt", "gini"),
)


@pytest.mark.parametrize("seed", range(12))
def test_rates_lie_between_0_and_1(seed):
    made = made_recommendations(seed, n_models=4)
    for model in made.models:
        data = recommended(made, model)
        for name in RATES:
            for k in (1, 4, 30):
                number = value(data, name, Setting(k=k))
                assert isnan(number) or -1e-12 <= number <= 1 + 1e-12, (name, k)
