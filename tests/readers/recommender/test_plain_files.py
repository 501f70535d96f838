"""Lists, train, test, groups, features and scores in plain tables, by option, by name and as a folder."""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalcore
from tests.support.reading import refused, upload, warned
from tests.support.recommending import (
    LISTS,
    TEST,
    TRAIN,
    cells_of,
    loaded,
    npy,
    npz,
    rows_of,
    table_of,
    uploads,
)


def test_lists_train_and_test_are_pairs_of_shared_ids():
    table = table_of(loaded(train=TRAIN, test=TEST))
    assert table.models == ("lists",)
    assert rows_of(table, table.lists["lists"]) == [
        ("u1", "a", 0.9),
        ("u1", "b", 0.8),
        ("u2", "a", 0.2),
        ("u2", "c", 0.7),
    ]
    assert rows_of(table, table.train) == [("u1", "c", 1), ("u2", "b", 1)]
    assert rows_of(table, table.test) == [("u1", "a", 5), ("u2", "a", 3), ("u2", "c", 0)]
    assert table.lists["lists"].has_scores
    assert table.test is not None
    assert table.test.has_rating
    assert table.train is not None
    assert not table.train.has_rating
    assert table.user_ids.tolist() == ["u1", "u2"]
    assert table.item_ids.tolist() == ["a", "b", "c"]


def test_ids_ascend_as_numbers_where_all_are_whole_numbers():
    table = table_of(loaded("user,item,score\n10,100,1\n9,20,1\n10,3,2\n"))
    assert table.user_ids.tolist() == ["9", "10"]
    assert table.item_ids.tolist() == ["3", "20", "100"]


def test_ranks_alone_order_lists():
    table = table_of(loaded("user,item,rank\nu1,b,2\nu1,a,1\n"))
    assert rows_of(table, table.lists["lists"]) == [("u1", "a", -1), ("u1", "b", -2)]
    assert not table.lists["lists"].has_scores


def test_ranks_that_begin_at_zero_are_ranks():
    table = table_of(loaded("user,item,rank\nu1,b,1\nu1,a,0\nu2,a,0\n"))
    assert rows_of(table, table.lists["lists"]) == [("u1", "a", 0), ("u1", "b", -1), ("u2", "a", 0)]


def test_a_column_model_holds_several_models():
    table = table_of(loaded("user,item,score,model\nu1,a,1,bpr\nu1,a,2,pop\nu1,b,3,pop\n"))
    assert table.models == ("bpr", "pop")
    assert rows_of(table, table.lists["pop"]) == [("u1", "a", 2), ("u1", "b", 3)]


def test_several_files_of_the_same_users_are_models():
    data = evalcore.load([upload(LISTS, "bpr.csv"), upload("user,item,score\nu1,c,1\n", "pop.csv")])
    assert table_of(data).models == ("bpr", "pop")
    assert data.notes == ()


def test_several_files_of_other_users_each_are_parts_of_one_model():
    parts = [
        upload("user,item,rank\nu1,a,1\n", "part-0.csv"),
        upload("user,item,rank\nu2,a,1\n", "part-1.csv"),
    ]
    data = evalcore.load(parts)
    assert table_of(data).models == ("part-0",)
    assert data.notes == (
        "part-0.csv, part-1.csv: parts of the lists of one model, as no user stands in two of them.",
    )
    assert table_of(evalcore.load(parts, files_as="models")).models == ("part-0", "part-1")


def test_a_folder_is_read_as_a_whole_and_each_file_is_what_it_is_called(tmp_path: Path):
    groups = {"user_groups": "id,cluster\nu1,young\nu2,old\n", "item_groups": "id,cluster\na,1\nb,2\n"}
    features = "item_id,title,genres\na,A film (1995),Comedy|Drama\nb,B,Drama\nc,C,(no genres listed)\n"
    texts = {"lists": LISTS, "train": TRAIN, "test": TEST, **groups, "item_features": features}
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text)
    (tmp_path / "scores.npz").write_bytes(npz(users=["u1"], items=["a", "c"], scores=[[0.5, 0.25]]))
    data = evalcore.load(tmp_path)
    table = table_of(data)
    assert data.task == "recommender"
    assert {source.role for source in data.sources} == {*texts, "scores"}
    assert table.slices["user_group"][1] == ("old", "young")
    assert table.slices["user_group"][0].tolist() == [1, 0]
    assert table.item_groups["item_group"][0].tolist() == [0, 1, -1]
    assert table.feature_names == ("Comedy", "Drama")
    assert table.features is not None
    assert table.features.tolist() == [[True, True], [False, True], [False, False]]
    assert cells_of(table, table.scores["lists"]) == {("u1", "a"): 0.5, ("u1", "c"): 0.25}
    assert data.notes == ()


def test_options_and_a_folder_give_the_same_table(tmp_path: Path):
    for name, text in {"lists": LISTS, "train": TRAIN, "test": TEST}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    one, other = table_of(evalcore.load(tmp_path)), table_of(loaded(train=TRAIN, test=TEST))
    assert rows_of(one, one.test) == rows_of(other, other.test)
    assert rows_of(one, one.lists["lists"]) == rows_of(other, other.lists["lists"])


