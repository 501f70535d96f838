"""Fairness, popularity, users and items of recommendation lists: values of the core, as a link asks."""

from dataclasses import replace

import numpy as np
import pytest

import evalcore
from evalcore.curves import popularity_curves
from evalcore.data import Data
from evalcore.evaluation import Report
from evalcore.text.numerals import number, percent_of_share
from pages.shared.data import session
from tests.pages.views.recommended import N_ITEMS, made, opened, said
from tests.support.opened import written


@pytest.fixture(scope="module")
def report() -> Report:
    return evalcore.evaluate(made(), ks=(10,), by=("user_group",))


def without(data: Data, **tables: object) -> Data:
    """The same recommendations without a part of them."""
    return data.with_tables(recommendations=replace(data.recommendations, **tables))


def test_fairness_has_the_values_of_the_core_for_groups_of_users_and_items(report: Report) -> None:
    text = said(opened("fairness"))
    for group in ("new", "old"):
        value = report.value("recommender.recall", model="close", group=group)
        assert f"<td>{number(value)} (" in text.partition(f"<td>{group}</td>")[2][:120]
    for group in ("a", "b", "c"):
        value = report.value("recommender.reo", model="popular", group=group, group_by="item_group")
        assert f"<td>{group}</td><td>10</td><td>{number(value)} (" in text
    spread = report.value("recommender.reo", model="popular")
    assert f"<td>spread over groups</td><td>30</td><td>{number(spread)} (" in text


@pytest.mark.long
def test_fairness_uses_what_the_link_asks_for(report: Report) -> None:
    text = said(opened("fairness", measure="ndcg", recommender="noisy", rate="rsp", pair="bias_disparity_br"))
    value = report.value("recommender.ndcg", model="noisy", group="new")
    assert f"{number(value)} (" in text
    assert "RSP@K: std / mean over groups of items of: recommendations / recommendable pairs." in text
    assert "1 is neutral: below it blue, above it orange." in text
    pair = report.value("recommender.bias_disparity_br", model="noisy", group="new;a")
    assert f"<td>new</td><td>a</td><td>30</td><td>10</td><td>{number(pair)} (" in text


def test_without_groups_the_page_says_which_file_it_takes() -> None:
    data = without(made(), slices={}, item_groups={})
    app = opened("fairness", data)
    text = said(app)
    assert "these data name none of either" in text
    assert "a file with the columns user and user_group" in text
    assert "a file with the columns item and item_group" in text
    assert not [*app.number_input, *app.selectbox], "nothing can be chosen where nothing is shown"
    assert "it takes a file with the columns user and user_group" in said(
        opened("fairness", without(made(), slices={}))
    )


def test_pairs_need_no_groups_of_users() -> None:
    text = said(opened("fairness", without(made(), slices={})))
    assert "<td>all users</td><td>a</td>" in text


def test_popularity_tells_the_head_and_what_models_make_of_it(report: Report) -> None:
    curves = popularity_curves(report.gathered.tallies["recommendations"].models, k=10, pop_ratio=0.8)
    text = said(opened("popularity"))
    assert f"The head is {curves.n_head} of 30 items ({percent_of_share(curves.n_head / 30)})" in text
    for name, cumulative in curves.recommended.items():
        share = percent_of_share(curves.of_head(cumulative)).replace(" ", "\N{NO-BREAK SPACE}")
        never = f"{curves.n_never[name]} of 30"
        assert f"<td>{name}</td><td>600</td><td>{share}</td><td>{never}</td>" in text


@pytest.mark.long
def test_popularity_uses_another_head_and_k_of_the_link() -> None:
    found = evalcore.evaluate(made(), ks=(5,), pop_ratio=0.5)
    text = said(opened("popularity", head="0.5", k="5"))
    value = found.value("recommender.aplt", model="close")
    assert f"{number(value)} (" in text.partition("<td>APLT@5</td>")[2]
    assert "<td>300</td>" in text


@pytest.mark.long
def test_without_train_there_is_no_head_and_the_page_says_so() -> None:
    app = opened("popularity", without(made(), train=None))
    text = said(app)
    assert not app.get("plotly_chart")
    assert "There are no train interactions, and no item is more popular than another" in text
    assert "n/a — no train interactions" in text
    assert ">nan" not in text


