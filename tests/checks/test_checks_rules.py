"""Labels that break a rule of document 003 are found by `check`, and counted in every report."""

import re

import evalcore
from evalcore import load
from evalcore.__main__ import main
from evalcore.agreement import violations
from evalcore.report import report_files
from evalcore.tasks import performed
from tests.conftest import ROOT
from tests.support.reading import upload

FABRICATED = """record_uuid,annotator_id,response_status,source_cited,fabricated_source
q1,ann_a,submitted,0,1
q2,ann_a,submitted,1,1
q3,ann_b,submitted,,1
q4,ann_b,discarded,0,1
q5,ann_b,submitted,0,0
"""
COUNTED = (
    "grounding.csv: found 1 of 3 responses of grounding that break the rule fabricated_source implies "
    "source_cited (impossible otherwise). Every label is counted as it stands; ask who gave them."
)


def test_a_fabricated_source_without_a_citation_is_counted_and_named():
    data = load(upload(FABRICATED, "grounding.csv"))
    (rule,) = (one for one in performed(data) if one.name.startswith("Rule"))
    assert rule.what == "Where fabricated_source is yes, source_cited is yes."
    assert rule.n_rows_checked == 3
    assert [str(one) for one in rule.problems] == [
        COUNTED,
        "grounding.csv, row 1: found labels of one response that contradict each other: fabricated_source "
        "yes and source_cited no in record q1 by ann_a, expected source_cited yes where fabricated_source is "
        "yes. The labels are counted as they stand.",
    ]
    assert set(rule.problems) <= set(data.warnings)


def test_what_is_unlikely_is_not_called_impossible():
    text = (
        "record_uuid,chunk_id,chunk_rank,evidence_sufficient,misleading,topically_relevant\nq1,c1,1,1,1,1\n"
    )
    relevant, misleading = (
        one for one in performed(load(upload(text, "retrieval.csv"))) if one.name.startswith("Rule")
    )
    assert relevant.passed
    assert misleading.what.endswith("misleading is no (unlikely otherwise, not impossible).")
    assert "evidence_sufficient excludes misleading (unlikely otherwise)" in str(misleading.problems[0])


def test_a_label_that_is_not_there_breaks_no_rule():
    data = load(upload("record_uuid,annotator_id,fabricated_source\nq1,a,1\n", "grounding.csv"))
    assert not any(one.name.startswith("Rule") for one in performed(data))


def test_the_command_line_and_every_report_say_it(tmp_path, capsys):
    path = tmp_path / "grounding.csv"
    path.write_text(FABRICATED, encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert COUNTED in capsys.readouterr().err
    files = report_files(evalcore.evaluate(evalcore.load(path)))
    for name in ("report.md", "report.html", "metrics.json"):
        assert b"break the rule fabricated_source implies source_cited" in files[name], name


def test_the_counts_are_those_of_the_page():
    data = evalcore.load(ROOT / "sample_data" / "rag")
    of_page = {
        rule: n
        for responses in data.annotations.responses.values()
        for rule, n in violations(responses, data.annotations.record_ids)["rule"].value_counts().items()
    }
    told = [str(one) for one in data.warnings if one.code == "RAG-040"]
    pattern = r"found (\d+) of \d+ responses of \w+ that break the rule (.+?) \("
    counted = {found[2]: int(found[1]) for one in told if (found := re.search(pattern, one))}
    assert counted == of_page


def test_what_failed_is_counted_by_responses_and_not_by_messages(capsys):
    """51 of 487 responses break the rule; the first 20 of them are named."""
    assert main(["check", str(ROOT / "sample_data" / "rag")]) == 1
    told = capsys.readouterr()
    assert "evidence_sufficient implies topically_relevant: 487 checked, 51 found" in told.out
    assert "found 51 of 487 responses" in told.err
