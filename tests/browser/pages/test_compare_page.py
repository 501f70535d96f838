"""Compare in a real browser: progress, cancel, the answer, and the file."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle

pytestmark = pytest.mark.long


def test_long_comparison_shows_progress_and_can_be_cancelled(page: Page, dashboard: Dashboard) -> None:
    with dashboard.slowed():
        page.goto(dashboard.url + "/compare?by=criterion")
        expect(page.get_by_text(re.compile(r"(intervals|test) of checks, \d+ of \d+ parts"))).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("Cancelled.")).to_be_visible()
    wait_until_idle(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(0)

    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_text("7,390 checks compared; none fell out.")).to_be_visible(timeout=120_000)
    expect_page(page, "Compare")
    expect(page.locator(".js-plotly-plot")).to_have_count(2)  # all metrics, and one by group


def test_lists_are_compared_by_criterion_and_taken_away(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/compare")
    page.get_by_test_id("stMain").get_by_text("Ranked lists", exact=True).click()
    expect(page.get_by_text("689 queries with gold compared; none fell out.")).to_be_visible(timeout=120_000)
    page.get_by_role("combobox", name=re.compile("By")).click()
    page.get_by_role("option", name="criterion").click()
    expect(page.get_by_text(re.compile("Holm's adjustment over 10 groups"))).to_be_visible(timeout=120_000)
    wait_until_idle(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Table as CSV").click()
    header, first, *rest = Path(saved.value.path()).read_text().splitlines()
    assert header.startswith("first,second,metric,params,population,group_by,group,first_value,second_value,")
    assert first.startswith("retriever_topk,reranked_topk,ranking.ndcg,k=10,positives_only,,,")
    assert len(rest) == 5 * 11 - 1

    page.set_viewport_size({"width": 390, "height": 844})
    wait_until_idle(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    tables = page.locator("table.facts")
    expect(tables).to_have_count(2)
    for table in tables.all():
        assert table.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
