"""The sample's annotation export: the committed files are the generator's output, and show every case."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore.annotations import UNSAID
from evalcore.sample import write_sample

COMMITTED = Path(__file__).parents[3] / "sample_data" / "rag"
NAMES = ["retrieval.csv", "grounding.csv", "generation.csv", "predictions.csv", "annotation_export.meta.json"]


@pytest.fixture(scope="module")
def found():
    return evalcore.load(COMMITTED).annotations


def test_the_committed_export_is_the_generators_output_byte_for_byte(tmp_path):
    written = write_sample(tmp_path, n_posts=1)[3:8]
    assert [path.name for path in written] == NAMES
    for path in written:
        assert path.read_bytes() == (COMMITTED / path.name).read_bytes()


def test_the_committed_export_is_small():
    assert sum(path.stat().st_size for path in COMMITTED.iterdir()) < 300_000


def test_sample_writes_the_export_beside_the_other_files(tmp_path):
    written = write_sample(tmp_path, n_posts=1)
    assert [str(path.relative_to(tmp_path)) for path in written[3:8]] == [f"rag/{name}" for name in NAMES]


def test_another_seed_gives_other_labels(tmp_path):
    write_sample(tmp_path, n_posts=1, seed=1)
    assert (tmp_path / "rag" / "retrieval.csv").read_bytes() != (COMMITTED / "retrieval.csv").read_bytes()


def test_the_sample_is_read_and_warns_of_nothing_but_rules_that_its_annotators_break():
    data = evalcore.load(COMMITTED)
    assert data.task == "rag"
    assert {problem.code for problem in data.warnings} == {"RAG-040", "RAG-041"}
    assert all(s.n_rows == s.n_used + sum(s.excluded.values()) for s in data.sources)


def test_the_sample_has_every_case_that_an_evaluation_meets(found):
    retrieval = found.responses["retrieval"]
    assert len(found.record_ids) == 60
    assert retrieval.annotator_ids.tolist() == ["ann_a", "ann_b", "ann_c"]
    assert retrieval.slices["system"][1] == ("dense", "hybrid")
    assert len(retrieval.slices["language"][1]) == 3
    assert (retrieval.n_retrieved == 0).any()
    assert ((retrieval.rank == 0) & (retrieval.chunk >= 0)).any()
    assert not retrieval.is_submitted.all()
    assert (retrieval.adjudicated["topically_relevant"] != UNSAID).any()
    assert len(found.predictions) == 1
    assert not found.predictions[0].is_probability


def test_the_sample_has_ties_and_incomplete_panels(found):
    retrieval = found.responses["retrieval"]
    said = retrieval.labels["topically_relevant"]
    unit = retrieval.record * (len(retrieval.chunk_ids) + 1) + retrieval.chunk
    sums = {u: sorted(said[(unit == u) & (said != UNSAID)].tolist()) for u in np.unique(unit)}
    assert sum(values == [0, 1] for values in sums.values()) >= 5
    judged = {(r, k) for r, k in zip(retrieval.record, retrieval.rank, strict=True) if k}
    n_retrieved = dict(zip(retrieval.record, retrieval.n_retrieved, strict=True))
    incomplete = [r for r, n in n_retrieved.items() if any((r, k) not in judged for k in range(1, n + 1))]
    assert len(incomplete) >= 2


def test_every_question_was_answered_by_both_systems(found):
    for responses in found.responses.values():
        codes, questions = responses.slices["question_id"]
        of_system = responses.slices["system"][0]
        pairs = set(zip(codes.tolist(), of_system.tolist(), strict=True))
        assert pairs == {(question, system) for question in range(30) for system in range(2)}
        assert len(questions) == 30
