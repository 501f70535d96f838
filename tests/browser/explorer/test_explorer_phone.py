"""The explorer under a thumb, as a page and as a file: handles at once, two tiles in sight, the menu away."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address
from tests.browser.explorer.actions import open_explorer, text_of, thresholds
from tests.support.but_long import but_long

WIDTH, HEIGHT = 390, 844
UP = 265  # px: where the handles stand when the page is scrolled as far as they can be used
MATTER = ("tile-sensitivity", "tile-workload")
IS_SEEN = """(tile) => {
    const root = tile.getRootNode();
    const parts = [tile, ...tile.querySelectorAll(".value:not([hidden]), .detail, .chip:not([hidden])")];
    return parts.filter((part) => part.textContent).every((part) => {
        const { left, top, width, height } = part.getBoundingClientRect();
        const at = [left + width / 2, top + height / 2];
        return top >= 0 && top + height <= innerHeight && tile.contains(root.elementFromPoint(...at));
    });
}"""


@contextmanager
def phone(browser: Browser, scheme: Any = "light") -> Iterator[Page]:
    """A page as wide as a phone's, which calls itself that of no phone."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, has_touch=True, color_scheme=scheme
    )
    yield context.new_page()
    context.close()


@pytest.fixture(params=["page", "file"])
def under_thumb(
    request: pytest.FixtureRequest, browser: Browser, dashboard: Dashboard, explorer_file: Path
) -> Iterator[Page]:
    """The explorer at rest at a phone's width, on its page and as a file."""
    with phone(browser) as page:
        if request.param == "page":
            open_explorer(page, dashboard)
        else:
            page.goto(explorer_file.as_uri())
            expect(page.get_by_test_id("zone-skip")).to_contain_text("%")
        yield page


