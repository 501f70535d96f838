"""Failures and Report in a real browser: from a number to the checks behind it, and files to take away."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import foreign_requests
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle

pytestmark = pytest.mark.long

MILLISECONDS_TO_EVALUATE = 120_000


def test_explorer_leads_to_the_missed_checks_and_their_candidates(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/operating_point?tau=0.01&tau=0.8")
    page.get_by_test_id("action-show-missed").click()
    page.wait_for_url(re.compile(r"/failures\?"))
    expect_page(page, "Failures")
    assert "tau=0.01&tau=0.8" in page.url
    expect(page.get_by_text("At the operating point: skip below 0.01, alert from 0.8.")).to_be_visible()
    expect(page.get_by_text("worst first; all shown")).to_be_visible()
    expect(page.get_by_test_id("stDataFrame")).to_have_count(2)

    table = page.get_by_test_id("stDataFrame").first
    heading = page.locator(".plain").filter(has_text=" · A.").first
    before = heading.inner_text()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 16, box["y"] + 35 * 3.5)  # the box of the third row
    expect(heading).not_to_have_text(before)

    with page.expect_download() as saved:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    expect(page.get_by_role("button", name=re.compile("Download as CSV"))).to_have_count(0)
    lines = Path(saved.value.path()).read_text().splitlines()
    assert saved.value.suggested_filename == "missed.csv"
    assert lines[0] == "post,criterion,has_evidence,score,state,fold,split,row"
    assert lines[3].startswith(",".join(heading.inner_text().split(" · ")[0:1]))


def test_a_criterion_of_the_explorer_leads_to_its_failures(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/operating_point")
    page.locator("button.group", has_text=re.compile(r"A\.9")).click()
    page.wait_for_url(re.compile(r"/failures\?.*criterion=A\.9"))
    expect_page(page, "Failures")
    expect(page.get_by_role("combobox", name=re.compile("Criterion"))).to_have_value(re.compile("A.9"))


def test_report_is_made_on_request_and_opens_offline(
    page: Page, dashboard: Dashboard, browser: Browser, tmp_path: Path
) -> None:
    open_address(page, dashboard, "/report?tau=0.01&tau=0.8")
    expect_page(page, "Report")
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("button", name="report.html")).to_be_visible(timeout=MILLISECONDS_TO_EVALUATE)
    wait_until_idle(page)
    n_figures = page.locator(".js-plotly-plot").count()
    assert n_figures > 10
    with page.expect_download() as saved:
        page.get_by_role("button", name="report.html").click()
    saved.value.save_as(tmp_path / "report.html")

    offline = browser.new_context(
        viewport={"width": 390, "height": 844}, offline=True, java_script_enabled=True
    )
    reader = offline.new_page()
    asked = foreign_requests(reader)
    complaints: list[str] = []
    reader.on("console", lambda message: complaints.append(message.text))
    reader.goto((tmp_path / "report.html").as_uri())
    expect(reader.get_by_role("heading", level=1)).to_have_text("Evaluation report")
    # Some are there for paper once more, and not shown.
    expect(reader.locator("figure svg:visible")).to_have_count(n_figures)
    assert reader.evaluate("document.documentElement.scrollWidth") == 390
    assert [url for url in asked if not url.startswith("file:")] == []
    assert complaints == []
    offline.close()
