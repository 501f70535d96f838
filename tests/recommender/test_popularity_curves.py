"""Popularity curves: what share of the interactions, and of recommendations, the most popular items have."""

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.curves import popularity_curves
from evalcore.data import Data
from evalcore.figures.recommender.popularity import popularity_figure
from tests.support.recommendations import made_recommendations, table

TRAIN = [(f"t{at}", item) for item, n in {"a": 1, "b": 5, "d": 4}.items() for at in range(n)]
LISTS = {"u1": ["b", "d", "a"], "u2": ["b", "a", "c"]}


def curves(lists=LISTS, *, k=2, pop_ratio=0.8, train=TRAIN, **more):
    rows = table(lists={"knn": lists, **more}, train=train, test=[("u1", "c")])
    report = evaluate(Data("recommender", (), {"recommendations": rows}), ks=(3,))
    return popularity_curves(report.gathered.tallies["recommendations"].models, k=k, pop_ratio=pop_ratio)


def test_items_stand_by_popularity_and_shares_add_up():
    found = curves()
    assert found.items.tolist() == [0, 1, 2, 3, 4]  # b, d, a, c
    assert found.train.tolist() == [0, 5 / 10, 9 / 10, 1, 1]
    assert found.recommended["knn"].tolist() == [0, 2 / 4, 3 / 4, 1, 1]
    assert (found.n_recommended, found.n_never) == ({"knn": 4}, {"knn": 1})


def test_the_head_reaches_its_share_of_the_interactions():
    found = curves()
    assert (found.n_head, found.head_share_of_items) == (2, 2 / 4)
    assert (found.of_head(found.train), found.of_head(found.recommended["knn"])) == (9 / 10, 3 / 4)


def test_places_below_k_do_not_count():
    assert curves(k=1).recommended["knn"].tolist() == [0, 1, 1, 1, 1]


def test_without_train_no_item_is_of_the_head_and_nothing_is_cumulated():
    found = curves(train=None)
    assert found.n_head == 0
    assert np.isnan(found.train).all()
    assert found.recommended["knn"][-1] == 1


def test_a_model_that_recommends_nothing_has_no_curve():
    found = curves(empty={})
    assert np.isnan(found.recommended["empty"]).all()
    assert found.n_never["empty"] == found.n_items


def test_a_large_catalogue_keeps_the_end_of_its_head_among_few_points():
    items = [f"i{at}" for at in range(5_000)]
    train = [("t", item) for item in items]
    found = curves({"u1": items[:3]}, train=train, pop_ratio=0.4321)
    assert len(found.items) <= 401
    assert found.n_head == 2161  # of 5,001 with c: the first to reach 0.4321 of 5,000 interactions
    assert found.of_head(found.train) == 2161 / 5000


@pytest.mark.parametrize("seed", range(3))
def test_curves_rise_from_0_to_1_whatever_the_lists(seed):
    rows = made_recommendations(seed, n_models=3)
    report = evaluate(Data("recommender", (), {"recommendations": rows}), ks=(5,))
    found = popularity_curves(report.gathered.tallies["recommendations"].models, k=5, pop_ratio=0.8)
    for cumulative in (found.train, *found.recommended.values()):
        assert cumulative[0] == 0
        assert cumulative[-1] == 1
        assert (np.diff(cumulative) >= 0).all()
    # What lies beyond the head is what APLT counts, over places and not over users.
    for model, cumulative in found.recommended.items():
        aclt = report.table.query("metric == 'aclt' and variant == 'default' and group_by == ''")
        aclt = aclt[(aclt["model"] == model) & ~aclt["params"].str.contains("stat=")].iloc[0]
        of_tail = 1 - found.of_head(cumulative)
        assert of_tail * found.n_recommended[model] == pytest.approx(aclt["value"] * aclt["n"])


def test_the_figure_says_what_share_the_head_has():
    figure = popularity_figure(curves())
    assert "interactions in train 90.0 %, knn 75.0 %" in figure.layout.meta["description"]
    assert [trace.name for trace in figure.data] == [
        "every item alike",
        "end of the head: 2 of 4 items",
        "interactions in train",
        "knn",
    ]


def test_items_that_only_one_model_names_stand_last_and_change_nothing_for_others():
    alone = curves()
    both = curves(other={"u1": ["z", "y", "b"], "u2": ["z", "a"]})
    assert both.items.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert both.recommended["knn"].tolist() == [*alone.recommended["knn"].tolist(), 1, 1]
    assert both.n_never["knn"] == alone.n_never["knn"]
    assert both.recommended["other"].tolist() == [0, 0, 0, 1 / 4, 1 / 4, 2 / 4, 1]
