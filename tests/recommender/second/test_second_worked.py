"""The second implementation on one small table, worked by hand.

After train items have left the lists: u1 a b c · u2 b c · u3 b f · u4 a · u5 none.
Relevant: u1 a (3), c (1) · u2 b (2) · u5 d (1). Popularity: a 2, b 1, d 1, f 2 of 6; five users.
"""

from math import isnan, log, log2, nan, sqrt

import pytest

from evalcore.crosscheck.recommended import recommended
from evalcore.crosscheck.recommended_users import Setting
from evalcore.crosscheck.recommender import RECOMMENDER, value
from tests.support.recommendations import KEYS, PAIRS, table

TRAIN = [("u1", "f"), ("u2", "f"), ("u2", "a"), ("u3", "a"), ("u3", "d"), ("u4", "b")]
TEST = [("u1", "a", 3), ("u1", "c", 1), ("u2", "b", 2), ("u3", "c", 0), ("u5", "d", 1)]
LISTED = [
    *(("u1", "c", 0.7), ("u1", "a", 0.9), ("u1", "b", 0.8)),
    *(("u2", "c", 0.6), ("u2", "f", 0.9), ("u2", "b", 0.6)),
    *(("u3", "b", 0.5), ("u3", "f", 0.4), ("u4", "b", 0.9), ("u4", "a", 0.8)),
]
SCORED = [*LISTED, ("u1", "d", 0.1), ("u1", "e", 0.1), ("u2", "d", 0.2), ("u3", "c", 0.5)]
PARTS = {
    "lists": {"model": LISTED},
    "scores": {"model": SCORED},
    "train": TRAIN,
    "test": TEST,
    "user_groups": {"u1": "1", "u2": "1", "u3": "2", "u4": "2", "u5": "2"},
    "item_groups": {"a": "1", "b": "1", "c": "2", "d": "2", "e": "2", "f": "0"},
    "features": {"a": "x", "b": "y", "c": "xz", "d": "", "e": "z", "f": "y"},
}
SECOND = 1 / log2(3)
C = 1 + SECOND
GRADED = {"relevance": "discounted"}
NDCG = 7 / (7 + SECOND), 1, 0


def of(name, *, parts=(), model="model", **setting):
    given = {key: some for key, some in {**PARTS, **dict(parts)}.items() if some is not None}
    return value(recommended(table(**given), model), name, Setting(**setting))


def mean(*values):
    return sum(values) / len(values)


