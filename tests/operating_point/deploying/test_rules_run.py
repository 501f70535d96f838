"""A document's rule run in other languages: it decides as the document does, or its self-test tells."""

import sqlite3
import sys
from contextlib import closing

import duckdb
import pytest

from evalcore.operating_point.deploying import rule_file
from tests.operating_point.deploying.running import RUNS, disagreements, node, points, scores_for, self_test
from tests.support.but_long import but_long

POINTS = points()


@pytest.mark.parametrize("n_scores", but_long([50_000, 1_000_000], 1))
@pytest.mark.parametrize("name", [*RUNS])
def test_many_scores_are_decided_as_the_document_does(name, n_scores, tmp_path):
    point = POINTS["all digits"]
    scores = scores_for(point, n_scores)
    assert len(scores) >= n_scores
    assert {*scores.states_by(point)[0]} == {"NEG", "UNCERTAIN", "POS", "ERROR"}
    assert disagreements(point, scores, RUNS[name](point, scores, tmp_path)) == []


@pytest.mark.parametrize("kind", [*POINTS])
@pytest.mark.parametrize("name", [*RUNS])
def test_every_kind_of_document_is_decided_alike(name, kind, tmp_path):
    scores = scores_for(POINTS[kind], 4000)
    assert disagreements(POINTS[kind], scores, RUNS[name](POINTS[kind], scores, tmp_path)) == []


def sql_self_test(text):
    (of_duckdb,) = duckdb.connect().execute(text).fetchone()
    with closing(sqlite3.connect(":memory:")) as connection:
        (of_sqlite,) = connection.execute(text.rstrip(";\n")).fetchone()
    return of_duckdb, of_sqlite


@pytest.mark.parametrize("kind", [*POINTS])
def test_the_self_test_of_every_kind_of_document_passes(kind, tmp_path):
    for language, command in (("python", [sys.executable]), ("javascript", [node()])):
        status, told = self_test(language, rule_file(POINTS[kind], language), tmp_path, command)
        assert (status, told[:16]) == (0, "self-test passed"), told
    for told in sql_self_test(rule_file(POINTS[kind], "sql")):
        assert told.startswith("self-test passed"), told


FAULTS = [(">=", ">"), ("p < 0.35", "p <= 0.35"), ("POS", "NEG")]
IN_SQL = [(">= CAST(8 ", "> CAST(8 "), ("< CAST(35 ", "<= CAST(35 "), ("THEN 'POS'", "THEN 'NEG'")]


@pytest.mark.parametrize(("right", "wrong"), FAULTS)
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_the_self_test_notices_a_fault(language, right, wrong, tmp_path):
    text = rule_file(POINTS["few digits"], language)
    head, start, tail = text.partition("number_of(score)\n" if language == "python" else "numberOf(score);\n")
    assert right in tail.partition("UNCERTAIN")[0]
    command = [sys.executable] if language == "python" else [node()]
    status, told = self_test(language, head + start + tail.replace(right, wrong, 1), tmp_path, command)
    assert status == 1
    assert "self-test FAILED" in told
    assert "wrong: " in told


@pytest.mark.parametrize(("right", "wrong"), IN_SQL)
def test_the_self_test_in_sql_notices_a_fault(right, wrong):
    text = rule_file(POINTS["few digits"], "sql")
    assert text.count(right) >= 2
    for told in sql_self_test(text.replace(right, wrong)):
        assert told.startswith("self-test FAILED")
        assert "the first wrong one" in told
