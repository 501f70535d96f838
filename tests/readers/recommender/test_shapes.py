"""Files as other libraries write them: MovieLens, RecBole, Elliot, LensKit, RecTools, Surprise and others."""

import io
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evalcore
from evalcore.problems import InputError
from evalcore.schema import TABLES, recognise
from tests.support.reading import refused, upload, warned
from tests.support.recommending import LISTS, rows_of, table_of

SAME = [("1", "10", 0.9), ("1", "20", 0.8), ("2", "10", 0.7)]
"""The lists that every shape below holds."""
SHAPES = {
    "LensKit": "user_id,item_id,rank,score\n1,10,1,0.9\n1,20,2,0.8\n2,10,1,0.7\n",
    "LensKit before 2025": "item,score,user,rank,algorithm\n10,0.9,1,1,ALS\n20,0.8,1,2,ALS\n10,0.7,2,1,ALS\n",
    "RecTools": "user_id,item_id,score,rank\n1,10,0.9,1\n1,20,0.8,2\n2,10,0.7,1\n",
    "recommenders": "userID,itemID,prediction\n1,10,0.9\n1,20,0.8\n2,10,0.7\n",
    "recommenders with time": "userID,itemID,prediction,timestamp\n1,10,0.9,5\n1,20,0.8,6\n2,10,0.7,7\n",
    "MovieLens names": "userId,movieId,score\n1,10,0.9\n1,20,0.8\n2,10,0.7\n",
    "short names": "u,i,value\n1,10,0.9\n1,20,0.8\n2,10,0.7\n",
    "an index of pandas": ",user,item,score\n0,1,10,0.9\n1,1,20,0.8\n2,2,10,0.7\n",
}
FRAMES = {"semicolons": "user;item;score\n1;10;0,9\n1;20;0,8\n2;10;0,7\n"}


@pytest.mark.parametrize("text", [*SHAPES.values(), *FRAMES.values()], ids=[*SHAPES, *FRAMES])
def test_lists_of_any_library_are_the_same(text: str):
    table = table_of(evalcore.load(upload(text)))
    (found,) = table.lists.values()
    assert rows_of(table, found) == SAME


def test_a_column_algorithm_names_models():
    assert table_of(evalcore.load(upload(SHAPES["LensKit before 2025"]))).models == ("ALS",)


def test_elliot_writes_user_item_and_score_between_tabs_without_a_header():
    text = "1\t10\t0.9\n1\t20\t0.8\n2\t10\t0.7\n"
    data = evalcore.load(upload(text, "ItemKNN_nn=50.tsv"), task="recommender")
    table = table_of(data)
    assert rows_of(table, table.lists["ItemKNN_nn=50"]) == SAME
    (source,) = data.sources
    assert (source.n_rows, source.n_used, source.format) == (3, 3, "CSV, tab, UTF-8, no header")
    test = evalcore.load(upload(text, "recs.tsv"), test=upload("1\t10\t5.0\n2\t30\t1\n", "test.tsv"))
    assert rows_of(table_of(test), table_of(test).test) == [("1", "10", 5), ("2", "30", 1)]


def test_text_ids_without_a_header_are_ids():
    data = evalcore.load(upload("anna\tthe-film\t0.9\nbert\tother\t1\n", "recs.tsv"), task="recommender")
    assert rows_of(table_of(data), table_of(data).lists["recs"]) == [
        ("anna", "the-film", 0.9),
        ("bert", "other", 1),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "train.inter",
            "user_id:token\titem_id:token\trating:float\ttimestamp:float\n1\t10\t4\t8\n1\t20\t0\t9\n",
        ),
        ("ml-100k.train.inter", "user_id:token\titem_id:token\trating:float\n1\t10\t4\n1\t20\t0\n"),
        ("u1.base", "1\t10\t4\t881250949\n1\t20\t0\t881250949\n"),
        ("train.dat", "1::10::4::978300760\n1::20::0::978300760\n"),
        ("train.csv", "userId,movieId,rating,timestamp\n1,10,4,964982703\n1,20,0,964982703\n"),
        ("train.csv", "user_id,item_id,weight,datetime\n1,10,4,2021-09-01\n1,20,0,2021-09-01\n"),
        ("train.csv", "userID,itemID,rating\n1,10,4.0\n1,20,0.0\n"),
        ("train.csv", "user_id,parent_asin,rating,timestamp\n1,10,4.0,1\n1,20,0.0,2\n"),
    ],
)
def test_interactions_of_any_library_are_the_same(name: str, text: str):
    data = evalcore.load([upload(SHAPES["RecTools"], "lists.csv"), upload(text, name)])
    table = table_of(data)
    assert rows_of(table, table.train) == [("1", "10", 4), ("1", "20", 0)]
    source = data.sources[-1]
    assert (source.role, source.n_rows, source.n_used, source.n_bytes) == ("train", 2, 2, len(text))


