"""Every address, as the first request of a fresh process, shows its page, with and without the guard."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle

pytestmark = pytest.mark.long

ADDRESSES = {
    "/data": "Data",
    "/operating_point": "Operating point",
    "/criteria": "Criteria",
    "/calibration": "Calibration",
    "/ranking": "Ranking",
    "/selection": "Selection",
    "/pipeline_steps": "Pipeline steps",
    "/failures": "Failures",
    "/compare": "Compare",
    "/report": "Report",
    "/rag_overview": "RAG overview",
    "/rag_retrieval": "Retrieval by rank",
    "/rag_answers": "Grounding, generation",
    "/rag_annotators": "Annotators",
    "/rag_violations": "Violations and failures",
    "/rag_compare": "Compare systems",
    "/recommender_overview": "Recommender overview",
    "/recommender_k": "Metric against K",
    "/recommender_tradeoff": "Trade-off",
    "/recommender_compare": "Compare models",
    "/recommender_fairness": "Fairness",
    "/recommender_popularity": "Popularity",
    "/recommender_users": "Users and items",
    "/reference": "Reference",
}
SHORT = {"Recommender overview": "Overview"}
"""Heading → what the navigation calls the page, where that is shorter."""
FIRST_REQUESTS = {"/": "Operating point", **ADDRESSES}
BRIEF = ("/", "/data", "/operating_point", "/rag_overview", "/recommender_overview", "/reference")
"""Of which a process of its own is started even where time is short: one of each family."""
PASSCODE = "correct horse"


def expect_page_begins(page: Page, title: str) -> None:
    """The page that was asked for, without a dialog; what it computes is waited for by other tests."""
    expect(page.get_by_role("heading", name=title, level=1, exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize(
    ("address", "title"),
    [
        pytest.param(address, title, marks=() if address in BRIEF else pytest.mark.long)
        for address, title in FIRST_REQUESTS.items()
    ],
)
def test_first_request_of_a_process_shows_its_page(
    page: Page, tmp_path: Path, address: str, title: str
) -> None:
    with Dashboard(log=tmp_path / "log.txt") as fresh:
        page.goto(fresh.url + address)
        expect_page_begins(page, title)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard behind a passcode; every test opens it in a session of its own."""
    log = tmp_path_factory.mktemp("guarded") / "log.txt"
    with Dashboard(log=log, environment={"EVALCORE_PASSCODE": PASSCODE}) as served:
        yield served


def expect_guard_then_page(page: Page, served: Dashboard, address: str, title: str) -> None:
    """Nothing but the guard is shown, and after the passcode the page that was asked for begins."""
    open_address(page, served, f"{address}?criterion=A.9")
    expect_page(page, "Passcode")
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(0)

    page.get_by_label("Passcode of this dashboard").fill(PASSCODE)
    page.get_by_role("button", name="Continue").click()
    expect_page_begins(page, title)
    assert "criterion=A.9" in page.url


@pytest.mark.parametrize(("address", "title"), FIRST_REQUESTS.items())
def test_guard_holds_in_a_new_session_and_then_shows_the_page(
    page: Page, guarded: Dashboard, address: str, title: str
) -> None:
    expect_guard_then_page(page, guarded, address, title)


@pytest.mark.parametrize("address", ["/", "/data", "/operating_point", "/rag_overview"])
def test_guard_holds_at_the_first_request_of_a_process(page: Page, tmp_path: Path, address: str) -> None:
    with Dashboard(log=tmp_path / "log.txt", environment={"EVALCORE_PASSCODE": PASSCODE}) as fresh:
        expect_guard_then_page(page, fresh, address, FIRST_REQUESTS[address])


def test_guard_refuses_a_wrong_passcode(page: Page, guarded: Dashboard) -> None:
    open_address(page, guarded, "/data")
    page.get_by_label("Passcode of this dashboard").fill("battery staple")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_have_text(
        "This is not the passcode. Ask the person who runs this dashboard."
    )
    expect_page(page, "Passcode")


def test_root_passes_the_query_on_to_the_operating_point(page: Page, dashboard: Dashboard) -> None:
    query = "?tau=0.0085&tau=0.78&criterion=A.9&note=%CF%84%26%20one&model=baseline"
    open_address(page, dashboard, "/" + query)
    expect_page(page, "Operating point")
    arrived = urlsplit(page.url)
    assert arrived.path == "/operating_point"
    assert set(parse_qsl(query[1:])) <= set(parse_qsl(arrived.query))


def test_link_gains_the_data_model_and_targets_that_are_shown(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/operating_point?tau=0.0085&tau=0.78")
    found = parse_qs(urlsplit(page.url).query)
    digest = found.pop("data")[0]
    expect(page.get_by_test_id("data-bar")).to_contain_text(f"data {digest[:8]}")
    assert found == {
        "tau": ["0.0085", "0.78"],
        "model": ["gnn_gate"],
        "sensitivity": ["0.995_0.95"],
        "precision": ["0.9_0.95"],
    }


def test_navigation_lists_exactly_the_tested_addresses(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    addresses = {dashboard.url + address for address in ADDRESSES}
    links = page.get_by_test_id("stSidebarNavLink")
    expect(links).to_have_count(len(ADDRESSES))
    assert {link.get_attribute("href") for link in links.all()} == addresses


def test_navigation_opens_each_page(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/operating_point")
    for address, title in ADDRESSES.items():
        page.get_by_test_id("stSidebarNavLink").get_by_text(SHORT.get(title, title), exact=True).click()
        page.wait_for_url(re.compile(rf"{address}(\?|$)"))
        expect_page(page, title)


def test_unknown_address_says_so(page: Page, dashboard: Dashboard) -> None:
    page.goto(dashboard.url + "/nowhere")
    expect(page.get_by_role("dialog")).to_contain_text("Page not found")


def test_no_page_file_lies_directly_in_pages() -> None:
    """Streamlit would serve such a file by its address without running app.py, past the guard."""
    pages = Path(__file__).resolve().parents[3] / "pages"
    assert [file.name for file in pages.glob("*.py")] == ["__init__.py"]


def test_dashboard_is_served_on_this_machine_only(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    wait_until_idle(page)
    assert f"http://127.0.0.1:{dashboard.port}" in dashboard.log.read_text()
