"""The threshold explorer on the sample, in a real browser, against a plain count over the raw rows."""

import csv
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from evalcore.inference.clustered import ClusterSums, ShareInterval, linearised, share_interval
from tests.browser.dashboard import ROOT, Dashboard, open_address, wait_until_idle

ADDRESS = "/operating_point"
TARGET_SENSITIVITY, TARGET_PRECISION = 0.995, 0.9
MODEL, SPLIT = "gnn_gate", "tune"


@dataclass(frozen=True)
class Row:
    post: str
    criterion: str
    has_evidence: bool
    probability: float


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The tune rows of the sample, read without any of the project's readers."""
    with (ROOT / "sample_data" / "queries.csv").open(encoding="utf-8", newline="") as file:
        return [
            Row(
                line["post_id"], line["criterion_id"], line["has_evidence"] == "1", float(line["probability"])
            )
            for line in csv.DictReader(file)
            if line["model"] == MODEL and line["split"] == SPLIT
        ]


@pytest.fixture
def explorer(page: Page, dashboard: Dashboard) -> Page:
    """The page of the operating point, come to rest."""
    open_explorer(page, dashboard)
    return page


def open_explorer(page: Page, dashboard: Dashboard) -> None:
    """Open the page of the operating point and wait until the explorer shows numbers."""
    open_address(page, dashboard, ADDRESS)
    expect(page.get_by_test_id("zone-skip")).to_contain_text("%")


# What the rows say, by plain counting


def rounded(share: Decimal, places: int, rounding: str = ROUND_HALF_UP) -> str:
    return f"{share.quantize(Decimal(1).scaleb(-places), rounding):,}"


def percent(x: int, n: int, places: int = 1, target: float | None = None) -> str:
    """100·x/n; with more places where fewer would reach a target that x/n misses, 0 or 100."""
    if n == 0:
        return "n/a"
    exact = Decimal(100 * x) / Decimal(n)
    while places < 6:
        shown = Decimal(rounded(exact, places))
        is_honest = (shown == 100) == (x == n) and (shown == 0) == (x == 0)
        if is_honest and (target is None or (shown >= Decimal(str(target)) * 100) == (x / n >= target)):
            break
        places += 1
    return f"{rounded(exact, places)} %"


def floor_percent(bound: float, places: int) -> str:
    return rounded(Decimal(bound) * 100, places, ROUND_FLOOR)


def sums(rows: list[Row], is_case: Callable[[Row], bool], is_good: Callable[[Row], bool]) -> ClusterSums:
    """Cases, and the good ones among them, counted by post."""
    cases = Counter(row.post for row in rows if is_case(row))
    good = Counter(row.post for row in rows if is_case(row) and is_good(row))
    return ClusterSums.from_posts([good[post] for post in cases], list(cases.values()))


def interval_percent(interval: ShareInterval, places: int) -> str:
    high = rounded(Decimal(float(interval.high)) * 100, places, ROUND_CEILING)
    return f"{floor_percent(float(interval.low), places)}–{high}"


def number(text: str) -> float:
    return -math.inf if text == "" else float(text)


def expected_screen(rows: list[Row], neg_text: str, pos_text: str) -> dict[str, str]:
    """What the explorer must show for the two boxes' texts; an empty box is an empty zone."""
    tau_neg = number(neg_text)
    tau_pos = math.inf if pos_text == "" else float(pos_text)
    skip = [row for row in rows if row.probability < tau_neg]
    alert = [row for row in rows if row.probability >= tau_pos and not row.probability < tau_neg]
    n, n_pos = len(rows), sum(row.has_evidence for row in rows)
    missed, right = (sum(row.has_evidence for row in zone) for zone in (skip, alert))
    n_look = n - len(skip) - len(alert)
    seen = n - len(skip)
    look_pos = n_pos - missed - right
    workload = linearised(sums(rows, lambda _: True, lambda row: row.probability >= tau_neg))
    shown = {
        "zone-skip": f"Skip {len(skip):,} · {percent(len(skip), n)}",
        "zone-look": f"Look {n_look:,} · {percent(n_look, n)}",
        "zone-alert": f"Alert {len(alert):,} · {percent(len(alert), n)}",
        "sensitivity": percent(n_pos - missed, n_pos, 2, TARGET_SENSITIVITY),
        "workload": percent(seen, n),
        "workload-detail": f"95 % CI {interval_percent(workload, 1)} · {seen:,} of {n:,}",
        "evidence": f"{missed:,} {look_pos:,} {right:,}",
        "none": f"{len(skip) - missed:,} {n_look - look_pos:,} {len(alert) - right:,}",
        "posts": f"{len({row.post for row in skip if row.has_evidence}):,}",
        "A.9": f"{sum(row.has_evidence for row in skip if row.criterion == 'A.9'):,} missed",
    }
    if skip:
        kept = sums(rows, lambda row: row.has_evidence, lambda row: row.probability >= tau_neg)
        low = share_interval(kept, sides=1).low
        shown["sensitivity-detail"] = f"at least {floor_percent(float(low), 2)} %, one-sided 95 %"
    if alert:
        shares = sums(alert, lambda _: True, lambda row: row.has_evidence)
        precision = share_interval(shares)
        low = share_interval(shares, sides=1).low
        shown["precision"] = percent(right, len(alert), 1, TARGET_PRECISION)
        shown["precision-detail"] = (
            f"at least {floor_percent(float(low), 1)} %, one-sided 95 % "
            f"95 % CI {interval_percent(precision, 1)} · {len(alert):,} alerts"
        )
    return shown


