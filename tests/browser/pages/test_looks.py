"""Looks at test rows in a real browser: uploaded rows are known again, whoever loads them."""

import re
from collections.abc import Iterator
from itertools import count
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.explorer.actions import exported_document, text_of, type_threshold

pytestmark = pytest.mark.long

HEADER = "post,criterion,split,label,probability\n"
POSTS = 2_800
SEEDS = count(1)
"""Rows of their own for every run of a test: the server remembers those it was shown."""


def rows(*, misses: int = 0) -> list[str]:
    """Rows of one check a post, half with evidence, well told apart; so many test positives score low."""
    seed = next(SEEDS)
    random = Random(seed)
    found = []
    for post in range(POSTS):
        split = "tune" if post % 2 else "test"
        label = post % 4 < 2
        low = (not label) or (split == "test" and post // 4 < misses)
        score = random.uniform(0.001, 0.4) if low else random.uniform(0.5, 0.99)
        found.append(f"s{seed}_{post},A.{1 + post % 3},{split},{int(label)},{score:.6f}\n")
    return found


def use(page: Page, dashboard: Dashboard, text: str, name: str) -> None:
    """Upload a file, put it to use and open the explorer."""
    open_address(page, dashboard, "/data")
    upload = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files(upload)
    expect(page.get_by_text("rows in =").last).to_be_visible()
    wait_until_idle(page)
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_test_id("data-bar")).to_contain_text(name)
    go_to(page, "Operating point")
    expect(page.get_by_test_id("zone-skip")).to_contain_text("%")


def go_to(page: Page, title: str) -> None:
    page.get_by_test_id("stSidebarNavLink").get_by_text(title, exact=True).click()
    expect_page(page, title)


def find(page: Page) -> None:
    """Let the rule choose for the usual targets."""
    page.get_by_test_id("action-find").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Find", exact=True).click()
    dialog.get_by_role("button", name=re.compile("^Use these")).click()
    expect(dialog).to_have_count(0)
    wait_until_idle(page)


def check(page: Page) -> str:
    """Ask for the test rows and look; what the dialog said before."""
    page.get_by_test_id("action-check-on-test").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("A look at the test rows")
    expect(dialog).to_contain_text("what a command line was used for is not known")
    said = dialog.inner_text()
    dialog.get_by_role("button", name="Look now", exact=True).click()
    expect(dialog).to_contain_text("gap")
    dialog.get_by_role("button", name="Close", exact=True).last.click()
    expect(dialog).to_have_count(0)
    wait_until_idle(page)
    return said


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """A session of somebody else."""
    opened = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True).new_page()
    yield opened
    opened.context.close()


def test_only_the_first_look_certifies_in_whatever_session(
    page: Page, other: Page, dashboard: Dashboard
) -> None:
    found = rows()
    use(page, dashboard, HEADER + "".join(found), "mine.csv")
    find(page)
    assert "No look at them is known. Counted by this server" in check(page)
    standing = page.locator(".standing")
    expect(standing).to_contain_text("This point is certified.")
    expect(standing).to_contain_text("met with 95 % confidence on test")
    for tile in ("sensitivity", "precision"):
        assert text_of(page, f"tile-{tile}", ".chip").startswith("● met with 95 % confidence on test: target")
    assert exported_document(page)["status"] == "certified"

    # The same rows in another order, under another name, with other names of posts, in another session.
    Random(5).shuffle(found)
    renamed = HEADER + "".join("x" + row for row in found)
    use(other, dashboard, renamed, "theirs.csv")
    find(other)
    said = check(other)
    assert "They have been looked at before" in said
    assert "Known is 1 look before: Check on test, Operating point" in said
    assert "certified" not in other.locator(".standing").inner_text()
    assert exported_document(other)["status"] != "certified"

    # A reload loses the upload, not the look.
    page.reload()
    wait_until_idle(page)
    use(page, dashboard, HEADER + "".join(found), "again.csv")
    find(page)
    assert "Known is 2 looks before" in check(page)
    assert exported_document(page)["status"] != "certified"