def test_a_file_given_by_an_option_is_that_whatever_it_is_called():
    table = table_of(
        evalcore.load(upload(LISTS, "test.csv"), test=upload(TEST, "train.csv"), task="recommender")
    )
    assert rows_of(table, table.test) == [("u1", "a", 5), ("u2", "a", 3), ("u2", "c", 0)]


@pytest.mark.parametrize("ending", ["parquet", "feather", "jsonl", "csv.gz", "tsv"])
def test_every_format_is_read(ending: str):
    frame = pd.read_csv(io.StringIO(LISTS))
    out = io.BytesIO()
    if ending == "parquet":
        frame.to_parquet(out)
    elif ending == "feather":
        frame.to_feather(out)
    content = {
        "jsonl": "".join(json.dumps(row) + "\n" for row in frame.to_dict("records")).encode(),
        "csv.gz": gzip.compress(LISTS.encode()),
        "tsv": LISTS.replace(",", "\t").encode(),
    }.get(ending, out.getvalue())
    table = table_of(evalcore.load(upload(content, f"lists.{ending}"), **uploads(test=TEST)))
    assert rows_of(table, table.lists["lists"]) == rows_of(
        table_of(loaded()), table_of(loaded()).lists["lists"]
    )


def test_ids_stored_as_whole_numbers_are_the_same_as_in_text():
    out = io.BytesIO()
    pd.DataFrame({"user": [1, 2], "item": [10, 20], "score": [1.0, 2.0]}).to_parquet(out)
    table = table_of(
        evalcore.load(upload(out.getvalue(), "lists.parquet"), **uploads(test="user,item\n1,10\n"))
    )
    assert rows_of(table, table.test) == [("1", "10", 1)]
    assert len(table.user_ids) == 2


def test_names_may_be_mapped_by_hand():
    text = "who,what,how_good\nu1,a,1\n"
    columns = {"user_id": "who", "item_id": "what", "score": "how_good"}
    table = table_of(evalcore.load(upload(text), columns=columns, task="recommender"))
    assert rows_of(table, next(iter(table.lists.values()))) == [("u1", "a", 1)]


def test_scores_alone_are_legal_and_their_model_has_no_lists():
    table = table_of(loaded(None, scores="user,item,score\nu1,a,1\nu1,b,0.5\n", test=TEST))
    assert table.lists == {}
    assert table.models == ("scores",)
    assert rows_of(table, table.scores["scores"]) == [("u1", "a", 1), ("u1", "b", 0.5)]


def test_scores_of_several_models_go_to_the_lists_that_they_are_called_after():
    lists = [upload(LISTS, "bpr.csv"), upload(LISTS, "pop.csv")]
    scores = [
        upload("user,item,score\nu1,a,1\n", "scores_pop.csv"),
        upload("user,item,score\nu1,a,2\n", "bpr.csv"),
    ]
    table = table_of(evalcore.load(lists, scores=scores))
    assert set(table.scores) == {"bpr", "pop"}
    assert rows_of(table, table.scores["pop"]) == [("u1", "a", 1)]


def test_float32_scores_stay_float32_and_are_not_copied():
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    content = npz(users=["u1", "u2"], items=["a", "b", "c"], scores=values)
    found = table_of(evalcore.load([], scores=upload(content, "scores.npz"))).scores["scores"]
    assert found.values.dtype == np.float32
    assert not found.values.flags.owndata
    assert np.array_equal(found.values, values)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<f4", ">f4", "<f8", "<f2", "<i4"])
def test_matrices_of_any_number_and_order_are_read(order: str, kind: str):
    values = np.asarray(np.arange(6).reshape(2, 3), dtype=kind, order=order)  # type: ignore[call-overload]
    table = table_of(
        evalcore.load([], scores=upload(npy(values), "scores.npy"), test=upload("user,item\n1,2\n"))
    )
    assert cells_of(table, table.scores["scores"])["1", "2"] == 5
    assert table.user_ids.tolist() == ["0", "1"]