def test_u_data_is_known_by_its_name_and_has_four_fields():
    text = "196\t242\t3\t881250949\n186\t302\t3\t891717742\n"
    assert refused(upload(text, "u.data"))[0].startswith("found interactions and neither lists nor scores")
    table = table_of(
        evalcore.load(upload("user,item,rank\n196,242,1\n", "lists.csv"), test=upload(text, "u.data"))
    )
    assert rows_of(table, table.test) == [("186", "302", 3), ("196", "242", 3)]


def test_ratings_dat_alone_is_told_what_is_missing():
    text = "1::1193::5::978300760\n1::661::3::978302109\n"
    assert refused(upload(text, "ratings.dat"))[0].startswith(
        "found interactions and neither lists nor scores"
    )


def test_a_folder_of_movielens_1m_beside_lists_is_read(tmp_path: Path):
    (tmp_path / "lists.csv").write_text("user,item,rank\n1,1193,1\n2,661,1\n")
    (tmp_path / "train.dat").write_text("1::661::3::978302109\n")
    (tmp_path / "test.dat").write_text("1::1193::5::978300760\n2::661::4::978300760\n")
    titles = "661::James and the Giant Peach (1996)::Animation|Children's\n1193::Les Mis\xe9rables::Drama\n"
    (tmp_path / "movies.dat").write_bytes(titles.encode("latin-1"))
    (tmp_path / "users.dat").write_text("1::F::1::10::48067\n2::M::56::16::70072\n")
    data = evalcore.load(sorted(tmp_path.iterdir()))
    table = table_of(data)
    assert table.feature_names == ("Animation", "Children's", "Drama")
    assert table.slices["gender"][1] == ("F", "M")
    assert table.slices["age"][1] == ("1", "56")
    assert rows_of(table, table.train) == [("1", "661", 3)]


def test_u_item_and_u_user_of_movielens_100k_are_read():
    flags = "0|0|0|1|1|1|0|0|0|0|0|0|0|0|0|0|0|0|0"
    item = f"1|Toy Story (1995)|01-Jan-1995||http://us.imdb.com/M/title|{flags}\n".encode("latin-1")
    user = "1|24|M|technician|85711\n2|53|F|other|94043\n"
    lists = upload("user,item,rank\n1,1,1\n2,1,1\n", "lists.csv")
    table = table_of(evalcore.load([lists, upload(item, "u.item"), upload(user, "u.user")]))
    assert table.features is not None
    has = dict(zip(table.feature_names, table.features[0].tolist(), strict=True))
    assert [name for name, said in has.items() if said] == ["Animation", "Children's", "Comedy"]
    assert table.slices["occupation"][1] == ("other", "technician")


def test_items_and_users_of_recbole_are_features_and_groups():
    item = "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n"
    item += "10\tToy Story\t1995\tAnimation Children's Comedy\n20\tGoldenEye\t1995\tAction\n"
    user = "user_id:token\tage:token\tgender:token\toccupation:token\tzip_code:token\n"
    user += "1\t24\tM\ttechnician\t85711\n"
    files = [
        upload(SHAPES["RecTools"], "lists.csv"),
        upload(item, "ml-100k.item"),
        upload(user, "ml-100k.user"),
    ]
    data = evalcore.load(files)
    table = table_of(data)
    assert table.feature_names == ("Action", "Animation", "Children's", "Comedy")
    assert table.features is not None
    assert table.features.sum(axis=1).tolist() == [3, 1]
    assert set(table.slices) == {"age", "gender", "occupation", "zip_code"}


