"""Over all pages: back takes one press, and every figure can be taken as PNG and SVG."""

import re
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from evalcore.figures.drawing import DARK, LIGHT
from tests.browser.conftest import VIEWPORT, foreign_requests
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.pages.test_addresses import ADDRESSES, SHORT

PNG = b"\x89PNG\r\n\x1a\n"
NAME = re.compile(r"[a-z0-9.-]+")


def path_of(page: Page) -> str:
    """The page of the address, without what was chosen."""
    return urlsplit(page.url).path


def go_to(page: Page, title: str) -> None:
    """Open a page by its name in the menu."""
    page.get_by_test_id("stSidebarNavLink").get_by_text(SHORT.get(title, title), exact=True).click()
    expect_page(page, title)


@pytest.mark.long
def test_back_takes_one_press_on_every_page_and_leaves_from_the_first(
    page: Page, dashboard: Dashboard
) -> None:
    page.goto("about:blank")
    open_address(page, dashboard, "/")
    expect_page(page, "Operating point")
    visited = {"/operating_point": "Operating point"}
    for address, title in ADDRESSES.items():
        if address not in visited:
            go_to(page, title)
            visited[address] = title
    assert page.evaluate("history.length") == 1 + len(visited)
    for address, title in list(visited.items())[-2::-1]:
        page.go_back(wait_until="commit")
        expect_page(page, title)
        assert path_of(page) == address
    page.go_back(wait_until="commit")
    assert page.url == "about:blank"


@pytest.mark.long
def test_choices_of_a_page_are_no_pages_of_their_own(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/criteria")
    go_to(page, "Ranking")
    for k in ("1", "20", "5"):
        page.get_by_test_id("stButtonGroup").filter(has_text="ALL").get_by_text(k, exact=True).click()
        page.wait_for_url(re.compile(rf"[?&]k={k}(&|$)"))
        wait_until_idle(page)
    go_to(page, "Selection")
    page.go_back(wait_until="commit")
    expect_page(page, "Ranking")
    assert "k=5" in page.url
    expect(page.get_by_role("heading", name=re.compile("K = 5$")).first).to_be_visible()
    page.go_back(wait_until="commit")
    expect_page(page, "Criteria")


@pytest.mark.long
def test_back_finds_the_choices_of_the_page_it_comes_to(page: Page, dashboard: Dashboard) -> None:
    chosen = "?steps=gate.alert_precision&gamma=0.8"
    open_address(page, dashboard, f"/pipeline_steps{chosen}")
    go_to(page, "Selection")
    assert "gamma=0.8" in page.url
    page.go_back(wait_until="commit")
    expect_page(page, "Pipeline steps")
    assert "steps=gate.alert_precision" in page.url
    assert "gamma=0.8" in page.url


def saved(page: Page, chart: Locator, kind: str, folder: Path) -> Path:
    """The file that a button of a figure saves."""
    with page.expect_download() as download:
        chart.get_by_role("button", name=f"Save this figure as {kind}").click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


@pytest.mark.long
def test_figures_follow_a_page_that_turns_dark_while_it_is_open(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/rag_annotators")
    tick = page.locator(".xtick text").first
    for scheme, ink in (("light", LIGHT.ink), ("dark", DARK.ink), ("light", LIGHT.ink)):
        page.emulate_media(color_scheme=scheme)
        red, green, blue = (int(ink[at : at + 2], 16) for at in (1, 3, 5))
        expect(tick).to_have_css("fill", f"rgb({red}, {green}, {blue})")


@pytest.mark.long
def test_every_figure_of_a_dark_page_is_saved_as_png_and_svg_on_white(
    browser: Browser, dashboard: Dashboard, tmp_path: Path
) -> None:
    context = browser.new_context(viewport=VIEWPORT, accept_downloads=True, color_scheme="dark")
    page = context.new_page()
    foreign = foreign_requests(page)
    names: list[str] = []
    for address, title in ADDRESSES.items():
        open_address(page, dashboard, address)
        expect_page(page, title)
        charts = page.get_by_test_id("stPlotlyChart")
        expect(page.locator(".figure-files")).to_have_count(charts.count())
        for chart in charts.all():
            if not chart.is_visible():
                continue
            svg = saved(page, chart, "SVG", tmp_path)
            text = svg.read_text()
            assert ElementTree.fromstring(text).tag.endswith("svg")
            assert "rgb(255, 255, 255)" in text.partition("<g")[0], svg
            red, green, blue = (int(DARK.ink[at : at + 2], 16) for at in (1, 3, 5))
            assert f"rgb({red}, {green}, {blue})" not in text, svg
            assert saved(page, chart, "PNG", tmp_path).read_bytes().startswith(PNG)
            assert svg.name.startswith(address.removeprefix("/").replace("_", "-")), svg.name
            assert NAME.fullmatch(svg.name)
            names.append(svg.name)
    assert len(set(names)) == len(names)
    assert len(names) > 20
    assert foreign == []
    context.close()
