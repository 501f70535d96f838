"""Names that try to be more than text, on every page: nothing leaves, nothing runs, nothing is a link."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode, urlparse

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

import evalcore
from evalcore.readers import Upload
from evalcore.report import report_files
from tests.browser.conftest import VIEWPORT
from tests.browser.dashboard import Dashboard, open_address, wait_until_idle
from tests.support import hostile_names as hostile

pytestmark = pytest.mark.long

EVIDENCE = (
    "Operating point",
    "Criteria",
    "Calibration",
    "Ranking",
    "Selection",
    "Pipeline steps",
    "Failures",
    "Compare",
    "Report",
)
RAG = (
    "RAG overview",
    "Retrieval by rank",
    "Grounding, generation",
    "Annotators",
    "Violations and failures",
    "Compare systems",
)
WITH_MODELS = {"Criteria", "Ranking", "Pipeline steps", "Compare"}
MOST = 6
"""Menus, tips and charts of a page that are opened; a page has fewer of those that show names."""
FILE_NAME = f"www.{hostile.HOST} {hostile.LINK} {hostile.ICON} {hostile.TURNED} <b>.csv".replace(
    "/", "\u2215"
)

# Everything that could ask another host, in the page and in the components within it.
LINKS = """host => {
  const found = [];
  const look = root => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) look(node.shadowRoot);
      for (const name of ["href", "src", "xlink:href", "srcset", "action", "data", "poster"]) {
        const value = node.getAttribute(name);
        if (value && new URL(value, document.baseURI).hostname.includes(host)) found.push(node.outerHTML);
      }
      if (node.matches(".katex, center, marquee")) found.push(node.outerHTML);
    }
  };
  look(document);
  return found;
}"""


class Watched:
    """A page whose requests to other hosts are stopped and kept.

    Parameters
    ----------
    page
        Of a context of its own.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.foreign: list[str] = []
        self.dialogs: list[str] = []
        page.context.route("**/*", self._let_pass_or_keep)
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("popup", lambda opened: self.foreign.append(opened.url))

    def _let_pass_or_keep(self, route: Route) -> None:
        address = urlparse(route.request.url)
        if address.scheme in ("http", "https") and address.hostname != "127.0.0.1":
            self.foreign.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    def is_harmless(self, where: str) -> None:
        """Fail when anything left, ran or became a link."""
        assert self.page.get_by_test_id("stException").count() == 0, where
        for frame in self.page.frames:
            assert frame.evaluate("window.__hit") is None, where
            assert frame.evaluate(LINKS, hostile.HOST) == [], where
        assert (self.foreign, self.dialogs) == ([], []), where


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    """A session of its own."""
    context = browser.new_context(viewport=VIEWPORT, accept_downloads=True)
    yield Watched(context.new_page())
    context.close()


def give(page: Page, files: dict[str, str]) -> None:
    """Upload files on the page that is open."""
    page.locator("input[type=file]").first.set_input_files(
        [{"name": name, "mimeType": "text/csv", "buffer": text.encode()} for name, text in files.items()]
    )
    page.wait_for_timeout(400)  # until the page has heard of it
    wait_until_idle(page)


def open_page(page: Page, title: str) -> None:
    """Go to a page of the session."""
    page.get_by_test_id("stSidebarNavLink").get_by_text(title, exact=True).click()
    expect_page_or_question(page, title)


