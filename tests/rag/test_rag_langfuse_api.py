"""Scores as version 3 of the Langfuse API gives them: what they are about stands in an object of its own."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

import evalcore
from evalcore.problems import InputError
from evalcore.readers import Upload


def score(
    name: str, value: Any, kind: str, subject: dict[str, str], source: str = "ANNOTATION", author: str = ""
) -> dict[str, Any]:
    """A score with all groups of fields."""
    core = {"projectId": "p", "environment": "default", "timestamp": "x", "createdAt": "x", "updatedAt": "x"}
    of_person = {"authorUserId": author or None, "queueId": None}
    said = {
        "id": f"{name}{author}{subject}",
        "name": name,
        "value": value,
        "dataType": kind,
        "source": source,
    }
    return {**said, **core, **of_person, "comment": "c", "metadata": {}, "subject": subject}


FIRST, SECOND = {"kind": "trace", "id": "t1"}, {"kind": "observation", "id": "o1", "traceId": "t2"}
ROWS = [
    score("helpful", True, "BOOLEAN", FIRST, author="ana"),
    score("helpful", False, "BOOLEAN", FIRST, author="ben"),
    score("helpful", True, "BOOLEAN", FIRST, author="cem"),
    score("helpful", "no", "CATEGORICAL", SECOND, author="ana"),
    score("faithfulness", 0.8, "NUMERIC", FIRST, "EVAL"),
    score("faithfulness", 0.6, "NUMERIC", SECOND, "EVAL"),
    score("remark", "nice", "TEXT", FIRST, author="ana"),
    score("helpful", True, "BOOLEAN", {"kind": "session", "id": "t3"}, author="ana"),
    score("faithfulness", 0.1, "NUMERIC", {"kind": "experiment", "id": "t4"}, "EVAL"),
]
FORMS = {
    "answer.json": json.dumps({"data": ROWS, "meta": {"limit": 50}}),
    "rows.jsonl": "\n".join(map(json.dumps, ROWS)),
    "frame.csv": pd.json_normalize(ROWS).to_csv(index=False),
    "cells.csv": pd.DataFrame(ROWS).to_csv(index=False),
}


@pytest.mark.parametrize("name", FORMS)
def test_scores_of_the_third_version_give_their_values(name):
    data = evalcore.load(Upload(name, FORMS[name].encode()))
    responses = data.annotations.responses["generation"]
    assert responses.labels["helpful"].tolist() == [1, 0, 1, 0]
    assert responses.record.tolist() == [0, 0, 0, 1]
    assert {one.name: one.value.tolist() for one in data.annotations.scores} == {"faithfulness": [0.8, 0.6]}
    (source,) = data.sources
    assert dict(source.excluded) == {
        "a text, which is no score": 1,
        "of a session or a run, not of an answer": 2,
    }


def test_a_page_that_others_follow_says_so():
    text = json.dumps({"data": ROWS, "meta": {"limit": 9, "cursor": "abc"}})
    told = [one.code for one in evalcore.load(Upload("page.json", text.encode())).warnings]
    assert told == ["FILE-265"]


def test_scores_that_do_not_say_what_they_are_about_say_what_to_ask_for():
    bare = [{name: value for name, value in one.items() if name != "subject"} for one in ROWS]
    with pytest.raises(InputError) as caught:
        evalcore.load(Upload("bare.json", json.dumps({"data": bare}).encode()))
    assert str(caught.value) == (
        "bare.json: found scores of Langfuse that do not say what they are about, expected subject. Ask the "
        "API for it: GET /api/public/v3/scores?fields=subject,annotation. [RAG-016]"
    )
