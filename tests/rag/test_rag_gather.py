"""Annotations in parts: cut by record, gathered, merged in any order and evaluated as the whole is."""

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.annotations import PredictedLabels
from evalcore.evaluation.gathering import annotations as gathering
from evalcore.evaluation.gathering.annotations import GatheredAnnotations
from evalcore.problems import InputError
from tests.support.made.annotations import chunk, rag_data, responses_of, scores_of

OPTIONS = {"bootstrap": 100, "by": ("language", "annotator")}


def said_of(n=70, seed=5):
    """Rows of lists and answers by record: ties, adjudicated values, gaps, shared chunks, labels left out."""
    rng = np.random.default_rng(seed)
    found = {}
    for at in rng.permutation(n).tolist():
        of = {"record": f"q{at}", "domain": f"d{at % 7}"} | (
            {} if at % 5 == 0 else {"language": f"l{at % 3}"}
        )
        n_listed = int(rng.integers(0, 5))
        lists = [] if n_listed else [{"chunk": None, "n_retrieved": 0, **of}]
        chunks = rng.permutation(30)[:n_listed].tolist()
        for rank, which in enumerate(chunks, 1):
            for who in rng.permutation(["x", "y", "z"])[: int(rng.integers(1, 4))].tolist():
                labels = [None if rng.random() < 0.05 else int(rng.random() < 0.5) for _ in range(3)]
                decided = {"adjudicated": {"topically_relevant": 1}} if rng.random() < 0.1 else {}
                row = chunk(of["record"], rank, *labels, n=n_listed, annotator=who, chunk=f"c{which}")
                lists.append(row | of | decided)
        answers = [
            {"annotator": who, "helpful": int(rng.random() < 0.6), "submitted": rng.random() < 0.9, **of}
            | ({"incomplete": int(rng.random() < 0.3)} if at % 4 else {})
            for who in ("z", "x")
        ]
        found[of["record"]] = lists, answers
    return found


def part_of(said, records):
    """Data that hold these records alone, with codes and levels of their own."""
    rows = [[row for record in records for row in said[record][at]] for at in (0, 1)]
    ids, scores = scores_of([("s", record, int(record[1:]) / 100) for record in records])
    assert ids.tolist() == list(records)
    tasks = ("retrieval", "generation")
    parts = [responses_of(task, of_task, ids) for task, of_task in zip(tasks, rows, strict=True)]
    data = rag_data(*parts, record_ids=ids, scores=[scores])
    told = PredictedLabels(
        task="generation",
        record=np.arange(len(ids)),
        chunk=np.full(len(ids), -1),
        chunk_ids=np.array([], object),
        labels={"helpful": np.array([int(record[1:]) % 100 / 100 for record in records])},
        is_probability=True,
        file="predicted.csv",
    )
    return data.with_tables(annotations=replace(data.annotations, predictions=(told,)))


def cut(said, n_parts, seed):
    """The same in parts of whole records, in any order."""
    records = np.random.default_rng(seed).permutation(list(said))
    parts = [part_of(said, of_part.tolist()) for of_part in np.array_split(records, n_parts)]
    return [parts[at] for at in np.random.default_rng(seed + 1).permutation(n_parts)]


def written(data, **options):
    """Everything that an evaluation finds, as bytes."""
    report = evaluate(data, **OPTIONS | options)
    beside = report.rag
    tables = (report.table, beside.coverage, beside.agreement, beside.scores, beside.predicted)
    return [table.to_csv(index=False).encode() for table in tables]


@pytest.fixture(scope="module")
def said():
    return said_of()


@pytest.fixture(scope="module")
def whole(said):
    return {cluster: written(part_of(said, list(said)), cluster=cluster) for cluster in (None, "domain")}


@pytest.mark.parametrize(("n_parts", "seed"), [(1, 1), (2, 2), (64, 3)])
@pytest.mark.parametrize("cluster", [None, "domain"])
def test_any_cut_gives_the_same_bytes(said, whole, n_parts, seed, cluster):
    parts = cut(said, n_parts, seed)
    assert written(parts, cluster=cluster) == whole[cluster]


def test_parts_merge_in_any_grouping(said, whole):
    parts = [GatheredAnnotations((part.annotations,)) for part in cut(said, 4, 7)]
    pairs = [parts[3].merge(parts[0]), parts[1].merge(parts[2])]
    data = part_of(said, list(said))
    for merged in (pairs[0].merge(pairs[1]), reduce(GatheredAnnotations.merge, parts)):
        found = merged.finish()
        assert found.record_ids.tolist() == sorted(said)
        assert written(data.with_tables(annotations=found)) == whole[None]


def test_codes_taken_as_they_stand_in_a_part_would_be_seen(said, whole, monkeypatch):
    monkeypatch.setattr(gathering, "_renamed", lambda codes, _: codes)
    assert written(cut(said, 2, 2))[0] != whole[None][0]


def test_labels_that_a_part_lacks_are_not_said_in_it():
    first = rag_data(responses_of("generation", [{"record": "a", "helpful": 1}]), record_ids=["a"])
    second = rag_data(responses_of("generation", [{"record": "b", "incomplete": 1}]), record_ids=["b"])
    (found,) = evaluate([first, second]).gathered.said.responses.values()
    assert {name: labels.tolist() for name, labels in found.labels.items()} == {
        "helpful": [1, -1],
        "incomplete": [-1, 1],
    }


def test_a_record_in_two_parts_is_named():
    parts = [
        rag_data(responses_of("generation", [{"record": "a", "helpful": answer}]), record_ids=["a"])
        for answer in (1, 0)
    ]
    with pytest.raises(InputError, match="RAG-245") as caught:
        evaluate(parts)
    assert "found responses to record a of the task generation in two parts of the input" in str(caught.value)


def test_tasks_of_a_record_may_stand_in_parts_of_their_own():
    first = rag_data(responses_of("generation", [{"record": "a", "helpful": 1}]), record_ids=["a"])
    second = rag_data(responses_of("grounding", [{"record": "a", "source_cited": 1}]), record_ids=["a"])
    assert list(evaluate([first, second]).gathered.said.responses) == ["grounding", "generation"]
