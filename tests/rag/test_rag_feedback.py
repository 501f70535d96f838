"""A row a score or a column an annotator: files of tools that observe answers, and of annotation tools."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

import evalcore
from evalcore import inspect
from evalcore.__main__ import main
from evalcore.annotations import NO, UNSAID, YES
from evalcore.problems import InputError
from evalcore.readers import Upload
from evalcore.report.tool_scores import score_rows

LANGFUSE = """\
id,traceId,sessionId,timestamp,source,name,dataType,value,stringValue,comment,metadata,observationId,authorUserId
s1,t1,,2025-01-01T00:00:00Z,ANNOTATION,helpful,BOOLEAN,1,True,,{},,ana
s2,t1,,2025-01-01T00:01:00Z,ANNOTATION,helpful,BOOLEAN,0,False,,{},,ben
s3,t1,,2025-01-01T00:02:00Z,ANNOTATION,helpful,BOOLEAN,1,True,,{},,cem
s4,t2,,2025-01-01T00:03:00Z,ANNOTATION,helpful,BOOLEAN,0,False,,{},,ana
s5,t2,,2025-01-01T00:04:00Z,ANNOTATION,response_on_topic,BOOLEAN,1,True,,{},,ana
s6,t1,,2025-01-01T00:05:00Z,EVAL,faithfulness,NUMERIC,0.8,,,{},,
"""
PIVOT = """\
item_id,label,ana@example.org,ben@example.org,authoritative_annotator,annotated_at
t1,helpful,true,true,ana@example.org,2026-07-01T10:00:00Z
t2,helpful,true,false,ana@example.org,2026-07-01T10:01:00Z
t3,helpful,false,false,ben@example.org,2026-07-01T10:02:00Z
t1,response_on_topic,true,true,ana@example.org,2026-07-01T10:00:00Z
"""
DEEPEVAL = """\
case_index,case_name,metric,score,threshold,success,reason,error
0,t1,Faithfulness,0.8,0.5,True,ok,
0,t1,Answer Relevancy,1.0,0.5,True,ok,
1,t2,Faithfulness,,0.5,False,,LLM returned invalid JSON
1,t2,Answer Relevancy,0.4,0.5,False,no,
"""
MELTED = """\
record_uuid,annotator_id,label,value
t1,ana,helpful,yes
t1,ben,helpful,no
t2,ana,helpful,no
t3,ana,helpful,yes
t3,ana,response_on_topic,yes
"""


def task(id_: int, answers: dict, **data) -> dict:
    """A task of Label Studio: annotator → choice, or None where the annotation was cancelled."""
    annotations = [
        {
            "id": place,
            "completed_by": who,
            "was_cancelled": said is None,
            "result": []
            if said is None
            else [
                {"from_name": question, "type": "choices", "value": {"choices": [choice]}}
                for question, choice in said
            ],
        }
        for place, (who, said) in enumerate(answers.items(), 1)
    ]
    return {"id": id_, "annotations": annotations, "predictions": [], "data": data}


CHUNK = {"record_uuid": "q1", "chunk_id": "c1", "chunk_rank": 1, "n_retrieved_chunks": 1}
LABEL_STUDIO = json.dumps([task(101, {1: [("topically_relevant", "Yes")], 2: None}, **CHUNK)])


def assessment(name: str, value, kind: str = "HUMAN", who: str = "ana", **more) -> dict:
    source = {"source_type": kind, "source_id": who}
    return {"assessment_name": name, "source": source, "feedback": {"value": value}, **more}


TRACES = [
    {
        "trace_id": "t1",
        "request": "text",
        "assessments": [
            assessment("helpful", True),
            assessment("helpful", False, who="ben"),
            assessment("helpful", True, who="cem"),
            assessment("helpful", True, "LLM_JUDGE", "gpt"),
            assessment("relevance_to_query", "yes", "LLM_JUDGE", "gpt"),
            assessment("old", 0.1, "CODE", valid=False),
            {
                "assessment_name": "expected",
                "source": {"source_type": "HUMAN"},
                "expectation": {"value": "x"},
            },
        ],
    },
    {"trace_id": "t2", "request": "text", "assessments": [assessment("helpful", False)]},
]
OPIK = [
    {
        "id": "t1",
        "input": {"q": "text"},
        "feedback_scores": [
            {
                "name": "helpful",
                "value": 0.67,
                "source": "ui",
                "value_by_author": {
                    who: {"value": value, "source": "ui"}
                    for who, value in (("ana", 1.0), ("ben", 0.0), ("cem", 1.0))
                },
            },
            {"name": "Hallucination", "value": 0.25, "source": "online_scoring", "reason": "text"},
        ],
    },
    {
        "id": "t2",
        "input": {"q": "text"},
        "feedback_scores": [{"name": "helpful", "value": 0.0, "source": "ui", "created_by": "ana"}],
    },
]
LANGSMITH = [
    {
        "id": f"f{i}",
        "run_id": run,
        "key": key,
        "score": number,
        "value": value,
        "comment": "text",
        "feedback_source": {"type": source, "user_id": who},
    }
    for i, (run, key, number, value, source, who) in enumerate(
        [
            ("t1", "helpful", 1.0, None, "app", "ana"),
            ("t1", "helpful", None, "no", "app", "ben"),
            ("t1", "helpful", True, None, "app", "cem"),
            ("t2", "helpful", 0, None, "app", "ana"),
            ("t1", "correctness", 0.5, None, "model", None),
            ("t2", "correctness", None, "cannot tell", "model", None),
        ]
    )
]


def lines(records: list[dict]) -> str:
    return "\n".join(map(json.dumps, records)) + "\n"


FILES = {
    "langfuse.csv": (LANGFUSE, "helpfulness_rate", 0.5, 2),
    "pivot.csv": (PIVOT, "helpfulness_rate", 0.5, 2),
    "melted.csv": (MELTED, "helpfulness_rate", 0.5, 2),
    "label_studio.json": (LABEL_STUDIO, "topical_precision_at_k", 1.0, 1),
    "mlflow_traces.jsonl": (lines(TRACES), "helpfulness_rate", 0.5, 2),
    "mlflow_assessments.jsonl": (
        lines([one | {"trace_id": of["trace_id"]} for of in TRACES for one in of["assessments"]]),
        "helpfulness_rate",
        0.5,
        2,
    ),
    "mlflow_traces.csv": (pd.DataFrame(TRACES).to_csv(index=False), "helpfulness_rate", 0.5, 2),
    "opik.json": (json.dumps(OPIK), "helpfulness_rate", 0.5, 2),
    "langsmith.json": (json.dumps(LANGSMITH), "helpfulness_rate", 0.5, 2),
    "langsmith.csv": (pd.json_normalize(LANGSMITH).to_csv(index=False), "helpfulness_rate", 0.5, 2),
    "deepeval_long.csv": (DEEPEVAL, "Faithfulness", 0.8, 1),
}


def load(name: str, text: str, **options):
    return evalcore.load([Upload(name, text.encode())], **options)


def score(data, name: str) -> tuple[float, int, int]:
    """The mean of a tool's score, and how many of how many were scored."""
    rows = evalcore.evaluate(data).rag.scores
    (row,) = rows[(rows["score"] == name) & (rows["group"] == "")].itertuples()
    return row.mean, row.n_scored, row.n_total


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_tool_gives_its_value(name, tmp_path, capsys):
    text, metric, value, n = FILES[name]
    path = tmp_path / name
    path.write_text(text)
    assert main(["evaluate", str(path), "--out", str(tmp_path / "out")]) == 0, capsys.readouterr().err
    table = pd.read_csv(tmp_path / "out" / "metrics.csv", keep_default_na=False)
    found = table[table["metric"] == metric].iloc[0]
    assert (float(found["value"]), found["n"]) == (value, n)
    seen = inspect([Upload(name, text.encode())])
    assert seen.data is not None
    assert [p for p in seen.problems if p.severity != "warning"] == []


