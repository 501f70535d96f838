"""Columns whose name says more than a value: weights that are not used, distances that are no scores."""

import pytest

from evalcore import evaluate, inspect, load
from evalcore.__main__ import main
from tests.readers.evidence.test_readers_rankings import lists
from tests.readers.strangers.test_two_files import auroc
from tests.support.reading import read, refused, upload, warned

WEIGHTED = "id,y_true,y_prob,{}\nr0,1,0.9,1\nr1,1,0.4,9\nr2,0,0.3,1\nr3,0,0.6,20\n"
REMARK = (
    "found the column '{}', which looks like row weights. Weights are not used: every row counts once. "
    "[COL-120]"
)


@pytest.mark.parametrize("name", ["sample_weight", "weight", "Weights", "wt", "w_i", "w", "survey-weight"])
def test_weights_are_named_and_not_used(name):
    data = read(WEIGHTED.format(name))
    assert auroc(data) == {"y_prob": 0.75}
    assert f"predictions.csv: {REMARK.format(name)}" in warned(data)


@pytest.mark.parametrize("name", ["body_weight", "height", "weighted_by"])
def test_other_columns_are_no_weights(name):
    assert not [line for line in warned(read(WEIGHTED.format(name))) if "COL-120" in line]


def test_weights_beside_lists_candidates_and_annotations_are_named():
    for text in (
        "post_id,gold_ids,ranked_ids,weight\nx,a,a|b,2\ny,b,a|b,1\n",
        "post_id,sent_uid,is_gold,score,weight\nx,a,1,0.5,2\nx,b,0,0.3,1\n",
        "record_uuid,annotator_id,chunk_id,chunk_rank,topically_relevant,weight\nr,a,c,1,true,2\n",
    ):
        assert f"predictions.csv: {REMARK.format('weight')}" in warned(read(text))


def test_every_command_that_reads_says_so(tmp_path, capsys):
    path = tmp_path / "weighted.csv"
    path.write_text(WEIGHTED.format("sample_weight"))
    commands = (
        ["check", str(path)],
        ["evaluate", str(path)],
        ["crosscheck", str(path)],
        ["choose", str(path), "--point", "--out", str(tmp_path / "point.json")],
        ["compare", str(path), str(path), "--bootstrap", "0", "--permutations", "0"],
        ["sweep", str(path)],
    )
    for command in commands:
        main(command)
        assert f"weighted.csv: {REMARK.format('sample_weight')}" in capsys.readouterr().err, command[0]


def test_the_data_page_is_told_of_weights():
    assert "COL-120" in {problem.code for problem in inspect(upload(WEIGHTED.format("weight"))).problems}


QUESTION = (
    "found the column '{0}', which by its name is lower for what fits better, expected a score that rises "
    "with evidence. Say --column {1}={0} if high means evidence, or choose it on the Data page; otherwise "
    "export the negated column and use that. [COL-121]"
)


@pytest.mark.parametrize("name", ["distance", "_distance", "l2_dist", "loss", "perplexity", "distances"])
def test_the_direction_of_a_distance_is_asked(name):
    text = f"post_id,sent_uid,is_gold,{name}\nx,a,1,0.1\nx,b,0,0.9\n"
    assert refused(text)[0] == f"predictions.csv: {QUESTION.format(name, 'score')}"
    assert [problem.severity for problem in inspect(upload(text)).problems][:1] == ["choice"]
    said = load(upload(text), columns={"score": name})
    assert lists(said, name) == {"x": ["b", "a"]}


def test_the_direction_of_a_distance_in_a_run_is_asked():
    run = upload("qid,docno,distance\nq1,d1,0.1\nq1,d2,0.9\n", "res.csv")
    judged = upload("q1 0 d1 1\n", "x.qrels")
    assert refused(run, judged) == [f"res.csv: {QUESTION.format('distance', 'score')}"]
    assert lists(load([run, judged], columns={"score": "distance"}), "res") == {"q1": ["d2", "d1"]}


def test_the_direction_of_a_loss_as_a_prediction_is_asked():
    text = "id,y_true,loss\na,1,0.1\nb,0,2.9\n"
    assert refused(text)[0] == f"predictions.csv: {QUESTION.format('loss', 'probability')}"


def test_a_distance_beside_a_score_is_left_out():
    data = read("post_id,sent_uid,is_gold,score,distance\nx,a,1,0.9,0.1\nx,b,0,0.1,0.9\n")
    assert list(data.rankings.lists) == ["score"]


@pytest.mark.parametrize("first", [0, 1])
def test_ranks_from_zero_or_one_are_one_order(first):
    rows = [("x", "a", 0), ("x", "b", 1), ("x", "c", 0), ("y", "a", 1), ("y", "b", 0)]
    at = {"x": first, "y": first}
    text = "post_id,sent_uid,is_gold,rank\n"
    for post, item, gold in rows:
        text += f"{post},{item},{gold},{at[post]}\n"
        at[post] += 1
    data = read(text)
    assert lists(data, "rank") == {"x": ["a", "b", "c"], "y": ["a", "b"]}
    table = evaluate(data, ks=(1,)).table
    mrr = table[(table["metric"] == "mrr") & (table["params"] == "") & (table["population"] == "all_queries")]
    assert mrr["value"].tolist() == [0.75]


def test_a_rank_of_zero_in_some_lists_only_is_named():
    text = "post_id,sent_uid,is_gold,rank\nx,a,0,0\nx,b,1,1\ny,a,1,1\ny,b,0,2\n"
    assert refused(text) == [
        "predictions.csv, row 1, column rank: found 0, expected a rank: a whole number from 1 on. Correct "
        "the cell. [RNK-017]"
    ]


JUDGED = "record_uuid,annotator_id,chunk_id,chunk_rank,n_retrieved_chunks,topically_relevant\n"


def judged(first: int, n: str) -> str:
    rows = [(record, chunk, rank) for record in "rs" for rank, chunk in enumerate("abc", first)]
    return JUDGED + "".join(f"{record},ann,{chunk},{rank},{n},true\n" for record, chunk, rank in rows)


def test_ranks_of_chunks_that_begin_at_zero_are_refused_where_their_number_says_so():
    assert refused(judged(0, "3")) == [
        "predictions.csv, column chunk_rank: found ranks from 0 on in 2 records whose number of retrieved "
        "chunks counts the one at 0, such as r, expected ranks from 1 on; 0 means judged, not retrieved. "
        "Add 1 to every rank. [RAG-120]"
    ]
    assert not [line for line in warned(read(judged(1, "3"))) if "RAG-12" in line]


def test_ranks_of_chunks_that_begin_at_zero_are_named_where_every_list_looks_so():
    assert [line[-9:] for line in warned(read(judged(0, ""))) if "RAG-12" in line] == ["[RAG-121]"]
    assert not [line for line in warned(read(judged(0, "2"))) if "RAG-12" in line]
    some = judged(1, "") + "s,ann,d,0,,true\n"
    assert not [line for line in warned(read(some)) if "RAG-12" in line]