# What the screen says


def text_of(page: Page, test_id: str, part: str = "") -> str:
    node = page.get_by_test_id(test_id)
    node = node.locator(part).first if part else node
    return " ".join(node.inner_text().split())


def cells_of(page: Page, row: str) -> str:
    return " ".join(page.get_by_test_id("zone-table").locator(f'[data-row="{row}"] td').all_inner_texts())


def screen(page: Page) -> dict[str, str]:
    """What `expected_screen` expects, as it is shown."""
    boxes = thresholds(page)
    sentence = text_of(page, "sentence")
    shown = {
        **{f"zone-{zone}": text_of(page, f"zone-{zone}") for zone in ("skip", "look", "alert")},
        "sensitivity": text_of(page, "tile-sensitivity", ".value"),
        "workload": text_of(page, "tile-workload", ".value"),
        "workload-detail": text_of(page, "tile-workload", ".detail"),
        "evidence": cells_of(page, "evidence"),
        "none": cells_of(page, "none"),
        "posts": sentence.split(", in ")[1].split(" of ")[0] if ", in " in sentence else "0",
        "A.9": text_of(page, "criterion-A.9", ".missed"),
    }
    if boxes[0] != "" and not shown["zone-skip"].startswith("Skip 0 "):
        shown["sensitivity-detail"] = text_of(page, "tile-sensitivity", ".detail")
    if not shown["zone-alert"].startswith("Alert 0 "):
        shown["precision"] = text_of(page, "tile-precision", ".value")
        details = page.get_by_test_id("tile-precision").locator(".detail").all_inner_texts()
        shown["precision-detail"] = " ".join(details)
    return shown


def thresholds(page: Page) -> tuple[str, str]:
    return page.get_by_test_id("tau-neg-box").input_value(), page.get_by_test_id("tau-pos-box").input_value()


