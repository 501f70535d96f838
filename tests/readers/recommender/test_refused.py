"""What cannot be evaluated is named with user and item: repetitions, padding, scores that are none."""

import pytest

import evalcore
from evalcore.readers import Upload
from tests.support.reading import refused, upload, warned
from tests.support.recommending import LISTS, TEST, loaded, rows_of, table_of, uploads, warned_of_lists


def lists_refused(text: str, **beside: str) -> list[str]:
    """What is wrong with lists."""
    return refused(upload(text, "lists.csv"), **uploads(**beside))


def test_an_item_twice_in_a_list_is_named_with_its_ranks():
    text = "user,item,score\nu1,a,0.9\nu1,a,0.5\nu1,b,0.7\n"
    assert lists_refused(text) == [
        "lists.csv, row 2: found item a at ranks 1 and 3 of the list of user u1, expected each item once "
        "in a "
        "list. Remove the repetition (tools fill short lists up with one item), or say --keep-first to "
        "keep its "
        "best rank. [RCM-003]"
    ]


def test_the_best_rank_of_a_repeated_item_is_kept_on_request_and_the_rest_is_counted():
    data = loaded("user,item,score\nu1,a,0.5\nu1,a,0.9\nu1,b,0.7\nu2,a,1\n", keep_first=True)
    table = table_of(data)
    assert rows_of(table, table.lists["lists"]) == [("u1", "a", 0.9), ("u1", "b", 0.7), ("u2", "a", 1)]
    assert data.sources[0].excluded == {"repeated item": 1}
    assert data.sources[0].n_used == 3
    assert warned(data)[0].endswith(
        "found repeated items: 1. The best rank of each was kept, as you asked. [RCM-004]"
    )


@pytest.mark.parametrize("text", ["inf", "-inf", "nan", "", "high", "0.5.1"])
def test_a_score_that_is_no_finite_number_is_named_with_user_and_item(text: str):
    (found,) = lists_refused(f"user,item,score\nu1,a,1\nu1,b,{text}\n")
    said = text if text not in ("", "nan") else found.split("the score ")[1].split(" of item")[0]
    assert found == (
        f"lists.csv, row 2, column score: found the score {said} of item b for user u1, expected a finite "
        "number. "
        "Correct the score, or leave the row out. [RCM-006]"
    )


def test_a_rating_that_is_no_finite_number_is_named_with_user_and_item():
    (found,) = lists_refused(LISTS, test="user,item,rating\nu1,a,good\n")
    assert found == (
        "test.csv, row 1, column rating: found the rating good of item a by user u1, expected a finite "
        "number. "
        "Correct the rating, or leave the row out. [RCM-007]"
    )


@pytest.mark.parametrize("rank", ["1.5", "-1", "first", ""])
def test_a_rank_that_is_none_is_named(rank: str):
    (found,) = lists_refused(f"user,item,rank\nu1,a,1\nu1,b,{rank}\n")
    assert found.startswith("lists.csv, row 2, column rank: found the rank ")
    assert found.endswith("[RCM-008]")


def test_a_rank_0_where_another_list_begins_at_1_is_named():
    (found,) = lists_refused("user,item,rank\nu1,a,0\nu1,b,1\nu2,b,1\n")
    assert (
        "found the rank 0 of item a for user u1, expected a rank: a whole number from 1 on, or from 0"
        in found
    )


def test_a_rank_twice_in_a_list_is_named_where_ranks_decide():
    (found,) = lists_refused("user,item,rank\nu1,a,1\nu1,b,1\n")
    assert found == (
        "lists.csv, row 2: found rank 1 of user u1 again; row 1 has it already, expected each rank once in a "
        "list. Correct one of the two rows; lists of several models need a column model. [RCM-009]"
    )


def test_ranks_reversed_in_every_list_are_refused_and_never_guessed():
    (found,) = lists_refused("user,item,score,rank\nu1,a,0.9,2\nu1,b,0.1,1\nu2,a,0.5,2\nu2,b,0.1,1\n")
    assert found == (
        "lists.csv: found ranks that rise with the scores in every list: the order of one is that of the "
        "other "
        "reversed, expected rank 1 for the highest score. If the score is a distance, write it negative, "
        "or leave "
        "its column out: then the ranks decide. If the ranks count from the worst, leave them out: then the "
        "scores decide. [RCM-010]"
    )


