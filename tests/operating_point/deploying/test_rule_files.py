"""A document's rule as a file: which document it is of, what it refuses, and that no name in it acts."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.__main__ import main
from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.deploying import LANGUAGES, literals, rule_file, rule_name
from evalcore.operating_point.deploying.limits import limits_of
from evalcore.operating_point.document.rule import Rule
from evalcore.problems import InputError
from tests.operating_point.deploying.running import points
from tests.operating_point.test_apply import point_at

DOCUMENTS = sorted(Path(__file__).parents[2].glob("documents_1_*/*.json"))
A_DOCUMENT = next(path for path in DOCUMENTS if path.parent.name == "documents_1_2" and "hand" in path.name)


@pytest.mark.parametrize("language", [*LANGUAGES])
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_says_which_document_it_is_of(path, language):
    point = OperatingPoint.load(path)
    text = rule_file(point, language)
    header = [line for line in text.splitlines()[:12] if line.startswith(LANGUAGES[language].comment)]
    told = "\n".join(header)
    assert point.document["content_sha256"] in told
    assert f"tau_neg: {point.tau_neg}," in told
    assert f"tau_pos: {point.tau_pos}," in told
    assert f"status {point.status}, schema {point.document['schema_version']}" in told


def test_documents_of_every_schema_are_among_them():
    assert {path.parent.name for path in DOCUMENTS} >= {"documents_1_0", "documents_1_1", "documents_1_2"}


@pytest.mark.parametrize("language", [*LANGUAGES])
def test_a_changed_or_withdrawn_document_gets_no_file(language):
    point = OperatingPoint.load(A_DOCUMENT)
    moved = json.loads(json.dumps(point.document))
    moved["rule"]["tau_neg"] = {"value": 0.5, "hex": (0.5).hex()}
    with pytest.raises(InputError, match="DOC-003"):
        rule_file(OperatingPoint(moved), language)
    with pytest.raises(InputError, match="DOC-009"):
        rule_file(point_at(0.2, 0.8, status="withdrawn"), language)


def test_another_language_is_refused_by_name():
    with pytest.raises(InputError, match=r"the language cobol.*sql, javascript, r, python, java.*RUL-001"):
        rule_file(OperatingPoint.load(A_DOCUMENT), "cobol")


HOSTILE = "p\n*/ evil(); /* \\u002a/ \u2028 evil() -- \r evil() \x85 \u202e τ"


@pytest.mark.parametrize("language", [*LANGUAGES])
def test_a_name_in_the_document_stays_in_its_comment(language):
    text = rule_file(point_at(0.2, 0.8, input={"score_field": HOSTILE}), language)
    (line,) = [line for line in text.splitlines() if "evil" in line]
    assert line.startswith(LANGUAGES[language].comment + " Score: p")
    assert line.isascii()
    assert "\\" not in line
    assert "*/" not in line


def test_a_file_is_called_by_the_id_of_its_document():
    point = OperatingPoint.load(A_DOCUMENT)
    assert rule_name(point, "r") == f"rule_{point.document['id']}.R"


def test_the_score_of_the_predicted_class_and_the_highest_of_candidates_are_told():
    told = rule_file(point_at(0.2, 0.8, input={"score_of": "predicted", "aggregate": "maximum"}), "python")
    assert "positive, else 1 - score" in told
    assert "def positive_score(score, is_positive):" in told
    assert "the highest of its candidates" in told


# --- numbers ----------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_each_language_reads_the_same_number(value):
    assert float(literals.shortest(value)) == value
    assert float.fromhex(literals.hexadecimal(value)) == value
    assert evaluated(literals.sql(value)) == value


def evaluated(expression):
    """An SQL expression of whole numbers, each within what every dialect takes for one, by float64 steps."""
    first, *others = expression.removeprefix("CAST(").split(" AS DOUBLE PRECISION)")
    number, steps = float(int(first)), "".join(others).split()
    assert abs(int(first)) <= 2**53
    for sign, step in zip(steps[::2], steps[1::2], strict=True):
        assert int(step) < 2**63
        number = number / float(int(step)) if sign == "/" else number * float(int(step))
    return number


@given(
    st.floats(width=64, allow_nan=False, allow_infinity=False),
    st.floats(-3e38, 3e38),
)
def test_a_rule_on_float32_is_the_same_comparison_of_float64(score, tau):
    rule = Rule(tau, tau, dtype="float32")
    limits = limits_of(rule)
    for near in (score, tau, limits.neg, math.nextafter(limits.neg, -math.inf)):
        state = str(rule.states(near))
        assert (state == "ERROR") == (not limits.low <= near <= limits.high)
        if state != "ERROR":
            assert (state == "NEG") == (near < limits.neg)


def test_the_ends_of_a_float32_range_round_as_its_scores_do():
    rule = Rule(0.1, 0.7, 0, 1, dtype="float32")
    limits = limits_of(rule)
    assert np.float32(limits.high) == 1
    assert str(rule.states(limits.high)) == "POS"
    assert str(rule.states(math.nextafter(limits.high, 2))) == "ERROR"
    assert str(rule.states(limits.low)) == "NEG"
    assert str(rule.states(math.nextafter(limits.low, -1))) == "ERROR"


# --- the command ------------------------------------------------------------------------------------------


def test_the_command_prints_or_writes_the_same_file(tmp_path, capsys):
    assert main(["rule", str(A_DOCUMENT), "--to", "javascript"]) == 0
    printed = capsys.readouterr().out
    out = tmp_path / "rule.js"
    for _ in range(2):  # its own file is replaced unasked
        assert main(["rule", str(A_DOCUMENT), "--to", "javascript", "--out", str(out)]) == 0
    assert out.read_text() == printed == rule_file(OperatingPoint.load(A_DOCUMENT), "javascript")
    assert "found a document of schema 1.2" not in capsys.readouterr().out


def test_the_command_refuses_a_changed_document_and_writes_nothing(tmp_path, capsys):
    changed = tmp_path / "point.json"
    changed.write_text(A_DOCUMENT.read_text().replace('"rationale"', '"rationale" ').replace("0.3", "0.4"))
    out = tmp_path / "rule.sql"
    assert main(["rule", str(changed), "--to", "sql", "--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert "DOC-0" in told
    assert "Traceback" not in told
    assert not out.exists()


def test_the_command_does_not_write_over_its_document(tmp_path):
    document = tmp_path / "point.json"
    shutil.copy(A_DOCUMENT, document)
    assert main(["rule", str(document), "--to", "sql", "--out", str(document)]) == 2
    assert document.read_bytes() == A_DOCUMENT.read_bytes()


def test_the_languages_of_the_command_are_those_of_the_library(capsys):
    with pytest.raises(SystemExit):
        main(["rule", str(A_DOCUMENT), "--to", "cobol"])
    told = capsys.readouterr().err
    assert all(language in told for language in LANGUAGES)


def test_every_kind_of_document_is_written_in_every_language():
    for point in points().values():
        for language in LANGUAGES:
            text = rule_file(point, language)
            assert text.isascii()
            assert len(text) > 2000