def grab(page: Page, side: str) -> tuple[float, float]:
    """Press the middle of a handle; where the pointer now is."""
    handle = page.get_by_test_id(f"handle-{side}")
    handle.evaluate("element => element.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y


def plot_x(page: Page, share: float) -> float:
    box = page.get_by_test_id("histogram").bounding_box()
    assert box is not None
    return box["x"] + share * box["width"]


def type_threshold(page: Page, side: str, text: str) -> None:
    box = page.get_by_test_id(f"tau-{side}-box")
    box.fill(text)
    box.press("Enter")


def sent_messages(page: Page) -> list[int]:
    """Lengths of the messages to the server; ask before the page is opened, the list grows while it lives."""
    sent: list[int] = []
    page.on("websocket", lambda websocket: websocket.on("framesent", lambda frame: sent.append(len(frame))))
    return sent


def exported(page: Page) -> dict:
    """The document that the export button saves."""
    with page.expect_download() as download:
        page.get_by_test_id("action-export").click()
    return json.loads(Path(download.value.path()).read_text(encoding="utf-8"))


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
    assert page.evaluate("globalThis.changes") >= 50
    assert sent == []
    page.mouse.up()
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


def test_numbers_equal_a_plain_count_at_typed_thresholds(explorer: Page, rows: list[Row]) -> None:
    rng = random.Random(1)
    values = sorted({row.probability for row in rows})
    pairs = [sorted(rng.sample(values, 2)) for _ in range(5)]
    pairs += [sorted((rng.random() ** 3, rng.random())) for _ in range(5)]
    pairs += [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]
    for tau_neg, tau_pos in pairs:
        type_threshold(explorer, "neg", "")
        type_threshold(explorer, "pos", repr(tau_pos))
        type_threshold(explorer, "neg", repr(tau_neg))
        assert thresholds(explorer) == (repr(tau_neg), repr(tau_pos))
        assert screen(explorer) == expected_screen(rows, repr(tau_neg), repr(tau_pos))


def test_empty_boxes_are_empty_zones(explorer: Page, rows: list[Row]) -> None:
    type_threshold(explorer, "neg", "")
    type_threshold(explorer, "pos", "")
    assert screen(explorer) == expected_screen(rows, "", "")
    expect(explorer.get_by_test_id("tile-sensitivity")).to_contain_text("nothing is skipped")
    expect(explorer.get_by_test_id("tile-precision")).to_contain_text("not met, no alerts")
    expect(explorer.get_by_test_id("sentence")).to_contain_text("there are no alerts.")


def test_threshold_keeps_the_text_it_was_typed_with(explorer: Page) -> None:
    type_threshold(explorer, "neg", "0.0100")
    expect(explorer.get_by_test_id("action-export")).to_contain_text("0.0100 / ")
    wait_until_idle(explorer)
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


def test_test_rows_are_seen_only_when_that_is_confirmed(explorer: Page) -> None:
    explorer.get_by_test_id("action-check-on-test").click()
    dialog = explorer.get_by_role("dialog")
    expect(dialog).to_contain_text("The test rows can be seen once")
    dialog.get_by_role("button", name="Not yet", exact=True).click()
    expect(dialog).to_have_count(0)
    wait_until_idle(explorer)
    assert "tested=" not in explorer.url
    explorer.get_by_test_id("action-check-on-test").click()
    dialog.get_by_role("button", name="Check now", exact=True).click()
    expect(dialog).to_contain_text("This point is ")
    expect(dialog).to_contain_text("gap")
    dialog.get_by_role("button", name="Close", exact=True).last.click()
    expect(dialog).to_have_count(0)
    wait_until_idle(explorer)
    expect(explorer.get_by_text("On the test rows: ")).to_have_count(1)
    type_threshold(explorer, "neg", "0.0321")
    expect(explorer.get_by_text("moved after the test rows were seen")).to_have_count(1)


def test_dragged_handle_stops_at_the_other_one(explorer: Page) -> None:
    pos_before = thresholds(explorer)[1]
    _, y = grab(explorer, "neg")
    explorer.mouse.move(plot_x(explorer, 0.99), y, steps=4)
    expect(explorer.get_by_test_id("note")).to_contain_text("The handles meet")
    explorer.mouse.up()
    assert thresholds(explorer) == (pos_before, pos_before)


def test_export_at_the_instant_of_release_holds_what_was_on_the_screen(explorer: Page) -> None:
    for share in (0.15, 0.3, 0.22, 0.4, 0.1):
        _, y = grab(explorer, "neg")
        explorer.mouse.move(plot_x(explorer, share), y, steps=3)
        explorer.mouse.up()
        document = exported(explorer)
        tau_neg, tau_pos = thresholds(explorer)
        rule = document["rule"]
        assert (rule["tau_neg"]["value"], rule["tau_pos"]["value"]) == (float(tau_neg), float(tau_pos))


def test_exported_numbers_equal_the_screen(explorer: Page) -> None:
    type_threshold(explorer, "neg", "0.0123")
    type_threshold(explorer, "pos", "0.77")
    with explorer.expect_download() as download:
        explorer.get_by_test_id("action-export").click()
    assert "0.0123" in download.value.suggested_filename
    assert "0.77" in download.value.suggested_filename
    document = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    estimates = {one["metric"]: one for one in document["estimates"] if one["evaluated_on"] == "tune"}
    for key, tile, places, target in (
        ("gate.screening_sensitivity", "tile-sensitivity", 2, TARGET_SENSITIVITY),
        ("gate.alert_precision", "tile-precision", 1, TARGET_PRECISION),
    ):
        estimate = estimates[key]
        shown = percent(estimate["numerator"], estimate["denominator"], places, target)
        assert text_of(explorer, tile, ".value") == shown
        bound = floor_percent(estimate["ci"]["low"], places)
        assert text_of(explorer, tile, ".detail") == f"at least {bound} %, one-sided 95 %"


def test_link_gives_the_same_point_in_a_fresh_session(explorer: Page, browser: Browser) -> None:
    _, y = grab(explorer, "neg")
    explorer.mouse.move(plot_x(explorer, 0.35), y, steps=4)
    explorer.mouse.up()
    wait_until_idle(explorer)
    tau_neg, tau_pos = thresholds(explorer)
    explorer.wait_for_url(f"**{ADDRESS}?*tau={tau_neg}&tau={tau_pos}*")
    other = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        other.goto(explorer.url)
        wait_until_idle(other)
        expect(other.get_by_test_id("tau-neg-box")).to_have_value(tau_neg)
        assert screen(other) == screen(explorer)
    finally:
        other.close()


def test_keyboard_alone_moves_the_handles_and_the_server_hears_after_a_pause(
    page: Page, dashboard: Dashboard, rows: list[Row]
) -> None:
    sent = sent_messages(page)
    open_explorer(page, dashboard)
    handle = page.get_by_test_id("handle-neg")
    page.get_by_test_id("log-counts").focus()
    page.keyboard.press("Tab")
    assert handle.evaluate("(node) => node.getRootNode().activeElement === node")
    sent.clear()
    before = thresholds(page)[0]
    for key in ("ArrowRight", "Shift+ArrowRight", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
    assert sent == []
    assert float(thresholds(page)[0]) > float(before)
    page.wait_for_timeout(600)
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


def test_rerun_of_the_server_leaves_a_handle_alone_that_is_being_dragged(explorer: Page) -> None:
    explorer.get_by_text("Facts for the document").click()
    note = explorer.get_by_label("Who chose")
    note.wait_for()
    before = thresholds(explorer)
    grab(explorer, "neg")
    x, y = plot_x(explorer, 0.4), explorer.get_by_test_id("histogram").bounding_box()["y"] + 100
    explorer.mouse.move(x, y, steps=4)
    while_dragging = thresholds(explorer)
    assert while_dragging != before
    note.fill("A. Clinician")
    note.press("Enter")
    wait_until_idle(explorer)
    assert thresholds(explorer) == while_dragging
    explorer.mouse.move(x + 30, y, steps=4)
    assert thresholds(explorer) != while_dragging
    explorer.mouse.up()


def test_undo_takes_one_release_back(explorer: Page) -> None:
    first = thresholds(explorer)
    type_threshold(explorer, "neg", "0.02")
    type_threshold(explorer, "pos", "0.6")
    explorer.get_by_test_id("undo").click()
    assert thresholds(explorer) == ("0.02", first[1])
    explorer.get_by_test_id("undo").click()
    assert thresholds(explorer) == first
    expect(explorer.get_by_test_id("undo")).to_be_disabled()


def test_escape_gives_a_drag_up(explorer: Page) -> None:
    before = thresholds(explorer)
    _, y = grab(explorer, "neg")
    explorer.mouse.move(plot_x(explorer, 0.4), y, steps=3)
    assert thresholds(explorer) != before
    explorer.keyboard.press("Escape")
    assert thresholds(explorer) == before
    explorer.mouse.up()
    assert thresholds(explorer) == before


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


def test_two_sessions_do_not_see_each_other(explorer: Page, browser: Browser, dashboard: Dashboard) -> None:
    other = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        open_explorer(other, dashboard)
        before = thresholds(other)
        type_threshold(explorer, "neg", "0.0321")
        wait_until_idle(explorer)
        wait_until_idle(other)
        assert thresholds(other) == before
    finally:
        other.close()


def test_point_survives_a_visit_to_another_page(explorer: Page) -> None:
    type_threshold(explorer, "neg", "0.0321")
    wait_until_idle(explorer)
    for title in ("Reference", "Operating point"):
        explorer.get_by_test_id("stSidebarNavLink").get_by_text(title, exact=True).click()
        expect(explorer.get_by_role("heading", level=1)).to_have_text(title)
        wait_until_idle(explorer)
    expect(explorer.get_by_test_id("tau-neg-box")).to_have_value("0.0321")


def test_everything_needed_lies_above_the_fold(explorer: Page) -> None:
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
        assert box["y"] + box["height"] <= 900, test_id


def test_nothing_jumps_while_a_handle_moves(explorer: Page) -> None:
    parts = ("histogram", "sentence", "action-export", "curve", "zone-table", "criteria")

    def places() -> list[tuple[float, float]]:
        boxes = [explorer.get_by_test_id(part).bounding_box() for part in parts]
        return [(box["y"], box["height"]) for box in boxes if box is not None]

    _, y = grab(explorer, "neg")
    before = places()
    for share in (0.02, 0.2, 0.5, 0.9):
        explorer.mouse.move(plot_x(explorer, share), y, steps=3)
        assert places() == before
    explorer.mouse.up()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone_width_in_both_themes_is_usable_by_touch(
    browser: Browser, dashboard: Dashboard, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme=scheme
    )
    try:
        page = context.new_page()
        open_explorer(page, dashboard)
        expect(page.get_by_test_id("explorer")).to_have_attribute("data-theme", scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_test_id("handle-neg").scroll_into_view_if_needed()
        box = page.get_by_test_id("handle-neg").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        before = thresholds(page)
        finger = context.new_cdp_session(page)

        def touch(kind: str, *at: float) -> None:
            points = [{"x": at[0], "y": at[1]}] if at else []
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", x, y)
        for step in range(1, 12):
            touch("touchMove", x + 5 * step, y)
        touch("touchEnd")
        expect(page.get_by_test_id("tau-neg-box")).not_to_have_value(before[0])
        assert thresholds(page)[1] == before[1]
    finally:
        context.close()