@pytest.mark.parametrize("name", FILES)
def test_rows_in_are_used_and_excluded_and_no_text_is_kept(name):
    text = FILES[name][0]
    data = load(name, text)
    (source,) = data.sources
    assert source.n_rows == source.n_used + sum(source.excluded.values())
    assert "invalid JSON" not in repr(data.annotations)


def test_answers_of_programs_are_scores_under_their_own_names():
    data = load("langfuse.csv", LANGFUSE.replace("s4,t2,,2025-01-01T00:03:00Z,ANNOTATION", "s4,t2,,,API"))
    assert data.annotations.responses["generation"].annotator_ids.tolist() == ["ana", "ben", "cem"]
    assert score(data, "helpful (API)") == (0.0, 1, 1)
    assert any("helpful (API): not known to be what a person said" in note for note in data.notes)
    assert score(load("t.jsonl", lines(TRACES)), "helpful (LLM_JUDGE)") == (1.0, 1, 2)


def test_traces_without_a_score_count_as_not_scored():
    data = load("t.jsonl", lines(TRACES))
    assert score(data, "relevance_to_query") == (1.0, 1, 2)
    assert any("1 an expectation" in note and "1 replaced by a later" in note for note in data.notes)
    assert score(load("o.json", json.dumps(OPIK)), "Hallucination") == (0.25, 1, 2)


