"""What is relevant is decided by ratings that a file has, and never by its silence."""

from pathlib import Path

import numpy as np
import pytest

import evalcore
from tests.support.reading import refused, upload, warned
from tests.support.recommending import LISTS, TEST, TRAIN, loaded, rows_of, table_of, uploads


def written(folder: Path, **texts: str) -> Path:
    """A folder of CSV files."""
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


def test_a_test_file_without_ratings_beside_one_with_them_is_refused():
    rated, plain = upload(TEST, "a.csv"), upload("user,item\nu2,b\n", "b.csv")
    assert refused(upload(LISTS, "lists.csv"), train=upload(TRAIN, "train.csv"), test=[rated, plain]) == [
        "b.csv: found no rating in this file, and one in a.csv, of the same kind, expected the same columns "
        "in all of them. Add the column rating, or name it with --column rating=NAME; for test rows without "
        "a rating write 1 where each is relevant. [RCM-076]"
    ]


def test_parts_of_one_list_with_scores_here_and_ranks_there_are_refused():
    first = upload("user,item,score\nu1,a,0.9\n", "a.csv")
    second = upload("user,item,rank\nu2,a,1\n", "b.csv")
    (found,) = refused(first, second, **uploads(train=TRAIN, test=TEST))
    assert found.startswith("b.csv: found no score in this file, and one in a.csv")


def test_negatives_without_a_rating_are_no_test_interactions(tmp_path: Path):
    folder = written(tmp_path, lists=LISTS, train=TRAIN, test="user,item\nu1,a\n")
    written(tmp_path, test_negatives="user,item\nu1,b\nu2,a\n")
    data = evalcore.load(folder)
    assert rows_of(table_of(data), table_of(data).test) == [("u1", "a", 1)]
    assert "test_negatives.csv" in data.facts["ignored_files"]
    written(tmp_path, test="user,item,rating\nu1,a,1\n", test_negatives="user,item,rating\nu1,b,0\n")
    found = table_of(evalcore.load(folder))
    assert rows_of(found, found.test) == [("u1", "a", 1), ("u1", "b", 0)]


def test_negatives_that_are_given_as_the_test_are_refused():
    negatives = upload("user,item\nu1,b\n", "test_negatives.csv")
    (found,) = refused(upload(LISTS, "lists.csv"), train=upload(TRAIN, "train.csv"), test=negatives)
    assert "found sampled negatives by the file's name, and no rating" in found


@pytest.mark.parametrize("name", ["click", "stars", "overall", "ratings", "is_relevant", "play_count", "y"])
def test_ratings_under_other_clear_names_are_read(name: str):
    table = table_of(loaded(train=TRAIN, test=f"user,item,{name}\nu1,a,1\nu1,b,0\n"))
    assert rows_of(table, table.test) == [("u1", "a", 1), ("u1", "b", 0)]


def test_a_column_of_0_and_1_under_an_unknown_name_is_asked_about():
    test = "user,item,finished,ts\nu1,a,1,880000000\nu1,b,0,880000001\n"
    assert refused(upload(LISTS, "lists.csv"), **uploads(train=TRAIN, test=test)) == [
        "test.csv, column finished: found a column finished of 0 and 1, and no rating: every row would count "
        "as relevant, expected a word on whether it says what is relevant. Say --column rating=finished; or "
        "--column rating= (nothing) where every row is relevant. [RCM-074]"
    ]
    said = table_of(loaded(train=TRAIN, test=test, columns={"rating": "finished"}))
    assert rows_of(said, said.test) == [("u1", "a", 1), ("u1", "b", 0)]
    none = table_of(loaded(train=TRAIN, test=test, columns={"rating": None}))
    assert rows_of(none, none.test) == [("u1", "a", 1), ("u1", "b", 1)]


def test_numbers_that_are_no_times_are_told_where_no_rating_is():
    data = loaded(train=TRAIN, test="user,item,dwell,ts\nu1,a,12,880000000\nu1,b,0,880000001\n")
    assert (
        "test.csv: found no rating, and columns of numbers without a role: dwell. Every test row counts as "
        "relevant. If one of them is a rating, say --column rating=dwell. [RCM-075]"
    ) in warned(data)
    times = loaded(train=TRAIN, test="user,item,when,Unnamed: 0\nu1,a,880000000,0\nu1,b,880000001,1\n")
    assert "RCM-075" not in {one.code for one in times.warnings}


def test_an_empty_rating_beside_scores_is_no_error_where_a_file_holds_the_test():
    lists = "user,item,score,rating\nu1,a,0.9,\nu1,b,0.8,3\nu2,c,0.7,good\n"
    table = table_of(loaded(lists, train=TRAIN, test=TEST))
    assert rows_of(table, table.test) == sorted([("u1", "a", 5), ("u2", "c", 0), ("u2", "a", 3)])


