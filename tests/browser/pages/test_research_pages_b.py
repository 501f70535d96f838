"""Ranking, Selection and Pipeline steps in a real browser: every chart drawn, the numbers of the core."""

import re

import pytest
from playwright.sync_api import Page, expect

import evalcore
from evalcore.evaluation.lists import first_gold
from evalcore.kernels.policy import Policy
from evalcore.selection_sweep import gamma_sweep
from evalcore.splits import only_split
from evalcore.tallies.ranked import RankedQueries
from evalcore.tallies.selections import ScoredLists
from evalcore.text.numerals import number
from pages.shared.data import session
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle

pytestmark = pytest.mark.long

CANDIDATES = """post_id,criterion_id,sent_uid,is_gold,first,second
p1,A.1,s1,0,0.3,2.5
p1,A.1,s2,1,0.6,1.5
p1,A.1,s3,0,0.1,-1.5
p2,A.1,s4,1,0.7,0.5
p2,A.1,s5,0,0.2,0.1
"""


def drawn(page: Page) -> list[int]:
    """How many marks each chart of the page shows."""
    charts = page.get_by_test_id("stPlotlyChart")
    marks = "path.point, .scatterlayer path.js-line, .points path"
    return [chart.locator(marks).count() for chart in charts.all()]


def expect_charts(page: Page, n: int) -> None:
    """Fail unless the page has so many charts, none of them empty."""
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(n)
    for at in range(n):
        chart = page.get_by_test_id("stPlotlyChart").nth(at)
        chart.scroll_into_view_if_needed()
        expect(chart.locator(".main-svg").first).to_be_visible()
    assert min(drawn(page)) > 0, drawn(page)


def go_to(page: Page, title: str) -> None:
    """Open a page by its name in the menu."""
    page.get_by_test_id("stSidebarNavLink").get_by_text(title, exact=True).click()
    expect_page(page, title)


def test_sample_shows_the_numbers_of_the_core_and_the_simulator_follows(
    page: Page, dashboard: Dashboard
) -> None:
    open_address(page, dashboard, "/ranking")
    expect_page(page, "Ranking")
    expect_charts(page, 4)
    rankings = only_split(evalcore.load([session.SAMPLE, *session.SAMPLE_LISTS]), "tune").rankings
    assert rankings is not None
    found = first_gold({"reranked_topk": RankedQueries.from_rankings(rankings, "reranked_topk")})
    n_missing = int(found["reranked_topk"].n[-1])
    expect(page.get_by_text(f"reranked_topk: {n_missing} of 689 queries with gold")).to_be_visible()

    go_to(page, "Pipeline steps")
    expect_charts(page, 2)
    go_to(page, "Selection")
    expect_charts(page, 3)
    results = gamma_sweep(
        ScoredLists.from_rankings(rankings, "reranker"),
        Policy("mass", gamma=0.89, temperature=1.0, ratio="0.50"),
    )
    recall = page.locator(".tile").filter(has_text="Evidence recall").first.locator(".value")
    for gamma in (0.9, 0.89):
        now = next(one for one in results if one.policy.gamma == gamma)
        expect(recall).to_have_text(f"{number(now.evidence_recall)}")
        page.get_by_role("slider", name="γ").focus()
        page.keyboard.press("ArrowLeft")
    wait_until_idle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_own_candidates_reach_every_section(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    page.locator("input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": CANDIDATES.encode()}
    )
    expect(page.get_by_role("button", name="Use these data")).to_be_visible()
    wait_until_idle(page)
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_test_id("data-bar")).to_contain_text("mine.csv")
    wait_until_idle(page)
    go_to(page, "Ranking")
    expect(page.get_by_role("heading", name=re.compile("second against first"))).to_be_visible()
    # in the list of p1 the second score puts s1 before the gold, the first does not
    expect(page.get_by_text("first: 0 of 2 queries with gold have none in the list")).to_be_visible()
    expect_charts(page, 3)
    go_to(page, "Selection")
    expect_charts(page, 2)
    go_to(page, "Pipeline steps")
    expect_charts(page, 2)