def test_what_is_no_number_is_left_out_by_name_and_counted():
    data = load("langsmith.json", json.dumps(LANGSMITH))
    assert data.sources[0].excluded == {"no number, nor yes or no": 1}
    assert "langsmith.json: left out as no number, nor yes or no: correctness (1)." in data.notes
    assert score(data, "correctness") == (0.5, 1, 1)


def test_a_label_that_is_neither_yes_nor_no_is_refused_by_row():
    for name, text in (
        ("langfuse.csv", LANGFUSE.replace("BOOLEAN,0,False,,{},,ben", "NUMERIC,0.7,,,{},,ben")),
        ("langsmith.json", json.dumps(LANGSMITH).replace('"no"', '"partly"')),
        ("melted.csv", MELTED.replace("t1,ben,helpful,no", "t1,ben,helpful,partly")),
    ):
        with pytest.raises(InputError) as caught:
            load(name, text)
        assert [(p.code, p.row) for p in caught.value.problems] == [("RAG-002", 2)]


def test_a_person_answers_a_unit_once():
    for name, text, row in (
        ("langfuse.csv", LANGFUSE.replace(",,ben", ",,ana"), 2),
        ("melted.csv", MELTED.replace("t1,ben", "t1,ana"), 2),
    ):
        with pytest.raises(InputError) as caught:
            load(name, text)
        assert [(p.code, p.row) for p in caught.value.problems] == [("RAG-006", row)]


def test_labels_of_chunks_need_a_chunk_and_find_it_in_the_metadata():
    text = LANGFUSE.replace("ANNOTATION,helpful", "ANNOTATION,topically_relevant")
    with pytest.raises(InputError) as caught:
        load("langfuse.csv", text)
    assert str(caught.value.problems[0]) == (
        "langfuse.csv, row 1: found labels of chunks (topically_relevant) without a chunk: 4, the first "
        "here, expected a chunk_id beside what was judged: in the data of a task, or the metadata of a "
        "score or trace. Write the chunk's id there (chunk_id, and chunk_rank where it is known), and export "
        "again."
    )
    metadata = '"{""chunk_id"": ""c1"", ""chunk_rank"": 1}"'
    data = load("langfuse.csv", text.replace("{}", metadata))
    assert data.annotations.responses["retrieval"].chunk_ids.tolist() == ["c1"]
    assert data.annotations.responses["retrieval"].rank.tolist() == [1] * 4


def test_a_cancelled_annotation_is_a_discarded_response():
    responses = load("ls.json", LABEL_STUDIO).annotations.responses["retrieval"]
    assert responses.annotator_ids.tolist() == ["1", "2"]
    assert responses.is_submitted.tolist() == [True, False]
    assert responses.labels["topically_relevant"].tolist() == [YES, UNSAID]
    assert (responses.rank.tolist(), responses.n_retrieved.tolist()) == ([1, 1], [1, 1])