def test_files_may_hold_the_ids_of_a_matrix_in_the_order_of_its_rows_and_columns():
    matrix = upload(npy([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "scores.npy")
    users, items = upload("user\nu2\nu1\n", "users.csv"), upload("id\nc\na\nb\n", "items.csv")
    data = evalcore.load([upload(LISTS, "lists.csv")], scores=[matrix, users, items])
    found = cells_of(table_of(data), table_of(data).scores["lists"])
    assert found["u2", "c"] == 1
    assert found["u1", "b"] == 6
    assert [source.role for source in data.sources] == ["lists", "scores", "score_users", "score_items"]
    assert refused(upload(LISTS, "lists.csv"), scores=[matrix, upload("user\nu2\n", "users.csv"), items]) == [
        "users.csv: found 1 ids, 1 of them different, expected 2 different ids, as the users of "
        "scores.npy. Write "
        "the ids in the order of the rows or columns of the matrix, each once. [RCM-018]"
    ]


def test_another_column_of_scores_is_another_reading_of_the_same_files():
    text = "user,item,score,other\nu1,a,0.9,0.1\nu1,b,0.8,0.2\n"
    again = "user,item,score,other\nu1,b,0.8,0.2\nu1,a,0.9,0.1\n"
    one, other = loaded(text), loaded(text, columns={"score": "other"})
    assert one.digest == other.digest
    assert one.reading != other.reading
    assert one.reading == loaded(again).reading


def test_texts_are_dropped_and_said_so():
    text = "user,item,score,review_text\nu1,a,1,I liked it very much\n"
    data = loaded(text)
    assert data.notes == ("lists.csv: the text columns review_text were dropped and are kept nowhere.",)
    assert evalcore.tasks.inspect(upload(text, "lists.csv")).tables[0].preview == (("u1", "a", "1", "…"),)


def test_files_of_one_name_in_several_folders_are_models_called_after_both(tmp_path: Path):
    for folder in ("bpr", "pop"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "recs.csv").write_text(LISTS)
    data = evalcore.load([tmp_path / "bpr" / "recs.csv", tmp_path / "pop" / "recs.csv"])
    assert table_of(data).models == ("bpr/recs", "pop/recs")


def test_a_cell_that_is_nan_is_an_item_without_a_score():
    content = npz(users=["u1"], items=["a", "b"], scores=[[np.nan, 1.0]])
    table = table_of(evalcore.load([], scores=upload(content, "scores.npz")))
    assert cells_of(table, table.scores["scores"]) == {("u1", "b"): 1}


def test_features_may_be_columns_of_two_values():
    text = "movieId,comedy,drama,year\na,1,0,1995\nb,0,1,1999\nc,,1,2001\n"
    data = loaded(test=TEST, item_features=text)
    table = table_of(data)
    assert table.feature_names == ("comedy", "drama")
    assert table.features is not None
    assert table.features.tolist() == [[True, False], [False, True], [False, True]]
    assert data.facts["unused_columns"] == {
        "item_features.csv": {"year": "no feature: neither 0 and 1 nor a list"}
    }


def test_a_group_that_is_zero_or_empty_is_unknown():
    data = loaded(test=TEST, item_groups="id,cluster\na,0\nb,\nc,2\n", user_groups="id,cluster\nu1,1\n")
    table = table_of(data)
    assert table.item_groups["item_group"][1] == ("2",)
    assert table.item_groups["item_group"][0].tolist() == [-1, -1, 0]
    assert table.slices["user_group"][0].tolist() == [0, -1]


def test_other_columns_of_users_are_groups_under_their_own_names():
    users = "user_id,gender,age\nu1,F,25\nu2,M,7\n"
    table = table_of(loaded(user_groups=users))
    assert {name: levels for name, (_, levels) in table.slices.items()} == {
        "gender": ("F", "M"),
        "age": ("7", "25"),
    }
    assert table.group_columns(10) == ["gender", "age"]


def test_interactions_alone_are_told_what_is_missing():
    text = "userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n1,1029,3.0,1260759179\n"
    assert refused(upload(text, "ratings.csv")) == [
        "found interactions and neither lists nor scores of a model: ratings.csv, expected lists of a model "
        "(user, item, score or rank) beside train and test interactions. Give the lists as INPUT and the "
        "interactions with --train F and --test F. To make them, split the ratings, fit a model to the train "
        "part, and write its best items for each user. [RCM-001]"
    ]


def test_interactions_beside_lists_are_asked_for_what_they_are():
    ratings = upload("userId,movieId,rating\nu1,a,2.5\n", "ratings.csv")
    assert refused(upload(LISTS, "lists.csv"), ratings) == [
        "ratings.csv: found interactions (user userId, item movieId) that may be those of the training or "
        "of the test, expected a word on which they are. Say --train F or --test F instead of INPUT, or name "
        "the file train.csv or test.csv. [RCM-002]"
    ]


def test_options_of_recommendations_decide_the_task_and_only_once():
    found = refused(upload("id,y_true,y_prob\n1,0,0.5\n"), test=upload(TEST, "test.csv"))
    assert found[0].startswith("predictions.csv: found no column for user_id among id, y_true, y_prob")


def test_warnings_of_a_plain_folder_are_none():
    lists = "user,item,score\nu1,a,0.9\nu1,b,0.8\nu2,c,0.7\nu2,a,0.2\n"
    assert warned(loaded(lists, train="user,item\nu1,c\nu2,b\n", test="user,item\nu1,a\nu2,a\n")) == []


def test_items_that_files_of_groups_and_features_name_are_every_models():
    lists = "model,user,item,score\nA,u1,a,2\nA,u1,x,1\nA,u1,y,1\nA,u1,z,1\nB,u1,b,1\n"
    groups, features = "item_id,item_group\na,1\nx,0\n", "item_id,features\na,f|g\ny,\n"
    data = loaded(lists, test="user,item\nu1,a\n", item_groups=groups, item_features=features)
    found = table_of(data)
    assert set(found.item_ids[found.is_described]) == {"a", "x", "y"}
    table = evalcore.evaluate(data, ks=(2,)).gathered.tallies["recommendations"].models
    assert {name: len(lists.catalogue) for name, lists in table.items()} == {"A": 4, "B": 4}