def test_an_empty_rating_beside_scores_is_not_in_the_test():
    table = table_of(loaded("user,item,score,rating\nu1,a,0.9,\nu1,b,0.8,3\nu2,c,0.7,0\n"))
    assert rows_of(table, table.test) == [("u1", "b", 3), ("u2", "c", 0)]
    assert len(table.lists["lists"].user) == 3


def test_a_word_as_rating_beside_scores_is_named_with_what_to_do():
    (found,) = refused(upload("user,item,score,rating\nu1,a,1,good\n", "lists.csv"))
    assert found == (
        "lists.csv, row 1, column rating: found the rating good of item a by user u1 beside its score, "
        "expected a finite number, or nothing where the pair is not in the test. Correct the cell, or give "
        "the test interactions with --test F: then these ratings are not needed. [RCM-071]"
    )


@pytest.mark.parametrize("rating", ["", "good", "inf", "nan"])
def test_what_ratings_are_in_train_plays_no_part(rating: str):
    table = table_of(loaded(train=f"user,item,rating\nu1,c,{rating}\nu2,b,4\n", test=TEST))
    assert table.train is not None
    assert len(table.train.user) == 2
    assert np.isfinite(table.train.rating).all()


def test_true_and_false_are_ratings_of_the_test():
    table = table_of(loaded(train=TRAIN, test="user,item,liked\nu1,a,True\nu1,b,False\n"))
    assert rows_of(table, table.test) == [("u1", "a", 1), ("u1", "b", 0)]


@pytest.mark.parametrize("name", ["bpr_test", "test_bpr", "train_bpr", "bpr-training"])
def test_lists_in_a_file_that_is_called_like_interactions_are_asked_about(tmp_path: Path, name: str):
    folder = written(
        tmp_path, lists=LISTS, train="user,item\nu1,c\n", test="user,item\nu1,a\n", **{name: LISTS}
    )
    role = "train" if "train" in name else "test"
    with pytest.raises(evalcore.InputError) as caught:
        evalcore.load(folder)
    (problem,) = caught.value.problems
    assert str(problem) == (
        f"{name}.csv, column score: found the columns of a model's lists (user, item, score) in a file that "
        f"is called like {role} interactions, expected a word on which they are. If they are a model's lists"
        f", say --lists F or take “{role}” out of the file's name; if score is what users gave, say --{role} "
        "F or call the column rating."
    )
    assert problem.severity == "choice"


def test_what_users_gave_may_be_called_score_in_a_file_that_is_called_test(tmp_path: Path):
    folder = written(tmp_path, lists=LISTS, train=TRAIN, test="user,item,score\nu1,a,5\nu1,b,0\n")
    table = table_of(evalcore.load(folder))
    assert rows_of(table, table.test) == [("u1", "a", 5), ("u1", "b", 0)]


def test_lists_in_a_file_that_is_called_like_features_are_lists(tmp_path: Path):
    folder = written(tmp_path, lightfm_features=LISTS, train=TRAIN, test=TEST)
    assert list(table_of(evalcore.load(folder)).lists) == ["lightfm_features"]


def test_a_file_of_the_folder_that_is_given_beside_it_is_read_once(tmp_path: Path):
    folder = written(tmp_path, lists=LISTS, train=TRAIN, bpr_test=LISTS)
    data = evalcore.load(folder, test=folder / "bpr_test.csv")
    assert [(one.name, one.role) for one in data.sources if one.name.endswith("bpr_test.csv")] == [
        ("bpr_test.csv", "test")
    ]


def test_an_empty_score_or_rank_is_no_error_where_the_other_orders_the_lists():
    ranks = "user,item,score,rank\nu1,a,,2\nu1,b,,1\nu2,c,,1\n"
    data = loaded(ranks, train=TRAIN, test=TEST)
    assert rows_of(table_of(data), table_of(data).lists["lists"]) == [
        ("u1", "a", -2),
        ("u1", "b", -1),
        ("u2", "c", -1),
    ]
    assert data.facts["unused_columns"] == {"lists.csv": {"score": "no value in any row"}}
    scores = "user,item,score,rank\nu1,a,1,\nu1,b,2,1\nu2,c,1,\n"
    table = table_of(loaded(scores, train=TRAIN, test=TEST))
    assert rows_of(table, table.lists["lists"]) == [("u1", "a", 1), ("u1", "b", 2), ("u2", "c", 1)]
    (found,) = refused(
        upload("user,item,score,rank\nu1,a,,1\nu1,b,2,2\n", "lists.csv"), **uploads(train=TRAIN, test=TEST)
    )
    assert "the score (an empty cell) of item a" in found
