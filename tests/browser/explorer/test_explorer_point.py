"""The point of the threshold explorer: exported, sent as a link, kept, and shown the test rows."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.dashboard import Dashboard, wait_until_idle
from tests.browser.explorer.actions import (
    ADDRESS,
    exported_document,
    grab,
    open_explorer,
    plot_x,
    screen,
    thresholds,
    type_threshold,
    wait_until_heard,
)


def test_test_rows_are_seen_only_when_that_is_confirmed(fresh_explorer: Page) -> None:
    fresh_explorer.get_by_test_id("action-check-on-test").click()
    dialog = fresh_explorer.get_by_role("dialog")
    expect(dialog).to_contain_text("this first look is spent on those that stand now")
    dialog.get_by_role("button", name="Not yet", exact=True).click()
    expect(dialog).to_have_count(0)
    wait_until_idle(fresh_explorer)
    assert "tested=" not in fresh_explorer.url
    fresh_explorer.get_by_test_id("action-check-on-test").click()
    dialog.get_by_role("button", name="Look now", exact=True).click()
    expect(dialog).to_contain_text("This point is ")
    expect(dialog).to_contain_text("gap")
    dialog.get_by_role("button", name="Close", exact=True).last.click()
    expect(dialog).to_have_count(0)
    wait_until_idle(fresh_explorer)
    expect(fresh_explorer.locator(".standing")).to_have_count(1)
    type_threshold(fresh_explorer, "neg", "0.0321")
    expect(fresh_explorer.get_by_text("set after the test rows were seen")).to_have_count(1)


@pytest.mark.parametrize("action", ["export", "find"])
def test_escape_from_a_dialog_gives_the_focus_back_to_what_opened_it(explorer: Page, action: str) -> None:
    button = explorer.get_by_test_id(f"action-{action}")
    button.focus()
    explorer.keyboard.press("Enter")
    expect(explorer.get_by_role("dialog")).to_be_visible()
    explorer.keyboard.press("Escape")
    expect(explorer.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()
    wait_until_idle(explorer)


def test_export_at_the_instant_of_release_holds_what_was_on_the_screen(explorer: Page) -> None:
    for share in (0.15, 0.3, 0.22, 0.4, 0.1):
        _, y = grab(explorer, "neg")
        explorer.mouse.move(plot_x(explorer, share), y, steps=3)
        explorer.mouse.up()
        document = exported_document(explorer)
        tau_neg, tau_pos = thresholds(explorer)
        rule = document["rule"]
        assert (rule["tau_neg"]["value"], rule["tau_pos"]["value"]) == (float(tau_neg), float(tau_pos))


@pytest.mark.long
def test_link_gives_the_same_point_in_a_fresh_session(explorer: Page, browser: Browser) -> None:
    _, y = grab(explorer, "neg")
    explorer.mouse.move(plot_x(explorer, 0.35), y, steps=4)
    explorer.mouse.up()
    wait_until_heard(explorer)
    tau_neg, _ = thresholds(explorer)
    assert f"{ADDRESS}?" in explorer.url
    other = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        other.goto(explorer.url)
        wait_until_idle(other)
        expect(other.get_by_test_id("tau-neg-box")).to_have_value(tau_neg)
        assert screen(other) == screen(explorer)
    finally:
        other.close()


FOUND = "&".join(
    (
        "model=gnn_gate",
        "tau=0.005339",
        "tau=0.598",
        "sensitivity=0.97_0.95",
        "precision=0.7_0.95",
        "chosen=search",
    )
)
"""What a search on the sample finds, as a link says it."""
TYPED_AND_COPIED = """async (button, [box, typed]) => {
  navigator.clipboard.writeText = async text => { globalThis.copied = text; };
  if (typed) {
    box.focus();
    box.value = typed;
    for (const type of ["input", "change"]) box.dispatchEvent(new Event(type, { bubbles: true }));
  }
  button.click();
  await new Promise(done => setTimeout(done));
  return globalThis.copied;
}"""
"""Types and copies at once, before the server has heard of the threshold."""


@pytest.mark.long
def test_copied_link_names_no_search_for_a_threshold_typed_since(page: Page, dashboard: Dashboard) -> None:
    page.goto(f"{dashboard.url}{ADDRESS}?{FOUND}")
    wait_until_idle(page)
    expect(page.get_by_test_id("tau-neg-box")).to_have_value("0.005339")
    box = page.get_by_test_id("tau-neg-box").element_handle()
    button = page.get_by_test_id("action-copy-link")
    assert "chosen=search" in button.evaluate(TYPED_AND_COPIED, [box, ""])
    link = button.evaluate(TYPED_AND_COPIED, [box, "0.0321"])
    assert "tau=0.0321&tau=0.598" in link
    assert "chosen" not in link


@pytest.mark.long
def test_two_sessions_do_not_see_each_other(explorer: Page, browser: Browser, dashboard: Dashboard) -> None:
    other = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        open_explorer(other, dashboard)
        before = thresholds(other)
        type_threshold(explorer, "neg", "0.0321")
        wait_until_heard(explorer)
        wait_until_heard(other)
        assert thresholds(other) == before
    finally:
        other.close()


def test_point_survives_a_visit_to_another_page(explorer: Page) -> None:
    type_threshold(explorer, "neg", "0.0321")
    wait_until_heard(explorer)
    visit_reference(explorer)
    expect(explorer.get_by_test_id("tau-neg-box")).to_have_value("0.0321")


BUSY = """
import sys, time
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.web.cli import main
begin = ScriptRunner._run_script_thread
def begin_late(runner):
    time.sleep(1)
    begin(runner)
ScriptRunner._run_script_thread = begin_late
sys.exit(main())
"""
"""Starts a server that is so busy that it begins to run a second after it was asked to."""


@pytest.mark.long
def test_what_was_set_survives_though_the_page_is_left_before_the_server_runs(
    page: Page, tmp_path: Path
) -> None:
    with Dashboard(tmp_path / "log.txt", ("-c", BUSY, "run", "app.py")) as busy:
        open_explorer(page, busy)
        marker = page.get_by_test_id("group-A.1").locator(".marker")
        reference = page.get_by_test_id("stSidebarNavLink").get_by_text("Reference", exact=True)
        expect(marker).to_have_attribute("aria-pressed", "false")
        marker.click()
        type_threshold(page, "neg", "0.0321")
        reference.click()  # the run that the release asked for never begins
        expect(page.get_by_role("heading", level=1)).to_have_text("Reference")
        expect(page).to_have_url(re.compile(r"[?&]tau=0\.0321&"))
        visit_reference(page)
        expect(page.get_by_test_id("tau-neg-box")).to_have_value("0.0321")
        expect(marker).to_have_attribute("aria-pressed", "true")


def visit_reference(page: Page) -> None:
    """Go to another page, unless it is shown already, and back."""
    for title in ("Reference", "Operating point"):
        page.get_by_test_id("stSidebarNavLink").get_by_text(title, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        wait_until_idle(page)
