"""Two recommenders beside each other: values, differences, what is joined and what falls out."""

from dataclasses import replace

import numpy as np
import pytest

from evalcore import evaluate, whole
from evalcore.catalog import METRICS
from evalcore.compare import (
    METRICS_COMPARED,
    answer,
    as_csv,
    compare,
    compare_recommendations,
    dropped_in_words,
)
from evalcore.compare.matrix import matrix
from evalcore.compare.recommendations import KINDS, USUAL
from evalcore.drawn.swaps import Swaps
from evalcore.evaluation.intervals.replicates import GroupReplicates
from evalcore.problems import InputError
from evalcore.recommendations import Interactions, ItemLists, Recommendations
from tests.recommender.test_road import data_of, taken
from tests.support.recommendations import beside_a_stranger, groups_alike, made_recommendations, table

ALL = tuple(key for key, one in METRICS.items() if one.tally in KINDS)
SOME = (*USUAL, *(key for key in ALL if key.endswith((".auc", ".efd", ".s_recall", ".rsp", ".mae", ".reo"))))
NOT_DRAWN = (
    "pop_rsp",
    "pop_reo",
    "item_mad_ranking",
    "item_mad_rating",
    "user_mad_ranking",
    "user_mad_rating",
)
"""Metrics that tell how unlike groups are, without those that have drawn values of one group."""
FEW = {"bootstrap": 100, "permutations": 99}
NOTHING = {"bootstrap": 0, "permutations": 0}
LISTS = {
    "a": {"u1": "xyz", "u2": "yxz", "u3": "zxw"},
    "b": {"u1": "zxy", "u2": "xwy", "u4": "wzx"},
}
TEST = [("u1", "x"), ("u1", "z"), ("u2", "w"), ("u3", "x"), ("u4", "z")]
TRAIN = [("u1", "w"), ("u3", "y"), ("u4", "y"), ("u5", "x"), ("u5", "y")]


def made(seed: int = 3, n_users: int = 40) -> Recommendations:
    return made_recommendations(seed, n_users=n_users, n_items=30, n_models=2)


def only(one: Recommendations, model: str) -> Recommendations:
    """The same input with one of its models."""
    lists, scores = ({name: of[name] for name in of if name == model} for of in (one.lists, one.scores))
    return replace(one, lists=lists, scores=scores)


def two(**how):
    """Two models of one input, of users u1 to u4."""
    return data_of(table(**{"lists": LISTS, "test": TEST, "train": TRAIN, **how}))


def side(model: str, name: str, **how):
    return data_of(table(**{"lists": {model: LISTS[model]}, "test": TEST, "train": TRAIN, **how}), name)


@pytest.mark.parametrize("seed", [1, 3])
def test_values_are_those_of_an_evaluation_to_the_bit_and_a_difference_is_theirs(seed):
    data = data_of(made(seed))
    table_ = compare_recommendations(data, metrics=ALL, k=5, by="user_group", pop_ratio=0.5, **NOTHING).table
    found = evaluate(data, ks=(5,), by="user_group", pop_ratio=0.5).table
    own = {
        (f"{row.family}.{row.metric}", row.params, row.population, row.model, row.group_by, row.group): row
        for row in found[found["variant"] == "default"].itertuples()
    }
    assert set(table_["metric"]) == set(ALL)
    assert set(table_["group_by"]) == {"", "user_group", "item_group", "user_group;item_group"}
    for row in table_.to_dict("records"):
        for name, model in (("first", "model_1"), ("second", "model_2")):
            place = row["metric"], row["params"], row["population"], model, row["group_by"], row["group"]
            assert np.array_equal(row[name], own[place].value, equal_nan=True), place
            assert row[f"n_{name}"] == own[place].n, place
        assert np.array_equal(row["difference"], row["second"] - row["first"], equal_nan=True)
        assert row["note"] or not np.isnan(row["difference"])


def test_swapped_sides_change_the_sign_alone():
    data = data_of(made())
    one = compare_recommendations(data, "model_1", "model_2", metrics=ALL, k=5, **FEW).table
    other = compare_recommendations(data, "model_2", "model_1", metrics=ALL, k=5, **FEW).table
    np.testing.assert_array_equal(one["difference"], -other["difference"])
    np.testing.assert_array_equal(one["p"], other["p"])
    for end, opposite in (("ci_low", "ci_high"), ("ci_high", "ci_low")):
        np.testing.assert_allclose(one[end], -other[opposite], rtol=0, atol=1e-12)


