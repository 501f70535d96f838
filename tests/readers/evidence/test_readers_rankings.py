"""Ranked lists, candidates and TREC files: lists, gold and scores, alone and beside each other."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.metrics import roc_auc_score

from evalcore import load
from evalcore.data import Data
from tests.support.inputs import CASES, GOLDEN
from tests.support.reading import read, refused, upload, warned

LISTS = "post_id,criterion_id,gold_ids,retriever_topk,reranked_topk\n"
LONG = "post_id,criterion_id,sent_uid,is_gold,score\n"
REPEAT = (
    "expected each candidate once in a list. Remove the repetition, or say --keep-first to keep its best "
    "rank. "
    "[RNK-001]"
)
UPPER = (
    "found gold only as far as it is among the candidates. Gold that no list contains cannot be known "
    "from this "
    "file: recall and nDCG are upper bounds. Give the queries or ranked-lists file beside it. [RNK-005]"
)


def lists(data: Data, model: str) -> dict[str, list[str]]:
    """Query → its list, best first, of one model."""
    rankings = data.rankings
    rows = rankings.lists[model]
    order = np.lexsort((np.arange(len(rows.query)), -rows.score, rows.query))
    names = queries(data)
    found: dict[str, list[str]] = {name: [] for name in names}
    for i in order:
        found[names[rows.query[i]]].append(str(rankings.item_ids[rows.item[i]]))
    return found


def queries(data: Data) -> list[str]:
    """Names of the queries."""
    rankings = data.rankings
    criteria = [*rankings.criterion_ids, ""]
    pairs = zip(rankings.post_ids[rankings.post], (criteria[c] for c in rankings.criterion), strict=True)
    return [f"{post}::{criterion}" if criterion else post for post, criterion in pairs]


def gold(data: Data) -> dict[str, dict[str, int]]:
    """Query → gold item → grade."""
    rankings = data.rankings
    names = queries(data)
    found: dict[str, dict[str, int]] = {}
    for query, item, grade in zip(rankings.gold_query, rankings.gold_item, rankings.gold_grade, strict=True):
        found.setdefault(names[query], {})[str(rankings.item_ids[item])] = int(grade)
    return found


def test_each_list_column_is_a_model_named_as_in_the_file():
    data = read(LISTS + "x,A,s1|s2,s2|s3,s3\nx,B,,s1,\n")
    assert data.queries is None
    assert gold(data) == {"x::A": {"s1": 1, "s2": 1}}
    assert lists(data, "retriever_topk") == {"x::A": ["s2", "s3"], "x::B": ["s1"]}
    assert lists(data, "reranked_topk") == {"x::A": ["s3"], "x::B": []}
    assert data.rankings.lists["reranked_topk"].n_candidates.tolist() == [1, 0]
    assert not data.rankings.lists["reranked_topk"].has_scores
    assert warned(data) == []


@pytest.mark.parametrize(
    "cell", ["a|b|c", " a | b |c", '"[""a"", ""b"", ""c""]"', "\"['a', 'b', 'c']\"", "\"('a','b','c')\""]
)
def test_lists_are_read_in_every_spelling(cell):
    assert lists(read(f"post_id,gold_ids,ranked_ids\nx,a,{cell}\n"), "ranked_ids") == {"x": ["a", "b", "c"]}


def test_items_that_are_numbers_become_text():
    assert lists(read('post_id,gold_ids,ranked_ids\nx,1,"[1, 2.0, ""03""]"\n'), "ranked_ids") == {
        "x": ["1", "2.0", "03"]
    }


def test_native_lists_are_read():
    table = pa.table({"post_id": ["x", "y"], "gold_ids": [["a"], []], "ranked_ids": [["b", "a"], None]})
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink)
    json = (
        b'{"post_id": "x", "gold_ids": ["a"], "ranked_ids": ["b", "a"]}\n{"post_id": "y", "gold_ids": []}\n'
    )
    for content in (sink.getvalue().to_pybytes(), json):
        data = read(content)
        assert lists(data, "ranked_ids") == {"x": ["b", "a"], "y": []}
        assert gold(data) == {"x": {"a": 1}}


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("a||b", "a list with an empty id"),
        ("\"['a' 'b']\"", "a list without commas between its ids"),
        ('"[""a"", null]"', "a list with something that is no id"),
        ("[a", "text that is no list: [a"),
        ('"(1)"', "a value that is no list"),
    ],
)
def test_a_cell_that_is_no_list_is_named(cell, found):
    assert refused(f"post_id,gold_ids,ranked_ids\nx,a,b\ny,a,{cell}\n") == [
        f"predictions.csv, row 2, column ranked_ids: found {found}, expected a list: a|b|c, a JSON array "
        "or a Python "
        "list. Correct the cell. [RNK-003]"
    ]


def test_empty_gold_is_an_empty_cell_and_never_the_id_nan():
    assert gold(read("post_id,gold_ids,ranked_ids\nx,,a\ny,[],a\nz,nan1,a\n")) == {"z": {"nan1": 1}}
    assert refused("post_id,gold_ids,ranked_ids\nx,nan,a\n") == [
        "predictions.csv, row 1, column gold_ids: found the word nan, where a query without gold has an "
        "empty cell, "
        "expected a list: a|b|c, a JSON array or a Python list. Correct the cell. [RNK-003]"
    ]


def test_an_item_twice_in_a_list_is_named_with_query_and_ranks():
    text = LISTS + "x,A,s1,s2|s1|s3|s1,s1\n"
    assert refused(text) == [
        f"predictions.csv, row 1, column retriever_topk: found s1 at ranks 2 and 4 of query x::A, {REPEAT}"
    ]
    data = read(text, keep_first=True)
    assert lists(data, "retriever_topk") == {"x::A": ["s2", "s1", "s3"]}
    assert data.rankings.lists["retriever_topk"].n_candidates.tolist() == [3]
    assert warned(data) == [
        "predictions.csv: found 1 repeated candidates. The best rank of each was kept, as you asked. "
        "[RNK-011]"
    ]


def test_a_query_twice_is_named():
    assert refused(LISTS + "x,A,,a,a\nx,A,,b,b\n") == [
        "predictions.csv, row 2, column post_id: found x, A again; it stands in row 1 already, expected "
        "each (post, "
        "criterion) once. Remove one of the two rows. [QRY-006]"
    ]


def test_lists_with_labels_and_scores_are_queries_too():
    data = read("post_id,label,p,gold_ids,ranked_ids\nx,1,0.5,a,a\ny,0,0.25,b,b\nz,0,0.125,,b\n")
    assert data.queries.score.tolist() == [0.5, 0.25, 0.125]
    assert data.rankings.n_queries == 3
    assert warned(data) == [
        "predictions.csv, row 2, column label: found the label 0, which does not follow from the query's "
        "own gold "
        "list. Metrics of the list use the gold list; query metrics use the label. [QRY-017]"
    ]


def test_a_query_with_gold_and_no_list_is_counted():
    assert warned(read(LISTS + "x,A,s1,s1,s1\nx,B,s1,s2,\nx,C,,s2,\n")) == [
        "column reranked_topk: found 1 of 2 queries with gold and no list. They count as 0 in every "
        "mean. [RNK-006]"
    ]


def test_candidates_come_in_any_order_with_scores_of_any_sign():
    data = read(LONG + "x,A,s1,0,-1.5\nx,B,s1,1,-2\nx,A,s2,1,-0.5\n")
    assert lists(data, "score") == {"x::A": ["s2", "s1"], "x::B": ["s1"]}
    assert data.rankings.lists["score"].has_scores
    assert gold(data) == {"x::A": {"s2": 1}, "x::B": {"s1": 1}}
    assert data.queries.score.tolist() == [-0.5, -2.0]
    assert data.queries.has_evidence.tolist() == [True, True]
    assert data.queries.numbers["n_candidates"].tolist() == [2, 1]
    assert data.score_kind == "score"
    assert data.notes == (
        "score: a query's score is the highest of its candidates (predictions.csv).",
        "Some of these scores lie outside [0, 1]: all are taken as scores, not as probabilities.",
    )
    assert f"predictions.csv: {UPPER}" in warned(data)


def test_candidates_scored_in_0_to_1_keep_the_kind_of_score():
    assert read(LONG + "x,A,s1,0,0.5\nx,B,s1,1,0.25\n").score_kind == "probability"


def test_several_score_columns_are_models_and_may_be_named():
    text = (
        "post_id,criterion_id,sent_uid,is_gold,position,bm25,dense\nx,A,s1,1,0,7.5,-0.5\nx,A,s2,0,1,2.5,0.5\n"
    )
    data = read(text)
    assert list(data.rankings.lists) == ["bm25", "dense"]
    assert data.queries.models == ("bm25", "dense")
    assert data.queries.score.tolist() == [7.5, 0.5]
    assert warned(data)[0] == (
        "predictions.csv: found the columns bm25, dense, used as scores, each a model of its own. "
        "Recognised by name; "
        "change it with --column, or choose others on the Data page. [COL-010]"
    )
    one = read(text, columns={"score": "dense"})
    assert list(one.rankings.lists) == ["dense"]
    assert one.queries.models == ("dense",)
    assert list(read(text, columns={"score": ["dense", "position"]}).rankings.lists) == ["dense", "position"]


def test_grades_are_whole_numbers_from_0():
    good = "query_id,doc_id,score,relevance\nq,a,3,2\nq,b,2,0\nq,c,1,1.0\n"
    assert gold(read(good)) == {"q": {"a": 2, "c": 1}}
    grade = "expected a grade of relevance: a whole number from 0 to 1000. Correct the cell. [RNK-004]"
    assert refused("query_id,doc_id,score,relevance\nq,a,3,-1\nq,b,2,0.5\nq,c,1,\nq,d,1,yes\n") == [
        f"predictions.csv, row 1, column relevance: found -1, {grade}",
        f"predictions.csv, row 2, column relevance: found 0.5, {grade}",
        f"predictions.csv, row 3, column relevance: found an empty cell, {grade}",
        f"predictions.csv, row 4, column relevance: found yes, {grade}",
    ]


def test_an_empty_score_means_judged_and_not_in_the_list():
    data = read("query_id,doc_id,score,relevance\nq1,a,2,1\nq1,b,1,0\nq2,a,,1\n")
    assert lists(data, "score") == {"q1": ["a", "b"], "q2": []}
    assert gold(data) == {"q1": {"a": 1}, "q2": {"a": 1}}
    assert data.rankings.lists["score"].n_candidates.tolist() == [2, 1]
    assert data.queries.post_ids[data.queries.post].tolist() == ["q1"]
    assert warned(data)[:2] == [
        "predictions.csv, column score: found 1 rows without a score. They are judged but not in the "
        "list: they stay "
        "in the gold. [COL-009]",
        "predictions.csv, column score: found 1 queries without a scored candidate. They have no score: "
        "they stay in "
        "the ranking metrics and are left out of the query-level ones. [RNK-016]",
    ]


@pytest.mark.parametrize("cell", ["NaN", "inf", "high"])
def test_a_score_that_is_no_finite_number_is_named_with_query_and_candidate(cell):
    assert refused(LONG + f"x,A,s1,1,0.5\nx,A,s2,0,{cell}\n") == [
        f"predictions.csv, row 2, column score: found the score {cell} for s2 of query x::A, expected a "
        "finite "
        "number. Correct the score. [RNK-002]"
    ]


def test_a_candidate_twice_is_named_with_its_ranks_or_keeps_the_better_one():
    text = LONG + "x,A,s1,0,0.5\nx,A,s2,0,0.75\nx,A,s1,1,0.875\n"
    assert refused(text) == [
        f"predictions.csv, row 3, column sent_uid: found s1 at ranks 1 and 3 of query x::A, {REPEAT}"
    ]
    data = read(text, keep_first=True)
    assert lists(data, "score") == {"x::A": ["s1", "s2"]}
    assert gold(data) == {"x::A": {"s1": 1}}
    assert data.rankings.lists["score"].n_candidates.tolist() == [2]
    source = data.sources[0]
    assert (source.n_rows, source.n_used, dict(source.excluded)) == (3, 2, {"repeated candidate": 1})


def test_ranks_serve_where_there_is_no_score():
    text = "query_id,doc_id,relevance,rank\nq,a,0,2\nq,b,1,1\nq,c,1,\n"
    data = read(text)
    assert lists(data, "rank") == {"q": ["b", "a"]}
    assert not data.rankings.lists["rank"].has_scores
    assert data.queries is None
    assert refused("query_id,doc_id,relevance,rank\nq,a,0,-1\nq,b,1,1.5\n") == [
        "predictions.csv, row 1, column rank: found -1, expected a rank: a whole number from 1 on. "
        "Correct the cell. "
        "[RNK-017]",
        "predictions.csv, row 2, column rank: found 1.5, expected a rank: a whole number from 1 on. "
        "Correct the cell. "
        "[RNK-017]",
    ]
    assert refused("query_id,doc_id,relevance,rank\nq,a,0,1\nq,b,1,1\n") == [
        "predictions.csv, row 2, column rank: found rank 1 again for the query; row 1 has it already, "
        "expected each "
        "rank once in a list. Correct one of the two rows. [RNK-018]"
    ]


def test_candidates_without_a_query_are_refused():
    assert refused("sent_uid,is_gold,score\na,1,0.5\n") == [
        "predictions.csv: found no column for post_id among sent_uid, is_gold, score, expected the id of "
        "the post, or "
        "query_id. Name it with --column post_id=NAME, or choose it on the Data page. [COL-001]"
    ]


def test_a_model_column_makes_models_of_candidates_and_lists():
    long = read("run,query_id,doc_id,relevance,score\nA,q,a,1,1\nA,q,b,0,2\nB,q,b,0,3\nB,q,a,1,4\n")
    assert lists(long, "A") == {"q": ["b", "a"]}
    assert lists(long, "B") == {"q": ["a", "b"]}
    wide = read("model,post_id,gold_ids,ranked_ids\nA,x,a,a|b\nB,x,a,b|a\n")
    assert lists(wide, "A") == {"x": ["a", "b"]}
    assert lists(wide, "B") == {"x": ["b", "a"]}
    assert wide.rankings.n_queries == 1


def test_groups_of_candidates_are_those_that_every_candidate_of_a_query_shares():
    rows = ["x,A,s1,1,0.5,0,top", "x,A,s2,0,0.25,0,end", "y,A,s3,1,0.5,1,top"]
    text = "post_id,criterion_id,sent_uid,is_gold,score,fold,place\n" + "\n".join(rows)
    data = read(text)
    codes, levels = data.rankings.slices["fold"]
    assert (codes.tolist(), levels) == ([0, 1], ("0", "1"))
    assert data.facts["unused_columns"] == {
        "predictions.csv": {"place": "differs between the candidates of a query"}
    }


def test_gold_outside_the_candidates_comes_from_the_lists_beside_them():
    wide = upload(
        "post_id,criterion_id,gold_ids,retriever_topk\nx,A,s1|s9,s1\nx,B,,s1\ny,A,s7,s7\n", "lists.csv"
    )
    long = upload(LONG + "x,A,s1,1,0.5\nx,A,s2,0,0.25\nx,B,s1,1,0.125\nz,A,s1,0,0.5\n", "long.csv")
    for data in (load([wide, long]), load(wide, candidates=long)):
        assert gold(data) == {"x::A": {"s1": 1, "s9": 1}, "x::B": {"s1": 1}, "y::A": {"s7": 1}}
        assert data.queries.query_id(0) == "x::A"
        assert data.queries.has_evidence.tolist() == [True, True, False]
        assert warned(data)[:2] == [
            "found 2 queries in lists.csv and in long.csv, 1 only in the first and 1 only in the second, "
            "expected the same queries in both. What only one of them holds was not joined. Export both over "
            "the same queries, and check that ids are written alike (P1 and p1 are two). [RNK-010]",
            "long.csv: found 1 gold candidates that are not gold in lists.csv. Both are kept: gold is "
            "what either file "
            "says. [RNK-014]",
        ]


def test_a_candidates_file_needs_no_gold_beside_lists_that_have_it():
    wide = upload("post_id,gold_ids,retriever_topk\nx,s1,s1\n", "lists.csv")
    long = upload("post_id,sent_uid,score\nx,s1,0.5\nx,s2,0.75\n", "long.csv")
    data = load([wide, long])
    assert lists(data, "score") == {"x": ["s2", "s1"]}
    assert gold(data) == {"x": {"s1": 1}}


def test_a_query_with_evidence_and_no_gold_candidate_counts_as_a_miss():
    labelled = upload(
        "post_id,criterion_id,label,p,fold\nx,A,1,0.5,0\nx,B,0,0.25,0\ny,A,1,0.5,1\n", "queries.csv"
    )
    long = upload(LONG + "x,A,s1,0,-0.5\nx,B,s1,0,0.25\ny,A,s1,1,0.5\n", "long.csv")
    data = load([labelled, long])
    assert gold(data) == {"y::A": {"s1": 1}, "x::A": {"(gold that is not among the candidates)": 1}}
    assert data.queries.models == ("p",)
    assert data.rankings.slices["fold"][0].tolist() == [0, 0, 1]
    assert warned(data) == [
        "found 1 queries with evidence and no gold among the candidates. They stay in the mean and count "
        "as misses. "
        "[RNK-015]",
        "queries.csv: found 1 of 4 (post, criterion) cells missing. Nothing is filled in; every rate is "
        "over the 3 "
        "rows present. [QRY-015]",
    ]
    named = load([labelled, long], columns={"score": "score"})
    assert named.queries.models == ("p", "score")
    assert named.queries.has_evidence.tolist() == [True, False, True, True, False, True]
    assert named.score_kind == "score"


def test_gold_that_differs_between_two_files_is_refused():
    one = upload("post_id,gold_ids,ranked_ids\nx,a,a|b\ny,a,a\n", "one.csv")
    two = upload("post_id,gold_ids,ranked_ids\ny,a,b\nx,b,b\n", "two.csv")
    assert refused(one, two) == [
        "two.csv, row 2: found another gold for query x than in one.csv, expected the same gold for a "
        "query in every "
        "file. Correct one of the files, or evaluate them one by one. [RNK-013]"
    ]


def test_lists_of_one_name_in_two_files_are_named_by_file_only_when_they_meet():
    def pair(second: str) -> Data:
        one = upload("post_id,gold_ids,ranked_ids\nx,a,a|b\n", "one.csv")
        return load([one, upload(f"post_id,gold_ids,ranked_ids\n{second},a,b\n", "two.csv")])

    assert list(pair("x").rankings.lists) == ["one: ranked_ids", "two: ranked_ids"]
    assert lists(pair("y"), "ranked_ids") == {"x": ["a", "b"], "y": ["b"]}


QRELS = upload("# judged\n1 0 a 2\n1 0 b -1\n2 0 a 0\n3 0 c 1\n", "qrels.txt")


def test_trec_files_are_told_by_their_lines():
    run = upload("1 Q0 b 1 9.5 mine\n1\tQ0\ta\t2\t 9.5 mine\n2 Q0 a 1 -1e3 mine and more\n", "a.run")
    data = load([run, QRELS])
    assert data.queries is None
    assert lists(data, "a") == {"1": ["b", "a"], "2": ["a"], "3": []}
    assert gold(data) == {"1": {"a": 2}, "3": {"c": 1}}
    assert [source.role for source in data.sources] == ["run", "qrels"]
    assert (data.sources[1].n_rows, data.sources[1].n_used, dict(data.sources[1].excluded)) == (
        5,
        4,
        {"comment": 1},
    )


def test_the_tag_of_a_run_names_the_model():
    assert list(load([QRELS, upload("1 Q0 b 1 9.5 mine\n", "a.run")]).rankings.lists) == ["mine"]
    two = [upload("1 Q0 b 1 9.5 x\n", "a.run"), upload("1 Q0 b 1 9.5 x\n", "b.run")]
    assert list(load([QRELS, *two]).rankings.lists) == ["a: x", "b: x"]


def test_qrels_and_run_need_each_other():
    assert refused(QRELS) == [
        "qrels.txt: found a qrels without its run, expected qrels and run together. Give both files. "
        "[RNK-009]"
    ]


def test_lines_of_trec_files_that_do_not_fit_are_named():
    run = upload("1 Q0 b 1 9.5 x\n1 Q0 b\n1 Q0 c 1 high x\n1 Q0 d 2 nan x\n1 Q0 b 3 1 x\n", "a.run")
    twice = upload("1 0 a 1\n1 0 a 2\n1 0 b 1 9\n1 0 c 0.5\n", "qrels.txt")
    run_line = "expected six fields: topic Q0 document rank score tag. Correct the line of the run. [RNK-007]"
    judged = (
        "expected four fields: topic iteration document relevance. Correct the line of the qrels. [RNK-008]"
    )
    assert refused(run, twice) == [
        f"a.run, line 2: found 3 fields, {run_line}",
        f"a.run, line 3: found the score high, {run_line}",
        f"qrels.txt, line 3: found 5 fields, {judged}",
        "a.run, line 4: found the score nan for d of query 1, expected a finite number. Correct the "
        "score. [RNK-002]",
        f"a.run, line 5: found b at ranks 1 and 2 of query 1, {REPEAT}",
        "qrels.txt, line 2: found a judgement of a for topic 1 again; it stands in line 1 already, "
        "expected each "
        "document judged once a topic. Remove one of the two lines. [RNK-012]",
        "qrels.txt, line 4: found the relevance 0.5 of c for topic 1, expected a grade of relevance: a whole "
        "number, as in 2 or 2.0. Correct the grade. [RNK-121]",
    ]


def test_the_published_trec_files_are_read_whole():
    folder = GOLDEN / "trec_eval"
    plain = load([folder / "qrels.test", folder / "results.test"])
    commented = load([folder / "qrels.test.with-comments", folder / "results.test"])
    rows = pd.read_csv(folder / "results.test", sep=r"\s+", header=None)
    assert plain.rankings.lists["STANDARD"].score.tolist() == rows[4].tolist()
    assert len(plain.rankings.gold_query) == len(commented.rankings.gold_query)
    assert list(load([folder / "qrels.test", folder / "results.trunc"]).rankings.lists) == ["results"]


def test_the_published_lists_are_read_whole(shared):
    for name, n_queries in {
        "final_eval_v2__per_query.csv": 1490,
        "final_eval_retriever_only__per_query.csv": 1490,
        "baseline_default_val.queries.csv": 1470,
    }.items():
        path = shared / "data" / "evidence" / name
        data = load(path)
        assert data.rankings.n_queries == n_queries
        assert len(gold(data)) == 140
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        for stage in ("retriever_topk", "reranked_topk"):
            assert lists(data, stage) == {
                f"{row.post_id}::{row.criterion_id}": [item for item in row[stage].split("|") if item]
                for _, row in rows.iterrows()
            }


def test_the_published_candidates_give_their_published_aurocs(shared):
    folder = shared / "data" / "evidence"
    alone = load(folder / "val_candidates.csv", columns={"score": "jina"})
    rows = alone.rankings.lists["jina"]
    is_gold = np.isin(
        rows.query * 10**6 + rows.item, alone.rankings.gold_query * 10**6 + alone.rankings.gold_item
    )
    assert round(roc_auc_score(is_gold, rows.score), 5) == 0.82896
    assert round(roc_auc_score(alone.queries.has_evidence, alone.queries.score), 5) == 0.70212
    beside = load(
        [folder / "baseline_default_val.queries.csv", folder / "val_candidates.csv"],
        columns={"score": "jina"},
    )
    assert (int(alone.queries.has_evidence.sum()), int(beside.queries.has_evidence.sum())) == (137, 140)
    assert list(beside.rankings.lists) == ["retriever_topk", "reranked_topk", "jina"]


@pytest.mark.parametrize(
    ("name", "n_queries", "n_gold"),
    [
        ("c1_constant_scorer.csv", 2, 2),
        ("c3_empty_gold_in_the_middle.csv", 3, 3),
        ("c5_query_not_in_run.csv", 2, 2),
        ("c7_illegal_k.csv", 1, 1),
    ],
)
def test_the_ranking_cases_are_read(name, n_queries, n_gold):
    data = load(CASES / "ranking" / name)
    assert (data.rankings.n_queries, len(data.rankings.gold_query)) == (n_queries, n_gold)


def test_a_ranking_without_rows_is_refused():
    assert refused("query_id,doc_id,score,relevance\n") == [
        "predictions.csv: found no rows after the header, expected at least one row. Export the file "
        "with its rows. "
        "[FILE-008]"
    ]