def test_who_answered_has_not_discarded_what_another_task_or_an_earlier_try_was_cancelled_of():
    again = task(1, {1: None}, **CHUNK)
    again["annotations"] += task(1, {1: [("topically_relevant", "Yes")]}, **CHUNK)["annotations"]
    answered = task(2, {1: [("helpful", "Yes")]}, record_uuid="q1")
    cancelled = [
        task(at, {1: None}, **CHUNK | {"chunk_id": f"c{at}", "chunk_rank": at, "n_retrieved_chunks": 3})
        for at in (2, 3)
    ]
    again["data"] = again["data"] | {"n_retrieved_chunks": 3}
    for tasks in ([again, answered, *cancelled], [*cancelled, answered, again]):
        said = load("ls.json", json.dumps(tasks)).annotations.responses
        assert said["generation"].is_submitted.tolist() == [True]
        assert said["generation"].labels["helpful"].tolist() == [YES]
        assert said["retrieval"].is_submitted.tolist() == [True, False, False]
        assert said["retrieval"].labels["topically_relevant"].tolist() == [YES, UNSAID, UNSAID]


def test_a_task_without_an_annotation_is_counted_and_an_open_question_named():
    tasks = [
        task(1, {"ana@example.org": [("helpful", "no"), ("response_on_topic", "Yes")]}, record_uuid="q1"),
        task(2, {"ana@example.org": [("helpful", "yes")]}, record_uuid="q2"),
        task(3, {}, record_uuid="q3"),
    ]
    tasks[0]["annotations"][0]["completed_by"] = {"id": 7, "email": "ana@example.org"}
    tasks[1]["annotations"][0]["result"].append(
        {"from_name": "why", "type": "textarea", "value": {"text": ["x"]}}
    )
    data = load("ls.json", json.dumps(tasks))
    responses = data.annotations.responses["generation"]
    assert responses.labels["helpful"].tolist() == [NO, YES]
    assert responses.annotator_ids.tolist() == ["ana@example.org"]
    assert data.sources[0].excluded == {"a task without an annotation": 1}
    assert [p.code for p in data.warnings] == ["RAG-003"]
    assert any("none of our labels, or no choice: why (1)" in note for note in data.notes)


def test_tasks_without_one_of_our_questions_are_refused_by_name():
    text = json.dumps([task(1, {1: [("sentiment", "Positive")]}, text="x")])
    with pytest.raises(InputError) as caught:
        load("ls.json", text)
    assert "tasks of Label Studio with the questions sentiment" in str(caught.value)


def test_several_choices_are_no_answer():
    two = task(1, {1: [("helpful", "Yes")]}, record_uuid="q1")
    two["annotations"][0]["result"][0]["value"]["choices"] = ["Yes", "No"]
    with pytest.raises(InputError) as caught:
        load("ls.json", json.dumps([two]))
    assert [p.code for p in caught.value.problems] == ["RAG-002"]


@pytest.mark.parametrize(("name", "code"), [("chunk_rank", "RAG-009"), ("n_retrieved_chunks", "RAG-010")])
@pytest.mark.parametrize("wrong", [2.5, "1e300", "second"])
def test_a_rank_or_length_of_a_task_that_is_no_whole_number_is_named_once(name, code, wrong):
    said = {
        1: [("topically_relevant", "Yes"), ("sufficient_context", "No")],
        2: [("topically_relevant", "No")],
    }
    text = json.dumps([task(101, said, **{**CHUNK, name: wrong})])
    with pytest.raises(InputError) as caught:
        load("ls.json", text)
    assert [(p.code, p.row, p.found) for p in caught.value.problems] == [(code, 1, str(wrong))]


def test_the_short_export_of_label_studio_is_a_table_of_responses():
    text = (
        "chunk_id,record_uuid,id,topically_relevant,annotator,annotation_id\n"
        "c1,q1,7,Yes,1,3\nc1,q1,7,No,2,4\n"
    )
    responses = load("ls.csv", text).annotations.responses["retrieval"]
    assert responses.labels["topically_relevant"].tolist() == [YES, NO]


