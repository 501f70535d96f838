"""Words and hints of the explorer, as a file: pointed at, in focus, tapped; a first visit and a second."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import evalcore
from evalcore.__main__ import main
from evalcore.glossary import GLOSSARY
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from tests.browser.dashboard import ROOT
from tests.browser.pages.raw_rows import floor_percent, percent

SAMPLE = ROOT / "sample_data" / "queries.csv"
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the sample."""
    out = tmp_path_factory.mktemp("explorer") / "explorer.html"
    assert main(["explore", str(SAMPLE), "--model", "gnn_gate", "--out", str(out)]) == 0
    return out


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Page]:
    """The file at rest, in a browser that has never seen it."""
    context = browser.new_context(has_touch=True)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.get_by_test_id("zone-skip")).to_contain_text("%")
    yield page
    context.close()


def test_a_word_says_what_it_means_when_pointed_at_in_focus_and_tapped(opened: Page) -> None:
    word, said = opened.locator('h2 [data-term="workload"]'), opened.locator("#said")
    plain = GLOSSARY["workload"].plain
    word.hover()
    expect(said).to_have_text(plain)
    opened.mouse.move(1, 1)
    expect(said).to_be_hidden()
    word.focus()
    expect(said).to_have_text(plain)
    expect(word).to_have_accessible_description(plain)
    opened.keyboard.press("Escape")
    expect(said).to_be_hidden()
    opened.locator('h2 [data-term="missed"]').tap()
    expect(said).to_have_text(GLOSSARY["missed"].plain)


def test_at_the_prevalence_of_the_rows_the_same_workload_stands_there_as_on_the_tile(opened: Page) -> None:
    tile = opened.get_by_test_id("tile-workload").locator(".value").first
    result = opened.get_by_test_id("prevalence-result")
    workload = tile.inner_text().replace("\u00a0", " ")
    assert workload == "75.5 %"  # 75.4 % at the 9.3 % that the slider can say
    expect(result).to_contain_text(f"workload {workload}")
    opened.get_by_test_id("prevalence").fill("20")
    expect(result).not_to_contain_text(f"workload {workload}")


def test_hints_are_there_once(opened: Page) -> None:
    hints = opened.get_by_test_id("hints")
    expect(hints.get_by_role("listitem")).to_have_count(3)
    opened.get_by_test_id("hints-seen").click()
    expect(hints).to_be_hidden()
    opened.reload()
    expect(opened.get_by_test_id("zone-skip")).to_contain_text("%")
    expect(hints).to_be_hidden()


def test_more_rates_are_one_press_away_and_equal_plain_counts_at_ten_positions(opened: Page) -> None:
    rows = row_set(evalcore.load([SAMPLE]), "tune", split="tune", model="gnn_gate")
    counted = compute_tradeoff(rows.scored)
    left = opened.locator(".histogram, .sentence, .actions, .groups")
    before = [one.bounding_box() for one in left.all()]
    opened.get_by_test_id("rates").locator("summary").click()
    assert [one.bounding_box() for one in left.all()] == before, "nothing jumps, and no hole opens"
    assert before[1]["y"] - (before[0]["y"] + before[0]["height"]) < 20

    def shown(name: str) -> str:
        return opened.locator(f'[data-rate="{name}"]').inner_text().replace("\u00a0", " ")

    rng = np.random.default_rng(3)
    for index in sorted(rng.integers(1, 2000, 10)):
        threshold = float(counted.threshold[index])
        opened.get_by_test_id("tau-neg-box").fill(repr(threshold))
        opened.get_by_test_id("tau-neg-box").press("Enter")
        skipped = rows.scored.score < threshold
        n, n_pos = int(skipped.sum()), int(rows.scored.is_positive[skipped].sum())
        # No more can be missed of all rows than the bound of missed per 1,000 says, and all of it is skipped.
        least = floor_percent(1 - counted.missed_high[index] * len(rows.queries) / n)
        assert shown("npv").startswith(f"{percent(n - n_pos, n)} · at least {least} %, one-sided ")
        assert shown("with").startswith(f"skip {percent(n_pos, rows.n_positives)} · ")
    at = rows.scored.score >= 0.9086
    right, alerts = int(rows.scored.is_positive[at].sum()), int(at.sum())
    assert shown("reviews") == f"{alerts / right:.2f} · {alerts} for {right}"
    assert shown("alert-recall").endswith(f" % · {right} of {rows.n_positives}")
