"""The threshold explorer on its page: open it, handle it, read what it shows."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Download, Page, expect

from tests.browser.dashboard import Dashboard, open_address, wait_until_idle

ADDRESS = "/operating_point"


def open_explorer(page: Page, dashboard: Dashboard) -> None:
    """Open the page of the operating point and wait until the explorer shows numbers."""
    open_address(page, dashboard, ADDRESS)
    expect(page.get_by_test_id("zone-skip")).to_contain_text("%")


@dataclass(frozen=True)
class Setting:
    """What a person has chosen in the explorer."""

    tau_neg: str
    tau_pos: str
    axis: str
    has_log_counts: bool


def setting(page: Page) -> Setting:
    """What is chosen now."""
    axis = page.get_by_test_id("axis").input_value()
    return Setting(*thresholds(page), axis, page.get_by_test_id("log-counts").is_checked())


def restore(page: Page, start: Setting) -> None:
    """Choose what was chosen at `start` and scroll to the top."""
    if thresholds(page) != (start.tau_neg, start.tau_pos):
        type_thresholds(page, start.tau_neg, start.tau_pos)
    page.get_by_test_id("axis").select_option(start.axis)
    page.get_by_test_id("log-counts").set_checked(start.has_log_counts)
    wait_until_heard(page)
    page.get_by_test_id("stMain").evaluate("element => element.scrollTo({top: 0, behavior: 'instant'})")
    assert setting(page) == start
    assert covers(page) == []


def wait_until_heard(page: Page) -> None:
    """Wait until the server knows the thresholds on the screen, which the address then holds, and rests.

    Idle alone is not enough: for a moment after a release the server has not begun to run.
    """
    neg, pos = (re.escape(text or "none") for text in thresholds(page))
    expect(page).to_have_url(re.compile(rf"[?&]tau={neg}&tau={pos}(&|$)"))
    wait_until_idle(page)


def covers(page: Page) -> list[str]:
    """What lies over the explorer: dialogs and lists that opened, and whatever makes it inert."""
    found = page.locator('[role="dialog"], [role="listbox"]').all_inner_texts()
    for explorer in page.get_by_test_id("explorer").all():
        if explorer.evaluate("element => element.getRootNode().host.closest('[inert]') !== null"):
            found.append("something that makes the explorer inert")
    return found


def text_of(page: Page, test_id: str, part: str = "") -> str:
    node = page.get_by_test_id(test_id)
    node = node.locator(part).first if part else node
    return " ".join(node.inner_text().split())


def cells_of(page: Page, row: str) -> str:
    return " ".join(page.get_by_test_id("zone-table").locator(f'[data-row="{row}"] td').all_inner_texts())


def screen(page: Page) -> dict[str, str]:
    """What `raw_rows.expected_screen` expects, as it is shown."""
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
        "A.9": text_of(page, "group-A.9", ".missed"),
    }
    if boxes[0] != "" and not shown["zone-skip"].startswith("Skip 0 "):
        shown["sensitivity-detail"] = text_of(page, "tile-sensitivity", ".detail")
    if not shown["zone-alert"].startswith("Alert 0 "):
        shown["precision"] = text_of(page, "tile-precision", ".value")
        details = page.get_by_test_id("tile-precision").locator(".detail").all_inner_texts()
        shown["precision-detail"] = " ".join(" ".join(details).split())  # "95 %" does not break
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


def exported(page: Page) -> Download:
    """The document that is saved for the thresholds on the screen, without a word on who chose and why."""
    page.get_by_test_id("action-export").click()
    dialog = page.get_by_role("dialog")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Save the document (JSON)").click()
    expect(dialog).to_contain_text("It says that these are not stated: Who chose")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    return download.value


def exported_document(page: Page) -> dict[str, Any]:
    """What is saved by it."""
    return dict(json.loads(Path(exported(page).path()).read_text(encoding="utf-8")))


def type_threshold(page: Page, side: str, text: str) -> None:
    box = page.get_by_test_id(f"tau-{side}-box")
    box.fill(text)
    box.press("Enter")


def type_thresholds(page: Page, tau_neg: str, tau_pos: str) -> None:
    """Type both, first the one that does not pass the other as it stands."""
    neg_now = thresholds(page)[0]
    in_order = {"pos": tau_pos, "neg": tau_neg}
    if neg_now != "" and tau_pos != "" and float(tau_pos) < float(neg_now):
        in_order = {"neg": tau_neg, "pos": tau_pos}
    for side, text in in_order.items():
        type_threshold(page, side, text)