class Thumb:
    """One finger on the screen."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)

    def touch(self, kind: str, *at: float) -> None:
        """Begin, move or end a touch."""
        points = [{"x": at[0], "y": at[1]}] if at else []
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def middle(page: Page, test_id: str) -> tuple[float, float]:
    box = page.get_by_test_id(test_id).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def scroll_by(page: Page, y: float) -> None:
    """Scroll whatever scrolls: the main part of the dashboard, or the page itself."""
    main_part = page.get_by_test_id("stMain")
    scroller = main_part if main_part.count() else page.locator("html")
    scroller.evaluate("(node, y) => node.scrollBy({ top: y, behavior: 'instant' })", y)


def test_both_handles_are_on_the_first_screen(under_thumb: Page) -> None:
    for side in ("neg", "pos"):
        x, y = middle(under_thumb, f"handle-{side}")
        assert 0 < x < WIDTH
        assert y + 22 < HEIGHT
    assert under_thumb.evaluate("document.documentElement.scrollWidth") <= WIDTH


@pytest.mark.parametrize("is_scrolled", but_long([True, False], 1))
def test_the_tiles_that_matter_stay_in_sight_while_a_thumb_drags(
    under_thumb: Page, is_scrolled: bool
) -> None:
    if is_scrolled:
        scroll_by(under_thumb, middle(under_thumb, "handle-neg")[1] - UP)
    x, y = middle(under_thumb, "handle-neg")
    before, thumb = thresholds(under_thumb), Thumb(under_thumb)
    workload = text_of(under_thumb, "tile-workload", ".value")
    thumb.touch("touchStart", x, y)
    for step in range(1, 12):
        thumb.touch("touchMove", x + 5 * step, y)
    for tile in MATTER:
        assert under_thumb.get_by_test_id(tile).evaluate(IS_SEEN), tile
    assert text_of(under_thumb, "tile-workload", ".value") != workload
    assert text_of(under_thumb, "tile-sensitivity", ".detail").startswith("at least ")
    thumb.touch("touchEnd")
    assert thresholds(under_thumb)[0] != before[0]
    assert thresholds(under_thumb)[1] == before[1]


@pytest.mark.long
def test_tiles_hold_what_they_say_wherever_the_handles_stand(under_thumb: Page) -> None:
    handle = under_thumb.get_by_test_id("handle-neg")
    for key in ("Home", "PageDown", "PageUp", "End"):
        handle.press(key)
        for tile in (*MATTER, "tile-missed", "tile-precision"):
            node = under_thumb.get_by_test_id(tile)
            assert node.evaluate("(tile) => tile.scrollHeight <= tile.clientHeight"), (key, tile)


@pytest.mark.parametrize("scheme", but_long(["dark", "light"], 0))
def test_both_themes_are_shown_at_a_phones_width(browser: Browser, dashboard: Dashboard, scheme: str) -> None:
    with phone(browser, scheme) as page:
        open_explorer(page, dashboard)
        expect(page.get_by_test_id("explorer")).to_have_attribute("data-theme", scheme)


@pytest.mark.parametrize("width", but_long([320, 390, 768, 1000, 1200, 1440], 2))
def test_what_to_do_is_said_at_every_width(browser: Browser, explorer_file: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": HEIGHT})
    page.goto(explorer_file.as_uri())
    hint = page.get_by_test_id("hint")
    expect(hint).to_be_visible()
    expect(hint).to_have_text("Drag the two handles, or type their values")
    assert hint.evaluate("(node) => node.offsetWidth <= node.parentElement.clientWidth")
    page.close()


def test_the_hint_gives_way_to_a_note(browser: Browser, explorer_file: Path) -> None:
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto(explorer_file.as_uri())
    page.get_by_test_id("tau-neg-box").fill("high")
    page.get_by_test_id("tau-neg-box").press("Enter")
    expect(page.get_by_test_id("note")).to_have_text("τ neg: “high” is not a number.")
    expect(page.get_by_test_id("hint")).to_be_hidden()
    page.close()


@pytest.mark.long
def test_the_menu_closes_after_a_tap_on_a_page(browser: Browser, dashboard: Dashboard) -> None:
    with phone(browser) as page:
        open_explorer(page, dashboard)
        for title in ("Reference", "Operating point"):
            page.get_by_test_id("stExpandSidebarButton").tap()
            page.get_by_test_id("stSidebarNavLink").filter(has_text=title).tap()
            expect_page(page, title)
            expect(page.get_by_test_id("stSidebarCollapseButton")).to_have_count(0)


@pytest.mark.long
def test_the_menu_stays_where_there_is_room_for_it(page: Page, dashboard: Dashboard) -> None:
    open_explorer(page, dashboard)
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Reference").click()
    expect_page(page, "Reference")
    expect(page.get_by_test_id("stSidebarNavLink").filter(has_text="Reference")).to_be_in_viewport()


@pytest.mark.long
def test_the_buttons_that_save_the_figure_take_a_thumb_and_cover_nothing(under_thumb: Page) -> None:
    around = [
        box
        for name in ("log-counts", "axis", "action-find", "tau-pos-box", "histogram")
        if (box := under_thumb.get_by_test_id(name).bounding_box()) is not None
    ]
    for kind in ("png", "svg"):
        own = under_thumb.get_by_test_id(f"picture-{kind}").bounding_box()
        assert own is not None
        assert min(own["width"], own["height"]) >= 44
        for box in around:
            is_beside = own["x"] >= box["x"] + box["width"] or box["x"] >= own["x"] + own["width"]
            is_beneath = own["y"] >= box["y"] + box["height"] or box["y"] >= own["y"] + own["height"]
            assert is_beside or is_beneath, (kind, own, box)


TOO_SMALL = """() => {
    const found = [];
    const walk = (root) => {
        for (const node of root.querySelectorAll("*")) {
            found.push(node);
            if (node.shadowRoot) walk(node.shadowRoot);
        }
    };
    walk(document.querySelector('[data-testid="stMain"]') ?? document.body);
    const room = (node) => {
        const own = node.closest("label") ?? node;
        const around = parseFloat(getComputedStyle(node, "::before").height) || 0;
        return Math.max(own.getBoundingClientRect().height, around);
    };
    return found
        .filter((node) => node.matches("button, select, summary, input, [data-testid=stPageLink-NavLink]"))
        .filter((node) => !node.closest('[data-testid="stSlider"]'))  // its knob is Streamlit's own
        .filter((node) => node.getClientRects().length && node.getBoundingClientRect().height > 1)
        .filter((node) => room(node) < 42)  // a frame of a pixel above and below is pressed as well
        .map((node) => node.outerHTML.slice(0, 120));
}"""


@pytest.mark.long
@pytest.mark.parametrize("place", ["page", "file"])
def test_whatever_is_pressed_takes_a_thumb(
    browser: Browser, dashboard: Dashboard, explorer_file: Path, place: str
) -> None:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, has_touch=True, is_mobile=True)
    page = context.new_page()
    if place == "page":
        open_explorer(page, dashboard)
    else:
        page.goto(explorer_file.as_uri())
        expect(page.get_by_test_id("zone-skip")).to_contain_text("%")
    assert page.evaluate(TOO_SMALL) == []
    context.close()


@pytest.mark.long
def test_the_buttons_of_a_table_take_a_thumb(browser: Browser, dashboard: Dashboard) -> None:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, has_touch=True, is_mobile=True)
    page = context.new_page()
    open_address(page, dashboard, "/criteria")
    buttons = page.get_by_test_id("stElementToolbar").first.get_by_role("button")
    expect(buttons.first).to_be_visible()
    boxes = [one.bounding_box() for one in buttons.all()]
    assert len(boxes) > 2
    for box in boxes:
        assert box is not None
        assert box["width"] >= 44
        assert 0 <= box["x"] <= WIDTH - box["width"]
    context.close()
