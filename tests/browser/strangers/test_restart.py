"""A page that is open while the server is started again says that its data are gone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.pages.test_links import MINE, go, load, note
from tests.support.live import ROWS

pytestmark = pytest.mark.long

SAMPLE = re.compile("14,770|queries.csv")
LOST = "The server has lost your data: mine.csv (data "


def begin_again(page: Page, served: Dashboard) -> Dashboard:
    """The same address, served by a new process, to which the page connects by itself."""
    app = page.get_by_test_id("stApp")
    expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED")
    again = Dashboard(log=served.log.with_name("again.txt"))
    again.port, again.url, again._command = served.port, served.url, served._command
    return again


def test_open_page_says_after_a_restart_that_its_data_are_gone(page: Page, tmp_path: Path) -> None:
    with Dashboard(log=tmp_path / "log.txt") as first:
        open_address(page, first, "/data")
        load(page)
        go(page, "Calibration")
        kept = page.url
    with begin_again(page, first):
        expect(page.get_by_test_id("link-note")).to_contain_text(LOST)
        wait_until_idle(page)
        expect_page(page, "Calibration")
        assert "It was restarted, or this page was without a connection" in note(page)
        assert page.url == kept
        expect(page.get_by_test_id("stMain")).not_to_contain_text(SAMPLE)
        expect(page.get_by_test_id("stPlotlyChart")).to_have_count(0)

        go(page, "Criteria")
        expect(page.get_by_test_id("link-note")).to_contain_text(LOST)
        expect(page.get_by_test_id("stMain")).not_to_contain_text(SAMPLE)

        page.get_by_role("link", name="To the Data page").click()
        expect(page.get_by_test_id("stFileUploader")).to_be_visible()
        wait_until_idle(page)
        expect(page.get_by_test_id("link-note")).to_contain_text("Load the file again below")
        load(page)
        expect(page.get_by_test_id("link-note")).to_contain_text(
            "These are the data that the server had lost"
        )
        go(page, "Criteria")
        expect(page.get_by_test_id("data-bar")).to_contain_text("mine.csv")


def test_files_that_were_not_in_use_are_not_in_the_field_after_a_restart(page: Page, tmp_path: Path) -> None:
    with Dashboard(log=tmp_path / "log.txt") as first:
        open_address(page, first, "/data")
        page.locator("input[type=file]").set_input_files(
            {"name": "next.csv", "mimeType": "text/csv", "buffer": ROWS.encode()}
        )
        expect(page.get_by_role("button", name="Use these data")).to_be_visible()
        wait_until_idle(page)
    with begin_again(page, first):
        expect(page.get_by_role("button", name="Use these data")).to_have_count(0)
        wait_until_idle(page)
        expect(page.get_by_test_id("stFileUploaderFile")).to_have_count(0)


def test_sample_is_shown_again_after_a_restart_when_asked_for(page: Page, tmp_path: Path) -> None:
    with Dashboard(log=tmp_path / "log.txt") as first:
        open_address(page, first, "/data")
        load(page, text=MINE)
        go(page, "Calibration")
    with begin_again(page, first):
        page.get_by_role("button", name="Show the sample data").click()
        expect(page.get_by_test_id("data-bar")).to_contain_text(SAMPLE)
        expect(page.get_by_test_id("link-note")).to_have_count(0)


def test_page_on_the_sample_is_as_before_after_a_restart(page: Page, tmp_path: Path) -> None:
    with Dashboard(log=tmp_path / "log.txt") as first:
        open_address(page, first, "/calibration")
    with begin_again(page, first):
        wait_until_idle(page)
        expect(page.get_by_test_id("data-bar")).to_contain_text(SAMPLE)
        expect(page.get_by_test_id("link-note")).to_have_count(0)
