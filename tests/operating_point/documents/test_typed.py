"""Who chose, why and for which setting: what a document says of it, and what it refuses."""

import json

import pytest

from evalcore.__main__ import main
from evalcore.operating_point import OperatingPoint, point_from_thresholds
from evalcore.operating_point.document.canonical import content_sha256
from evalcore.operating_point.document.integrity import contradictions
from evalcore.problems import InputError
from tests.support.made.scored_data import data_of, scored

DATA = data_of(scored([0.4, 0.9], [0.1, 0.2]))
WHO = {"author": "Dr. A", "rationale": "Few readers.", "setting": "Intake of one clinic"}


def point(**said):
    return point_from_thresholds(DATA, 0.3, 0.8, **said)


def not_stated(document):
    return [line for line in document["limits"] if line.startswith("Not stated")]


def test_what_nobody_said_is_said():
    assert not_stated(point().document) == ["Not stated: who chose, why so, for which setting."]
    assert not_stated(point(author="Dr. A", setting=" \n").document) == [
        "Not stated: why so, for which setting."
    ]
    assert not_stated(point(**WHO).document) == []


def test_a_blank_is_nothing_said():
    document = point(author="  ", rationale=" Few readers. ").document
    assert (document["provenance"]["author"], document["provenance"]["rationale"]) == (None, "Few readers.")
    assert document["provenance"]["typed"] == ["rationale"]


@pytest.mark.parametrize(
    ("name", "most"), [("author", 200), ("rationale", 1000), ("setting", 500), ("title", 200)]
)
def test_a_text_beyond_its_length_is_refused(name, most):
    assert point(**{name: "x" * most}).document["provenance"]["typed"] == [name]
    with pytest.raises(
        InputError, match=f"found {name} = {most + 1:,} characters, expected at most {most:,}"
    ):
        point(**{name: "x" * (most + 1)})


def test_what_is_no_text_is_refused():
    with pytest.raises(InputError, match="Unicode text"):
        point(author=7)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["provenance"].update(author="Dr. B", typed=["author"]),
        lambda document: document["limits"].remove(not_stated(document)[0]),
        lambda document: document["limits"].append("Not stated: why so."),
    ],
)
def test_a_document_that_says_otherwise_contradicts_itself(change):
    document = json.loads(point().text)
    change(document)
    assert [one.code for one in contradictions(document)] == ["DOC-003"]
    found = contradictions(document | {"content_sha256": content_sha256(document)})
    assert "DOC-033" in [one.code for one in found]


def test_the_command_line_asks_for_them(tmp_path, capsys):
    rows = tmp_path / "rows.csv"
    rows.write_text("post_id,criterion_id,has_evidence,probability\na,A.1,1,0.9\nb,A.1,0,0.1\n")
    out = tmp_path / "point.json"
    main(["choose", str(rows), "--point", "--author", "Dr. A", "--setting", "Intake", "--out", str(out)])
    assert OperatingPoint.load(out).document["provenance"]["author"] == "Dr. A"
    capsys.readouterr()
    main(["show", str(out)])
    told = capsys.readouterr().out
    assert "Who chose: Dr. A\nWhy: not stated\nFor which setting: Intake\n" in told
    assert "Limit: Not stated: why so.\n" in told