def test_order_and_parts_change_no_byte():
    recommendations = made()
    how = {"metrics": SOME, "k": 5, "by": ("user_group",), **FEW}
    expected = as_csv(compare_recommendations(data_of(recommendations), "model_1", "model_2", **how))
    rng = np.random.default_rng(2)
    users = rng.permutation(40)
    shuffled = data_of(taken(recommendations, users, 7))
    assert as_csv(compare_recommendations(shuffled, "model_1", "model_2", **how)) == expected
    parts = [
        data_of(taken(recommendations, some, at), f"part {at}")
        for at, some in enumerate(np.array_split(users, 3))
    ]
    assert as_csv(compare_recommendations(whole(parts), "model_1", "model_2", **how)) == expected


def test_two_inputs_give_the_bytes_of_one_that_holds_both():
    recommendations = made()
    how = {"metrics": SOME, "k": 5, **FEW}
    expected = as_csv(compare_recommendations(data_of(recommendations), "model_1", "model_2", **how))
    first, second = (data_of(only(recommendations, name), name) for name in ("model_1", "model_2"))
    assert as_csv(compare_recommendations(first, other=second, **how)) == expected
    without = replace(
        only(recommendations, "model_2"), test=None, train=None, slices={}, item_groups={}, features=None
    )
    lists_alone = data_of(replace(without, feature_names=()))
    assert as_csv(compare_recommendations(first, other=lists_alone, **how)) == expected
    shuffled = data_of(taken(only(recommendations, "model_2"), np.random.default_rng(5).permutation(40)))
    assert as_csv(compare_recommendations(first, other=shuffled, **how)) == expected


def test_a_fast_way_to_replicates_and_swaps_is_the_definition(monkeypatch):
    fast, farthest = GroupReplicates.of, {}

    def both(self, asked):
        found, how = fast(self, asked), self.resampling
        few = Swaps(how.swapped[:, :3]) if isinstance(how, Swaps) else replace(how, drawn=how.drawn[:6])
        for at, expected in (
            replace(self, resampling=few).one_at_a_time({at: asked[at] for at in found}).items()
        ):
            key, held = (asked[at].metric.key, type(how).__name__), found[at][:6]
            assert (np.isnan(held) == np.isnan(expected)).all(), key
            gap = np.abs(held - expected) / np.maximum(1, np.abs(expected))
            farthest[key] = max(farthest.get(key, 0.0), float(np.nanmax(gap, initial=0.0)))
        return found

    monkeypatch.setattr(GroupReplicates, "of", both)
    data = data_of(made(n_users=12))
    compare_recommendations(data, metrics=ALL, k=5, bootstrap=100, permutations=99)
    # The others are left out in turn, or have no interval.
    others = {key for key in ALL if METRICS[key].lies_beside or METRICS[key].name in NOT_DRAWN}
    assert {key for key, how in farthest if how == "Resampling"} == set(ALL) - others
    assert {key for key, how in farthest if how == "Swaps"} == set(ALL)
    assert max(farthest.values()) <= 1e-12, farthest


def test_a_difference_of_spreads_has_an_interval_that_is_no_narrower_than_both():
    rng = np.random.default_rng(2)
    fair, unfair = (groups_alike(rng, 3, unlike) for unlike in (0.0, 0.6))
    lists = {"fair": fair.lists["m"], "unfair": unfair.lists["m"]}
    data = data_of(replace(fair, lists=lists))
    how = {"metrics": ("rsp", "item_mad_rating"), "k": 6}
    rows = compare_recommendations(data, "fair", "unfair", **how, bootstrap=200, permutations=99).table
    whole_rows = rows[rows["group_by"] == ""].set_index("metric")
    rsp, rating = (whole_rows.loc[f"recommender.{name}"] for name in how["metrics"])
    assert rsp["ci_method"] == "spread(users=230;parts=115;sides=2)"
    keys = ("recommender.rsp",)
    own = evaluate(data, ks=(6,), bootstrap=200, metrics=keys).table
    own = own[(own["group_by"] == "") & ~own["params"].str.contains("stat=")]
    halves = (own["ci_high"] - own["value"]).tolist()
    half = rsp["ci_high"] - rsp["difference"]
    assert max(halves) < half < sum(halves)
    assert rsp["ci_low"] > 0
    assert rating["ci_method"] == "not_estimable(most_items_are_found_by_few_users)"
    assert rating["p"] <= 0.05


