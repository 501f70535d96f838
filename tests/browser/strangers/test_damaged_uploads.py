"""Broken and hostile files, uploaded in a real browser: each refused by name, and the page goes on."""

import gzip
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, open_address, wait_until_idle
from tests.support.inputs import CASES

HOSTILE = {
    "nested.jsonl": b'{"a":' + b"[" * 20_000 + b"]" * 20_000 + b"}\n",
    "bomb.csv.gz": gzip.compress(bytes(100_000_000), 9),
    "half.feather": b"ARROW1\x00\x00" + b"\xff" * 400,
    **{path.name: path.read_bytes() for path in sorted((CASES / "damaged").glob("min_*.feather"))},
}
CODE = re.compile(r"[A-Z]{3,4}-\d{3}")
GOOD = b"id,y_true,y_prob\na,0,0.1\nb,0,0.4\nc,1,0.35\nd,1,0.8\n"


@pytest.mark.long
def test_broken_and_hostile_files_are_refused_by_name_and_the_page_goes_on(
    page: Page, dashboard: Dashboard
) -> None:
    open_address(page, dashboard, "/data")
    chips, taken = page.get_by_test_id("stFileChip"), page.locator("input[type=file]")
    for name, content in {**HOSTILE, "good.csv": GOOD}.items():
        while n := chips.count():
            chips.first.get_by_role("button").click()
            expect(chips).to_have_count(n - 1)
            wait_until_idle(page)
        taken.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})
        expect(chips).to_have_count(1)
        wait_until_idle(page)
        main = page.get_by_test_id("stMain")
        if name == "good.csv":
            expect(main.get_by_text("4 rows in = 4 used + 0 excluded").first).to_be_visible()
        else:
            expect(main.get_by_text("These files cannot be used yet.")).to_be_visible()
            expect(main.get_by_text(CODE).first).to_be_visible()
        expect(main.get_by_text("Something went wrong")).to_have_count(0)
