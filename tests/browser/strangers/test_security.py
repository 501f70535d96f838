"""Nothing that the pages do meets the security policy, and what it is for does."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import VIEWPORT
from tests.browser.dashboard import (
    MILLISECONDS_TO_REST,
    Dashboard,
    expect_page,
    open_address,
    wait_until_idle,
)
from tests.browser.explorer.actions import open_explorer
from tests.browser.pages.test_addresses import ADDRESSES
from tests.support.live import ROWS

pytestmark = pytest.mark.long

NOTE_VIOLATIONS = """globalThis.violations = [];
document.addEventListener("securitypolicyviolation",
    event => violations.push(`${event.effectiveDirective} ${event.blockedURI}`));"""


@pytest.fixture
def watched(browser: Browser) -> Iterator[Page]:
    """A page that notes what the policy forbids; the test fails when that is anything."""
    context = browser.new_context(viewport=VIEWPORT, accept_downloads=True)
    context.add_init_script(NOTE_VIOLATIONS)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda one: said.append(one.text) if "Content Security Policy" in one.text else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    assert violations(page) == []
    assert said == []
    context.close()


def violations(page: Page) -> list[str]:
    return list(page.evaluate("globalThis.violations"))


def test_every_page_runs_under_the_policy(watched: Page, dashboard: Dashboard) -> None:
    """Figures, tables, tooltips and the explorer: whatever a page loads when it is opened."""
    for address, title in ADDRESSES.items():
        open_address(watched, dashboard, address)
        expect_page(watched, title)
        for figure in watched.get_by_test_id("stPlotlyChart").all():
            expect(figure.locator(".main-svg").first).to_be_attached()
        assert violations(watched) == [], address


def test_upload_preview_and_downloads_run_under_the_policy(watched: Page, dashboard: Dashboard) -> None:
    open_address(watched, dashboard, "/data")
    with watched.expect_download() as template:
        watched.get_by_test_id("stDownloadButton").first.get_by_role("button").click()
    assert template.value.path().stat().st_size
    file = {"name": "mine.csv", "mimeType": "text/csv", "buffer": ROWS.encode()}
    watched.locator("input[type=file]").set_input_files(file)
    table = watched.get_by_test_id("stDataFrame")
    expect(table.locator("canvas").first).to_be_attached()
    table.hover()
    table.get_by_role("button", name="Search").click()
    expect(watched.get_by_test_id("search-input")).to_be_visible()
    watched.keyboard.press("Escape")
    watched.get_by_role("button", name="Use these data").click()
    expect(watched.get_by_test_id("data-bar")).to_contain_text("240 checks")


def test_report_is_made_and_downloaded_under_the_policy(watched: Page, dashboard: Dashboard) -> None:
    open_address(watched, dashboard, "/report")
    watched.get_by_role("button", name="Make the report").click()
    download = watched.get_by_test_id("stDownloadButton").filter(has_text="report.html")
    expect(download).to_be_visible(timeout=MILLISECONDS_TO_REST)
    with watched.expect_download() as report:
        download.get_by_role("button").click()
    assert b"<html" in report.value.path().read_bytes()[:200]


def test_explorer_works_under_the_policy(watched: Page, dashboard: Dashboard) -> None:
    open_explorer(watched, dashboard)
    watched.evaluate("navigator.clipboard.writeText = async text => { globalThis.copied = text; }")
    watched.get_by_role("button", name="Copy link").click()
    expect(watched.get_by_text("Link copied")).to_be_visible()
    wait_until_idle(watched)


def test_page_can_load_nothing_from_elsewhere(browser: Browser, dashboard: Dashboard) -> None:
    """The policy is in force: what a slip in a name could ask for does not leave the browser."""
    page = browser.new_context().new_page()  # the usual one fails at what is asked for, answered or not
    page.add_init_script(NOTE_VIOLATIONS)
    open_address(page, dashboard, "/reference")
    page.evaluate(
        """async () => {
            document.body.insertAdjacentHTML("beforeend",
                `<img src="http://127.0.0.2:1/x.png"><iframe src="http://127.0.0.2:1/"></iframe>
                 <img src="data:image/png;base64,!" onerror="globalThis.ran = true">`);
            await fetch("http://127.0.0.2:1/").catch(() => null);
            await new Promise(done => setTimeout(done, 500));
        }"""
    )
    found = {one.split()[0] for one in violations(page)}
    assert {"img-src", "frame-src", "connect-src", "script-src-attr"} <= found
    assert page.evaluate("globalThis.ran") is None
    page.context.close()
