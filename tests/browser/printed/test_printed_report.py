"""The report on paper: nothing wider than A4, and what a reader answers with on its first two pages."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from evalcore import choose_operating_point, evaluate, load
from evalcore.operating_point import point_from_thresholds
from evalcore.report import report_html
from evalcore.tasks import drawings
from tests.support.made.evidence import with_hospitals

ROOT = Path(__file__).resolve().parents[3]
WIDTH, HEIGHT = 703, 1016
"""Of an A4 page within its margins, in CSS pixels."""
LEAST = 7
"""Points of the smallest words of a figure that stands on the first pages."""
WORDS = """() => [...document.querySelectorAll("main figure svg text")].map(text => {
    const drawing = text.ownerSVGElement;
    const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
    return 0.75 * parseFloat(getComputedStyle(text).fontSize) * scale;
}).filter(points => points > 0)"""
TOO_WIDE = """width => [...document.querySelectorAll("body *")]
    .filter(one => one.getBoundingClientRect().right > width + 1).map(one => one.outerHTML.slice(0, 80))"""


@pytest.mark.long
def test_a_report_prints_on_a4_and_begins_with_what_is_answered_for(browser: Browser) -> None:
    data = load(ROOT / "sample_data" / "queries.csv")
    targets = {"screening_sensitivity": 0.98, "alert_precision": 0.8}  # met: else there is no net benefit
    point = choose_operating_point(data, model="gnn_gate", tune="tune", test="test", **targets)
    report = evaluate(data, by=("criterion", "fold"), tau_neg=point.tau_neg, tau_pos=point.tau_pos)
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark")
    page.emulate_media(media="print")
    page.set_content(report_html(report, point=point, drawn=drawings, thresholds_of="gnn_gate"))
    assert page.evaluate(TOO_WIDE, WIDTH) == []
    assert page.locator("main").bounding_box()["height"] <= 2 * HEIGHT
    figures = [figure.bounding_box() for figure in page.locator(".figures.first figure").all()]
    assert len(figures) == 4
    assert all(box["y"] + box["height"] <= HEIGHT for box in figures), "all on the first page"
    words = page.evaluate(WORDS)
    assert len(words) > 20
    assert min(words) >= LEAST
    assert page.locator("details table").last.bounding_box()["height"] > 0, "what is folded prints too"
    page.close()


@pytest.mark.long
def test_the_first_pages_hold_however_long_the_verdicts_are(browser: Browser) -> None:
    data, marks = with_hospitals()
    aims = {"screening_sensitivity": 0.5, "alert_precision": 0.8}
    point = point_from_thresholds(data, 0.5, 0.8, tune="tune", test="test", **aims, must_not_miss=marks)
    report = evaluate(data, by=("hospital", "split"), tau_neg=point.tau_neg, tau_pos=point.tau_pos)
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.emulate_media(media="print")
    page.set_content(report_html(report, point=point, drawn=drawings, thresholds_of="model"))
    assert page.evaluate(TOO_WIDE, WIDTH) == []
    assert page.locator("main").bounding_box()["height"] <= 2 * HEIGHT
    assert page.locator(".figures.first figure").count() == 4
    parts = [page.locator(where) for where in ("table.verdicts", ".figures.first")]
    for box in (part.bounding_box() for part in parts):
        assert box["y"] + box["height"] <= HEIGHT, "on the first page"
    page.close()