@pytest.mark.parametrize(
    ("name", "k", "expected"),
    [
        ("precision", 2, mean(1 / 2, 1 / 2, 0)),
        ("precision", 10, mean(2 / 10, 1 / 10, 0)),
        ("recall", 2, mean(1 / 2, 1, 0)),
        ("ndcg", 2, mean(*NDCG)),
        ("ndcg_rendle2020", 2, mean(1 / (1 + SECOND), 1, 0)),
        ("hit_rate", 2, 2 / 3),
        ("map", 2, mean(1 / 2, 1, 0)),
        ("map", 3, mean((1 + 2 / 3) / 2, 1, 0)),
        ("mar", 3, mean((1 / 2 + 1) / 2, 1, 0)),
        ("mrr", 2, mean(1, 1, 0)),
        ("f1", 2, mean(2 / 4, 2 / 3, 0)),
        ("auc", 0, mean(1, 2 / 3, 5 / 6, 0)),
        ("gauc", 0, mean(5 / 6, 5 / 6, 0)),
        ("lauc", 2, mean(1 / 2, 5 / 6, 0)),
        ("mae", 0, mean(2.1, 0.3, 1.4, 0.5)),
        ("mse", 0, mean(2.1**2, 0.3**2, 1.4**2, 0.5**2)),
        ("rmse", 0, sqrt(mean(2.1**2, 0.3**2, 1.4**2, 0.5**2))),
        ("item_coverage", 2, 4),
        ("user_coverage", 2, 4),
        ("num_retrieved", 2, 7 / 4),
        ("user_coverage_at_n", 2, 3),
        ("user_coverage_at_n", 3, 1),
        ("efd", 2, mean(-log2(2 / 6), -log2(1 / 6), 0) / C),
        ("epc", 2, mean(1 - 2 / 5, 1 - 1 / 5, 0) / C),
        ("gini", 2, (-1 + 1 + 3 * 2 + 5 * 3) / (5 * 7)),
        ("shannon_entropy", 2, -sum(n / 7 * log(n / 7) for n in (2, 3, 1, 1))),
        ("s_recall", 2, mean(1 / 2, 1)),
        ("arp", 2, mean(3 / 2, 1 / 2, 3 / 2, 1)),
        ("aclt", 2, 1 / 4),
        ("aplt", 2, 1 / 8),
        ("pop_rsp", 2, (6 / 7 - 1 / 11) / (6 / 7 + 1 / 11)),
        ("pop_reo", 3, (1 - 1 / 2) / (1 + 1 / 2)),
        ("rsp", 2, (1 - 1 / 11) / (1 + 1 / 11)),
        ("reo", 3, (1 - 1 / 2) / (1 + 1 / 2)),
        ("item_mad_ranking", 2, mean(7 / 2, 1) - 0),
        ("item_mad_rating", 3, mean(0.9, 0.6) - 0.7),
        ("user_mad_ranking", 2, mean(*NDCG[:2]) - NDCG[2]),
        ("euc_distance", 2, sqrt((2 / 3) ** 2 + (1 / 2) ** 2 + (1 - mean(*NDCG)) ** 2)),
        ("hypervolume", 2, 1 / 3 * 1 / 2 * mean(*NDCG)),
    ],
)
def test_value_worked_by_hand(name, k, expected):
    assert of(name, k=k) == pytest.approx(expected, abs=1e-14)


def test_every_metric_of_document_004_has_a_second_implementation():
    assert sorted(RECOMMENDER) == sorted(KEYS.values())


@pytest.mark.parametrize(
    ("pair", "br", "bs", "bd"),
    [
        (("1", "1"), (3 / 4) / (2 / 6), (1 / 3) / (2 / 6), 5 / 4),
        (("1", "2"), (1 / 4) / (3 / 6), 0, nan),
        (("2", "1"), (2 / 3) / (2 / 6), (2 / 3) / (2 / 6), 0),
        (("2", "2"), 0, (1 / 3) / (3 / 6), -1),
    ],
)
def test_bias_of_a_pair_of_groups(pair, br, bs, bd):
    groups = {"of_users": ("user_group", pair[0]), "of_items": ("item_group", pair[1])}
    found = [
        of(name, k=2, **groups) for name in ("bias_disparity_br", "bias_disparity_bs", "bias_disparity_bd")
    ]
    assert found == pytest.approx([br, bs, bd], abs=1e-14, nan_ok=True)


def test_bias_has_no_value_over_all_groups():
    assert all(isnan(of(name, k=2)) for name in PAIRS)


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("rsp", (5 / 5, 1 / 11)),
        ("reo", (2 / 2, 0 / 2)),
        ("item_mad_ranking", (9 / 4, 0)),
        ("item_mad_rating", (0.75, nan)),
    ],
)
def test_each_group_of_items_has_its_own_number(name, groups):
    found = [of(name, k=2, of_items=("item_group", group)) for group in ("1", "2")]
    assert found == pytest.approx(groups, nan_ok=True)


def test_values_of_a_group_of_users_are_over_its_users():
    of_second = {"of_users": ("user_group", "2")}
    assert of("recall", k=2, **of_second) == 0
    assert of("item_coverage", k=2, **of_second) == 3
    assert of("arp", k=2, **of_second) == mean(3 / 2, 1)
    assert of("epc", k=2, of_users=("user_group", "1")) == pytest.approx(mean(3 / 5, 4 / 5) / C)
    assert of("rsp", k=2, of_items=("item_group", "1"), **of_second) == 2 / 2


