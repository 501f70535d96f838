"""Draw the pictures of the documentation from the running dashboard: `make pictures`.

Light theme, 1440 × 900, on the sample data. A picture is looked at before it is committed.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import chromium
from tests.browser.conftest import CHROMIUM_ARGUMENTS, VIEWPORT
from tests.browser.dashboard import Dashboard, open_address, wait_until_idle

PICTURES = {
    "operating-point.png": "/operating_point",
    "criteria.png": "/criteria",
    "rag-overview.png": "/rag_overview",
    "recommender-overview.png": "/recommender_overview",
}
"""File → the page that it shows, as it opens."""


def draw(page: Page, dashboard: Dashboard, address: str, target: Path) -> None:
    """Open a page, wait until it rests and its charts are drawn, and write what is seen of it."""
    open_address(page, dashboard, address)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.wait_for_timeout(5_000)  # charts and the explorer are drawn after the script has run
    wait_until_idle(page)
    page.mouse.move(0, 0)
    page.screenshot(path=target, animations="disabled")


def main(folder: Path) -> None:
    """Write every picture into a folder."""
    with (
        tempfile.TemporaryDirectory() as logs,
        Dashboard(log=Path(logs) / "log.txt") as dashboard,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(CHROMIUM_ARGUMENTS))
        page = browser.new_page(viewport=VIEWPORT, color_scheme="light")
        for name, address in PICTURES.items():
            draw(page, dashboard, address, folder / name)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
