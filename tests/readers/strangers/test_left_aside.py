"""What is easily taken for something else: settings beside runs, labels with “=”, cut frames, odd folders."""

from __future__ import annotations

import gzip
import json

import pytest

from evalcore import load
from evalcore.problems import InputError
from tests.support.reading import read, refused, upload, warned

RUN = "q1 Q0 a 1 0.9 r\nq1 Q0 b 2 0.5 r\nq2 Q0 c 1 0.9 r\nq2 Q0 d 2 0.1 r\n"
QRELS = "q1 0 a 1\nq2 0 d 1\n"
SETTINGS = {
    "whole.json": {"bm25": {"k1": 1, "b": 2}, "rerank": {"depth": 100}},
    "floats.json": {"bm25": {"k1": 1.2, "b": 0.75}},
    "of_queries.json": {"q1": {"n_docs": 2}, "q2": {"n_docs": 1}},
    "lists.json": {"metrics": ["ndcg", "map"], "cut": ["1", "10"]},
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("has_judgements", [True, False])
def test_settings_in_a_folder_of_runs_are_left_aside_by_name(name, has_judgements, tmp_path):
    (tmp_path / "x.run").write_text(RUN)
    (tmp_path / "settings.json").write_text(json.dumps(SETTINGS["floats.json"]))  # as a run of the others
    (tmp_path / name).write_text(json.dumps(SETTINGS[name]))
    if has_judgements:
        (tmp_path / "x.qrels").write_text(QRELS)
        told = warned(data := load(tmp_path))
        assert [source.name for source in data.sources] == ["x.qrels", "x.run"]
    else:
        with pytest.raises(InputError) as caught:
            load(tmp_path)
        told = [f"{one} [{one.code}]" for one in caught.value.problems]
        assert [one.code for one in caught.value.problems if one.code != "FILE-019"] == ["RNK-009"]
    assert (
        f"{name}: found no table that can be read: numbers or lists by name that share no query, or no "
        "document, with the other files. The file of this folder was left out. [FILE-019]"
    ) in told


@pytest.mark.parametrize("name", ["whole.json", "floats.json"])
def test_settings_that_are_named_beside_runs_are_refused(name):
    settings = upload(json.dumps(SETTINGS[name]), name)
    told = refused(upload(RUN, "x.run"), upload(QRELS, "x.qrels"), settings)
    assert told == [
        f"{name}: found numbers or lists by name, of which no name is a query of x.run and x.qrels, expected "
        "judgements or a run of the same queries. Leave the file out if it holds settings; else "
        "check that ids "
        "are written alike (P1 and p1 are two), or say which file holds the judgements: --truth "
        "FILE. [RNK-305]"
    ]


def test_judgements_of_some_of_the_queries_stay_judgements():
    judged = json.dumps({"q2": {"d": 1}, "q9": {"z": 1}})
    data = load([upload(RUN, "x.run"), upload(judged, "x.json")])
    assert [source.role for source in data.sources] == ["run", "qrels"]


def labelled(*labels: str) -> str:
    rows = [f"p{i},{label},{0.9 - 0.2 * i},{'AB'[i % 2]}" for i, label in enumerate(labels)]
    return "\n".join(["post_id,label,score,prediction", *rows]) + "\n"


EQUALS = labelled("a=b", "c", "a=b", "c")


@pytest.mark.parametrize(("said", "positive"), [("a=b", "a=b"), ("a=b=A", "a=b=A"), ("c", "c")])
def test_a_label_may_hold_an_equals_sign(said, positive):
    data = read(EQUALS, positive=said)
    assert data.positive == positive
    assert data.queries.has_evidence.tolist() == [said != "c", said == "c"] * 2


def test_what_stands_behind_the_label_is_the_prediction():
    assert not any("QRY-089" in line for line in warned(read(EQUALS, positive="a=b=A")))
    with_words = EQUALS.replace(",A", ",good").replace(",B", ",bad")
    assert any("QRY-089" in line for line in warned(read(with_words, positive="a=b")))
    assert not any("QRY-089" in line for line in warned(read(with_words, positive="a=b=good")))


def test_predictions_may_hold_an_equals_sign_too():
    text = labelled("yes", "no", "yes", "no").replace(",A", ",k=1").replace(",B", ",k=0")
    data = read(text, positive="yes=k=1")
    assert data.queries.has_evidence.tolist() == [True, False] * 2
    assert not any("QRY-089" in line for line in warned(data))


def test_an_answer_that_two_labels_fit_is_asked_about():
    told = refused(labelled("a=b", "a", "a=b", "a"), positive="a=b=A")
    assert told[0] == (
        "found the answer 'a=b=A', which may be 'a=b' with the prediction 'A' or 'a' with the "
        "prediction 'b=A', "
        "expected one label before an =. Write one of these labels otherwise in the file, without "
        "an = in it. "
        "[QRY-305]"
    )
    assert read(labelled("a=b", "a", "a=b", "a"), positive="a=b").queries.has_evidence.tolist()[:2] == [
        True,
        False,
    ]


@pytest.mark.parametrize("n", [0, 3, 5])
def test_an_index_of_another_length_than_its_data_is_refused(n):
    frame = {"columns": ["label", "score"], "index": list("abcde")[:n], "data": [[1, 0.9], [0, 0.2]] * 2}
    assert refused(json.dumps(frame)) == [
        f"predictions.csv: found an index of {n} names beside 4 rows of data, expected a name in "
        "the index for "
        "each row, or no index. The file was cut or put together by hand: write it anew, in pandas with "
        'df.to_json(PATH, orient="split"). [FILE-305]'
    ]


def test_every_column_without_a_name_is_told():
    told = warned(
        read(",,post_id,,label,score,\n" + "".join(f"{i},x,p{i},7,{i % 2},0.{i},\n" for i in range(4)))
    )
    assert [line.partition(":")[2] for line in told if "without a name" in line or "no name" in line] == [
        " found the empty column 7 without a name. It was left out; a separator at the end of each "
        "line makes "
        "one. [COL-011]",
        " found the column 'column 1', the index that pandas writes before the columns. It was "
        "left out, having "
        "no name. If it holds the ids, give it one in the header. [COL-265]",
        " found values in columns without a name: column 2, column 4. They were left out; give "
        "those that are "
        "needed a name in the header. [COL-305]",
    ]


JUDGED = "topic,doc,judged\nq1,a,1\nq1,b,0\nq2,c,0\nq2,d,1\n"


@pytest.mark.parametrize("query", ["query_id", "post_id"])
def test_judgements_of_any_names_are_read_once_their_columns_are_named(query):
    run = upload(RUN, "x.run")
    first = load([run, upload(JUDGED, "j.csv")], columns={"is_gold": "judged"})
    other = upload(JUDGED.replace("topic,doc", "t,p"), "j.csv")
    second = load([run, other], columns={query: "t", "sent_uid": "p", "is_gold": "judged"})
    assert [source.role for source in (*first.sources, *second.sources)] == ["run", "qrels"] * 2


def test_folders_whose_names_are_no_text_stay_two(tmp_path):
    for at, folder in enumerate(("model=%ff", "model=%fe", "model=%C3%A9")):
        (tmp_path / folder).mkdir()
        rows = "".join(f"p{at}{i},{i % 2},0.{i + 1}\n" for i in range(4))
        (tmp_path / folder / "part.csv").write_text("post_id,label,score\n" + rows)
    data = load(tmp_path)
    assert sorted(data.queries.models) == ["%fe", "%ff", "é"]


@pytest.mark.parametrize("mark", ["\ufeff", "\u200b", "\u202e", "\u2060"])
def test_marks_that_nobody_sees_are_no_part_of_a_name(mark):
    text = "post_id,label,score\n" + "".join(f"p{i},{i % 2},0.{i + 1}\n" for i in range(4))
    for changed in (mark + text, text.replace("label", "label" + mark).replace("score", mark + "score")):
        assert read("\ufeff" + changed).queries.post_ids.tolist() == ["p0", "p1", "p2", "p3"]


def test_ids_that_are_no_text_stay_two():
    rows = [{"post_id": "\ud800", "label": 1, "score": 0.5}, {"post_id": "\udfff", "label": 0, "score": 0.25}]
    assert read(json.dumps(rows)).queries.post_ids.tolist() == ["\\ud800", "\\udfff"]


def test_an_archive_within_an_archive_is_named():
    packed = gzip.compress(gzip.compress(b"post_id,label,score\np0,1,0.5\n"))
    assert refused(upload(packed, "twice.csv.gz"))[0].startswith(
        "twice.csv.gz: found a gzip archive within another, expected CSV"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "mixed"])
def test_lines_of_a_run_end_in_any_way(end):
    run = RUN.replace("0.5 r\n", "0.5 r\r", 1) if end == "mixed" else RUN.replace("\n", end)
    data = load([upload(run, "x.run"), upload(QRELS, "x.qrels")])
    assert [source.n_used for source in data.sources] == [4, 2]
    assert sorted(data.rankings.item_ids) == ["a", "b", "c", "d"]
    assert sorted(data.rankings.post_ids) == ["q1", "q2"]
