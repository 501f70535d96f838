"""A document of thresholds on paper: two sheets of A4, and nothing wider than they are."""

import re

import pytest
from playwright.sync_api import Browser

import evalcore
from evalcore.operating_point import choose_operating_point
from evalcore.report.point_page import point_html
from tests.conftest import ROOT

pytestmark = pytest.mark.long
MARKS = [("criterion", "A.9"), ("fold", "1")]


@pytest.fixture(scope="module")
def html() -> str:
    """The page of a point of the sample, tested, with marks, fifteen groups and a reason of some lines."""
    data = evalcore.load(ROOT / "sample_data" / "queries.csv")
    point = choose_operating_point(
        data,
        tune="tune",
        test="test",
        screening_sensitivity=0.98,
        alert_precision=0.8,
        must_not_miss=MARKS,
        by=["criterion"],
        author="Dr. A",
        rationale="A missed check costs more than ten looks. " * 6,
    )
    return point_html(point, [data])


def test_a_tested_point_with_groups_prints_on_two_sheets(browser: Browser, html: str) -> None:
    page = browser.new_page()
    page.set_content(html)
    sheets = re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True))
    page.close()
    assert len(sheets) == 2


@pytest.mark.parametrize("width", [718, 390])
def test_nothing_is_wider_than_its_paper_or_phone(browser: Browser, html: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_content(html)
    page.emulate_media(media="print" if width > 400 else "screen")
    wide = page.evaluate("document.documentElement.scrollWidth")
    cut = page.evaluate(
        "[...document.querySelectorAll('td, th, dd, li, h1, p')]"
        ".filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')"
        ".map(one => one.textContent)"
    )
    page.close()
    assert wide <= width
    assert cut == []


def test_a_verdict_is_read_whole_on_a_phone(browser: Browser, html: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_content(html)
    for cell in page.locator(".verdicts td").all():
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
    page.close()
