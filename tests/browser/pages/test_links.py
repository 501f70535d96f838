"""Links and reloads: they carry data, model, thresholds and targets, and nothing takes their place unsaid."""

import random
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import VIEWPORT
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.explorer.actions import text_of, thresholds, type_thresholds
from tests.support.but_long import but_long

PAIR = ("0.21", "0.66")
SAMPLE_NUMBERS = "14,770 checks"


def rows(seed: int) -> str:
    """Scores of two models that differ."""
    rng = random.Random(seed)
    lines = ["post_id,criterion_id,model,label,probability"]
    for post in range(120):
        for criterion in (1, 2):
            label = int(rng.random() < 0.3)
            lines += [
                f"p{post},A.{criterion},{model},{label},{rng.betavariate(2 + shift * label, 4):.3f}"
                for model, shift in (("one", 4), ("two", 7))
            ]
    return "\n".join(lines) + "\n"


MINE = rows(1)


@pytest.fixture
def other_page(browser: Browser) -> Page:
    """A page of another session."""
    context = browser.new_context(viewport=VIEWPORT)
    yield context.new_page()
    context.close()


def load(page: Page, name: str = "mine.csv", text: str = MINE) -> None:
    """Load a file on the Data page, where the session already is."""
    file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_test_id("data-bar")).to_contain_text(name)
    wait_until_idle(page)


def go(page: Page, title: str) -> None:
    """Open a page through the menu."""
    page.get_by_test_id("stSidebarNavLink").get_by_text(title, exact=True).click()
    expect_page(page, title)


def choose_model(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name=f"Model: {name}").click()
    wait_until_idle(page)


def numbers(page: Page) -> tuple[str, ...]:
    """What the Operating point page shows."""
    expect(page.get_by_test_id("zone-skip")).to_contain_text("%")
    tiles = ("tile-sensitivity", "tile-workload", "tile-precision")
    return (*thresholds(page), *(text_of(page, tile) for tile in tiles), text_of(page, "sentence"))


def note(page: Page) -> str:
    """What is said of the link."""
    return " ".join(page.get_by_test_id("link-note").first.inner_text().split())


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def copied_link(page: Page) -> str:
    """The address that the explorer's button copies."""
    page.evaluate("navigator.clipboard.writeText = async text => { globalThis.copied = text; }")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    return str(page.evaluate("globalThis.copied"))


def set_up(page: Page, dashboard: Dashboard) -> None:
    """Own data, their second model, thresholds moved."""
    open_address(page, dashboard, "/data")
    load(page)
    expect(page.get_by_role("combobox", name="Model")).to_have_value("Model: one")
    go(page, "Operating point")
    choose_model(page, "two")
    type_thresholds(page, *PAIR)
    page.wait_for_url(re.compile("tau=0.21&tau=0.66"))
    wait_until_idle(page)


def expect_waiting(page: Page) -> None:
    """The sample at thresholds of its own, and the file that is missing."""
    expect(page.get_by_test_id("data-bar")).to_contain_text(SAMPLE_NUMBERS)
    said = note(page)
    assert said.startswith("This link belongs to mine.csv (data ")
    assert "What is shown is other data, Sample: queries.csv" in said
    assert "Nothing was moved." in said
    assert query(page)["tau"] == list(PAIR)


@pytest.mark.long
def test_copied_link_waits_for_its_data_and_then_shows_the_same(
    page: Page, other_page: Page, dashboard: Dashboard, tmp_path: Path
) -> None:
    set_up(page, dashboard)
    expected, link = numbers(page), copied_link(page)
    assert query(page) == parse_qs(urlsplit(link).query)

    with Dashboard(log=tmp_path / "log.txt") as fresh:  # what a server remembers plays no part
        open_address(other_page, fresh, link.removeprefix(dashboard.url))
        expect_waiting(other_page)
        assert thresholds(other_page) != PAIR
        other_page.get_by_role("link", name="To the Data page").click()
        expect_page(other_page, "Data")
        assert "below" in note(other_page)
        load(other_page, "other.csv", rows(2))
        assert "other.csv" in note(other_page)
        load(other_page, "renamed.csv")
        said = note(other_page)
        assert said == (
            "These are the data of the link you opened; it is in use now. Model: two. "
            "Thresholds: skip below 0.21, alert from 0.66."
        )
        go(other_page, "Operating point")
        assert numbers(other_page) == expected
        expect(other_page.get_by_role("combobox", name="Model")).to_have_value("Model: two")
        other_page.get_by_role("button", name="Close").click()
        expect(other_page.get_by_test_id("link-note")).to_have_count(0)


