"""The Data page in a real browser: upload, mapping, names that try to run, and sessions of their own."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle

MINE = "report,criterion,label,chance\np1,A.1,yes,0.9\np1,A.2,no,0.2\np2,A.1,no,0.1\np2,A.2,yes,0.4\n"
EVIL = """<img src=x onerror=alert(1)>,**bold** :red[hi] $x$,label,score
<b>a</b>,**c**,1,0.9
=1+1,:red[d],0,0.1
"""


def give(page: Page, name: str, text: str) -> None:
    """Upload a file."""
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    )
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    wait_until_idle(page)


def pick(page: Page, label: str, option: str) -> None:
    """Choose an option of a select box."""
    box = page.get_by_role("combobox", name=label, exact=True)
    box.evaluate("element => element.scrollIntoView({block: 'center', behavior: 'instant'})")
    page.wait_for_timeout(200)  # scrolling closes the list
    box.click()
    page.get_by_role("option", name=option, exact=True).click()
    wait_until_idle(page)
    if page.get_by_role("option").count():  # a field for several columns stays open
        page.keyboard.press("Escape")


def test_file_is_uploaded_mapped_and_put_to_use(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    give(page, "mine.csv", MINE)
    expect(page.get_by_text("These files cannot be used yet.")).to_be_visible()
    pick(page, "post_id", "report")
    pick(page, "probability (needed)", "chance")
    expect(page.get_by_text("COL-001")).to_have_count(0)
    pick(page, "Which label means “has evidence”?", "yes (2 rows)")
    expect(page.get_by_text("4 rows in = 4 used + 0 excluded")).to_be_visible()
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_test_id("data-bar")).to_contain_text("mine.csv")
    page.get_by_role("link", name="Operating point").last.click()
    expect_page(page, "Operating point")
    expect(page.get_by_test_id("data-bar")).to_contain_text("4 checks")


def test_names_that_try_to_run_are_text(page: Page, dashboard: Dashboard) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    open_address(page, dashboard, "/data")
    give(page, "**x** <i>y<i> :red[z].csv", EVIL)
    pick(page, "post_id", "<img src=x onerror=alert(1)>")
    pick(page, "criterion_id", "**bold** :red[hi] $x$")
    expect(page.get_by_text("**x** <i>y<i> :red[z].csv", exact=True).first).to_be_visible()
    expect(page.get_by_text("2 rows in = 2 used + 0 excluded")).to_be_visible()
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_test_id("data-bar")).to_contain_text("**x** <i>y<i> :red[z].csv")
    main = page.get_by_test_id("stMain")
    expect(main.locator("img[src=x], .katex, .stMarkdownColoredText")).to_have_count(0)
    assert dialogs == []


def test_two_sessions_do_not_see_each_other(browser: Browser, page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    give(page, "mine.csv", MINE.replace("yes", "1").replace("no", "0").replace("chance", "score"))
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_test_id("data-bar")).to_contain_text("mine.csv")
    other = browser.new_context().new_page()
    open_address(other, dashboard, "/data")
    expect(other.get_by_test_id("data-bar")).to_contain_text("synthetic")
    expect(other.get_by_text("mine.csv")).to_have_count(0)
    other.context.close()


@pytest.mark.long
def test_template_is_what_can_be_uploaded(page: Page, dashboard: Dashboard, tmp_path: Path) -> None:
    open_address(page, dashboard, "/data")
    with page.expect_download() as download:
        page.get_by_role("button", name="Template queries.csv").click()
    template = tmp_path / download.value.suggested_filename
    download.value.save_as(template)
    give(page, template.name, template.read_text())
    expect(page.get_by_text("10 rows in = 10 used + 0 excluded")).to_be_visible()


@pytest.mark.long
def test_pages_fit_a_phone(page: Page, dashboard: Dashboard) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for address in ("/data", "/reference", "/reference?metric=gate.neg_rate"):
        open_address(page, dashboard, address)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        main = page.get_by_test_id("stMain")
        assert main.evaluate("element => element.scrollWidth <= element.clientWidth")


@pytest.mark.long
def test_definition_has_an_address_of_its_own(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/reference")
    page.get_by_label("Search").press_sequentially("screening sens")
    expect(page.get_by_text(re.compile(r"^1 of \d+ definitions$"))).to_be_visible()
    wait_until_idle(page)
    page.locator("summary", has_text="Screening sensitivity").first.click()
    page.get_by_role("button", name="Address of this definition").click()
    page.wait_for_url("**/reference?metric=gate.screening_sensitivity")
    wait_until_idle(page)  # the address comes first: the list, with headings of its own, is still shown then
    expect(page.get_by_role("heading", level=2)).to_have_text("Screening sensitivity")
    page.get_by_role("button", name="All definitions").click()
    page.wait_for_url(dashboard.url + "/reference")


@pytest.mark.long
def test_main_button_can_be_read_on_the_colour_of_either_theme(page: Page, dashboard: Dashboard) -> None:
    for scheme, ink, ground in (
        ("light", "rgb(255, 255, 255)", "rgb(31, 86, 149)"),
        ("dark", "rgb(18, 23, 29)", "rgb(127, 178, 238)"),
    ):
        page.emulate_media(color_scheme=scheme)
        open_address(page, dashboard, "/report")
        button = page.get_by_role("button", name="Make the report")
        expect(button).to_have_css("background-color", ground)
        expect(button.get_by_text("Make the report")).to_have_css("color", ink)


@pytest.mark.long
def test_a_table_wider_than_the_page_says_so_until_its_last_column_is_seen(
    page: Page, dashboard: Dashboard
) -> None:
    shade = "element => getComputedStyle(element, '::after').opacity"
    page.set_viewport_size({"width": 390, "height": 844})
    open_address(page, dashboard, "/criteria")
    table = page.get_by_test_id("stDataFrame").first
    scroller = table.locator(".dvn-scroller")
    scroller.wait_for()
    assert table.evaluate(shade) == "1"
    scroller.evaluate("element => element.scrollTo(element.scrollWidth, 0)")
    page.wait_for_timeout(300)
    assert table.evaluate(shade) == "0"
    open_address(page, dashboard, "/rag_violations")
    narrow = page.get_by_test_id("stDataFrame").last
    narrow.locator(".dvn-scroller").wait_for()
    assert narrow.evaluate(shade) == "0"
