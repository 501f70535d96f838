"""The printable page of a document: what stands on it, that it asks for nothing, and that text stays text."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from evalcore.operating_point import OperatingPoint, choose_operating_point, point_from_thresholds
from evalcore.operating_point.reopening.words import in_words
from evalcore.problems import InputError
from evalcore.report.point_page import facts, point_html
from evalcore.report.point_page.histogram import histogram_svg, scale_of, zones_svg
from evalcore.tallies.scores import ScoreTable
from tests.conftest import ROOT
from tests.support.made.scored_data import data_of, scored

RNG = np.random.default_rng(3)
POSITIVES, NEGATIVES = np.round(RNG.beta(4, 1.2, 300), 3), np.round(RNG.beta(1, 7, 900), 3)
DATA = data_of(
    [
        *scored(POSITIVES[:150], NEGATIVES[:450], split="tune"),
        *scored(POSITIVES[150:], NEGATIVES[450:], split="test", first_post=5000),
    ]
)
SAID = {"author": "Dr. <script>alert(1)</script>", "rationale": "Ten looks are better than one miss."}
POINT = choose_operating_point(
    DATA, tune="tune", test="test", screening_sensitivity=0.95, alert_precision=0.8, **SAID
)


def visible(page):
    """The text of a page, blanks as one."""
    body = re.sub(r"<(style|svg).*?</\1>", "", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_the_page_holds_what_a_signature_answers_for():
    page = visible(point_html(POINT, [DATA]))
    document = POINT.document
    assert document["content_sha256"] in page
    assert all(entry["sha256"] in page for entry in document["data"])
    assert all(line.replace("'", "&#39;") in page for line in document["limits"])
    assert "Why Ten looks are better than one miss. For which setting not stated" in page
    assert "chosen by, date checked by, date approved by, date" in page
    assert f"{POINT.status} chosen on tune rows" in page


def test_the_sentence_and_the_zones_are_the_counts_of_the_rows():
    low, high = POINT.tau_neg, POINT.tau_pos
    score, label = np.array([*POSITIVES[150:], *NEGATIVES[450:]]), np.arange(600) < 150
    is_skipped, is_alert = score < low, score >= high
    table = facts.zones(POINT.document, facts.decisive_entry(POINT.document))
    counted = [(zone.n_positive, zone.n_negative) for zone in table]
    assert counted == [
        ((zone & label).sum(), (zone & ~label).sum())
        for zone in (is_skipped, ~is_skipped & ~is_alert, is_alert)
    ]
    assert visible(point_html(POINT)).count(
        f"Of 600 checks on test (split = test), {is_skipped.sum()} are skipped, "
        f"{(~is_skipped & ~is_alert).sum()} are looked at and {is_alert.sum()} raise an alert; "
        f"{(is_skipped & label).sum()} of 150 checks with evidence are skipped and so missed."
    )


def test_test_stands_before_tune_and_a_target_that_is_not_met_says_so():
    point = point_from_thresholds(DATA, 0.5, 0.9, tune="tune", test="test", screening_sensitivity=0.99)
    first, second = facts.targets(point.document)
    assert (first["rows"], second["rows"]) == ("test", "tune")
    assert (first["kind"], first["verdict"]) == ("not_met", "not met")


def test_what_a_person_typed_stays_text():
    page = point_html(POINT, [DATA])
    assert "<script" not in page
    assert "Dr. &lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "src=" not in page
    assert "href=" not in page
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_the_same_document_makes_the_same_page():
    assert point_html(POINT, [DATA]) == point_html(OperatingPoint.from_bytes(POINT.text.encode()), [DATA])


def test_without_data_the_zones_are_drawn_and_with_them_the_scores():
    with_data, without = point_html(POINT, [DATA]), point_html(POINT)
    assert "Scores of 150 checks with evidence" in with_data
    assert "Scores of" not in without
    assert "Checks by zone: skip " in without
    assert "The scores are in the data." in visible(without)


def test_the_zones_are_drawn_by_their_counts():
    drawing = ElementTree.fromstring(zones_svg([(0, 40), (30, 50), (10, 10)]))
    widths = [float(part.get("width")) for part in drawing.iter() if part.tag.endswith("rect")]
    assert widths == [0.0, 498.0, 166.0, 265.6, 332.0, 66.4]


def test_posts_with_a_missed_check_are_counted_where_the_data_are():
    point = point_from_thresholds(DATA, 0.6, 0.9, tune="tune", test="test")
    n = int((POSITIVES[150:] < 0.6).sum())
    assert f"are skipped and so missed, in {n} of 150 posts with evidence." in visible(
        point_html(point, [DATA])
    )
    assert "posts with evidence" not in visible(point_html(point))


def test_a_changed_document_and_other_data_make_no_page():
    document = json.loads(POINT.text)
    document["provenance"]["author"] = "Dr. B"
    with pytest.raises(InputError, match="content hash"):
        point_html(OperatingPoint(document))
    with pytest.raises(InputError, match="SHA-256"):
        point_html(POINT, [data_of(scored(POSITIVES, NEGATIVES))])


@pytest.mark.parametrize("taus", [(None, None), (0.05, None), (None, 0.9), (0.05, 0.9), (0.3, 0.3)])
@pytest.mark.parametrize("is_probability", [True, False])
def test_no_bar_holds_checks_of_two_zones(taus, is_probability):
    table = ScoreTable(np.array([0.0, 0.05, 0.3, 0.9, 1.0]), np.arange(1, 6), np.arange(5, 0, -1))
    drawing = ElementTree.fromstring(histogram_svg(table, *taus, is_probability=is_probability))
    boxes = [part for part in drawing.iter() if part.tag.endswith("rect")]
    edges = [float(part.get("x1")) for part in drawing.iter() if part.get("class") == "threshold"]
    for bar in boxes:
        if bar.get("class") in ("evidence", "missed", "none"):
            start = float(bar.get("x"))
            end = start + float(bar.get("width"))
            assert not any(start + 0.05 < edge < end - 0.05 for edge in edges)
    kinds = {part.get("class") for part in boxes}
    assert ("missed" in kinds) == (taus[0] is not None)
    assert ("skip" in kinds, "alert" in kinds) == (taus[0] is not None, taus[1] is not None)


def test_scores_that_pile_up_at_the_ends_spread_the_axis():
    piled = ScoreTable(np.array([1e-4, 0.001, 0.5]), np.array([0, 1, 9]), np.array([80, 20, 1]))
    even = ScoreTable(np.array([0.3, 0.5, 0.7]), np.array([0, 1, 9]), np.array([80, 20, 1]))
    assert scale_of(piled, is_probability=True).is_spread
    assert not scale_of(even, is_probability=True).is_spread
    assert scale_of(piled, is_probability=True).at(0.001) > 0.1
    assert not scale_of(piled, is_probability=False).is_spread


def test_one_score_alone_is_drawn():
    table = ScoreTable(np.array([3.0]), np.array([1]), np.array([1]))
    assert "<svg" in histogram_svg(table, 3.0, 3.0, is_probability=False)


OLD = sorted((ROOT / "tests").glob("documents_*/*.json"))


@pytest.mark.parametrize("path", OLD, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_a_document_of_every_schema_is_printed_and_told(path):
    point = OperatingPoint.load(path)
    assert point.document["content_sha256"] in visible(point_html(point))
    assert in_words(point)[-1].endswith(point.document["content_sha256"])


def test_groups_stand_marked_first_then_worst_and_those_of_few_in_grey():
    point = choose_operating_point(
        DATA,
        tune="tune",
        test="test",
        screening_sensitivity=0.95,
        must_not_miss=[("criterion", "A.1")],
        by=["split"],
    )
    page = point_html(point)
    shown, n_more = facts.groups(point.document, "test")
    assert (shown[0]["name"], shown[0]["is_marked"], n_more) == ("criterion = A.1", True, 0)
    assert "criterion = A.1 must not be missed" in visible(page)
    few = [one["is_few"] for one in facts.groups(point.document | {"subgroups": FEW}, "test")[0]]
    assert few == [False, True]
    many = [{**FEW[0], "level": str(at)} for at in range(40)]
    shown, n_more = facts.groups(point.document | {"subgroups": many}, "test")
    assert (len(shown), n_more) == (12, 28)


FEW = [
    {
        "evaluated_on": "test",
        "column": "hospital",
        "level": level,
        "n": 50,
        "n_positive": n,
        "n_missed": 0,
        "screening_sensitivity": 1.0,
        "bound": 0.8,
        "verdict": "not_assessed",
    }
    for level, n in (("B", 30), ("C", 3))
]