def expect_page_or_question(page: Page, title: str) -> None:
    """The page is shown and at rest."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    wait_until_idle(page)


def each(found: Locator, act: Callable[[Locator], None]) -> None:
    """Do something with the first of what is visible."""
    for one in [one for one in found.all()[:MOST] if one.is_visible()]:
        act(one)


def open_everything(page: Page) -> None:
    """Open whatever of a page shows more names: expanders, menus, tips, charts, cells."""
    main = page.get_by_test_id("stMain")
    open_expanders(page)
    each(main.get_by_role("combobox"), open_menu)
    each(main.get_by_test_id("stTooltipIcon"), lambda one: one.hover(force=True))
    each(main.locator(".js-plotly-plot"), hover_chart)
    each(main.get_by_test_id("stDataFrame"), open_cell)


def open_expanders(page: Page) -> None:
    """Open every expander."""
    closed = "main => main.querySelectorAll('details:not([open]) > summary').forEach(one => one.click())"
    page.get_by_test_id("stMain").evaluate(closed)
    wait_until_idle(page)


def open_menu(one: Locator) -> None:
    """See the options of a select box."""
    one.click()
    one.page.wait_for_timeout(120)
    one.page.keyboard.press("Escape")


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a select box."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
    wait_until_idle(page)


def hover_chart(one: Locator) -> None:
    """Let a chart say what lies under the pointer, at several places."""
    one.scroll_into_view_if_needed()
    box = one.bounding_box()
    assert box is not None
    for share in (0.3, 0.5, 0.7):
        one.page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.5 * box["height"])
        one.page.wait_for_timeout(40)


def open_cell(one: Locator) -> None:
    """See a cell in full."""
    one.scroll_into_view_if_needed()
    box = one.bounding_box()
    assert box is not None
    one.page.mouse.dblclick(box["x"] + 60, box["y"] + 52)
    one.page.wait_for_timeout(80)
    one.page.keyboard.press("Escape")


def text_of(page: Page) -> str:
    """What a page says, without the signs of no width that keep addresses from being links."""
    return page.get_by_test_id("stMain").inner_text().replace("\u2060", "")


def test_predictions_and_lists_with_hostile_names_are_text_on_every_page(
    watched: Watched, dashboard: Dashboard
) -> None:
    page = watched.page
    for content in (hostile.broken(), hostile.unlabelled()):
        open_address(page, dashboard, "/data")
        give(page, {FILE_NAME: content})
        expect(page.get_by_text("These files cannot be used yet.")).to_be_visible()
        open_everything(page)
        watched.is_harmless("Data, problems")
    open_address(page, dashboard, "/data")
    give(page, {FILE_NAME: hostile.predictions(), "candidates.csv": hostile.candidates()})
    open_everything(page)
    watched.is_harmless("Data, preview")
    page.get_by_role("button", name="Use these data").click()
    wait_until_idle(page)
    open_everything(page)
    watched.is_harmless("Data")
    for title in EVIDENCE:
        open_page(page, title)
        if title == "Report":
            page.get_by_role("button", name="Make the report").click()
            expect(page.get_by_role("button", name="report.html")).to_be_visible()
            wait_until_idle(page)
        if title == "Compare":
            choose(page, "By", hostile.ADDRESS)
            choose(page, "Gate", "Same thresholds")
        open_everything(page)
        watched.is_harmless(title)
        assert (hostile.IMAGE if title in WITH_MODELS else hostile.ICON[15:]) in text_of(page), title
    open_page(page, "Operating point")
    page.get_by_role("button", name="Find thresholds").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Find", exact=True).click()
    wait_until_idle(page)
    watched.is_harmless("Find thresholds")


def test_annotations_with_hostile_names_are_text_on_every_page(
    watched: Watched, dashboard: Dashboard
) -> None:
    page = watched.page
    open_address(page, dashboard, "/data")
    give(page, hostile.annotations())
    open_everything(page)
    watched.is_harmless("Data, preview")
    page.get_by_role("button", name="Use these data").click()
    wait_until_idle(page)
    for title in RAG:
        open_page(page, title)
        if title == "RAG overview":
            choose(page, "By", hostile.ADDRESS)
        open_everything(page)
        watched.is_harmless(title)
    give(page, {FILE_NAME: hostile.annotations()["grounding.csv"]})
    open_expanders(page)
    page.get_by_role("button", name="Compare with these").click()
    wait_until_idle(page)
    watched.is_harmless("Compare systems, a second export")
    open_page(page, "Data")
    give(page, {FILE_NAME: hostile.tool_scores()})
    page.get_by_role("button", name="Use these data").click()
    open_page(page, "RAG overview")
    assert hostile.IMAGE in text_of(page)
    watched.is_harmless("RAG overview, scores of tools")
    open_page(page, "Reference")
    watched.is_harmless("Reference")


def test_a_link_with_hostile_names_is_text(watched: Watched, dashboard: Dashboard) -> None:
    values = [("data", "0" * 8), *(("file", name) for name in hostile.NAMES[:5])]
    values += [("model", hostile.PICTURE), ("criterion", hostile.IMAGE), ("kind", hostile.ADDRESS)]
    open_address(watched.page, dashboard, f"/failures?{urlencode(values)}")
    assert hostile.IMAGE in text_of(watched.page)
    watched.is_harmless("Failures, by a link")
    open_address(watched.page, dashboard, f"/reference?{urlencode([('metric', hostile.IMAGE)])}")
    assert hostile.IMAGE in text_of(watched.page)
    watched.is_harmless("Reference, by a link")


@pytest.mark.parametrize("task", ["evidence", "rag"])
def test_a_written_report_with_hostile_names_is_text(watched: Watched, tmp_path: Path, task: str) -> None:
    files = {
        "evidence": {FILE_NAME: hostile.predictions(), "candidates.csv": hostile.candidates()},
        "rag": hostile.annotations(),
    }[task]
    data = evalcore.load([Upload(name, text.encode()) for name, text in files.items()])
    groups = [hostile.SCRIPT] if task == "evidence" else [hostile.ADDRESS]
    report = tmp_path / "report.html"
    report.write_bytes(report_files(evalcore.evaluate(data, by=groups))["report.html"])
    watched.page.goto(report.as_uri())
    assert hostile.IMAGE in watched.page.locator("body").inner_text()
    watched.is_harmless(task)