def test_users_that_only_one_lists_are_counted_and_those_with_other_rows_fall_out():
    found = compare_recommendations(two(), k=2, **NOTHING)
    (shared,) = found.shared
    assert dropped_in_words(shared, "a", "b") == (
        "4 users compared; none fell out. a has no list for 1 of them and b has no list for 1 of them: "
        "nothing is found for them, and means over users with a list leave them out, unless only shared ones "
        "are compared."
    )
    rows = found.table.set_index("metric")
    # Of x and z, w, x, and z: a shows x; none; x. b shows z and x; w; and z to u4 at place 2.
    assert rows.loc["recommender.recall", ["first", "second"]].tolist() == [(0.5 + 0 + 1 + 0) / 4, 3 / 4]
    found = compare_recommendations(two(), k=2, shared_only=True, **NOTHING)
    assert dropped_in_words(found.shared[0], "a", "b") == (
        "2 users compared; 2 fell out: only a has a list for 1, only b has a list for 1, 0 with other rows "
        "of test or train."
    )
    assert found.table["n"].unique().tolist() == [2]
    other = side("b", "b.csv", test=[*TEST[:2], ("u2", "y"), *TEST[3:]], train=[("u1", "y"), *TRAIN[1:]])
    found = compare_recommendations(
        side("a", "a.csv", lists={"a": LISTS["b"]}), other=other, k=2, metrics=("recall", "arp"), **NOTHING
    )
    assert (found.first, found.second, found.shared[0].n, found.shared[0].n_other_label) == ("a", "b", 2, 2)
    # u4 has lists, u3 has none but something to find.
    assert (found.shared[0].n_first_missing, found.shared[0].n_second_missing) == (1, 1)


def test_the_catalogue_is_that_of_both_inputs_and_no_interaction_counts_twice():
    data = two(item_groups=dict.fromkeys("xyzwv", "1"))
    first, second = side("a", "a.csv", item_groups={"v": "1"}), side("b", "b.csv")
    metrics = ("recommender.gini", "recommender.arp", "recommender.epc", "recommender.item_coverage")
    one, both = (
        compare_recommendations(*given, metrics=metrics, k=2, **NOTHING, other=other).table
        for given, other in (((data,), None), ((first,), second))
    )
    np.testing.assert_array_equal(one[["first", "second"]], both[["first", "second"]])


def test_users_and_items_of_a_third_model_change_nothing():
    recommendations = made()
    beside = data_of(beside_a_stranger(recommendations))
    how = {"metrics": ALL, "k": 5, "by": "user_group", **FEW}
    alone = compare_recommendations(data_of(recommendations), "model_1", "model_2", **how)
    found = compare_recommendations(beside, "model_1", "model_2", **how)
    assert as_csv(found) == as_csv(alone)
    assert found.shared == alone.shared
    metrics = ["gini", "aplt", "rsp", "user_coverage"]
    rows = matrix(beside, metrics, k=5, **FEW).table
    rows = rows[(rows["first"] == "model_1") & (rows["second"] == "model_2")].drop(columns="p_holm")
    expected = matrix(data_of(recommendations), metrics, k=5, **FEW).table.drop(columns="p_holm")
    assert repr(rows.values.tolist()) == repr(expected.values.tolist())


def test_two_models_of_one_name_are_told_apart_by_their_files():
    first, second = (side("a", name) for name in ("old.csv", "new.csv"))
    found = compare_recommendations(first, other=second, k=2, **NOTHING)
    assert (found.first, found.second) == ("old.csv: a", "new.csv: a")
    assert (found.table["difference"] == 0).all()
    found = compare_recommendations(first, other=first, k=2, **NOTHING)
    assert (found.first, found.second) == ("old.csv (1): a", "old.csv (2): a")


def told(*given, **how) -> list[str]:
    with pytest.raises(InputError) as caught:
        compare_recommendations(*given, **{**NOTHING, "k": 2, **how})
    return [str(one) for one in caught.value.problems]