def test_users_stand_worst_first_with_the_list_of_the_first(report: Report) -> None:
    app = opened("users", recommender="close", measure="ndcg")
    value = report.value("recommender.ndcg", model="close")
    assert f"nDCG@10 of close is {number(value)} (" in said(app)
    users, of_one, items = (one.value for one in app.dataframe)
    assert users["value"].is_monotonic_increasing
    assert written(app, 0)["value"] == [number(value) for value in users["value"]]
    assert len(users) == 56
    assert users["value"].mean() == pytest.approx(value)
    worst = users["user"].iloc[0]
    assert f"User {worst}: {users['n_found'].iloc[0]} of 3 relevant items among the 10" in said(app)
    assert (of_one["is_relevant"] == "yes").sum() == 3
    assert items["n_recommended"].is_monotonic_decreasing
    assert items["n_recommended"].sum() == 600


def test_best_first_and_items_never_recommended() -> None:
    app = opened("users", recommender="popular", order="best first", items="never")
    users, _, items = (one.value for one in app.dataframe)
    assert users["value"].is_monotonic_decreasing
    assert (items["n_recommended"] == 0).all()
    assert len(items) == 15
    assert items["popularity"].is_monotonic_decreasing


def test_a_wild_link_is_refused_in_words() -> None:
    text = said(opened("users", measure="gini", items="all"))
    assert "The link asks for measure “gini”, which is not here" in text
    assert "The link asks for items “all”, which is not here" in text


def test_a_user_without_a_relevant_item_is_in_no_mean_and_nobody_is_nothing() -> None:
    data = without(made(), test=None)
    app = opened("users", data)
    assert "Items retrieved@10 of popular is" in said(app) or "ARP@10 of popular is" in said(app)
    assert len(app.dataframe) == 3


def test_ids_of_a_saved_report_are_not_shown(report: Report) -> None:
    app = opened("users")
    app.session_state["recommendations_in_use"] = session.SessionData(
        made().with_tables(), "saved", is_sample=False, key="saved", report=report
    )
    app.run()
    assert not app.exception
    assert "A saved report holds no rows: there is nothing to look at one by one." in said(app)
    assert len(app.dataframe) == 0


@pytest.mark.long
def test_pairs_that_are_too_many_are_left_out_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("evalcore.evaluation.recommender.models", "evalcore.recommendations"):
        monkeypatch.setattr(f"{place}.MOST_PAIRS", 5)
    text = said(opened("fairness"))
    assert "6 pairs are too many: values of pairs are made of at most 5." in text
    assert "<td>all users</td><td>a</td>" in text


@pytest.mark.long
def test_k_model_metric_and_breakdown_go_to_the_next_page_and_a_default_nobody_chose_does_not() -> None:
    def to(page: str) -> None:
        app.query_params.clear()
        app.switch_page(f"pages/recommender/recommender_{page}.py").run()
        assert not app.exception

    app = opened("compare")
    by = "recommender_by_of_recommender_{}"
    assert app.selectbox(key=by.format("compare")).value == ""
    to("fairness")
    assert app.selectbox(key=by.format("fairness")).value == "user_group"
    app.number_input(key="recommender_k_of_recommender_fairness").set_value(5).run()
    app.selectbox(key="recommender_model_of_recommender_fairness").set_value("close").run()
    app.selectbox(key="recommender_measure_of_recommender_fairness").set_value("ndcg").run()
    to("users")
    assert app.number_input(key="recommender_k_of_recommender_users").value == 5
    assert app.selectbox(key="recommender_model_of_recommender_users").value == "close"
    assert app.selectbox(key="recommender_measure_of_recommender_users").value == "ndcg"
    to("compare")
    assert app.number_input(key="recommender_k_of_recommender_compare").value == 5
    assert app.selectbox(key="recommender_measure_of_recommender_compare").value == "ndcg"
    assert app.selectbox(key=by.format("compare")).value == ""
    app.selectbox(key=by.format("compare")).set_value("user_group;item_group").run()
    to("fairness")
    assert app.selectbox(key=by.format("fairness")).value == "user_group"