def test_ranks_that_contradict_the_scores_in_some_lists_are_told_and_the_scores_order():
    data = loaded("user,item,score,rank\nu1,a,0.9,2\nu1,b,0.1,1\nu2,b,0.5,2\nu2,a,0.6,1\n")
    assert warned_of_lists(data) == [
        "lists.csv: found ranks that contradict the scores in 1 of 2 lists, such as that of user u1. The "
        "score "
        "decided, higher first. To go by the ranks leave the score out. [RCM-011]"
    ]
    assert table_of(data).lists["lists"].has_scores


@pytest.mark.parametrize("text", ["user,item,score,rank\nu1,a,0.9,1\nu1,b,0.9,2\nu2,a,0.5,1\nu2,c,0.1,9\n"])
def test_ranks_that_agree_with_the_scores_or_break_ties_are_no_contradiction(text: str):
    assert [one for one in warned(loaded(text)) if "ranks" in one] == []


@pytest.mark.parametrize("text", ["-1", "[PAD]"])
@pytest.mark.parametrize("column", ["user", "item"])
def test_ids_that_fill_short_lists_up_are_refused(text: str, column: str):
    user, item = (text, "a") if column == "user" else ("u1", text)
    (found,) = lists_refused(f"user,item,score\nu1,b,1\n{user},{item},0\n")
    assert found == (
        f"lists.csv, row 2, column {column}: found the id {text}, with which tools fill short lists up, "
        "expected "
        "an id of a user or an item. Leave these rows out: a short list stays short. [RCM-012]"
    )


def test_the_id_0_is_an_id():
    assert table_of(loaded("user,item,score\n0,0,1\n1,0,1\n")).item_ids.tolist() == ["0"]


@pytest.mark.parametrize(("user", "item", "what"), [("", "a", "user"), ("u1", "", "item")])
def test_empty_ids_are_refused(user: str, item: str, what: str):
    found = lists_refused(f"user,item,score\nu1,b,1\n{user},{item},1\n")
    assert found == [
        f"lists.csv, row 2, column {what}: found an empty cell, expected the id of "
        f"{'a user' if what == 'user' else 'an item'}. "
        "Fill the cell or leave the row out. [QRY-005]"
    ]


def test_ratings_of_the_test_that_contradict_each_other_are_named():
    found = lists_refused(LISTS, test="user,item,rating\nu1,a,5\nu1,a,0\nu1,b,1\nu1,b,1\n")[0]
    assert found == (
        "test.csv, row 2: found the rating 0 of item a by user u1, and 5 in row 1, expected one rating of "
        "an item "
        "by a user. Keep one of them, or say --keep-first to keep the highest. [RCM-005]"
    )


def test_repeated_pairs_count_once_and_the_number_is_shown():
    data = loaded(LISTS, train="user,item,rating\nu1,c,5\nu1,c,3\n", test="user,item\nu1,a\nu1,a\nu2,a\n")
    table = table_of(data)
    assert rows_of(table, table.train) == [("u1", "c", 5)]
    assert rows_of(table, table.test) == [("u1", "a", 1), ("u2", "a", 1)]
    assert {source.role: dict(source.excluded) for source in data.sources} == {
        "lists": {},
        "train": {"repeated pair": 1},
        "test": {"repeated pair": 1},
    }
    assert "train.csv: found repeated train interactions: 1. Each pair counts once. [RCM-038]" in warned(data)


def test_the_highest_of_contradicting_ratings_is_kept_on_request():
    data = loaded(LISTS, test="user,item,rating\nu1,a,0\nu1,a,5\n", keep_first=True)
    assert rows_of(table_of(data), table_of(data).test) == [("u1", "a", 5)]


def test_files_that_share_no_id_are_refused_as_ids_are_written_differently():
    lists = "user,item,rank\n" + "".join(f"u{i},i{i},1\n" for i in range(10))
    test = "user,item\n" + "".join(f"{i},{i}\n" for i in range(10))
    of_users, of_items = (one for one in lists_refused(lists, test=test) if "RCM-017" in one)
    assert of_users == (
        "found no user of lists.csv in test.csv: u0 here, 0 there, expected ids as both files write them. "
        "Compare "
        "how both write their ids; exports of internal numbers and of names do not fit together. [RCM-017]"
    )
    assert of_items.startswith("found no item of lists.csv in test.csv: i0 here, 0 there")


def test_a_few_lists_without_a_known_id_may_be_all_misses():
    assert table_of(loaded(LISTS, test="user,item\nu8,z\n")).models == ("lists",)


