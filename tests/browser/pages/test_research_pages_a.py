"""Criteria and Calibration in a real browser: no error, no empty chart, and the numbers of evalcore."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import evalcore
from evalcore.evaluation.calibration import calibration_values
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.text.numerals import number
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle

pytestmark = pytest.mark.long

SAMPLE = Path(__file__).resolve().parents[3] / "sample_data" / "queries.csv"
DRAWN = ".trace .js-line, .trace .point, .hm image"


def expect_charts(page: Page, n: int) -> None:
    """Fail unless so many charts are shown, each with something drawn and with a text for it."""
    charts = page.get_by_test_id("stPlotlyChart")
    expect(charts).to_have_count(n)
    for chart in charts.all():
        expect(chart.locator(DRAWN).first).to_be_attached()
        expect(chart).to_have_attribute("aria-label", re.compile(r"\w.*\.$"))


@pytest.fixture(scope="module")
def tune():
    """The rows that both pages count at first."""
    return row_set(evalcore.load([SAMPLE]), "tune", split="tune", model=None)


def test_criteria_page_shows_the_criterion_of_its_address(page: Page, dashboard: Dashboard, tune) -> None:
    open_address(page, dashboard, "/criteria?criterion=A.3")
    expect_page(page, "Criteria")
    expect_charts(page, 5)
    expect(page.get_by_role("combobox", name="Criterion", exact=True)).to_have_value("A.3")
    expect(
        page.get_by_text(f"{len(tune.queries):,} checks, {tune.n_positives:,} with evidence")
    ).to_be_visible()
    assert "criterion=A.3" in page.url

    page.get_by_role("textbox", name="Name").fill("appetite")
    page.get_by_role("textbox", name="Name").press("Enter")
    wait_until_idle(page)
    expect(page.get_by_test_id("stPlotlyChart").nth(3)).to_contain_text("A.3 appetite")

    bar = page.get_by_test_id("stPlotlyChart").nth(3).locator(".point path").nth(5)
    bar.scroll_into_view_if_needed()
    bar.click(force=True)  # a layer of the chart above the bar takes the click
    expect(page.get_by_role("combobox", name="Criterion", exact=True)).to_have_value("A.6")
    wait_until_idle(page)

    page.get_by_role("link", name="Failures of A.6").click()
    expect_page(page, "Failures")
    assert "criterion=A.6" in page.url


def test_calibration_page_shows_the_numbers_of_evalcore(page: Page, dashboard: Dashboard, tune) -> None:
    open_address(page, dashboard, "/calibration")
    expect_page(page, "Calibration")
    expect_charts(page, 11)  # the twelfth shows recalibration on test rows, for which it asks first
    values = calibration_values(tune.table)
    for name in ("ece", "brier", "calibration_slope"):
        text = number(values[f"calibration.{name}", "default"].value)
        expect(page.locator(".tile .value").get_by_text(text, exact=True).first).to_be_visible()
    page.get_by_role("radio", name="Equal mass").click()
    wait_until_idle(page)
    ece = f"{number(values['calibration.ece', 'equal_mass'].value)}"
    expect(page.locator(".tile .value").get_by_text(ece, exact=True).first).to_be_visible()
    expect_page(page, "Calibration")