@pytest.mark.long
def test_a_link_goes_before_what_was_chosen_elsewhere() -> None:
    app = opened("overview", k="7")
    app.query_params.clear()
    app.switch_page("pages/recommender/recommender_tradeoff.py").run()
    assert app.number_input(key="recommender_k_of_recommender_tradeoff").value == 7
    app.query_params["k"] = "9"
    app.switch_page("pages/recommender/recommender_popularity.py").run()
    assert app.number_input(key="recommender_k_of_recommender_popularity").value == 9


def test_groups_tell_their_sizes_and_who_has_none() -> None:
    data = made()
    table = data.recommendations
    codes, names = table.slices["user_group"]
    some = without(data, slices={"user_group": (np.where(np.arange(len(codes)) < 7, -1, codes), names)})
    text = said(opened("fairness", some))
    assert "<th>n users</th>" in text
    assert "<td>new</td><td>26</td>" in text
    assert "7 of 60 users have no known group and enter none." in text


@pytest.mark.long
def test_a_spread_that_is_not_defined_has_the_one_reason_that_holds() -> None:
    data = made()
    one = without(data, item_groups={"item_group": (np.zeros(N_ITEMS, int), ("a",))})
    text = said(opened("fairness", one))
    assert "fewer than two groups have anything to count" in text
    assert "the mean of the rates" not in text
    assert "of one group" not in text


@pytest.mark.long
def test_without_test_interactions_every_page_says_that_there_are_none() -> None:
    bare = without(made(), test=None, train=None)
    text = said(opened("overview", bare))
    assert "no test interactions were loaded" in text
    assert " no test interactions (n = " in text
    assert "no user with a relevant item" not in text
    tradeoff = opened("tradeoff", bare)
    assert not tradeoff.get("plotly_chart")
    users = said(opened("users", bare))
    assert "there are no test interactions" in users
    assert "0 of 0 relevant" not in users
    assert "interactions in train." not in users


def test_a_k_out_of_range_is_said_and_the_last_one_stays() -> None:
    app = opened("overview", k="5")
    app.number_input[0].set_value(5000).run()
    assert not app.exception
    text = said(app)
    assert "K: found 5,000, expected a whole number from 1 to 1,000; 5 is used." in text
    assert '<p class="name">Recall@5</p>' in text
    app.number_input[0].set_value(0).run()
    assert "K: found 0, expected a whole number from 1 to 1,000; 5 is used." in said(app)


def test_a_reason_stands_once_beneath_a_table_and_not_in_its_narrow_cells() -> None:
    text = said(opened("fairness", without(made(), test=None)))
    assert "<td>n/a\u00a0¹</td>" in text
    assert "n/a: ¹ " in text
    assert "n/a — " not in text


@pytest.mark.long
def test_pairs_of_groups_whose_names_hold_semicolons_and_markup_are_told_apart() -> None:
    data = made()
    table = data.recommendations
    assert table is not None
    users = {"user_group": (table.slices["user_group"][0], ("new; young", "<i>old</i>"))}
    items = {"item_group": (table.item_groups["item_group"][0], ("a; b", "b", "c"))}
    text = said(opened("fairness", without(data, slices=users, item_groups=items)))
    for user in ("new; young", "&lt;i&gt;old&lt;/i&gt;", "all users"):
        for item in ("a; b", "b", "c"):
            assert f"<td>{user}</td><td>{item}</td>" in text
    assert "<i>old" not in text


@pytest.mark.long
def test_ids_that_are_numbers_stand_in_their_order_and_the_user_is_in_the_link() -> None:
    data = made()
    table = data.recommendations
    numbered = without(data, user_ids=np.array([str(at) for at in range(len(table.user_ids))], object))
    app = opened("users", numbered, user="12")
    users = app.dataframe[0].value["user"].tolist()
    zero = [
        int(user) for user, value in zip(users, app.dataframe[0].value["value"], strict=True) if not value
    ]
    assert zero == sorted(zero)
    assert len(zero) > 1
    assert "User 12: " in said(app)
    assert app.query_params["user"] in ("12", ["12"])
    assert "The link asks for user “nobody”" in said(opened("users", numbered, user="nobody"))


def test_one_model_alone_has_no_trade_off() -> None:
    text = said(opened("tradeoff", made(models=("close",))))
    assert "There is one model: a trade-off takes the lists of several." in text
    assert "Pareto front" not in text
