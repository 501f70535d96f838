"""The threshold explorer's handles and boxes: what moves them, what does not, and where they stand."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import wait_until_idle
from tests.browser.explorer.actions import (
    exported,
    grab,
    plot_x,
    text_of,
    thresholds,
    type_threshold,
    wait_until_heard,
)


@pytest.mark.long
def test_threshold_keeps_the_text_it_was_typed_with(explorer: Page) -> None:
    type_threshold(explorer, "neg", "0.0100")
    expect(explorer.get_by_test_id("action-export")).to_contain_text("0.0100 / ")
    wait_until_heard(explorer)
    assert thresholds(explorer)[0] == "0.0100"


@pytest.mark.parametrize(
    ("typed", "told"),
    [("1.5", "τ neg: 1.5 is not between 0 and 1."), ("high", "τ neg: “high” is not a number.")],
)
def test_what_is_no_threshold_is_explained_and_changes_nothing(explorer: Page, typed: str, told: str) -> None:
    before = text_of(explorer, "zone-skip")
    type_threshold(explorer, "neg", typed)
    expect(explorer.get_by_test_id("note")).to_have_text(told)
    expect(explorer.get_by_test_id("tau-neg-box")).to_have_attribute("aria-invalid", "true")
    assert text_of(explorer, "zone-skip") == before
    explorer.get_by_test_id("tau-neg-box").press("Escape")
    expect(explorer.get_by_test_id("note")).to_have_text("")


def test_typed_threshold_that_passes_the_other_one_is_not_taken(explorer: Page) -> None:
    type_threshold(explorer, "pos", "0.5")
    type_threshold(explorer, "neg", "0.1")
    type_threshold(explorer, "neg", "0.75")
    told = "Not taken: τ neg 0.75 is above τ pos, 0.5. Still 0.1."
    expect(explorer.get_by_test_id("note")).to_have_text(told)
    assert thresholds(explorer) == ("0.1", "0.5")
    type_threshold(explorer, "pos", "0.05")
    told = "Not taken: τ pos 0.05 is below τ neg, 0.1. Still 0.5."
    expect(explorer.get_by_test_id("note")).to_have_text(told)
    assert thresholds(explorer) == ("0.1", "0.5")


def test_dragged_handle_stops_at_the_other_one(explorer: Page) -> None:
    pos_before = thresholds(explorer)[1]
    _, y = grab(explorer, "neg")
    explorer.mouse.move(plot_x(explorer, 0.99), y, steps=4)
    expect(explorer.get_by_test_id("note")).to_contain_text("The handles meet")
    explorer.mouse.up()
    assert thresholds(explorer) == (pos_before, pos_before)


@pytest.mark.long
def test_rerun_of_the_server_leaves_a_handle_alone_that_is_being_dragged(fresh_explorer: Page) -> None:
    fresh_explorer.get_by_text("Reviewer time").click()
    minutes = fresh_explorer.get_by_label("Minutes each")
    minutes.wait_for()
    before = thresholds(fresh_explorer)
    grab(fresh_explorer, "neg")
    x, y = plot_x(fresh_explorer, 0.4), fresh_explorer.get_by_test_id("histogram").bounding_box()["y"] + 100
    fresh_explorer.mouse.move(x, y, steps=4)
    while_dragging = thresholds(fresh_explorer)
    assert while_dragging != before
    minutes.fill("2")
    minutes.press("Enter")
    wait_until_idle(fresh_explorer)
    assert thresholds(fresh_explorer) == while_dragging
    fresh_explorer.mouse.move(x + 30, y, steps=4)
    assert thresholds(fresh_explorer) != while_dragging
    fresh_explorer.mouse.up()


def test_undo_takes_one_release_back(fresh_explorer: Page) -> None:
    first = thresholds(fresh_explorer)
    type_threshold(fresh_explorer, "neg", "0.02")
    type_threshold(fresh_explorer, "pos", "0.6")
    fresh_explorer.get_by_test_id("undo").click()
    assert thresholds(fresh_explorer) == ("0.02", first[1])
    fresh_explorer.get_by_test_id("undo").click()
    assert thresholds(fresh_explorer) == first
    expect(fresh_explorer.get_by_test_id("undo")).to_be_disabled()
    fresh_explorer.get_by_test_id("redo").click()
    assert thresholds(fresh_explorer) == ("0.02", first[1])


@pytest.mark.long
def test_history_leads_to_any_point_and_a_move_forgets_what_was_undone(explorer: Page) -> None:
    first = thresholds(explorer)
    for text in ("0.02", "0.03", "0.04"):
        type_threshold(explorer, "neg", text)
    history = explorer.get_by_test_id("history")
    history.locator("summary").click()
    lines = history.locator("button")
    expect(lines.last).to_contain_text("0.04 / ")
    lines.nth(-3).click()
    assert thresholds(explorer) == ("0.02", first[1])
    expect(lines.nth(-3)).to_have_attribute("aria-current", "true")
    workload = text_of(explorer, "tile-workload", ".value").replace("\N{NO-BREAK SPACE}", " ")
    assert f"workload {workload}" in " ".join(lines.nth(-3).inner_text().split())
    explorer.get_by_test_id("redo").click()
    assert thresholds(explorer)[0] == "0.03"
    type_threshold(explorer, "neg", "0.05")
    expect(explorer.get_by_test_id("redo")).to_be_disabled()
    expect(lines.last).to_contain_text("0.05 / ")
    history.locator("summary").click()


def test_escape_gives_a_drag_up(explorer: Page) -> None:
    before = thresholds(explorer)
    _, y = grab(explorer, "neg")
    explorer.mouse.move(plot_x(explorer, 0.4), y, steps=3)
    assert thresholds(explorer) != before
    explorer.keyboard.press("Escape")
    assert thresholds(explorer) == before
    explorer.mouse.up()
    assert thresholds(explorer) == before


def test_everything_needed_lies_above_the_fold(explorer: Page) -> None:
    """With the hints of a first visit too, and the way out of the page clearly so."""
    expect(explorer.get_by_test_id("hints")).to_be_visible()
    for test_id in (
        "tile-sensitivity",
        "tile-precision",
        "histogram",
        "tau-neg-box",
        "curve",
        "sentence",
        "action-export",
    ):
        box = explorer.get_by_test_id(test_id).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= (880 if test_id == "action-export" else 900), test_id


@pytest.mark.parametrize("is_exported", [False, True])
def test_nothing_jumps_while_a_handle_moves(explorer: Page, is_exported: bool) -> None:
    if is_exported:
        exported(explorer)
    parts = ("histogram", "sentence", "action-export", "curve", "zone-table", "groups")

    def places() -> list[tuple[float, float]]:
        boxes = [explorer.get_by_test_id(part).bounding_box() for part in parts]
        return [(box["y"], box["height"]) for box in boxes if box is not None]

    _, y = grab(explorer, "neg")
    before = places()
    for share in (0.02, 0.2, 0.5, 0.9):
        explorer.mouse.move(plot_x(explorer, share), y, steps=3)
        assert places() == before
    explorer.mouse.up()
