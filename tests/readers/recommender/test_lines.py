"""Lines of a user and several items are read where they are nothing else, and never as another table."""

import json
from pathlib import Path

import pytest

import evalcore
from evalcore.problems import Findings
from evalcore.readers.inputs import raw_files
from evalcore.readers.recommender import are_called_together
from tests.support.reading import refused, upload
from tests.support.recommending import TRAIN, loaded, rows_of, table_of, uploads

LISTS = "user,item,score\n1,1,3\n1,2,2\n2,8,1\n"


def pairs_in(text: str, name: str = "test.txt", **options):
    """User and item of the test interactions in a text."""
    table = table_of(loaded(LISTS, test=upload(text, name), **options))
    return [(user, item) for user, item, _ in rows_of(table, table.test)]


def refusal(text: str, name: str = "test.txt") -> str:
    """What is wrong with a file of test interactions."""
    (found,) = refused(upload(LISTS, "lists.csv"), test=upload(text, name))
    return found


def test_a_line_of_a_user_and_items_is_read():
    assert pairs_in("1 1 2 9\n2 8 1\n") == [("1", "1"), ("1", "2"), ("1", "9"), ("2", "1"), ("2", "8")]
    assert pairs_in("1 1 2\r\n2\r\n3 8 9 1\r\n") == [
        ("1", "1"),
        ("1", "2"),
        ("3", "1"),
        ("3", "8"),
        ("3", "9"),
    ]
    assert len(pairs_in("1 1 2 3 4 5 6 7\n2 8 1 2 3 4 5 6\n")) == 14


@pytest.mark.parametrize(
    "text", ["1 1 2 9\n2 8 1 2\n", "1 1 2 9 7\n2 8 1 3 5\n", "1 1 2 9 7 4\n2 8 1 3 5 6\n"]
)
def test_lines_of_one_length_that_may_be_judgements_are_asked_about(text: str):
    assert refusal(text) == (
        f"test.txt: found lines such as {text.splitlines()[0]}: either one user with all items, or one user "
        "and item with a rating and more, expected a row for each pair of user and item. Where a line is one "
        "pair, write tabs or commas between user, item, rating and time; else write a row for each user and "
        "item. [RCM-077]"
    )


def test_three_fields_are_asked_about_where_the_last_are_too_many_for_ratings():
    text = "".join(f"{user} {user % 7} {user * 3 + 1}\n" for user in range(30))
    assert "[RCM-077]" in refusal(text)
    assert pairs_in("1 1 1\n1 2 0\n2 8 0\n") == [("1", "1"), ("1", "2"), ("2", "8")]


def test_a_pair_a_line_with_its_time_is_read():
    assert pairs_in("1 1 2 880000000\n2 8 1 880000003\n") == [("1", "1"), ("2", "8")]


def test_judgements_are_read_as_before_and_a_run_is_no_test():
    assert pairs_in("1 0 1 1\n2 0 8 0\n") == [("1", "1"), ("2", "8")]
    assert refusal("1 Q0 1 1 0.5 x\n2 Q0 2 1 0.5 x\n", "bpr.run") == (
        "bpr.run: found a run of TREC: ranked items with scores, expected test interactions: a row for each "
        "user and item, or judgements of TREC. Give it as INPUT: it is a model's lists. [RCM-078]"
    )


def test_lists_with_another_second_field_than_a_run_has_are_refused():
    run = "u1 a i1 1 0.5 x\nu1 b i2 2 0.4 x\nu2 a i1 1 0.5 x\n"
    (found,) = refused(upload(run, "lists.txt"), **uploads(train=TRAIN, test=TRAIN))
    assert "found lines like a run of TREC whose second field differs: a, b, a" in found


OBJECTS = json.dumps({str(user): [{"item_id": 1, "score": 0.5}] for user in range(3)})


@pytest.mark.parametrize(
    ("text", "name", "column"),
    [
        ("1,5 7 8\n2,9 1\n", "lists.csv", "the second field"),
        ("user_id,items\n1,5 7 8\n2,9 1\n", "lists.csv", "the second field"),
        ("user_id,item_id\n1,5|7|8\n2,9|1\n", "lists.csv", "item_id"),
        ("1 1 2 9\n2 8 1\n", "lists.txt", "the second field"),
        (OBJECTS, "recs.json", "0, 1, 2"),
    ],
)
def test_lists_in_cells_are_named_as_such(text: str, name: str, column: str):
    (found,) = refused(upload(text, name), **uploads(train=TRAIN, test=TRAIN))
    assert f"found lists in the cells of {column}, a row a user" in found
    assert "[RCM-025]" in found


def test_interactions_in_cells_are_named_as_such():
    assert "[RCM-025]" in refusal("user_id,items\n1,5 7 8\n2,9 1\n", "test.csv")


@pytest.mark.parametrize("time", ["\t880000000", ""])
@pytest.mark.parametrize("with_train", [True, False])
def test_a_folder_without_headers_is_one_of_recommendations_by_its_names(
    tmp_path: Path, time: str, with_train: bool
):
    (tmp_path / "lists.tsv").write_text("1\t5\t0.9\n1\t6\t0.8\n2\t7\t0.9\n")
    (tmp_path / "test.tsv").write_text(f"1\t5\t4{time}\n2\t6\t3{time}\n")
    if with_train:
        (tmp_path / "train.tsv").write_text(f"1\t8\t4{time}\n2\t9\t3{time}\n")
    data = evalcore.load(tmp_path)
    assert data.task == "recommender"
    assert rows_of(table_of(data), table_of(data).test) == [("1", "5", 4), ("2", "6", 3)]


def test_judgements_of_two_parts_are_no_recommendations(tmp_path: Path):
    (tmp_path / "train.qrels").write_text("1 0 d1 1\n2 0 d2 0\n")
    (tmp_path / "test.qrels").write_text("3 0 d1 1\n4 0 d2 0\n")
    (tmp_path / "bm25.run").write_text("3 Q0 d1 1 0.5 x\n4 Q0 d2 1 0.5 x\n1 Q0 d1 1 0.5 x\n")
    assert evalcore.inspect(tmp_path).data is None or evalcore.inspect(tmp_path).data.task == "evidence"
    (tmp_path / "test.tsv").write_text("3\t0\t5\t1\n4\t0\t6\t0\n")
    assert not are_called_together(list(raw_files(tmp_path, Findings())))


def test_predictions_that_are_called_ratings_are_asked_about():
    ratings = upload("user,item,rating\n1,1,4.2\n1,2,3.9\n2,8,2\n", "als.csv")
    test = "user,item,rating\n1,1,5\n2,8,0\n"
    assert refused(ratings, **uploads(train="user,item,rating\n1,9,3\n", test=test)) == [
        "als.csv: found a column rating beside user and item, and neither a score nor a rank in any file, "
        "expected a word on whether it was predicted. If it was, these are a model's lists: say --column "
        "score=rating. If users gave it, say --train F or --test F, and give the lists as INPUT. [RCM-087]"
    ]
    data = evalcore.load(ratings, **uploads(test=test), columns={"score": "rating"})
    assert list(table_of(data).lists) == ["als"]
    assert rows_of(table_of(data), table_of(data).test) == [("1", "1", 5), ("2", "8", 0)]