def test_columns_that_are_no_persons_answers_are_left_out_with_a_reason():
    text = PIVOT.replace("annotated_at", "majority,n_annotators,why\nx", 1).replace("\nx", "", 1)
    rows = [line.rsplit(",", 1)[0] + ",true,2,because" for line in PIVOT.splitlines()[1:]]
    data = load("pivot.csv", "\n".join([text.splitlines()[0], *rows]) + "\n")
    responses = data.annotations.responses["generation"]
    assert responses.annotator_ids.tolist() == ["ana@example.org", "ben@example.org"]
    unused = data.facts["unused_columns"]["pivot.csv"]
    assert unused["majority"] == "what several people's answers came to, not the answer of one"
    assert unused["n_annotators"] == "says something of the row, not of the item"
    assert unused["why"] == "no answers: none of its cells is yes or no"
    assert unused["authoritative_annotator"].startswith("names annotators and answers nothing")


def test_a_typing_error_of_an_annotator_is_no_reason_to_drop_the_column():
    with pytest.raises(InputError) as caught:
        load("pivot.csv", PIVOT.replace("t2,helpful,true,false", "t2,helpful,true,flase"))
    assert [(p.code, p.row) for p in caught.value.problems] == [("RAG-002", 2)]


def test_a_pivot_without_annotators_is_told_what_it_lacks():
    with pytest.raises(InputError) as caught:
        load("pivot.csv", "item_id,label,majority,n_votes\nt1,helpful,true,3\n")
    assert [p.code for p in caught.value.problems] == ["RAG-141"]


def test_one_of_the_annotators_decides_where_the_user_says_so():
    data = load("pivot.csv", PIVOT, adjudicator="ana@example.org")
    assert evalcore.evaluate(data).value("rag.helpfulness_rate") == pytest.approx(2 / 3)


def test_opik_columns_and_mlflow_and_langsmith_results_have_a_column_a_score():
    opik = "id,input,feedback_scores.Relevance,feedback_scores.Relevance_reason\nt1,x,0.5,text\nt2,y,-,\n"
    assert score(load("o.csv", opik), "Relevance") == (0.5, 1, 2)
    mlflow = "trace_id,relevance/value,relevance/rationale,helpful/value\nt1,yes,text,yes\nt2,no,text,\n"
    data = load("m.csv", mlflow)
    assert score(data, "relevance") == (0.5, 2, 2)
    assert score(data, "helpful (source not said)") == (1.0, 1, 2)
    old = "request_id,faithfulness/v1/score,faithfulness/v1/justification\nt1,4,text\nt2,5,text\n"
    assert score(load("m.csv", old), "faithfulness") == (4.5, 2, 2)
    langsmith = (
        "inputs.q,outputs.a,feedback.correctness,execution_time,example_id\nx,y,1,0.1,e1\nx,y,,0.1,e2\n"
    )
    assert score(load("l.csv", langsmith), "correctness") == (1.0, 1, 2)


@pytest.mark.parametrize("form", ["Parquet", "JSON Lines"])
def test_nested_traces_are_read_in_every_format(form):
    if form == "Parquet":
        frame = pd.DataFrame(OPIK)[["id", "feedback_scores"]]
        frame["feedback_scores"] = [
            [
                {k: v for k, v in one.items() if k != "value_by_author"} | {"created_by": "ana"}
                for one in scores
            ]
            for scores in frame["feedback_scores"]
        ]
        frame["feedback_scores"] = [
            [one | {"value": round(one["value"]) * 1.0} for one in s] for s in frame["feedback_scores"]
        ]
        sink = io.BytesIO()
        frame.to_parquet(sink)
        data = evalcore.load([Upload("o.parquet", sink.getvalue())])
    else:
        data = load("o.jsonl", lines(OPIK))
    assert evalcore.evaluate(data).value("rag.helpfulness_rate") == 0.5


