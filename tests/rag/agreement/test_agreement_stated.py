"""What sidecars state of annotations beside what the responses give, and what of it is a finding."""

import json
import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.agreement import StatedFact, alphas, kappas, stated_facts
from evalcore.annotations import Annotations, Responses
from evalcore.tasks import performed
from tests.pages.views.test_pages_rag import opened, said
from tests.support.inputs import ANNOTATION_EXPORT
from tests.support.made.annotated import Row, responses

ROWS: list[Row] = [
    ("q1", "", "ann_a", {"source_cited": 1, "helpful": 1}),
    ("q1", "", "ann_b", {"source_cited": 0, "helpful": 1}),
    ("q2", "", "ann_a", {"source_cited": 1, "helpful": 1}),
    ("q2", "", "ann_b", {"source_cited": 1, "helpful": 1}),
    ("q3", "", "ann_a", {"source_cited": 0, "helpful": 1}),
    ("q3", "", "ann_b", None),
]


def annotations(given: tuple[Responses, np.ndarray], **stated: Any) -> Annotations:
    """Annotations with what sidecars state."""
    return Annotations(given[1], {given[0].task: given[0]}, stated=stated)


def report(labels: list[Mapping[str, Any]], pairs: list[Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """An agreement report of one task."""
    return {"tasks": [{"task": "grounding", "labels": labels, "pairwise_kappa": pairs or []}]}


def told(facts: tuple[StatedFact, ...]) -> list[tuple[str, str, str, bool | None]]:
    return [(one.what, one.stated, one.ours, one.is_same) for one in facts]


def test_every_number_of_a_label_is_compared() -> None:
    given = responses(ROWS)
    label = {"label": "source_cited", "alpha": 0.5, "ci_lower": 0.1, "n_items": 3, "n_annotators": 2}
    found = stated_facts(annotations(given, agreement=report([label | {"pct_agreement": 0.5}])))
    ours = alphas(*given, n_replicates=0)[0].value
    assert told(found) == [
        ("alpha of source_cited", "0.5", f"{ours:.4g}", False),
        ("pairs that agree on source_cited", "0.5", "0.5", True),
        ("units of source_cited judged twice", "3", "2", False),
        ("annotators of source_cited", "2", "2", True),
    ]


def test_a_label_that_never_varies_has_no_alpha_whatever_is_stated() -> None:
    facts = stated_facts(annotations(responses(ROWS), agreement=report([{"label": "helpful", "alpha": 1.0}])))
    assert told(facts) == [("alpha of helpful", "1", "undefined (label never varies)", False)]
    facts = stated_facts(
        annotations(responses(ROWS), agreement=report([{"label": "helpful", "alpha": None}]))
    )
    assert told(facts) == [("alpha of helpful", "undefined", "undefined (label never varies)", True)]


@pytest.mark.parametrize("beyond", [math.inf, -math.inf, 10**400])
def test_a_stated_number_beyond_all_numbers_is_undefined(beyond: float) -> None:
    label = {"label": "source_cited", "alpha": beyond, "n_items": beyond}
    found = stated_facts(annotations(responses(ROWS), agreement=report([label])))
    assert [(one.stated, one.is_same) for one in found] == [("undefined", False)] * 2


def test_rounded_numbers_are_the_same_and_a_larger_distance_is_not() -> None:
    for stated, is_same in ((0.8333, True), (0.833, True), (0.83, False)):
        rows: list[Row] = [
            (f"q{i}", "", name, {"helpful": int(i == 0 and name == "a")}) for i in range(4) for name in "abc"
        ]
        label = {"label": "helpful", "pct_agreement": stated}
        (fact,) = stated_facts(annotations(responses(rows), agreement=report([label])))
        assert fact.is_same is is_same


def test_kappa_of_a_named_label_is_compared_and_one_of_no_label_by_its_shared_units() -> None:
    given = responses(ROWS)
    (own,) = (one for one in kappas(given[0]) if one.label == "source_cited")
    pair = {"annotator_a": "ann_b", "annotator_b": "ann_a", "kappa": own.value, "n_shared_items": 2}
    labelled, unlabelled = pair | {"label": "source_cited"}, pair | {"kappa": 0.9, "n_shared_items": 3}
    facts = stated_facts(annotations(given, agreement=report([], [labelled, unlabelled])))
    assert told(facts) == [
        ("kappa of ann_a and ann_b on source_cited", "0", "0", True),
        ("units that ann_a and ann_b share", "2", "2", True),
        ("kappa of ann_a and ann_b", "0.9", "0 to 0 by label", None),
        ("units that ann_a and ann_b share", "3", "2", False),
    ]
    assert facts[2].note == "the report does not say of which label"


def test_what_was_not_loaded_is_not_compared() -> None:
    stranger = {"annotator_a": "x", "annotator_b": "y", "kappa": 0.1}
    stated = report([{"label": "fabricated_source", "alpha": 0.1}], [stranger])
    stated["tasks"].append({"task": "generation", "labels": [{"label": "helpful", "alpha": 1}]})
    facts = stated_facts(annotations(responses(ROWS), agreement=stated))
    assert [one.is_same for one in facts] == [None, None, None]
    assert [one.note for one in facts] == [
        "no responses to this label were loaded",
        "no responses of these two were loaded",
        "no responses to this label were loaded",
    ]


def test_reports_of_another_shape_state_nothing() -> None:
    for stated in ({"agreement": {"tasks": "none"}}, {"agreement": [1]}, {"other": report([])}, {}):
        assert stated_facts(annotations(responses(ROWS), **stated)) == ()


def test_counts_of_the_export_are_compared() -> None:
    label = {"misleading": 0}
    rows: list[Row] = [("q1", "c1", "a", label), ("q1", "c2", "a", label), ("q2", "c3", "a", None)]
    given = responses(rows, task="retrieval", rank=[1, 2, 1], n_retrieved=[2, 2, 1])
    export = {
        "include_discarded": False,
        "constraint_summary": {"evidence_requires_relevance": 1, "unheard_of": 2},
        "completeness_summary": {
            "n_panels": 2,
            "n_complete": 2,
            "fraction_complete": 0.5,
            "by_k": {"2": {"n_panels": 1, "n_complete": 1}, "1": {"n_panels": 1, "n_complete": 1}},
            "by_k_bucket": {"k_lt_5": {"n_panels": 2}},
            "n_orphans_skipped": 4,
        },
    }
    assert told(stated_facts(annotations(given, export=export))) == [
        ("discarded responses", "0", "1", False),
        ("responses that break: evidence_sufficient implies topically_relevant", "1", "0", False),
        ("broken rule unheard_of", "2", "none", None),
        ("retrieved lists", "2", "2", True),
        ("wholly annotated lists", "2", "1", False),
        ("share of wholly annotated lists", "0.5", "0.5", True),
        ("retrieved lists of fewer than 5 chunks", "2", "2", True),
        ("retrieved lists of 2 chunks", "1", "1", True),
        ("wholly annotated lists of 2 chunks", "1", "1", True),
        ("retrieved lists of 1 chunks", "1", "1", True),
        ("wholly annotated lists of 1 chunks", "1", "0", False),
        ("n_orphans_skipped", "4", "none", None),
    ]


def test_broken_rules_are_counted_rule_by_rule() -> None:
    rows: list[Row] = [
        ("q1", "c1", "a", {"topically_relevant": 0, "evidence_sufficient": 1, "misleading": 1}),
        ("q1", "c2", "a", {"topically_relevant": 1, "evidence_sufficient": 1, "misleading": 1}),
        ("q1", "c3", "a", {"topically_relevant": 1, "evidence_sufficient": 1, "misleading": 0}),
    ]
    given = responses(rows, task="retrieval", rank=[1, 2, 3], n_retrieved=[3, 3, 3])
    export = {"constraint_summary": {"evidence_requires_relevance": 1}}
    assert told(stated_facts(annotations(given, export=export))) == [
        ("responses that break: evidence_sufficient implies topically_relevant", "1", "1", True)
    ]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """The demo export with its sidecars."""
    folder = tmp_path / "export"
    folder.mkdir()
    for name in ("retrieval.csv", "grounding.csv", "generation.csv", "annotation_export.meta.json"):
        shutil.copy(ANNOTATION_EXPORT / name, folder)
    shutil.copy(ANNOTATION_EXPORT / "iaa_report.json", folder)
    return folder


def test_counts_of_the_demo_hold_and_its_agreement_does_not(export: Path) -> None:
    data = evalcore.load(export)
    by_name = {one.name: one for one in performed(data)}
    assert by_name["Counts of the export"].passed
    assert by_name["Counts of the export"].n_rows_checked == 22
    agreement = by_name["Stated agreement"]
    assert agreement.n_rows_checked == 9
    assert str(agreement.problems[0]) == (
        "found alpha of support_present: undefined (label never varies) in grounding, expected 1 as "
        "iaa_report.json states. The rows are what counts; export again if some are missing."
    )
    assert set(agreement.problems) <= set(data.warnings)
    assert len(agreement.problems) == 4


def test_a_count_that_does_not_hold_is_a_finding_of_check(
    export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (export / "iaa_report.json").unlink()
    main(["check", str(export)])
    assert "Counts of the export: 22 checked, passed" in capsys.readouterr().out
    path = export / "annotation_export.meta.json"
    stated = json.loads(path.read_text())
    stated["completeness_summary"]["n_complete"] = 4
    path.write_text(json.dumps(stated))
    assert main(["check", str(export)]) == 1
    printed = capsys.readouterr()
    assert "Counts of the export: 22 checked, 1 found" in printed.out
    assert "found wholly annotated lists: 3 in retrieval, expected 4" in printed.err


def test_the_page_shows_what_differs_first(export: Path) -> None:
    files = [(path.name, path.read_text()) for path in sorted(export.iterdir())]
    app = opened("annotators", *files)
    assert "What the export states (4 of 34 differ)" in [one.label for one in app.expander]
    text = said(app)
    first, last = text.index("<td>differs</td>"), text.rindex("<td>differs</td>")
    assert first < last < text.index("<td>the same</td>")
    assert "not compared: the report does not say of which label" in text