def test_a_failed_check_is_said_first_and_a_moved_handle_speaks_of_tune(
    page: Page, dashboard: Dashboard
) -> None:
    use(page, dashboard, HEADER + "".join(rows(misses=40)), "fails.csv")
    find(page)
    expect(page.get_by_test_id("tile-sensitivity").locator(".chip")).to_contain_text(
        "on tune: target ≥ 99.5 %"
    )
    # Before a look as after it, every panel says on which rows it counts.
    expect(page.get_by_test_id("tile-workload").locator("[data-part=counted-on]")).to_have_text("· on tune")
    expect(page.get_by_test_id("sentence")).to_contain_text("On tune, of 1,000 checks")
    check(page)
    expect(page.locator(".standing p").first).to_have_text(
        "Not met on test. This point is not certified (status: tuned)."
    )
    expect(page.locator(".standing p").nth(1)).to_contain_text(
        "Screening sensitivity of at least 99.5 %: not met on test"
    )
    assert text_of(page, "tile-sensitivity", ".chip") == "○ not met on test: target ≥ 99.5 %"
    shares = page.get_by_test_id("tile-sensitivity").locator(".value").all_inner_texts()
    assert shares[0] == "100\N{NO-BREAK SPACE}%"
    assert page.get_by_test_id("tile-sensitivity").locator(".value.test").is_visible()
    figures = ("tile-workload", "histogram", "curve", "zone-table", "sentence", "prevalence", "groups")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for name in figures:
            card = page.locator(".card, .sentence").filter(has=page.get_by_test_id(name))
            card = page.get_by_test_id(name) if name in ("tile-workload", "sentence", "groups") else card
            told = card.locator("[data-part=counted-on]").first if name != "sentence" else card
            expect(told).to_be_visible()
            expect(told).to_contain_text(re.compile("on tune", re.IGNORECASE))
    page.set_viewport_size({"width": 1440, "height": 900})
    document = exported_document(page)
    (claim,) = (
        one
        for one in document["claims"]
        if one["metric"] == "gate.screening_sensitivity" and one["evaluated_on"] == "test"
    )
    assert ": not met. " in claim["text"]
    type_threshold(page, "neg", "0.05")
    wait_until_idle(page)
    assert "on tune: target ≥ 99.5 %" in text_of(page, "tile-sensitivity", ".chip")
    expect(page.get_by_text("set after the test rows were seen")).to_have_count(1)
    page.get_by_role("button", name="Back to the tested thresholds").click()
    expect(page.get_by_test_id("tile-sensitivity").locator(".chip")).to_have_text(
        "○ not met on test: target ≥ 99.5 %"
    )


def test_criteria_ask_before_they_count_test_rows(page: Page, dashboard: Dashboard) -> None:
    use(page, dashboard, HEADER + "".join(rows()), "criteria.csv")
    go_to(page, "Criteria")
    part = page.get_by_test_id("stMain").get_by_role("radio", name="Test", exact=True)
    expect(page.get_by_text("Counted on tune (split = tune): 1,400 checks")).to_be_visible()
    part.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Criteria, test rows counts the test rows: 1,400 checks, 700 with")
    expect(page.get_by_text("Counted on tune (split = tune): 1,400 checks")).to_be_visible()
    dialog.get_by_role("button", name="Not yet", exact=True).click()
    expect(dialog).to_have_count(0)
    wait_until_idle(page)
    expect(page.get_by_text("Counted on tune (split = tune): 1,400 checks")).to_be_visible()
    part.click()
    dialog.get_by_role("button", name="Look now", exact=True).click()
    expect(page.get_by_text("Counted on test (split = test): 1,400 checks")).to_be_visible()
    go_to(page, "Operating point")
    expect(page.locator(".standing")).to_contain_text("on test")