def test_surprise_predictions_stand_beside_their_true_ratings():
    details = "{'was_impossible': False}"
    text = f"uid,iid,r_ui,est,details\n1,10,4,3.7,{details}\n1,20,2,2.5,{details}\n"
    data = evalcore.load(upload(text, "predictions.csv"))
    table = table_of(data)
    assert rows_of(table, table.lists["predictions"]) == [("1", "10", 3.7), ("1", "20", 2.5)]
    assert rows_of(table, table.test) == [("1", "10", 4), ("1", "20", 2)]
    assert warned(data) == [
        "predictions.csv: found true ratings (r_ui) beside the scores, and no test interactions. They were "
        "taken as the test interactions. Lists of nothing but rated items say little about ranking; give "
        "--test, and lists over all items, for that. [RCM-022]"
    ]
    other = evalcore.load(
        upload(text, "predictions.csv"), test=upload("user,item,rating\n1,10,1\n", "test.csv")
    )
    assert rows_of(table_of(other), table_of(other).test) == [("1", "10", 1)]


def test_a_frame_of_recommenders_with_ratings_is_read_as_that_of_surprise():
    text = "userID,itemID,prediction,rating\n1,10,3.7,4\n"
    table = table_of(evalcore.load(upload(text)))
    assert rows_of(table, table.test) == [("1", "10", 4)]


def test_positions_may_be_named_where_there_is_no_header():
    columns = {"user_id": "2", "item_id": "1", "score": "3"}
    data = evalcore.load(upload("a,u1,9\nb,u1,8\n"), no_header=True, columns=columns, task="recommender")
    (found,) = table_of(data).lists.values()
    assert rows_of(table_of(data), found) == [("u1", "a", 9), ("u1", "b", 8)]
    plain = evalcore.load(upload("u1,a,9\nu1,b,8\n"), no_header=True, task="recommender")
    assert rows_of(table_of(plain), next(iter(table_of(plain).lists.values()))) == [
        ("u1", "a", 9),
        ("u1", "b", 8),
    ]


@pytest.mark.parametrize(
    "text",
    ["user,item,prediction\nu1,a,1\n", "user,item,rank\nu1,a,1\n", "user,item,score,rank\nu1,a,1,1\n"],
)
def test_lists_made_for_the_test_are_lists_though_their_name_says_test(text: str):
    table = table_of(evalcore.load(upload(text, "bpr_test.csv")))
    assert table.models == ("bpr_test",)
    assert table.test is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.trec", "u1 Q0 a 1 0.5 bpr\nu1 Q0 b 2 0.25 bpr\n"),
        ("recs.txt", "u1 a 0.5\nu1 b 0.25\n"),
        ("run.json", '{"u1": {"a": 0.5, "b": 0.25}}'),
        (
            "recs.json",
            '[{"user": "u1", "item": "a", "score": 0.5}, {"user": "u1", "item": "b", "score": 0.25}]',
        ),
    ],
)
def test_runs_of_trec_and_json_by_user_are_lists(name: str, text: str):
    for test in ("u1 0 a 3\nu1 0 b 0\n", '{"u1": {"a": 3, "b": 0}}'):
        table = table_of(evalcore.load(upload(text, name), test=upload(test, "qrels")))
        (found,) = table.lists.values()
        assert rows_of(table, found) == [("u1", "a", 0.5), ("u1", "b", 0.25)]
        assert rows_of(table, table.test) == [("u1", "a", 3), ("u1", "b", 0)]


def test_lists_by_user_in_json_are_best_first():
    table = table_of(evalcore.load(upload('{"u1": ["b", "a"], "u2": ["a"]}', "r.json"), task="recommender"))
    assert rows_of(table, table.lists["r"]) == [("u1", "a", -2), ("u1", "b", -1), ("u2", "a", -1)]


def test_features_of_parquet_may_be_lists_and_truth_values():
    items = pd.DataFrame({"item": [10, 20], "genres": [["Drama", "War"], []], "is_new": [True, False]})
    data = evalcore.load(upload(SHAPES["RecTools"]), item_features=upload(parquet(items), "items.parquet"))
    table = table_of(data)
    assert table.feature_names == ("Drama", "War", "is_new")
    assert table.features is not None
    assert table.features.tolist() == [[True, True, True], [False, False, False]]