REFUSED = {
    "promptfoo.csv": (
        "question,[openai:gpt-4o] Answer {{question}},Status,Score,Named Scores,Grader Reason,Comment\n"
        'What is A?,[PASS] A,PASS,1,"{""helpful"":1}",ok,\n',
        "results of promptfoo",
    ),
    "doccano.jsonl": (
        '{"doc_id": 20, "text": "x", "labels": ["helpful"], "username": "ana"}\n'
        '{"doc_id": 21, "text": "x", "labels": [], "username": "ana"}\n',
        "an export of doccano",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_whose_values_cannot_be_mapped_is_refused_by_name(name, tmp_path, capsys):
    text, named = REFUSED[name]
    path = tmp_path / name
    path.write_text(text)
    assert main(["evaluate", str(path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"{name}: found {named}")
    assert told.count("\n") == 1
    assert [p.code for p in inspect([Upload(name, text.encode())]).problems] == ["RAG-016"]


RAGAS = """\
,user_input,retrieved_contexts,response,reference,faithfulness,context_precision
0,q one,['first passage' 'second passage'],a,b,0.5,1.0
1,q two,"['only one']",a,b,1.0,
2,q three,"['x', 'y', 'z']",a,b,,0.25
"""


def test_scores_of_other_tools_stand_in_every_file_and_on_the_terminal(tmp_path, capsys):
    path = tmp_path / "ragas.csv"
    path.write_text(RAGAS)
    out = tmp_path / "out"
    assert main(["evaluate", str(path), "--out", str(out)]) == 0
    table = pd.read_csv(out / "metrics.csv", keep_default_na=False)
    rows = table[table["family"] == "tool_scores"].set_index("metric")
    assert rows["value"].map(float).to_dict() == {"faithfulness": 0.75, "context_precision": 0.625}
    assert rows["n"].tolist() == [2, 2]
    assert rows["model"].tolist() == ["RAGAS", "RAGAS"]
    assert rows.loc["faithfulness", "note"].startswith("2 of 3 scored: between 0.500 and 0.833")
    written = json.loads((out / "metrics.json").read_text())
    found = {one["metric"]: one for one in written["metrics"] if one["family"] == "tool_scores"}
    assert (found["faithfulness"]["value"], found["faithfulness"]["n"]) == (0.75, 2)
    assert {one["score"]: one["coverage"] for one in written["tool_scores"]} == {
        "faithfulness": 2 / 3,
        "context_precision": 2 / 3,
    }
    for name in ("report.md", "report.html"):
        assert "0.750" in (out / name).read_text()
        assert "2 of 3" in (out / name).read_text()
    capsys.readouterr()
    assert main(["evaluate", str(path)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert any(
        line.startswith("tool_scores.faithfulness") and "0.750  n=2  2 of 3 scored" in line for line in told
    )


def test_a_score_of_every_record_says_so():
    text = RAGAS.replace("1.0,\n", "1.0,0.5\n")
    report = evalcore.evaluate(load("ragas.csv", text))
    rows = {row.metric: row for row in score_rows(report)}
    assert rows["context_precision"].note == "3 of 3 scored"


def test_the_text_of_a_langfuse_score_is_no_number():
    """Langfuse writes 0 as the value of texts and corrections."""
    texts = "s7,t1,,2025-01-01T00:06:00Z,ANNOTATION,note,TEXT,0,so so,,{},,ana\n"
    texts += "s8,t2,,2025-01-01T00:07:00Z,ANNOTATION,output,CORRECTION,0,better,,{},,ana\n"
    data = load("scores.csv", LANGFUSE + texts)
    assert [one.name for one in data.annotations.scores] == ["faithfulness"]
    assert dict(data.sources[0].excluded) == {"a text, which is no score": 2}


def test_langfuse_scores_as_its_database_names_them():
    """The API writes traceId and stringValue, the tables of the server trace_id and string_value."""
    header, rest = LANGFUSE.split("\n", 1)
    named = header.replace("traceId", "trace_id").replace("dataType", "data_type")
    named = named.replace("stringValue", "string_value").replace("authorUserId", "author_user_id")
    mine, theirs = (load("scores.csv", f"{one}\n{rest}").annotations for one in (named, header))
    assert mine.responses.keys() == theirs.responses.keys()
    assert [one.value.tolist() for one in mine.scores] == [one.value.tolist() for one in theirs.scores]


def test_the_result_of_a_langsmith_experiment_as_its_frame_writes_it():
    text = "inputs.question,outputs.answer,error,reference.answer,feedback.correct,"
    text += "execution_time,example_id,id\n"
    data = load("results.csv", text + "q,a,,r,1.0,0.5,e1,r1\nq,b,,r,0.5,0.25,e2,r2\n")
    (score,) = data.annotations.scores
    assert (score.name, score.value.tolist()) == ("correct", [1.0, 0.5])