@pytest.mark.parametrize(
    ("name", "setting", "expected"),
    [
        ("recall", {"k": 2, "population": "all_users"}, mean(1 / 2, 1, 0, 0, 0)),
        ("s_recall", {"k": 2, "population": "all_users"}, mean(1 / 2, 1, 0, 0)),
        ("gauc", {"population": "all_users"}, mean(5 / 6, 5 / 6, 0, 0, 0)),
        ("user_mad_ranking", {"k": 2, "population": "all_users"}, mean(*NDCG[:2])),
        ("auc", {"variant": "strict"}, mean(1, 2 / 3, 2 / 3, 0)),
        ("lauc", {"k": 2, "variant": "strict"}, mean(1 / 2, 2 / 3, 0)),
        ("mae", {"variant": "macro"}, mean(mean(2.1, 0.3), 1.4, 0.5)),
        ("rmse", {"variant": "macro"}, mean(sqrt(mean(2.1**2, 0.3**2)), 1.4, 0.5)),
        ("efd", {"k": 2, "variant": "p_over_users"}, mean(-log2(2 / 5), -log2(1 / 5), 0) / C),
        ("efd", {"k": 2, "params": GRADED}, mean(-7 * log2(2 / 6), -3 * log2(1 / 6), 0) / C),
        (
            "efd",
            {"k": 2, "variant": "p_over_users", "params": GRADED},
            mean(-7 * log2(2 / 5), 3 * log2(5), 0) / C,
        ),
        ("aclt", {"k": 2, "params": {"pop_ratio": "0.5"}}, 1),
        ("aclt", {"k": 2, "params": {"pop_ratio": "0.5"}, "variant": "item_share"}, 1 / 4),
        ("aplt", {"k": 3, "params": {"pop_ratio": "0.5"}}, mean(2, 2, 1, 0) / 3),
        ("pop_reo", {"k": 2, "params": {"pop_ratio": "0.5"}}, (1 - 1 / 3) / (1 + 1 / 3)),
        ("recall", {"k": 2, "stat": "median"}, 1 / 2),
    ],
)
def test_variant_worked_by_hand(name, setting, expected):
    assert of(name, **setting) == pytest.approx(expected, abs=1e-14)


def test_f1_of_any_two_metrics_is_a_mean_over_users():
    params = {"of": "ndcg+recall", "beta": "0.5"}
    first = 1.25 * NDCG[0] * 0.5 / (0.25 * NDCG[0] + 0.5)
    assert of("f1", k=2, params=params) == pytest.approx(mean(first, 1, 0))


def test_distance_and_volume_take_points_and_directions():
    names = {"of": "recall+gini"}
    distance = of("euc_distance", k=2, params={**names, "utopia": "0.75+0"})
    assert distance == pytest.approx(sqrt(0.25**2 + 0.6**2))
    volume = {**names, "nadir": "0.25+1"}
    assert of("hypervolume", k=2, params=volume) == pytest.approx(0.25 * 0.4)
    assert of("hypervolume", k=2, params={**volume, "higher": "True+True"}) == 0
    assert of(
        "hypervolume", k=2, params={**names, "nadir": "0.25+0.5", "higher": "True+True"}
    ) == pytest.approx(0.25 * 0.1)


def test_ties_are_broken_by_item_id_as_a_number_where_all_are():
    tied = {"lists": {"model": [("u", "10", 1), ("u", "9", 1)]}, "test": [("u", "9")]}
    assert of("precision", k=1, parts={**dict.fromkeys(PARTS), **tied}) == 1
    as_text = {"lists": {"model": [("u", "i9", 1), ("u", "i10", 1)]}, "test": [("u", "i9")]}
    assert of("precision", k=1, parts={**dict.fromkeys(PARTS), **as_text}) == 0


