"""What lists are broken down by: columns of users, the groups of items, and both together."""

import pytest

from evalcore import evaluate
from evalcore.compare import compare_recommendations
from evalcore.evaluation.recommender.group_sizes import GroupSizes, group_sizes, pairs_of_groups
from evalcore.files import table_csv
from evalcore.metrics.recommender.deviations import item_mad_ranking
from evalcore.metrics.recommender.fairness import reo, rsp
from evalcore.problems import InputError
from evalcore.tallies.recommended import ItemGroups
from tests.support.but_long import but_long
from tests.support.recommending import loaded

LISTS = "user,item,model,score\n" + "".join(
    f"u{user},i{(user * step + place) % 9},{model},{9 - place}\n"
    for model, step in (("a", 2), ("b", 5))
    for user in range(8)
    for place in range(4)
)
TEST = "user,item\n" + "".join(f"u{n},i{(n * 3 + more) % 9}\n" for n in range(8) for more in range(3))
USERS = "user_id,user_group,gender\n" + "".join(f"u{n},{n % 3 + 1},{'fm'[n % 2]}\n" for n in range(8))
ITEMS = "item_id,item_group\n" + "".join(f"i{n},{n % 2 + 1}\n" for n in range(9))


def data(**without: str | None):
    beside = {"test": TEST, "user_groups": USERS, "item_groups": ITEMS, **without}
    return loaded(LISTS, **{name: text for name, text in beside.items() if text is not None})


def test_groups_of_items_that_are_asked_for_stand_there_once_as_where_nobody_asks() -> None:
    plain, asked = (evaluate(data(), ks=(3,), bootstrap=100, by=by) for by in ((), ("item_group",)))
    assert table_csv(asked.table) == table_csv(plain.table)


@pytest.mark.parametrize(
    "by", but_long([(one,) for one in [("user_group", "item_group"), ("item_group", "user_group")]], 1)
)
def test_groups_of_both_are_their_pairs_in_either_order(by: tuple[str, ...]) -> None:
    plain, asked = (evaluate(data(), ks=(3,), bootstrap=100, by=one) for one in (("user_group",), by))
    assert table_csv(asked.table) == table_csv(plain.table)


def test_groups_of_items_join_any_column_of_users() -> None:
    table = evaluate(data(), ks=(3,), by=("item_group", "gender")).table
    keys = ["family", "metric", "params", "variant", "population", "model", "group_by", "group"]
    assert not table.duplicated(keys).any()
    pairs = table[table["group_by"] == "gender;item_group"]
    assert sorted(pairs["group"].unique()) == ["f;1", "f;2", "m;1", "m;2"]


def test_a_comparison_takes_groups_of_items_and_has_each_row_once() -> None:
    plain, asked = (
        compare_recommendations(data(), "a", "b", k=3, bootstrap=100, by=by).table
        for by in ((), ("item_group",))
    )
    assert asked.equals(plain)


def test_a_column_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(InputError) as caught:
        evaluate(data(), by=("age",))
    (found,) = caught.value.problems
    assert (found.code, found.found) == ("OPT-006", "a column 'age' to break down by")
    assert found.expected == "one of user_group, gender, item_group"
    with pytest.raises(InputError) as caught:
        evaluate(data(user_groups=None, item_groups=None), by=("item_group",))
    assert caught.value.problems[0].expected == "none, as these data have no such column"


def test_parts_that_put_one_item_into_two_groups_or_give_it_other_features_are_refused() -> None:
    parts = [
        loaded(
            f"user,item,rank\n{user},a,1\n",
            item_groups=f"item_id,item_group\na,{group}\n",
            item_features=f"item_id,genres\na,{genre}\n",
        )
        for user, group, genre in (("u1", 1, "Comedy"), ("u2", 2, "Drama"))
    ]
    with pytest.raises(InputError) as caught:
        evaluate(parts)
    groups, features = map(str, caught.value.problems)
    assert groups.startswith(
        "item_groups.csv of part 2, column item_group: found 2 as the group of item a, and 1 in "
        "item_groups.csv of part 1"
    )
    assert features.startswith(
        "item_features.csv of part 2, column features: found the features Drama of item a, and Comedy in "
        "item_features.csv of part 1"
    )


def test_parts_that_agree_are_evaluated_as_the_whole() -> None:
    items = "item_id,item_group\na,1\nb,2\n"
    parts = [loaded(f"user,item,rank\n{user},a,1\n", item_groups=items) for user in ("u1", "u2")]
    both = loaded("user,item,rank\nu1,a,1\nu2,a,1\n", item_groups=items)
    assert table_csv(evaluate(parts).table) == table_csv(evaluate(both).table)


def _in_groups(n_users: int, n_items: int):
    groups = "user_id,user_group\n" + "".join(f"u{n},g{n % n_users}\n" for n in range(8))
    items = "item_id,item_group\n" + "".join(f"i{n},h{n % n_items}\n" for n in range(9))
    return loaded(LISTS, test=TEST, user_groups=groups, item_groups=items)


def test_too_many_pairs_of_groups_are_left_out_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalcore.checks.recommendations.MOST_PAIRS", 12)
    monkeypatch.setattr("evalcore.evaluation.recommender.models.MOST_PAIRS", 12)
    few, many = _in_groups(4, 3), _in_groups(5, 3)
    assert not [one for one in few.warnings if one.code == "RCM-111"]
    (told,) = (one for one in many.warnings if one.code == "RCM-111")
    assert str(told) == (
        "found 5 groups of users and 3 of items, which are 15 pairs, expected at most 12 pairs. Values of "
        "pairs were left out; those of groups of users and of groups of items are there. Join small groups "
        "where pairs matter."
    )
    for by in ((), ("user_group", "item_group")):
        rows = evaluate(few, ks=(3,), by=by).table
        assert rows["group"][rows["group_by"] == "user_group;item_group"].nunique() == 12
        rows = evaluate(many, ks=(3,), by=by).table
        columns = {"", "item_group", *by}
        assert set(rows["group_by"]) == columns
        assert rows["group"][rows["group_by"] == "item_group"].nunique() == 3


def test_what_is_summed_up_of_one_group_of_items_is_of_its_shown_items() -> None:
    lists = evaluate(data(), ks=(3,)).gathered.tallies["recommendations"].models["a"]
    groups = ItemGroups(lists, 1)
    n_shown = len({item for item in lists.lists["item"][lists.within(3)].tolist() if item % 2})
    widths = [metric(groups, k=3).columns.shape[1] for metric in (reo, rsp, item_mad_ranking)]
    assert widths == [2, 3, 2 * n_shown]


def test_groups_are_counted_with_those_that_have_none() -> None:
    report = evaluate(data(user_groups="user_id,user_group\nu0,f\nu1,m\n", item_groups=ITEMS), ks=(3,))
    assert group_sizes(report, "user_group") == GroupSizes("users", {"f": 1, "m": 1}, 8, 6)
    assert group_sizes(report, "item_group") == GroupSizes("items", {"1": 5, "2": 4}, 9, 0)
    assert pairs_of_groups(report) == 4
