"""Argilla exports, of version 2 and of version 1: whose responses become labels, and what is refused."""

from __future__ import annotations

import csv
import io
import json

import pytest

import evalcore
from evalcore.agreement import alphas
from evalcore.annotations import NO, UNSAID, YES
from evalcore.problems import InputError
from evalcore.readers import Upload
from tests.support.inputs import OTHER_TOOLS


def read(text, name="scores.csv", **options):
    return evalcore.load(Upload(name, text.encode()), **options)


def refusal(text, name="scores.csv", **options):
    with pytest.raises(InputError) as caught:
        read(text, name, **options)
    return [str(problem) for problem in caught.value.problems]


def test_argilla_questions_with_our_names_are_labels():
    data = evalcore.load(OTHER_TOOLS / "argilla_hub_export.csv")
    retrieval = data.annotations.responses["retrieval"]
    assert retrieval.annotator_ids[retrieval.annotator].tolist() == ["u1", "u2"]
    assert retrieval.labels["topically_relevant"].tolist() == [YES, NO]
    assert not data.annotations.scores


def test_argilla_metadata_statuses_and_drafts():
    rows = [
        {
            "id": f"x{i}",
            "status": "completed",
            "query": "A long question?",
            "helpful.responses": ["yes", "no", "no"],
            "helpful.responses.users": ["a", "b", "c"],
            "helpful.responses.status": ["submitted", "discarded", "draft"],
            "helpful.suggestion": "yes",
            "fluency.responses": ["5"],
            "metadata.record_uuid": f"q{i}",
            "metadata.language": "de",
        }
        for i in (1, 2)
    ]
    data = read(json.dumps(rows), "argilla.json")
    generation = data.annotations.responses["generation"]
    assert data.annotations.record_ids.tolist() == ["q1", "q2"]
    assert generation.is_submitted.tolist() == [True, False, True, False]
    assert generation.labels["helpful"].tolist() == [YES, UNSAID, YES, UNSAID]
    assert generation.slices["language"][1] == ("de",)
    assert "argilla.json: 2 responses are drafts: they were left out." in data.notes


def test_argilla_answers_stay_where_another_question_is_discarded():
    record = {
        "id": "x1",
        "helpful.responses": ["yes", "yes", "no"],
        "helpful.responses.users": ["a", "b", "c"],
        "helpful.responses.status": ["submitted", "submitted", "submitted"],
        "response_on_topic.responses": ["yes", "yes", None],
        "response_on_topic.responses.users": ["a", "b", "c"],
        "response_on_topic.responses.status": ["submitted", "submitted", "discarded"],
        "metadata.record_uuid": "q1",
    }
    orders = [record, dict(sorted(record.items(), reverse=True))]
    for one in orders:
        data = read(json.dumps([one]), "argilla.json")
        generation = data.annotations.responses["generation"]
        assert generation.is_submitted.all()
        assert generation.labels["helpful"].tolist() == [YES, YES, NO]
        assert generation.labels["response_on_topic"].tolist() == [YES, YES, UNSAID]
        assert not data.warnings, "nothing is missing: the answer was taken back"
        assert (
            "argilla.json: 1 answer was discarded or left as a draft while the same user answered another "
            "question of the record: those alone say nothing."
        ) in data.notes
        helpful = next(
            one for one in alphas(generation, data.annotations.record_ids) if one.label == "helpful"
        )
        assert helpful.reason == ""


def test_argilla_states_that_are_none_are_named():
    record = {
        "id": "x1",
        "helpful.responses": ["yes", "no"],
        "helpful.responses.users": ["a", "b"],
        "helpful.responses.status": ["submitted", "archived"],
        "metadata.record_uuid": "q1",
    }
    (found,) = refusal(json.dumps([record]), "argilla.json")
    assert found == (
        "argilla.json, row 1, column helpful.responses.status: found the response status 'archived', "
        "expected submitted or discarded (draft and pending rows are left out). Correct the cell."
    )


def test_argilla_records_as_json_are_read_alike():
    record = {
        "id": "x1",
        "fields": {"query": "A long question?", "chunk": "A text."},
        "metadata": {"record_uuid": "q1", "chunk_id": "c1", "chunk_rank": 2, "n_retrieved_chunks": 5},
        "suggestions": {},
        "responses": {"misleading": [{"value": "no", "user_id": "a"}, {"value": "yes", "user_id": "b"}]},
        "vectors": {},
        "status": "completed",
    }
    data = read(json.dumps([record]), "records.json")
    retrieval = data.annotations.responses["retrieval"]
    assert data.annotations.record_ids.tolist() == ["q1"]
    assert (retrieval.rank.tolist(), retrieval.n_retrieved.tolist()) == ([2, 2], [5, 5])
    assert retrieval.labels["misleading"].tolist() == [NO, YES]
    assert "question" not in str(data)


def test_argilla_without_our_questions_is_refused():
    (found,) = refusal('id,q.responses,q.responses.users\nx,"[1]","[2]"\n')
    assert found.startswith(
        "scores.csv: found an Argilla export with the questions q, expected at least one question named "
        "topically_relevant,"
    )


