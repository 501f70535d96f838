"""Annotations of people: the export folder, long and wide tables, predictions, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore import inspect
from evalcore.annotations import NO, UNSAID, YES
from evalcore.data import Data
from evalcore.problems import InputError
from evalcore.readers import Upload
from tests.support.inputs import ANNOTATION_EXPORT, CASES

RETRIEVAL = "record_uuid,annotator_id,chunk_id,chunk_rank,n_retrieved_chunks,topically_relevant\n"


def read(text: str, name: str = "annotations.csv", **options: object) -> Data:
    return evalcore.load(Upload(name, text.encode()), **options)  # type: ignore[arg-type]


def problems(text: str, **options: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text, **options)
    return [str(problem) for problem in caught.value.problems]


def said(data: Data, task: str, label: str) -> list[int]:
    assert data.annotations is not None
    return list(map(int, data.annotations.responses[task].labels[label]))  # type: ignore[index]


def outline(data: Data) -> object:
    """Everything of the annotations but the numbers of the rows."""
    found = data.annotations
    assert found is not None
    return (
        found.record_ids.tolist(),
        {
            task: (
                r.record.tolist(),
                r.chunk_ids[r.chunk].tolist() if len(r.chunk_ids) else [],
                r.rank.tolist(),
                r.n_retrieved.tolist(),
                r.annotator.tolist(),
                r.annotator_ids.tolist(),
                r.is_submitted.tolist(),
                {name: values.tolist() for name, values in r.labels.items()},
                {name: values.tolist() for name, values in r.adjudicated.items()},
                {name: (codes.tolist(), levels) for name, (codes, levels) in r.slices.items()},
            )
            for task, r in found.responses.items()
        },
        [
            (
                s.tool,
                s.name,
                s.record.tolist(),
                repr(s.value.tolist()),
                s.bounds,
                *tuple((name, codes.tolist(), levels) for name, (codes, levels) in s.slices.items()),
            )
            for s in found.scores
        ],
        [
            (p.task, p.record.tolist(), p.chunk.tolist(), {n: v.tolist() for n, v in p.labels.items()})
            for p in found.predictions
        ],
    )


def reversed_rows(text: str) -> str:
    head, *rows = text.strip("\n").split("\n")
    return "\n".join([head, *reversed(rows)]) + "\n"


def test_the_export_folder_is_read_whole() -> None:
    data = evalcore.load(ANNOTATION_EXPORT)
    found = data.annotations
    assert data.task == "rag"
    assert found is not None
    assert data.queries is None
    assert {task: len(r) for task, r in found.responses.items()} == {
        "retrieval": 17,
        "grounding": 8,
        "generation": 5,
    }
    assert data.facts["n_discarded"] == {"retrieval": 1, "grounding": 1, "generation": 0}
    retrieval = found.responses["retrieval"]
    names = found.record_ids[retrieval.record]
    assert retrieval.n_retrieved[names == "uuid-q3"].tolist() == [4, 4, 4, 4]
    assert retrieval.is_submitted[names == "uuid-q3"].tolist() == [True, True, False, True]
    assert list(found.stated) == ["export", "metrics", "agreement", "label_metrics"]
    assert [p.is_probability for p in found.predictions] == [False, True]
    assert sorted(data.facts["ignored_files"]) == [
        "annotation_label_summary.csv",
        "eval_metric_estimates.csv",
        "evaluator_calibration.csv",
        "evaluator_metrics.csv",
        "expected.json",
    ]


def test_no_text_of_the_export_is_kept() -> None:
    data = evalcore.load(ANNOTATION_EXPORT)
    assert data.annotations is not None
    for responses in data.annotations.responses.values():
        assert responses.slices.keys() <= {"calibration", "discard_reason", "language"}
    assert not any("Passage" in text for text in map(str, data.notes))


def test_an_agreement_report_in_its_folder_is_stated(tmp_path: Path) -> None:
    (tmp_path / "iaa").mkdir()
    shutil.copy(ANNOTATION_EXPORT / "grounding.csv", tmp_path)
    shutil.copy(ANNOTATION_EXPORT / "iaa_report.json", tmp_path / "iaa" / "report.json")
    data = evalcore.load(tmp_path)
    assert data.annotations is not None
    assert data.annotations.stated["agreement"]["export_id"] == "demo"


def test_a_sidecar_that_disagrees_with_the_rows_is_told(tmp_path: Path) -> None:
    shutil.copy(ANNOTATION_EXPORT / "annotation_export.meta.json", tmp_path)
    lines = (ANNOTATION_EXPORT / "grounding.csv").read_text().splitlines(keepends=True)
    (tmp_path / "grounding.csv").write_text("".join(line for line in lines if "ann_b" not in line))
    found = [str(w) for w in evalcore.load(tmp_path).warnings if w.code == "RAG-014"]
    remedy = "The rows are what counts; export again if some are missing."
    sidecar = "as annotation_export.meta.json states"
    assert found == [
        f"found 0 rows in retrieval, expected 17 {sidecar}. {remedy}",
        f"found 5 rows in grounding, expected 8 {sidecar}. {remedy}",
        f"found 2 annotators in grounding, expected 3 {sidecar}. {remedy}",
        f"found 0 rows in generation, expected 5 {sidecar}. {remedy}",
    ]


@pytest.mark.parametrize(
    "name", ["retrieval.csv", "grounding.csv", "generation.csv", "predictions.csv", "probabilities.csv"]
)
def test_the_order_of_the_export_rows_changes_nothing(name: str) -> None:
    text = (ANNOTATION_EXPORT / name).read_text()
    assert outline(read(text, name)) == outline(read(reversed_rows(text), name))


@pytest.mark.parametrize(
    "name",
    [
        "c01_nan_denominator.csv",
        "c03_leaderboard_coverage.csv",
        "c06_short_list.csv",
        "c12_alpha_degenerate.csv",
        "p1_tie_order.csv",
        "p3_discarded_rows.csv",
        "p5_calibration_row_filter.csv",
    ],
)
def test_the_order_of_a_case_changes_nothing(name: str) -> None:
    text = (CASES / "rag" / name).read_text()
    assert outline(read(text, name)) == outline(read(reversed_rows(text), name))


def test_c05_a_repeated_chunk_is_named_and_kept_once_on_request() -> None:
    path = CASES / "rag" / "c05_duplicate_chunks.csv"
    with pytest.raises(InputError) as caught:
        evalcore.load(path)
    assert [str(p) for p in caught.value.problems] == [
        "c05_duplicate_chunks.csv, row 2, column chunk_rank: found chunk A of record q1 at ranks 1 and 2, "
        "expected each chunk once in a list. Remove the repetition, or say --keep-first to keep its best "
        "rank."
    ]
    for text in (path.read_text(), reversed_rows(path.read_text())):
        data = read(text, keep_first=True)
        assert data.annotations is not None
        retrieval = data.annotations.responses["retrieval"]
        assert retrieval.chunk_ids[retrieval.chunk].tolist() == ["A", "X"]
        assert retrieval.rank.tolist() == [1, 2]
        assert dict(data.sources[0].excluded) == {"repeated chunk (its best rank was kept)": 1}
        assert (data.sources[0].n_rows, data.sources[0].n_used) == (3, 2)


def test_c06_short_lists_keep_their_number_of_retrieved_chunks() -> None:
    data = evalcore.load(CASES / "rag" / "c06_short_list.csv")
    assert data.annotations is not None
    assert data.annotations.responses["retrieval"].n_retrieved.tolist() == [2, 2, 5, 5, 5, 5, 5]


def test_c12_a_wide_table_is_one_response_an_item_and_annotator() -> None:
    data = evalcore.load(CASES / "rag" / "c12_alpha_degenerate.csv")
    assert data.annotations is not None
    assert said(data, "retrieval", "misleading") == [NO] * 11 + [YES]
    grounding = data.annotations.responses["grounding"]
    assert grounding.labels["support_present"].tolist() == [YES] * 12
    named = grounding.annotator_ids[grounding.annotator]
    one = grounding.labels["one_rater"]
    assert set(one[named == "ann_a"]) == {YES}
    assert set(one[named != "ann_a"]) == {UNSAID}


def test_p3_a_discarded_row_abstains_and_an_empty_label_is_named() -> None:
    data = evalcore.load(CASES / "rag" / "p3_discarded_rows.csv")
    assert data.annotations is not None
    generation = data.annotations.responses["generation"]
    assert generation.is_submitted.tolist() == [True, False, True, True]
    assert said(data, "generation", "helpful") == [YES, UNSAID, NO, YES]
    assert said(data, "generation", "unsafe_content") == [NO, UNSAID, NO, NO]
    assert data.facts["missing_labels"] == {"p3_discarded_rows.csv": {"response_on_topic": 1}}
    assert [str(w) for w in data.warnings] == [
        "p3_discarded_rows.csv, row 4, column response_on_topic: found an empty response_on_topic of "
        "record q4. The response is left out of this label only, and counted."
    ]
    codes, levels = generation.slices["discard_reason"]
    assert [levels[c] if c >= 0 else "" for c in codes] == ["", "unclear", "", ""]


def test_labels_of_a_discarded_response_say_nothing() -> None:
    head = "record_uuid,annotator_id,response_status,helpful,incomplete\n"
    data = read(head + "q1,a,discarded,true,cannot say\nq2,a,submitted,true,false\n")
    assert said(data, "generation", "helpful") == [UNSAID, YES]
    assert said(data, "generation", "incomplete") == [UNSAID, NO]
    assert not data.warnings


@pytest.mark.parametrize(
    ("column", "cells"),
    [("is_submitted", ("false", "yes")), ("discarded", ("1", "0")), ("discard_reason", ("unclear", ""))],
)
def test_a_discarded_response_is_told_in_several_ways(column: str, cells: tuple[str, str]) -> None:
    data = read(f"record_uuid,{column},helpful\nq1,{cells[0]},\nq2,{cells[1]},1\n")
    assert data.annotations is not None
    assert data.annotations.responses["generation"].is_submitted.tolist() == [False, True]


def test_an_answer_is_submitted_when_it_is_beside_one_of_its_chunks() -> None:
    head = "record_uuid,annotator_id,chunk_id,response_status,topically_relevant,helpful\n"
    data = read(head + "q1,a,c1,discarded,,\nq1,a,c2,submitted,1,0\n")
    assert said(data, "generation", "helpful") == [NO]
    assert data.annotations is not None
    assert data.annotations.responses["generation"].is_submitted.tolist() == [True]


def test_sentinels_are_absent_and_zero_retrieved_is_nothing_retrieved() -> None:
    data = read(RETRIEVAL + "q1,a,c1,0,-1,yes\nq1,a,c2,,,no\nq2,a,,,0,\n")
    assert data.annotations is not None
    retrieval = data.annotations.responses["retrieval"]
    assert retrieval.rank.tolist() == [0, 0, 0]
    assert retrieval.n_retrieved.tolist() == [-1, -1, 0]
    assert retrieval.chunk.tolist() == [0, 1, -1]
    assert not data.warnings


def test_every_problem_is_named_at_once() -> None:
    found = problems(
        RETRIEVAL
        + "q1,a,c1,1.5,2,true\nq1,a,c2,2,-3,maybe\nq1,a,,1,2,true\n"
        + "q2,a,c1,3,2,true\nq3,a,c1,1,2,1\nq3,b,c2,1,3,0\n"
    )
    assert found == [
        "annotations.csv, row 1, column chunk_rank: found 1.5, expected a rank: a whole number from 1 on; "
        "0 or empty where the chunk was judged but not retrieved. Correct the cell.",
        "annotations.csv, row 2, column n_retrieved_chunks: found -3, expected how many chunks were "
        "retrieved: a whole number from 0 on; −1 or empty where it is not known. Correct the cell.",
        "annotations.csv, row 2, column topically_relevant: found maybe, expected a label: true or false "
        "(also 1 and 0, yes and no), or an empty cell. Correct the label, or leave the cell empty.",
        "annotations.csv, row 3, column chunk_id: found an empty cell, expected the chunk's id. Fill the "
        "cell or leave the row out.",
        "annotations.csv, row 4, column chunk_rank: found rank 3 of record q2, of which 2 chunks were "
        "retrieved, expected a rank up to the number of retrieved chunks. Correct one of the two numbers.",
        "annotations.csv, row 6, column chunk_rank: found chunk c2 at rank 1 of record q3, where row 5 "
        "has chunk c1, expected one chunk at each rank. Correct one of the ranks; several systems need a "
        "column system.",
        "annotations.csv, row 6, column n_retrieved_chunks: found 3 retrieved chunks of record q3, but 2 "
        "in row 5, expected one number of retrieved chunks a record. Correct one of the two rows.",
    ]


def test_ranks_that_annotators_contradict_each_other_about_are_named() -> None:
    assert problems(RETRIEVAL + "q1,a,c1,1,2,1\nq1,b,c1,2,2,0\n") == [
        "annotations.csv, row 2, column chunk_rank: found chunk c1 of record q1 at rank 2, but at rank 1 "
        "in row 1, expected one rank of a chunk, whoever judges it. Correct one of the ranks, or say "
        "--keep-first to keep the best."
    ]


def test_an_annotator_answers_a_unit_once() -> None:
    text = RETRIEVAL + "q1,a,c1,1,1,true\nq1,a,c1,1,1,{}\n"
    expected = (
        "annotations.csv, row 2: found a response of a to chunk c1 of record q1 again; it stands in row 1 "
        "already, expected one response of an annotator to a chunk or an answer. Remove one of the two "
        "rows, or name different annotators in annotator_id."
    )
    assert problems(text.format("true")) == [expected]
    assert problems(text.format("false"), keep_first=True) == [expected]
    data = read(text.format("true"), keep_first=True)
    assert dict(data.sources[0].excluded) == {"the same response again": 1}


def test_rows_without_a_record_are_left_out_and_counted() -> None:
    data = read(RETRIEVAL + "q1,a,c1,1,1,true\n,a,c2,1,1,true\n ,b,c2,1,1,false\n")
    source = data.sources[0]
    assert (source.n_rows, source.n_used, dict(source.excluded)) == (3, 1, {"no id of the record": 2})
    assert [w.code for w in data.warnings if w.code == "RAG-004"] == ["RAG-004"]


def test_drafts_are_left_out_and_an_unknown_status_is_named() -> None:
    head = "record_uuid,annotator_id,response_status,helpful\n"
    data = read(head + "q1,a,submitted,true\nq1,b,draft,\n")
    assert dict(data.sources[0].excluded) == {"not submitted yet (draft or pending)": 1}
    assert problems(head + "q1,a,gone,true\n") == [
        "annotations.csv, row 1, column response_status: found the response status 'gone', expected "
        "submitted or discarded (draft and pending rows are left out). Correct the cell."
    ]


def test_old_column_names_and_the_users_own_names() -> None:
    old = read("query_id,rank,misleading\nq1,1,0\nq1,2,1\n")
    assert old.annotations is not None
    retrieval = old.annotations.responses["retrieval"]
    assert retrieval.chunk_ids.tolist() == ["rank 1", "rank 2"]
    assert retrieval.rank.tolist() == [1, 2]
    own = read(
        "q,c,rel\nq1,c1,1\n", columns={"record_uuid": "q", "chunk_id": "c", "topically_relevant": "rel"}
    )
    assert said(own, "retrieval", "topically_relevant") == [YES]
    assert own.sources[0].columns["topically_relevant"] == "rel"


def test_labels_of_chunks_need_a_chunk() -> None:
    assert problems("record_uuid,topically_relevant\nq1,1\n") == [
        "annotations.csv: found labels of chunks (topically_relevant) without a chunk, expected a column "
        "chunk_id, or chunk_rank. Name it with --column chunk_id=NAME, or choose it on the Data page."
    ]


def test_labels_of_an_answer_beside_each_chunk_count_once() -> None:
    head = "record_uuid,annotator_id,chunk_id,topically_relevant,helpful\n"
    data = read(head + "q1,a,c1,1,1\nq1,a,c2,0,\nq2,a,c1,1,0\n")
    assert said(data, "generation", "helpful") == [YES, NO]
    assert said(data, "retrieval", "topically_relevant") == [YES, NO, YES]
    text = head + "q1,a,c2,0,\nq1,a,c1,1,1\n"
    assert outline(read(text)) == outline(read(reversed_rows(text)))
    assert problems(head + "q1,a,c1,1,1\nq1,a,c2,0,0\n") == [
        "annotations.csv, row 2, column helpful: found another helpful of record q1 by a than in row 1, "
        "expected the same label of an answer in every row of its chunks. Correct one of the rows, or "
        "give labels of answers in a file of their own."
    ]


@pytest.mark.parametrize("column", ["helpful_adjudicated", "adjudicated_helpful"])
def test_an_adjudicated_column_holds_for_every_row_of_the_unit(column: str) -> None:
    head = f"record_uuid,annotator_id,helpful,{column}\n"
    data = read(head + "q1,a,1,\nq1,b,0,false\nq2,a,1,\n")
    assert data.annotations is not None
    assert data.annotations.responses["generation"].adjudicated["helpful"].tolist() == [NO, NO, UNSAID]
    assert problems(head + "q1,a,1,true\nq1,b,0,false\n") == [
        "annotations.csv, row 2, column helpful: found another adjudication of record q1 than in row 1, "
        "expected one decision of the adjudicator a label. Correct one of the two rows."
    ]


@pytest.mark.parametrize("task", ["x", ["x"], {"name": "x"}, None])
def test_a_json_object_of_no_known_kind_is_left_out_whatever_it_calls_its_task(task: object) -> None:
    config = Upload("config.json", json.dumps({"task": task, "model": "m", "seed": 1}, indent=1).encode())
    annotations = Upload("annotations.csv", b"record_uuid,annotator_id,helpful\nq1,a,1\n")
    data = evalcore.load([annotations, config], task="rag")
    assert [w.code for w in data.warnings] == ["RAG-026"]


def test_a_decision_on_an_answer_may_stand_beside_any_of_its_chunks() -> None:
    head = "record_uuid,annotator_id,chunk_id,topically_relevant,helpful,helpful_adjudicated\n"
    for text in ("q1,a,c1,1,1,\nq1,a,c2,0,1,false\n", "q1,a,c1,1,1,false\nq1,a,c2,0,1,\n"):
        found = read(head + text).annotations
        assert found is not None
        assert found.responses["generation"].adjudicated["helpful"].tolist() == [NO]
    assert problems(head + "q1,a,c1,1,1,true\nq1,a,c2,0,1,false\n") == [
        "annotations.csv, row 2, column helpful: found another adjudication of record q1 than in row 1, "
        "expected one decision of the adjudicator a label. Correct one of the two rows."
    ]


def test_an_adjudicator_decides_only_where_the_user_says_so() -> None:
    text = "record_uuid,annotator_id,helpful\nq1,a,1\nq1,adjudicator,0\nq2,adjudicator,1\n"
    plain = read(text).annotations
    assert plain is not None
    assert len(plain.responses["generation"]) == 3
    assert not plain.responses["generation"].adjudicated
    data = read(text, adjudicator="adjudicator")
    assert data.annotations is not None
    decided = data.annotations.responses["generation"]
    assert decided.labels["helpful"].tolist() == [YES, UNSAID]
    assert decided.adjudicated["helpful"].tolist() == [NO, YES]
    assert data.sources[0].n_used == 2
    assert problems(text, adjudicator="boss") == [
        "found the adjudicator 'boss', whom no row names, expected one of a, adjudicator. Check the name."
    ]


def test_one_id_for_several_systems_is_one_record_a_system() -> None:
    data = read("query_id,system,chunk_id,rank,misleading\nq1,A,c1,1,0\nq1,B,c1,2,1\nq1,B,c2,1,0\n")
    assert data.annotations is not None
    assert data.annotations.record_ids.tolist() == ["q1::A", "q1::B"]


def test_lookalike_ids_stay_apart_and_are_named() -> None:
    data = read("record_uuid,annotator_id,helpful\n00017,a,1\n17,a,0\n")
    assert data.annotations is not None
    assert data.annotations.record_ids.tolist() == ["00017", "17"]
    assert [w.code for w in data.warnings] == ["QRY-007"]


@pytest.mark.parametrize("form", ["csv.gz", "parquet", "jsonl", "json", "semicolon", "tab"])
def test_every_format_gives_the_same_annotations(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "record_uuid": ["1", "1", "2"],
            "annotator_id": ["a", "b", "a"],
            "helpful": [True, False, True],
            "language": ["de", "de", "en"],
        }
    )
    path = tmp_path / f"generation.{'csv' if form in ('semicolon', 'tab') else form}"
    if form == "parquet":
        frame.to_parquet(path)
    elif form in ("json", "jsonl"):
        frame.to_json(path, orient="records", lines=form == "jsonl", indent=1 if form == "json" else None)
    else:
        frame.to_csv(path, index=False, sep={"semicolon": ";", "tab": "\t"}.get(form, ","))
    expected = read(frame.to_csv(index=False))
    assert outline(evalcore.load(path)) == outline(expected)


def test_predictions_are_no_responses() -> None:
    head = "record_uuid,chunk_id,topically_relevant,misleading\n"
    for name, rows, is_probability in (
        ("predictions.csv", "q1,c1,1,0\nq1,c2,true,\n", False),
        ("scores.csv", "q1,c1,0.25,0\nq1,c2,1,0.5\n", True),
    ):
        data = read(head + rows, name)
        assert data.annotations is not None
        assert not data.annotations.responses
        (found,) = data.annotations.predictions
        assert found.task == "retrieval"
        assert found.is_probability is is_probability
    assert found.labels["topically_relevant"].tolist() == [0.25, 1.0]
    with pytest.raises(InputError) as caught:
        read(head + "q1,c1,25,0\nq1,c1,0.5,0\n", "probabilities.csv")
    assert [str(p) for p in caught.value.problems] == [
        "probabilities.csv, row 1, column topically_relevant: found 25, expected a probability from 0 to 1. "
        "Divide percentages by 100, or correct the cell.",
        "probabilities.csv, row 2: found a response of the classifier to chunk c1 of record q1 again; it "
        "stands in row 1 already, expected one response of an annotator to a chunk or an answer. Remove "
        "one of the two rows, or name different annotators in annotator_id.",
    ]


def test_files_of_two_tasks_need_a_word() -> None:
    evidence = Upload("queries.csv", b"post_id,criterion_id,has_evidence,probability\np,A.1,1,0.5\n")
    rag = Upload("generation.csv", b"record_uuid,helpful\nq1,1\n")
    with pytest.raises(InputError) as caught:
        evalcore.load([evidence, rag])
    assert str(caught.value.problems[0]) == (
        "found files of two tasks: queries.csv and generation.csv, expected one task at a time. Say --task "
        "evidence or --task rag, or give the files of one task only."
    )
    assert evalcore.load(evidence).task == "evidence"


def test_a_table_of_nothing_known_is_refused_as_rag() -> None:
    with pytest.raises(InputError) as caught:
        read("x,y\n1,2\n", task="rag")
    (problem,) = caught.value.problems
    assert problem.code == "RAG-001"
    assert problem.found.endswith(": x, y")


def test_rows_in_are_rows_used_and_excluded() -> None:
    text = RETRIEVAL + "q1,a,c1,1,2,1\nq1,a,c1,2,2,1\n\n,a,c9,1,1,1\nq2,b,c1,1,1,0\n"
    data = read(text, keep_first=True)
    for source in data.sources:
        assert source.n_rows == source.n_used + sum(source.excluded.values()) == 5
    assert data.annotations is not None
    assert len(data.annotations.responses["retrieval"]) == data.sources[0].n_used == 2


def test_too_many_rows_are_refused() -> None:
    assert problems("record_uuid,helpful\nq1,1\nq2,1\nq3,0\n", max_rows=2) == [
        "annotations.csv: found 3 rows, expected at most 2. Raise EVALCORE_MAX_ROWS or send a part."
    ]


def test_inspection_shows_roles_rows_and_no_text() -> None:
    text = "record_uuid,annotator_id,answer,helpful\nq1,a,My secret,1\n"
    seen = inspect(Upload("generation.csv", text.encode()))
    (table,) = seen.tables
    assert table.kind == "annotations"
    assert table.mapping["helpful"] == ("helpful",)
    assert table.source is not None
    assert table.source.n_used == 1
    assert table.preview == (("q1", "a", "…", "1"),)
    tool = inspect(Upload("r.csv", b"user_input,response,faithfulness\nA question?,An answer.,1\n")).tables[0]
    assert tool.kind == "RAGAS"
    assert tool.source is not None
    assert tool.source.n_used == 1
    assert tool.preview == (("…", "…", "1"),)


def test_arrays_cannot_be_written() -> None:
    data = read("record_uuid,helpful\nq1,1\n")
    assert data.annotations is not None
    with pytest.raises(ValueError, match="read-only"):
        data.annotations.responses["generation"].labels["helpful"][0] = NO


def test_many_rows_are_read_in_reasonable_time() -> None:
    n = 20_000
    frame = pd.DataFrame(
        {
            "record_uuid": np.repeat(np.arange(n // 10), 10).astype(str),
            "annotator_id": np.tile(["a", "b"], n // 2),
            "chunk_id": np.tile(np.repeat(np.arange(5), 2), n // 10).astype(str),
            "chunk_rank": np.tile(np.repeat(np.arange(1, 6), 2), n // 10),
            "misleading": np.tile([0, 1], n // 2),
        }
    )
    data = read(frame.to_csv(index=False))
    assert data.annotations is not None
    assert len(data.annotations.responses["retrieval"]) == n


def test_an_unreadable_json_file_of_a_folder_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "generation.csv").write_text("record_uuid,helpful\nq1,1\n")
    (tmp_path / "other.json").write_text(json.dumps({"a": {"b": 1}}, indent=1))
    data = evalcore.load(tmp_path)
    assert [str(w) for w in data.warnings] == [
        "other.json: found no table that can be read: its columns fit no annotation and no known tool. "
        "The file of this folder was left out."
    ]