def test_lists_are_made_from_scores_where_there_are_none():
    matrix = {"u1": {"a": 0.9, "b": 0.8, "f": 1.0}, "u2": {"b": -1.0, "c": -2.0, "d": nan}}
    parts = {"lists": None, "scores": {"model": matrix}}
    assert of("recall", k=2, parts=parts) == mean(1 / 2, 1, 0)
    assert of("num_retrieved", k=3, parts=parts) == 2


def test_a_rating_of_any_size_has_its_share_of_the_ideal():
    for scale in (1e-300, 1000, 1e6):
        scaled = [("u1", "a", 3 * scale), ("u1", "c", scale)]
        assert 0 < of("ndcg", k=2, parts={"test": scaled}) <= 1
    assert isnan(of("item_mad_ranking", k=2, parts={"test": [("u1", "a", 1001)]}))
    assert isnan(of("efd", k=2, parts={"test": [("u1", "a", 1001)]}, params=GRADED))


def test_deviation_of_predicted_ratings_over_groups_of_users():
    parts = {"user_groups": {"u1": "1", "u2": "2"}}
    assert of("user_mad_rating", k=2, parts=parts) == pytest.approx(mean(0.9, 0.8) - 0.6)


@pytest.mark.parametrize(
    ("missing", "names"),
    [
        ("train", "efd epc arp aclt aplt pop_rsp pop_reo bias_disparity_bs bias_disparity_bd"),
        (
            "test",
            "precision recall ndcg ndcg_rendle2020 hit_rate map mar mrr f1 auc gauc lauc mae mse rmse efd "
            "epc s_recall pop_reo reo item_mad_ranking item_mad_rating "
            "user_mad_ranking user_mad_rating euc_distance hypervolume",
        ),
        ("scores", "auc gauc lauc mae mse rmse"),
        ("features", "s_recall"),
        ("item_groups", "rsp reo item_mad_ranking item_mad_rating bias_disparity_br bias_disparity_bs"),
        ("user_groups", "user_mad_ranking user_mad_rating"),
    ],
)
def test_without_its_input_a_metric_is_undefined(missing, names):
    parts = {missing: None}
    if missing == "train":
        parts["test"] = [row for row in TEST if row[0] != "u2"]
    whose = {"of_users": ("user_group", "1"), "of_items": ("item_group", "2")}
    for name in names.split():
        setting = whose if name in PAIRS and not missing.endswith("groups") else {}
        assert isnan(of(name, k=2, parts=parts, **setting)), name


def test_ratings_that_no_file_holds_have_no_error():
    implicit = {"test": [row[:2] for row in TEST]}
    assert all(isnan(of(name, parts=implicit)) for name in ("mae", "mse", "rmse"))


def test_undefined_where_nothing_can_be_compared():
    assert isnan(of("user_mad_rating", k=2))  # u5 alone of the second group likes something, and has no list
    everything = {"test": [("u1", item, 1) for item in "abcde"]}
    assert all(isnan(of(name, k=2, parts=everything)) for name in ("auc", "gauc", "lauc"))
    missed = {"test": [("u1", "e", 1), ("u1", "d", 1)]}
    assert isnan(of("reo", k=2, parts={**missed, "item_groups": {"d": "1", "e": "2"}}))
    own = {**dict.fromkeys(PARTS), "lists": {"model": [("u", "a", 1)]}, "train": [("u", "a")]}
    nothing = ("gini", "shannon_entropy", "rsp", "pop_rsp", "bias_disparity_br")
    assert all(isnan(of(name, k=2, parts=own)) for name in nothing)
    counts = ("item_coverage", "user_coverage", "num_retrieved", "arp")
    assert [of(name, k=2, parts=own) for name in counts] == [0, 0, 0, 0]
    single = {**dict.fromkeys(PARTS), "lists": {"model": [("u", "a", 1)]}}
    assert isnan(of("gini", k=2, parts=single))
    assert of("shannon_entropy", k=2, parts=single) == 0