def test_ids_of_two_files_that_look_alike_are_named():
    found = warned(loaded("user,item,score\n1,a,1\n2,a,1\n", test="user,item\n1.0,a\n2,a\n"))
    assert (
        "found ids of several files that look alike: “1” (lists.csv) and “1.0” (test.csv). They are kept as "
        "different ids; make sure that they are. [RCM-013]"
    ) in found


def test_two_groups_of_one_id_are_refused():
    (found,) = lists_refused(LISTS, item_groups="id,cluster\na,1\nb,1\na,2\n")
    assert found == (
        "item_groups.csv, row 3, column cluster: found 2 as the group of item a, and 1 in row 1, expected "
        "one group "
        "of a user or an item in a column. Correct one of the two rows. [RCM-014]"
    )


def test_groups_of_users_that_stand_nowhere_else_are_left_out_and_counted():
    data = loaded(LISTS, user_groups="id,cluster\nu1,1\nu9,2\n")
    assert warned_of_lists(data) == [
        "user_groups.csv: found groups of users that stand in no list, train or test, such as u9: 1. They "
        "were "
        "left out and counted. Check that ids are written alike if they should be there. [RCM-015]"
    ]
    assert data.sources[1].excluded == {"id in no list, train or test": 1}
    assert table_of(data).slices["user_group"][1] == ("1",)


def test_items_that_only_groups_hold_belong_to_the_catalogue():
    data = loaded(LISTS, item_groups="id,cluster\na,1\nz,2\n")
    assert "z" in table_of(data).item_ids
    assert warned_of_lists(data) == [
        "item_groups.csv: found items that stand in no list, train or test, such as z: 1. They belong to the "
        "catalogue: a model could have recommended them. [RCM-016]"
    ]


def test_a_file_of_features_without_a_feature_is_refused():
    (found,) = lists_refused(LISTS, item_features="item_id,title\na,A film\n")
    assert found.startswith(
        "item_features.csv: found no feature among item_id, title, expected columns of 0 and 1"
    )


def test_lists_without_scores_or_ranks_are_refused_under_their_name():
    assert lists_refused("user,item,model\nu1,a,m\n") == [
        "lists.csv: found lists with neither a score nor a rank among user, item, model, expected a score, "
        "higher "
        "is better, or a rank. Name one with --column score=NAME or --column rank=NAME. Rows of a file "
        "have no "
        "order of their own. [RCM-023]"
    ]


def test_scores_of_a_list_that_are_no_score_are_asked_for():
    (found,) = refused(
        Upload("x.csv", b"user,item\nu1,a\n"), scores=upload("user,item\nu1,a\n", "scores.csv")
    )
    assert "no column for score" in found


@pytest.mark.parametrize(
    ("cell", "step"), [("a|b", ".str.split('|')"), ('"[""a"", ""b""]"', ".map(ast.literal_eval)")]
)
def test_lists_in_cells_are_named_with_what_to_do(cell: str, step: str):
    assert lists_refused(f"user,items\nu1,{cell}\n", test=TEST) == [
        "lists.csv: found lists in the cells of items, a row a user, expected a row for each recommended "
        f"item. Write them so: in pandas df['items'] = df['items']{step}; df = df.explode('items', "
        "ignore_index=True).rename(columns={'items': 'item_id'}); "
        "df['rank'] = df.groupby('user').cumcount() + 1. [RCM-025]"
    ]


def test_every_problem_of_every_file_is_reported_at_once():
    text = "user,item,score\nu1,a,x\n,b,1\n"
    found = lists_refused(text, test="user,item,rating\nu1,a,y\n", train="user,what\nu1,a\n")
    assert sorted(one[-8:-1] for one in found) == ["COL-001", "QRY-005", "RCM-006", "RCM-007"]


def test_options_of_predictions_are_refused():
    found = refused(upload(LISTS, "lists.csv"), candidates=upload("a", "a.csv"), score_of="predicted")
    assert [one[-8:-1] for one in found] == ["OPT-008", "OPT-008"]


def test_what_is_given_beside_lists_is_refused_for_other_tasks():
    found = refused(upload("post_id,y_true,y_prob\np1,1,0.5\n"), test=upload(TEST, "t.csv"), task="evidence")
    assert [one[-8:-1] for one in found] == ["OPT-008"]


def test_rows_in_are_rows_used_and_excluded():
    data = evalcore.load(upload(LISTS + "\n\n,,\n", "lists.csv"))
    (source,) = data.sources
    assert (source.n_rows, source.n_used, source.excluded) == (7, 4, {"blank line": 2, "empty row": 1})