@pytest.mark.long
def test_reload_names_the_file_that_is_gone_on_every_page(page: Page, dashboard: Dashboard) -> None:
    set_up(page, dashboard)
    for title in ("Criteria", "Calibration", "Failures", "Report"):
        go(page, title)
        assert query(page)["tau"] == list(PAIR)
        assert query(page)["model"] == ["two"]
        assert query(page)["file"] == ["mine.csv"]
    page.reload()
    expect_page(page, "Report")
    expect_waiting(page)
    go(page, "Criteria")
    expect_waiting(page)
    go(page, "Reference")
    assert query(page)["tau"] == list(PAIR)
    page.reload()
    go(page, "Calibration")
    expect_waiting(page)
    page.get_by_role("button", name="Forget the link").click()
    expect(page.get_by_test_id("link-note")).to_have_count(0)
    wait_until_idle(page)
    assert "file" not in query(page)
    assert query(page)["tau"] != list(PAIR)


@pytest.mark.parametrize(
    ("address", "title"), but_long([("/criteria", "Criteria"), ("/calibration", "Calibration")], 0)
)
def test_reload_keeps_the_thresholds_of_the_sample(
    page: Page, dashboard: Dashboard, address: str, title: str
) -> None:
    open_address(page, dashboard, "/operating_point")
    type_thresholds(page, "0.02", "0.9")
    page.wait_for_url(re.compile("tau=0.02&tau=0.9"))
    wait_until_idle(page)
    go(page, title)
    link = page.url
    assert urlsplit(link).path == address
    page.reload()
    expect_page(page, title)
    expect(page.get_by_test_id("link-note")).to_have_count(0)
    assert query(page)["tau"] == ["0.02", "0.9"]
    go(page, "Operating point")
    assert thresholds(page) == ("0.02", "0.9")


@pytest.mark.parametrize(
    ("asked", "said"),
    but_long(
        [
            ("model=gnn", "model: these data have no “gnn”; they have gnn_gate, baseline"),
            ("tau=0.9&tau=0.1", "tau: found 0.9 before 0.1, expected the lower threshold first"),
            ("tau=nan&tau=0.1", "tau: found “nan”, expected a number from 0 to 1, or none for an empty zone"),
            (
                "sensitivity=2_0.95",
                "sensitivity: found “2_0.95”, expected a target above 0 and up to 1 and its confidence",
            ),
        ],
        1,
    ),
)
def test_malformed_link_says_what_it_is_and_moves_nothing(
    page: Page, dashboard: Dashboard, asked: str, said: str
) -> None:
    open_address(page, dashboard, f"/operating_point?{asked}")
    assert note(page).startswith("This link cannot be used, and nothing was moved.")
    assert said in note(page)
    expect(page.get_by_role("combobox", name="Model")).to_have_value("Model: gnn_gate")
    assert query(page)["tau"] == list(thresholds(page))


@pytest.mark.long
def test_link_copied_while_another_waits_is_that_of_the_data_shown(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/operating_point?data=00000000&file=gone.csv&tau=0.3&tau=0.6")
    assert "gone.csv (data 00000000)" in note(page)
    type_thresholds(page, "0.02", "0.9")
    wait_until_idle(page)
    copied = parse_qs(urlsplit(copied_link(page)).query)
    assert copied["tau"] == ["0.02", "0.9"]
    assert "file" not in copied
    assert copied["data"] != ["00000000"]
    assert query(page)["data"] == ["00000000"]  # a reload still asks for it


@pytest.mark.long
def test_names_in_a_link_are_text(page: Page, dashboard: Dashboard) -> None:
    name = "%3Cimg%20src=x%20onerror=alert(1)%3E%E2%80%AE" + "x" * 200
    open_address(page, dashboard, f"/operating_point?data=00000000&file={name}&model=%3Cb%3E")
    assert "<img src=x onerror=alert(1)>\N{REPLACEMENT CHARACTER}x" in note(page)
    expect(page.get_by_test_id("link-note").locator("img")).to_have_count(0)


@pytest.mark.long
def test_messages_fit_a_phone(page: Page, dashboard: Dashboard) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for asked in ("data=00000000&file=" + "long_" * 15, "model=" + "long_" * 15):
        open_address(page, dashboard, f"/operating_point?{asked}")
        expect(page.get_by_test_id("link-note")).to_be_visible()
        main = page.get_by_test_id("stMain")
        assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