FEEDBACK = [
    {
        "query": "q",
        "topically_relevant": [
            {"user_id": "u1", "value": "yes", "status": "submitted"},
            {"user_id": "u2", "value": "no", "status": "submitted"},
        ],
        "topically_relevant-suggestion": "yes",
        "topically_relevant-suggestion-metadata": {"type": None, "score": None, "agent": None},
        "comment": [{"user_id": "u1", "value": "text", "status": "submitted"}],
        "comment-suggestion": None,
        "external_id": "ret-1",
        "metadata": '{"record_uuid": "r1", "chunk_id": "c1", "chunk_rank": 1, "language": "de"}',
    },
    {
        "query": "q",
        "topically_relevant": [
            {"user_id": "u1", "value": None, "status": "discarded"},
            {"user_id": "u2", "value": "yes", "status": "draft"},
        ],
        "topically_relevant-suggestion": None,
        "topically_relevant-suggestion-metadata": {"type": None, "score": None, "agent": None},
        "comment": [],
        "comment-suggestion": None,
        "external_id": "ret-2",
        "metadata": '{"record_uuid": "r1", "chunk_id": "c2", "chunk_rank": 2, "language": "de"}',
    },
]


def as_columns(rows):
    """The same with each sequence as an object of lists, as `datasets` keeps it."""
    names = ("user_id", "value", "status")
    return [
        {
            name: {key: [one[key] for one in value] for key in names} if isinstance(value, list) else value
            for name, value in row.items()
        }
        for row in rows
    ]


@pytest.mark.parametrize("rows", [FEEDBACK, as_columns(FEEDBACK)])
@pytest.mark.parametrize("is_csv", [False, True])
def test_argilla_1_feedback_datasets_are_read(rows, is_csv):
    text = json.dumps(rows)
    if is_csv:
        out = io.StringIO()
        lines = csv.DictWriter(out, list(rows[0]))
        lines.writeheader()
        lines.writerows(rows)
        text = out.getvalue()
    data = read(text, "feedback.csv" if is_csv else "feedback.json")
    found = data.annotations.responses["retrieval"]
    assert data.annotations.record_ids.tolist() == ["r1"]
    assert found.chunk_ids.tolist() == ["c1", "c2"]
    assert found.rank.tolist() == [1, 1, 2]
    assert found.annotator_ids[found.annotator].tolist() == ["u1", "u2", "u1"]
    assert found.is_submitted.tolist() == [True, True, False]
    assert found.labels["topically_relevant"].tolist() == [1, 0, -1]
    assert found.slices["language"][1] == ("de",)
    assert f"{data.sources[0].name}: 1 response is a draft: it was left out." in data.notes
    (source,) = data.sources
    assert source.role == "Argilla 1"
    unused = data.facts["unused_columns"][source.name]
    assert unused["query"] == "personal text: dropped"
    assert unused["topically_relevant-suggestion"] == "a suggestion, which no person said"


def test_argilla_1_without_our_questions_is_refused():
    rows = [{name: value for name, value in row.items() if not name.startswith("topic")} for row in FEEDBACK]
    with pytest.raises(InputError, match="found an Argilla export with the questions comment, expected"):
        read(json.dumps(rows), "feedback.json")


def test_a_table_with_external_ids_and_plain_labels_is_no_argilla_file():
    data = read("external_id,metadata,record_uuid,annotator_id,helpful\n1,x,q1,a,true\n", "generation.csv")
    assert data.annotations.responses["generation"].labels["helpful"].tolist() == [1]


def test_argilla_1_text_classification_is_refused_by_name():
    text = "text,prediction,prediction_agent,annotation,annotation_agent,status\nt,,,yes,u1,Validated\n"
    with pytest.raises(InputError, match="an Argilla 1 dataset for text classification") as caught:
        read(text, "legacy.csv")
    assert "Convert it to a FeedbackDataset or to Argilla 2" in str(caught.value)


@pytest.mark.parametrize("wrong", ["2.5", "-1", "1e300", "second"])
def test_ranks_and_lengths_that_are_no_whole_numbers_are_named_once_a_record(wrong):
    rows = [
        {
            "id": f"c{i}",
            "topically_relevant.responses": ["yes"],
            "sufficient_context.responses": ["no"],
            "helpful.responses": ["yes"],
            "metadata.record_uuid": "q1",
            "metadata.chunk_rank": rank,
            "metadata.n_retrieved_chunks": n,
        }
        for i, (rank, n) in enumerate([(1, 2), (wrong, 2), (2, wrong)])
    ]
    with pytest.raises(InputError) as caught:
        read(json.dumps(rows), "argilla.json")
    codes = ("RAG-009", "RAG-010")
    found = [(p.code, p.row, p.found) for p in caught.value.problems if p.code in codes]
    assert found == [("RAG-009", 2, wrong)] + ([("RAG-010", 3, wrong)] if wrong != "-1" else [])