def test_two_files_that_put_one_user_or_item_into_two_groups_are_refused():
    parts = [
        upload("user_id,user_group\nu1,1\n", "one.csv"),
        upload("user_id,user_group\nu1,2\nu2,1\n", "two.csv"),
    ]
    (found,) = refused(upload(LISTS, "lists.csv"), user_groups=parts)
    assert found == (
        "two.csv, column user_group: found 2 as the group of user u1, and 1 in one.csv, expected one group "
        "of a user or an item in a column, whichever file names it. Correct one of the two files; where they "
        "mean different things, write one file with a column for each. [RCM-040]"
    )
    parts = [
        upload("item_id,item_group\na,1\nb,1\n", "one.csv"),
        upload("item_id,item_group\na,2\n", "two.csv"),
    ]
    (found,) = refused(upload(LISTS, "lists.csv"), item_groups=parts)
    assert found.startswith("two.csv, column item_group: found 2 as the group of item a, and 1 in one.csv")


def test_files_that_share_users_and_agree_are_one_table_of_groups():
    parts = [
        upload("user_id,user_group\nu1,1\n", "one.csv"),
        upload("user_id,user_group\nu1,1\nu2,2\n", "two.csv"),
    ]
    table = table_of(loaded(LISTS, user_groups=parts))
    codes, names = table.slices["user_group"]
    of_user = dict(zip(table.user_ids.tolist(), (names[code] for code in codes), strict=True))
    assert of_user == {"u1": "1", "u2": "2"}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("item_id,genres\na,Comedy\n", "item_id,genres\na,Drama\n"),
        ("item_id,x,y\na,1,0\n", "item_id,x,y\na,0,1\n"),
    ],
)
def test_two_files_that_give_one_item_other_features_are_refused(one: str, two: str):
    (found,) = refused(
        upload(LISTS, "lists.csv"), item_features=[upload(one, "one.csv"), upload(two, "two.csv")]
    )
    second, first = ("Drama", "Comedy") if "genres" in one else ("y", "x")
    assert found == (
        f"two.csv, column features: found the features {second} of item a, and {first} in one.csv, expected "
        "the same features of an item, whichever file names them. Correct one of the two files, or leave the "
        "item out of one of them. [RCM-041]"
    )


def test_features_that_two_files_name_alike_stand_once_and_those_of_other_columns_beside_them():
    parts = [
        upload("item_id,genres\na,Comedy\nb,Drama\n", "one.csv"),
        upload("item_id,genres\na,Comedy\nc,Drama\n", "two.csv"),
        upload("item_id,tags\na,slow\n", "three.csv"),
    ]
    table = table_of(loaded(LISTS, item_features=parts))
    assert table.feature_names == ("Comedy", "Drama", "slow")
    assert table.features is not None
    assert table.features.tolist() == [[True, False, True], [False, True, False], [False, True, False]]


def test_ranks_beside_equal_scores_are_told_to_play_no_part():
    lists = "user,item,score,rank\nu1,b,1,1\nu1,a,1,2\nu2,a,2,1\nu2,b,1,2\n"
    assert (
        "lists.csv: found ranks that order equal scores in 1 of 2 lists, such as that of user u1. The score "
        "decided, and items with one score stand by their id. To go by the ranks leave the score out. "
        "[RCM-085]"
    ) in warned(loaded(lists, test=TEST))
    plain = "user,item,score,rank\nu1,b,2,1\nu1,a,1,2\n"
    assert "RCM-085" not in {one.code for one in loaded(plain, test=TEST).warnings}


def test_the_only_column_of_users_is_known_by_its_own_name_too():
    data = loaded(test=TEST, user_groups="user_id,gender\nu1,F\nu2,M\n")
    table = table_of(data)
    assert list(table.slices) == ["user_group", "gender"]
    report = evalcore.evaluate(data, ks=(2,), by="gender")
    assert set(report.table["group"]) == {"", "F", "M"}


def test_several_columns_of_users_are_told_to_be_no_groups_until_one_is_named():
    text = "user_id,gender,plan\nu1,F,a\nu2,M,b\n"
    data = loaded(test=TEST, user_groups=text)
    assert (
        "user_groups.csv: found several columns and none that is called group: gender, plan. Each breaks "
        "values down, and measures over groups have none. Say which with --column cluster=gender. [RCM-086]"
    ) in warned(data)
    named = loaded(test=TEST, user_groups=text, columns={"cluster": "gender"})
    assert list(table_of(named).slices) == ["user_group", "gender", "plan"]
    assert "RCM-086" not in {one.code for one in named.warnings}
