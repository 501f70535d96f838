"""Below the explorer, in a real browser: the front that moves the handles, and the choice over folds."""

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import evalcore
from evalcore.operating_point.choosing.front import pareto_front
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.thresholds import threshold_text
from pages.shared.point.other_choices import FEWEST_ALERTS
from tests.browser.dashboard import ROOT, wait_until_idle
from tests.browser.explorer.actions import screen, thresholds
from tests.browser.pages.raw_rows import MODEL, SPLIT, expected_screen, percent, tune_rows

pytestmark = pytest.mark.long

SAMPLE = ROOT / "sample_data" / "queries.csv"
FRONT, FOLDS = "What no other thresholds beat", "Choice over folds"


def opened(page: Page, title: str) -> Locator:
    """The section under `title`, opened and at rest."""
    section = page.get_by_test_id("stExpander").filter(has_text=title)
    section.get_by_text(title, exact=True).click()
    wait_until_idle(page)
    return section


def click_mark(page: Page, section: Locator, at: int) -> None:
    """Click mark `at` of the first line of the chart in `section`."""
    marks = section.locator(".scatterlayer .trace").first.locator(".points path")
    expect(marks.first).to_be_attached()
    mark = marks.nth(at)
    mark.evaluate("element => element.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = mark.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_each_click_in_the_front_moves_both_handles_to_the_pair_under_it(
    fresh_explorer: Page,
) -> None:
    rows = row_set(evalcore.load([SAMPLE]), SPLIT, split=SPLIT, model=MODEL)
    front = pareto_front(rows.table, fewest_alerts=FEWEST_ALERTS)
    gaps = front["workload"].diff()
    alone = np.minimum(gaps, gaps.shift(-1)).nlargest(2).index
    section = opened(fresh_explorer, FRONT)
    before = thresholds(fresh_explorer)
    for at in alone:  # the marks farthest from their neighbours: a click meets no other
        click_mark(fresh_explorer, section, at)
        expect(fresh_explorer.get_by_test_id("tau-neg-box")).not_to_have_value(before[0])
        wait_until_idle(fresh_explorer)
        before = thresholds(fresh_explorer)
        assert before == tuple(threshold_text(front[name].iloc[at]) for name in ("tau_neg", "tau_pos"))
        assert screen(fresh_explorer) == expected_screen(tune_rows(), *before)


def aim_at(page: Page, sensitivity: str, precision: str) -> None:
    """Set other targets, in per cent, and take the thresholds that reach them."""
    page.get_by_test_id("action-find").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Screening sensitivity, at least (%)").fill(sensitivity)
    dialog.get_by_label("Alert precision, at least (%)").fill(precision)
    dialog.get_by_role("button", name="Find", exact=True).click()
    dialog.get_by_role("button", name="Use these").click()
    expect(dialog).to_have_count(0)
    wait_until_idle(page)


def lines_of(section: Locator) -> list[list[str]]:
    """The cells of each line of the table in `section`."""
    lines = section.locator("table tbody tr").all()
    return [[" ".join(cell.split()) for cell in line.locator("td, th").all_inner_texts()] for line in lines]


def test_each_held_out_fold_is_counted_at_the_thresholds_beside_it(fresh_explorer: Page) -> None:
    rows = tune_rows()
    aim_at(fresh_explorer, "95", "80")
    before = thresholds(fresh_explorer)
    section = opened(fresh_explorer, FOLDS)
    expect(section.locator("table")).to_have_count(1)
    *held_out, pooled = lines_of(section)
    assert [fold for fold, *_ in held_out] == sorted({row.fold for row in rows})
    for fold, tau_neg, tau_pos, n, skipped, missed, right in held_out:
        of_fold = [row for row in rows if row.fold == fold]
        skip = [row.has_evidence for row in of_fold if row.probability < float(tau_neg)]
        alert = [row.has_evidence for row in of_fold if row.probability >= float(tau_pos)]
        assert n == f"{len(of_fold):,}"
        assert skipped.startswith(f"{len(skip):,} (")
        assert missed == f"{sum(skip)} of {sum(row.has_evidence for row in of_fold)}"
        assert right == f"{percent(sum(alert), len(alert))} of {len(alert):,}"
    assert pooled[:4] == ["all", "", "", f"{len(rows):,}"]
    assert thresholds(fresh_explorer) == before
