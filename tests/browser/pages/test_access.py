"""Every page as those meet it who do not see it or use no mouse: axe-core, headings, names, ways, focus."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.dashboard import Dashboard, open_address, wait_until_idle
from tests.browser.pages.test_addresses import ADDRESSES

STREAMLIT = {
    "list": (
        '[data-testid="stSidebarNavItems"]',
        "the menu holds a list of lists, with a heading in each",
    ),
    "listitem": (
        '[data-testid="stSidebarNavItems"] li',
        "the pages of a part of the menu, which are in no list of their own",
    ),
    "presentation-role-conflict": (
        '[data-testid="stFileUploaderDropzone"]',
        "where files are dropped has a name and no role; the button inside is what is reached",
    ),
}
"""Rule → the nodes of Streamlit's own that break it, and why we let them; nothing else may break any."""
OF_EVERY_PAGE = {"list", "listitem"}
EVERYTHING = """() => {
    const found = [];
    const walk = (root) => {
        for (const node of root.querySelectorAll("*")) {
            found.push(node);
            if (node.shadowRoot) walk(node.shadowRoot);
        }
    };
    walk(document);
    return found.filter((node) => node.getClientRects().length);
}"""
HEADINGS = f"""() => ({EVERYTHING})()
    .filter((node) => /^H[1-6]$/.test(node.tagName)).map((node) => Number(node.tagName[1]))"""
NAMELESS = f"""() => ({EVERYTHING})()
    .filter((node) => node.matches("table, [data-testid=stDataFrame]"))
    .filter((node) => !node.matches("[data-testid=stDataFrame] table"))
    .filter((node) => !(node.getAttribute("aria-label") ?? node.querySelector("[aria-label]")))
    .map((node) => node.outerHTML.slice(0, 200))"""
DARK_INK = "rgb(18, 23, 29)"
"""What is written in on light blue, where the theme is dark."""
FOCUSED = """() => {
    let node = document.activeElement;
    while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    return node.dataset.testid ?? node.textContent;
}"""


def violations(page: Page) -> list[dict[str, Any]]:
    """What axe-core finds on the page as it stands."""
    found = Axe().run(page).response["violations"]
    assert isinstance(found, list)
    return found


def is_streamlits(page: Page, rule: str, target: list[Any]) -> bool:
    """Whether a node is one that we let Streamlit have; what is inside of a component is ours."""
    if rule not in STREAMLIT or len(target) != 1 or isinstance(target[0], list):
        return False
    selector, _ = STREAMLIT[rule]
    return bool(page.locator(target[0]).first.evaluate("(node, those) => node.matches(those)", selector))


def expect_access(page: Page) -> set[str]:
    """Fail where anything but Streamlit's own breaks a rule; which rules that does."""
    found = violations(page)
    ours = [
        f"{one['id']}: {node['target']} {node['html'][:200]}"
        for one in found
        for node in one["nodes"]
        if not is_streamlits(page, one["id"], node["target"])
    ]
    assert ours == []
    return {one["id"] for one in found}


def expect_order(page: Page) -> None:
    """One heading of the first level, and none that skips a level."""
    levels = page.evaluate(HEADINGS)
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels)), levels


def expect_names(page: Page) -> None:
    """Every table has a name, and every chart says numbers of what it shows."""
    assert page.evaluate(NAMELESS) == []
    for chart in page.get_by_test_id("stPlotlyChart").all():
        said = chart.get_attribute("aria-label") or ""
        assert re.search(r"\d.*\bat\b.*\.$", said), said


@pytest.mark.long
@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_of_ours_stands_in_the_way_on_any_page(
    page: Page, dashboard: Dashboard, address: str
) -> None:
    open_address(page, dashboard, address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    broken = expect_access(page)
    expected = OF_EVERY_PAGE | ({*STREAMLIT} if address == "/data" else set())
    assert broken == expected, "what Streamlit no longer breaks needs no reason"
    expect_order(page)
    expect_names(page)
    page.emulate_media(color_scheme="dark")
    wait_until_idle(page)
    expect_access(page)


@pytest.mark.long
def test_nothing_of_ours_stands_in_the_way_in_dialogs_and_definitions(
    page: Page, dashboard: Dashboard
) -> None:
    open_address(page, dashboard, "/operating_point")
    page.get_by_test_id("action-find").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    wait_until_idle(page)
    expect_access(page)
    page.emulate_media(color_scheme="dark")
    open_address(page, dashboard, "/operating_point")
    page.get_by_test_id("action-export").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    wait_until_idle(page)
    expect_access(page)
    words = dialog.get_by_text("Save the document (JSON)")
    expect(words).to_have_css("color", DARK_INK)  # axe-core says nothing of a dialog's contrast
    open_address(page, dashboard, "/reference?metric=gate.npv")
    expect_access(page)
    expect_order(page)


@pytest.fixture
def opened(browser: Browser, explorer_file: Path) -> Iterator[Page]:
    """The file at rest."""
    page = browser.new_page()
    page.goto(explorer_file.as_uri())
    expect(page.get_by_test_id("zone-skip")).to_contain_text("%")
    yield page
    page.close()


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_in_the_file(opened: Page, scheme: Any) -> None:
    opened.emulate_media(color_scheme=scheme)
    opened.reload()  # colours that are still on their way have no contrast yet
    expect(opened.get_by_test_id("zone-skip")).to_contain_text("%")
    assert expect_access(opened) == set()
    expect_order(opened)
    expect_names(opened)


@pytest.mark.long
def test_two_presses_of_tab_lead_to_the_handles_and_undo_keeps_the_focus(
    page: Page, dashboard: Dashboard
) -> None:
    open_address(page, dashboard, "/operating_point")
    expect(page.get_by_test_id("zone-skip")).to_contain_text("%")
    for _ in range(2):  # past the menu, then past the bar
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "handle-neg"
    before = page.get_by_test_id("tau-neg-box").input_value()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("tau-neg-box")).not_to_have_value(before)
    page.get_by_test_id("undo").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("tau-neg-box")).to_have_value(before)
    expect(page.get_by_test_id("undo")).to_be_disabled()
    assert page.evaluate(FOCUSED) == "undo"


@pytest.mark.long
def test_a_link_leads_to_the_handles_in_the_file(opened: Page) -> None:
    opened.keyboard.press("Tab")
    opened.keyboard.press("Enter")
    assert opened.evaluate(FOCUSED) == "handle-neg"


def test_sliders_are_called_what_they_set(opened: Page) -> None:
    for name in ("Prevalence, in percent", "What reviewers find, in percent"):
        expect(opened.get_by_role("slider", name=name)).to_be_visible()
