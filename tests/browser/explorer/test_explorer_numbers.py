"""The threshold explorer's numbers on the sample, against a plain count over the raw rows."""

import json
import random
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, wait_until, wait_until_idle
from tests.browser.explorer.actions import (
    exported,
    grab,
    open_explorer,
    plot_x,
    screen,
    text_of,
    thresholds,
    type_thresholds,
)
from tests.browser.pages.raw_rows import (
    TARGET_PRECISION,
    TARGET_SENSITIVITY,
    Row,
    expected_screen,
    floor_percent,
    percent,
    tune_rows,
)

STOPS = ("Redo", "History", "τ neg: below it nobody looks")
"""What Tab reaches after the controls of the plot, up to its first handle."""
DRAWN = "() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))"
"""Waits for a frame: a busy browser draws several moves at once."""
FOCUSED = """() => {
    let node = document.activeElement;
    while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    return node.getAttribute("aria-label") ?? node.textContent;
}"""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The tune rows of the sample."""
    return tune_rows()


def sent_messages(page: Page) -> list[int]:
    """Lengths of the messages to the server; ask before the page is opened, the list grows while it lives."""
    sent: list[int] = []
    page.on("websocket", lambda websocket: websocket.on("framesent", lambda frame: sent.append(len(frame))))
    return sent


def test_every_number_follows_the_pointer_and_the_server_hears_of_the_release_only(
    page: Page, dashboard: Dashboard
) -> None:
    sent = sent_messages(page)
    open_explorer(page, dashboard)
    page.get_by_test_id("tile-workload").evaluate(
        """(tile) => {
            globalThis.changes = 0;
            new MutationObserver(() => (globalThis.changes += 1)).observe(
                tile.querySelector(".value"), { childList: true, characterData: true, subtree: true });
        }"""
    )
    x, y = grab(page, "neg")
    sent.clear()
    for step in range(1, 150):
        page.mouse.move(x + (step if step < 75 else 150 - step) * 2.0 - 60, y)
        page.evaluate(DRAWN)
    assert page.evaluate("globalThis.changes") >= 50
    assert sent == []
    page.mouse.up()
    wait_until(page, lambda: sent)
    wait_until_idle(page)
    assert len(sent) == 1


def test_numbers_equal_a_plain_count_where_the_handles_are_dragged(explorer: Page, rows: list[Row]) -> None:
    rng = random.Random(0)
    for _ in range(5):
        low, high = sorted((rng.uniform(0.02, 0.98), rng.uniform(0.02, 0.98)))
        # The handle in the way is moved first.
        _, y = grab(explorer, "pos")
        explorer.mouse.move(plot_x(explorer, 0.99), y)
        explorer.mouse.up()
        for side, share in (("neg", low), ("pos", high)):
            _, y = grab(explorer, side)
            explorer.mouse.move(plot_x(explorer, share), y, steps=5)
            while_dragging = screen(explorer)
            assert while_dragging == expected_screen(rows, *thresholds(explorer))
            explorer.mouse.up()
        assert screen(explorer) == expected_screen(rows, *thresholds(explorer))


@pytest.mark.long
def test_numbers_equal_a_plain_count_at_typed_thresholds(explorer: Page, rows: list[Row]) -> None:
    rng = random.Random(1)
    values = sorted({row.probability for row in rows})
    pairs = [sorted(rng.sample(values, 2)), sorted((rng.random() ** 3, rng.random()))]
    pairs += [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]
    for tau_neg, tau_pos in pairs:
        type_thresholds(explorer, repr(tau_neg), repr(tau_pos))
        assert thresholds(explorer) == (repr(tau_neg), repr(tau_pos))
        assert screen(explorer) == expected_screen(rows, repr(tau_neg), repr(tau_pos))


def test_empty_boxes_are_empty_zones(explorer: Page, rows: list[Row]) -> None:
    type_thresholds(explorer, "", "")
    assert screen(explorer) == expected_screen(rows, "", "")
    expect(explorer.get_by_test_id("tile-sensitivity")).to_contain_text("nothing is skipped")
    expect(explorer.get_by_test_id("tile-precision")).to_contain_text("not met, no alerts")
    expect(explorer.get_by_test_id("sentence")).to_contain_text("there are no alerts.")


def test_keyboard_alone_moves_the_handles_and_the_server_hears_after_a_pause(
    page: Page, dashboard: Dashboard, rows: list[Row]
) -> None:
    sent = sent_messages(page)
    open_explorer(page, dashboard)
    handle = page.get_by_test_id("handle-neg")
    page.get_by_test_id("log-counts").focus()
    for name in STOPS:
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED) == name
    assert handle.get_attribute("aria-label") == STOPS[-1]
    sent.clear()
    before = thresholds(page)[0]
    for key in ("ArrowRight", "Shift+ArrowRight", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
    assert sent == []
    assert float(thresholds(page)[0]) > float(before)
    wait_until(page, lambda: sent)
    wait_until_idle(page)
    assert len(sent) == 1
    told = handle.get_attribute("aria-valuetext")
    assert told is not None
    assert told.startswith(f"{thresholds(page)[0]}: workload {text_of(page, 'tile-workload', '.value')}")
    assert f"sensitivity {text_of(page, 'tile-sensitivity', '.value')}" in told
    assert screen(page) == expected_screen(rows, *thresholds(page))
    page.keyboard.press("Home")
    assert thresholds(page)[0] == ""
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert thresholds(page) == ("", "")


def test_click_on_the_curve_moves_the_lower_handle(explorer: Page, rows: list[Row]) -> None:
    box = explorer.get_by_test_id("curve").bounding_box()
    assert box is not None
    before = thresholds(explorer)
    explorer.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 30)
    after = thresholds(explorer)
    assert after[0] != before[0]
    assert after[1] == before[1]
    assert screen(explorer) == expected_screen(rows, *after)


def test_axes_show_the_same_counts(explorer: Page) -> None:
    before = screen(explorer)
    for axis in ("rank", "linear", "logit"):
        explorer.get_by_test_id("axis").select_option(axis)
        assert screen(explorer) == before
    explorer.get_by_test_id("log-counts").check()
    assert screen(explorer) == before


def test_exported_numbers_equal_the_screen(explorer: Page) -> None:
    type_thresholds(explorer, "0.0123", "0.77")
    download = exported(explorer)
    assert download.suggested_filename == "operating-point_0.0123_0.77.json"
    document = json.loads(Path(download.path()).read_text(encoding="utf-8"))
    estimates = {one["metric"]: one for one in document["estimates"] if one["evaluated_on"] == "tune"}
    for key, tile, target in (
        ("gate.screening_sensitivity", "tile-sensitivity", TARGET_SENSITIVITY),
        ("gate.alert_precision", "tile-precision", TARGET_PRECISION),
    ):
        estimate = estimates[key]
        shown = percent(estimate["numerator"], estimate["denominator"], target)
        assert text_of(explorer, tile, ".value") == shown
        bound = floor_percent(estimate["ci"]["low"])
        assert text_of(explorer, tile, ".detail") == f"at least {bound} %, one-sided 95 %"