def test_every_name_that_the_documentation_gives_is_recognised():
    text = (Path(__file__).resolve().parents[3] / "docs" / "recommendations.md").read_text()
    (said,) = re.findall(r"\nUsers: (.*?)For other names", text, re.DOTALL)
    roles = {"user_id": 0, "item_id": 0, "score": 0, "rating": 0, "model": 0}
    for role, part in zip(roles, re.split(r"Items: |Scores: |Ratings:|Models: ", said), strict=True):
        names = re.findall(r"`([^`]+)`", part)
        assert names
        assert [name for name in names if role not in recognise(TABLES["lists"], [name])] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("annotations.csv", "record_uuid,chunk_id,annotator_id,topically_relevant\nr1,c1,p1,1\n"),
        ("queries.csv", "post_id,criterion_id,has_evidence,probability\np1,A.1,1,0.9\np2,A.1,0,0.1\n"),
        ("lists.csv", "post_id,gold_ids,retriever_topk\np1,a|b,a|c\n"),
        ("candidates.csv", "post_id,sent_uid,is_gold,score\np1,a,1,0.5\n"),
        ("labelled.csv", "user_id,item_id,y_true,y_prob\nu1,i1,1,0.9\nu2,i2,0,0.1\n"),
        ("rated.csv", "record_uuid,user_id,helpful,item\nr1,u1,1,i\n"),
    ],
)
def test_files_of_other_tasks_stay_theirs(name: str, text: str):
    assert evalcore.load(upload(text, name)).task != "recommender"


def test_a_role_that_only_predictions_have_decides_against_users_and_items():
    text = "user,item,clicked,p\nu1,a,1,0.9\nu2,a,0,0.1\n"
    data = evalcore.load(upload(text), columns={"has_evidence": "clicked"})
    assert data.task == "evidence"
    assert data.queries is not None


def test_a_role_that_only_recommendations_have_decides():
    text = "who,what,stars,est\nu1,a,1,0.9\n"
    columns = {"user_id": "who", "item_id": "what", "rating": "stars"}
    assert evalcore.load(upload(text), columns=columns).task == "recommender"


def test_validation_interactions_are_left_out_and_said_so():
    data = evalcore.load([upload(LISTS, "lists.csv"), upload("user,item\nu1,b\n", "valid.csv")])
    assert warned(data)[:-1] == [
        "valid.csv: found validation interactions. Nothing is computed from them: the file was left out. "
        "[RCM-024]"
    ]
    assert data.notes == ("valid.csv was left out: validation interactions.",)


def test_gzip_of_a_text_without_a_header_is_read():
    import gzip

    content = gzip.compress(b"1::10::4::978300760\n")
    data = evalcore.load([upload(SHAPES["RecTools"], "lists.csv"), upload(content, "train.dat.gz")])
    assert rows_of(table_of(data), table_of(data).train) == [("1", "10", 4)]
    assert data.sources[-1].n_bytes == len(content)
    assert data.sources[-1].format.endswith("fields between ::, gzip")


def parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("user", "code"),
    [([1.0, 2.0], "QRY-021"), ([1.5, 2.0], "QRY-022")],
)
def test_ids_that_are_floating_point_numbers_are_named(user: list[float], code: str):
    content = parquet(pd.DataFrame({"user": user, "item": [1, 2], "score": [0.1, 0.2]}))
    try:
        found = [problem.code for problem in evalcore.load(upload(content, "lists.parquet")).warnings]
    except InputError as error:
        found = [problem.code for problem in error.problems]
    assert code in found


def codes(*inputs: Any, **options: Any) -> list[str]:
    return re.findall(r"\[([A-Z]+-\d+)\]", " ".join(refused(*inputs, **options)))


def test_a_predicted_rating_called_rating_is_named_by_hand():
    file = upload("user,item,rating\nu1,a,4.5\n", "recs.csv")
    assert codes(file) == ["RCM-001"]
    data = evalcore.load(file, columns={"score": "rating"})
    assert rows_of(table_of(data), table_of(data).lists["recs"]) == [("u1", "a", 4.5)]
    assert table_of(data).test is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("recs.jsonl", '{"user": "a::b", "item": "c", "score": 1}\n{"user": "d", "item": "c", "score": 1}\n'),
        (
            "recs.jsonl",
            '{"user": "1|2|3|4|5", "item": "c", "score": 1}\n{"user": "d", "item": "c", "score": 1}\n',
        ),
        ("recs.csv", "user,item,score\na::b,c,1\nd,c,1\n"),
        ("recs.tsv", "a::b\tc\t1\nd\tc\t1\n"),
    ],
)
def test_marks_inside_of_ids_are_no_separators(name: str, text: str):
    table = table_of(evalcore.load(upload(text, name), task="recommender"))
    assert table.item_ids.tolist() == ["c"]
    assert len(table.user_ids) == 2


def test_a_header_between_colons_is_one():
    test = upload("user::item::rating\n1::10::4\n", "test.dat")
    table = table_of(evalcore.load(upload(SHAPES["RecTools"]), test=test))
    assert rows_of(table, table.test) == [("1", "10", 4)]
