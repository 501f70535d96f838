"""JSON as frames, pages and rankings: one way in for both tasks, each layout with its values."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from evalcore import inspect, load
from evalcore.readers import Upload
from evalcore.readers.formats.json import documents, tables
from evalcore.readers.formats.json.parts import parsed
from tests.readers.evidence.test_ranking_files import RANKED, ndcg_at_3
from tests.support.reading import read, refused, upload, warned

RAGAS = pd.DataFrame(
    {
        "question": ["q1", "q2"],
        "answer": ["a", "b"],
        "contexts": [["c"], ["d", "e"]],
        "ground_truth": ["g", "h"],
        "faithfulness": [0.5, 1.0],
        "answer_relevancy": [0.25, 0.75],
    }
)
FRAMES = {
    orient: RAGAS.to_json(orient=orient) for orient in ("columns", "index", "split", "records", "table")
}
FRAMES["list"] = json.dumps(RAGAS.to_dict("list"))
FRAMES["names first"] = json.dumps([list(RAGAS), *RAGAS.values.tolist()])


@pytest.mark.parametrize("orient", FRAMES)
@pytest.mark.parametrize("task", [None, "rag"])
def test_a_frame_of_scores_of_answers_is_read_in_every_orientation(orient, task):
    scores = {one.name: one.value.tolist() for one in read(FRAMES[orient], task=task).annotations.scores}
    assert scores == {"answer_relevancy": [0.25, 0.75], "faithfulness": [0.5, 1.0]}


def test_values_without_names_are_refused_by_both_readers():
    text = RAGAS.to_json(orient="values")
    expected = [
        "predictions.csv: found a JSON array of lists, without names, expected an object for each row, or "
        'the names of the columns beside the rows. In pandas: df.to_json(PATH, orient="records"). [FILE-101]'
    ]
    assert refused(text) == refused(text, task="rag") == expected


@pytest.mark.parametrize("orient", ["columns", "index", "split"])
def test_a_document_is_parsed_once(orient, monkeypatch):
    asked = []
    for module in (documents, tables):
        monkeypatch.setattr(module, "parsed", lambda text: asked.append(text) or parsed(text))
    read(FRAMES[orient])
    assert len(asked) == len(set(asked))


ROWS = [{"id": "a", "label": 1, "score": 0.75}, {"id": "b", "label": 0, "score": 0.25}]
PAGES = {
    "page 1 of 3: 2 rows of 6 in all": {"data": ROWS, "page": 1, "total_pages": 3, "total": 6},
    "page 2 of an export: 2 rows": {"items": ROWS, "page": 2},
    "page 1 of 3: 2 rows, and the file says that more follow": {
        "results": ROWS,
        "meta": {"pagination": {"page": 1, "totalPages": 3, "has_more": True}},
    },
    "one page of an export: 2 rows, and the file says that more follow": {
        "value": ROWS,
        "@odata.nextLink": "https://example.org/rows?$skip=2",
    },
}


@pytest.mark.parametrize("said", PAGES)
def test_a_page_of_an_export_is_read_and_named(said):
    data = read(json.dumps(PAGES[said]))
    assert len(data.queries) == 2
    assert (
        f"predictions.csv: found {said}, expected the whole export. What is computed is of these rows only: "
        "export all pages, put their rows into one file, and give that. [FILE-265]"
    ) in warned(data)


def test_the_only_page_is_the_whole():
    codes = {one.code for one in read(json.dumps({"data": ROWS, "total": 2, "next": None})).warnings}
    assert not codes & {"FILE-265", "FILE-102"}


QRELS = upload("q1 0 d1 1\nq1 0 d3 2\nq2 0 d2 1\n", "q.qrels")
PAIRED = {query: [[one, 9.5 - at] for at, one in enumerate(items)] for query, items in RANKED.items()}


@pytest.mark.parametrize("lists", [RANKED, PAIRED], ids=["best first", "with scores"])
def test_lists_of_documents_by_query_are_a_run(lists):
    data = load([upload(json.dumps(lists), "bm25.json"), QRELS])
    assert ndcg_at_3(data) == {"exponential": 0.8295, "linear": 0.8348}


def test_lists_of_documents_beside_lists_of_the_relevant_ones():
    gold = upload(json.dumps({"q1": ["d1", "d3"], "q2": ["d2"]}), "gold.json")
    data = load([gold, upload(json.dumps(RANKED), "bm25.json")])
    assert data.rankings.n_queries == 2
    assert len(data.rankings.gold_query) == 3


def test_a_ranking_alone_lacks_its_judgements():
    assert refused(json.dumps(RANKED))[0].endswith(
        "found a run without its qrels, expected qrels and run together. Give both files. [RNK-009]"
    )


def test_columns_of_a_qrels_and_a_run_can_be_named():
    gold = upload("frage,text,urteil\nq1,d1,1\nq1,d3,2\nq2,d2,1\n", "g.csv")
    run = upload("frage,text,punkte\nq1,d2,9.5\nq1,d3,8.5\nq1,d1,7\nq2,d2,3\nq2,d1,2\n", "r.csv")
    roles = {"query_id": "frage", "sent_uid": "text", "score": "punkte", "is_gold": "urteil"}
    assert ndcg_at_3(load([gold, run], columns=roles)) == {"exponential": 0.8295, "linear": 0.8348}
    shown = {table.name: table for table in inspect([gold, run], columns=roles).tables}
    assert shown["g.csv"].mapping == {
        "query_id": ("frage",),
        "sent_uid": ("text",),
        "is_gold": ("urteil",),
    }
    assert [one.role for one in shown["r.csv"].roles] == ["query_id", "sent_uid", "score", "rank"]


def test_the_fields_for_documents_are_there_before_a_table_is_known_for_a_ranking():
    seen = inspect([Upload("g.csv", b"frage,text,label,score\nq1,d1,1,0.5\nq1,d2,0,0.25\n")])
    assert {"sent_uid", "is_gold"} <= {one.role for one in seen.tables[0].roles}