def test_what_cannot_be_compared_is_refused_with_what_to_do():
    three = table(lists={**LISTS, "c": LISTS["a"]}, test=TEST)
    assert told(data_of(three)) == [
        "found 3 models in one input: a, b, c, expected two to compare, or the word that all pairs are "
        "meant. Say --models A,B for two of them, or --matrix for every two."
    ]
    assert told(two(), "a", "d") == [
        "found no model 'd', expected two or more of a, b. Check --models, or give two inputs."
    ]
    groups = {"item_groups": {"x": "1", "y": "2"}}, {"item_groups": {"x": "1", "y": "1"}}
    sides = [side(name, name, **how) for name, how in zip("ab", groups, strict=True)]
    assert told(sides[0], other=sides[1]) == [
        "found another item_group of items in each input for 1 ids, such as 'y', expected the same in both "
        "inputs, or in one of them only. Give both inputs the same file."
    ]
    others = side("b", "b.csv", test=[(user, "y") for user, _ in TEST[1:]])
    assert told(side("a", "a.csv"), other=others) == [
        "found no user of whom both a and b have a list: 4 users have other rows of test or train in each "
        "input, expected lists of the same users, judged by the same test and train rows. Give both inputs "
        "the same test and train."
    ]
    assert told(two(), split="test", tau_neg=0.1, tau_pos=0.2)[0] == (
        "found split of recommendation lists, expected none. Leave it out."
    )
    assert told(two(), k=0) == [
        "found K = 0, expected a whole number from 1 on, or ALL for the whole list. Check --ks."
    ]
    assert told(two(), k=None) == ["found K = None, expected a whole number from 1 on. Check the option."]


def test_metrics_of_one_name_are_those_of_what_is_compared():
    found = compare_recommendations(two(), metrics=("ndcg", "classification.auroc"), k=2, **NOTHING)
    assert found.table["metric"].tolist() == ["recommender.ndcg"]
    assert found.notes == ("Not compared, as not both have what it is computed from: AUROC.",)
    assert USUAL[:2] == ("recommender.ndcg", "recommender.precision")
    assert [METRICS[key].compared for key in USUAL] == list(range(1, len(USUAL) + 1))
    assert not set(USUAL) & set(METRICS_COMPARED)


def test_verdicts_over_users_with_a_list_need_nothing_that_is_relevant():
    rng = np.random.default_rng(0)
    lists = {
        name: [(f"u{user}", f"i{item}", -rank) for user in range(60)
               for rank, item in enumerate(rng.permutation(n)[:5])]
        for name, n in (("few", 6), ("many", 200))
    }  # fmt: skip
    data = data_of(table(lists=lists, test=[("u1", "i1")]))
    said = answer(compare_recommendations(data, metrics=("item_coverage", "ndcg"), k=5, **FEW))
    assert said.startswith("many is better: Item coverage@5 +157 ")
    assert said.endswith("Without an interval: nDCG@5.")


def equal_lists(rng: np.random.Generator, n_users: int, n_items: int, k: int) -> Recommendations:
    """Two systems that draw each list from the same skewed distribution, and what users like."""
    skew = -np.log(np.arange(1, n_items + 1))
    user = np.repeat(np.arange(n_users), k)
    rank = np.tile(-np.arange(1.0, k + 1), n_users)
    lists = {}
    for name in "ab":
        item = np.argsort(-(skew + rng.gumbel(size=(n_users, n_items))), axis=1)[:, :k]
        lists[name] = ItemLists(user, item.ravel(), rank, has_scores=False)
    liked = rng.integers(0, 20, n_users)
    return Recommendations(
        np.array([f"{rng.integers(1 << 40)}" for _ in range(n_users)], object),
        np.array([str(item) for item in range(n_items)], object),
        lists,
        test=Interactions(np.arange(n_users), liked, np.ones(n_users)),
    )


def test_a_difference_that_is_none_is_seldom_found():
    # Most items are rare: a bootstrap of distinct items covers 0 in fewer than three of four.
    metrics = (*(key for key in ALL if METRICS[key].lies_beside), "recommender.ndcg")
    assert len(metrics) == 4
    rng, covers, p = np.random.default_rng(8), [], []
    for _ in range(60):
        data = data_of(equal_lists(rng, 60, 300, 5))
        rows = compare_recommendations(data, metrics=metrics, k=5, bootstrap=100, permutations=99).table
        covers.append(((rows["ci_low"] <= 0) & (rows["ci_high"] >= 0)).tolist())
        p.append(rows["p"].tolist())
    # Of 60, 95 % bounds of the binomial.
    assert (np.mean(covers, axis=0) >= 0.85).all()
    assert (np.mean(np.array(p) <= 0.05, axis=0) <= 0.12).all()
    assert (np.abs(np.mean(np.array(p) <= 0.5, axis=0) - 0.5) <= 0.2).all()


def test_evidence_keeps_its_default_and_its_order():
    assert METRICS_COMPARED[0] == "classification.auroc"
    assert len(METRICS_COMPARED) == 14
    with pytest.raises(InputError, match="neither models nor lists"):
        compare(two())
