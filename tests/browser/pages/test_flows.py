"""What a person wants to do takes so many actions and no more: presses, choices from a list, files given."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from evalcore.operating_point import OperatingPoint
from evalcore.operating_point.deploying import rule_file
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.explorer.actions import open_explorer, thresholds, type_threshold, wait_until_heard

ODD = "subject,symptom,gt,score\n" + "".join(
    f"s{at // 3},{('sleep', 'mood', 'energy')[at % 3]},{'no' if at % 5 else 'yes'},"
    f"{((at * 53) % 600 if at % 5 else 500 + (at * 37) % 500) / 1000:.3f}\n"
    for at in range(600)
)
"""A file whose columns no reader knows by their names, with labels that are words."""


class Hands:
    """Acts on a page as a person does, and counts what that takes."""

    def __init__(self, page: Page) -> None:
        self.page, self.n = page, 0

    def press(self, target: Locator) -> None:
        """A press, and whatever the page does then."""
        self.n += 1
        target.click()
        wait_until_idle(self.page)

    def choose(self, label: str, option: str) -> None:
        """One choice from a list."""
        self.n += 1
        box = self.page.get_by_role("combobox", name=re.compile(label))
        box.evaluate("element => element.scrollIntoView({block: 'center', behavior: 'instant'})")
        self.page.wait_for_timeout(200)  # scrolling closes the list
        box.click()
        self.page.get_by_role("option", name=re.compile(option)).click()
        wait_until_idle(self.page)

    def give(self, name: str, text: str, kind: str) -> None:
        """A file dropped on the page."""
        self.n += 1
        self.page.locator("input[type=file]").set_input_files(
            {"name": name, "mimeType": kind, "buffer": text.encode()}
        )
        wait_until_idle(self.page)

    def save(self, target: Locator) -> str:
        """A press that saves a file; its text."""
        self.n += 1
        with self.page.expect_download() as download:
            target.click()
        return Path(download.value.path()).read_text(encoding="utf-8")


def button(place: Page | Locator, name: str) -> Locator:
    return place.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))


@pytest.mark.long
def test_a_file_with_odd_names_becomes_an_exported_point_in_ten_actions(
    page: Page, dashboard: Dashboard
) -> None:
    open_explorer(page, dashboard)
    hands = Hands(page)
    hands.press(page.get_by_role("link", name="Use your own data"))
    hands.give("odd.csv", ODD, "text/csv")
    hands.choose("^has_evidence", "^gt$")
    hands.choose("^post_id", "^subject$")
    hands.choose("^criterion_id", "^symptom$")
    hands.choose("Which label means", "^yes")
    hands.press(button(page, "Use these data"))
    hands.press(page.get_by_test_id("stMain").get_by_role("link", name="Operating point"))
    expect_page(page, "Operating point")
    expect(page.get_by_test_id("path")).to_contain_text("No split: nothing can confirm this choice")
    hands.press(page.get_by_test_id("action-export"))
    document = json.loads(hands.save(button(page, "Save the document (JSON)")))
    assert document["input"]["columns"]["label"] == "gt"
    assert document["data"][0]["rows"] == 600
    assert hands.n <= 10


@pytest.mark.long
def test_a_sensitivity_is_found_its_cost_read_and_the_point_exported_in_four_actions(
    fresh_explorer: Page,
) -> None:
    page = fresh_explorer
    hands = Hands(page)
    hands.press(page.get_by_test_id("action-find"))
    dialog = page.get_by_role("dialog")
    hands.press(dialog.get_by_text("≥ 98 %"))
    expect(dialog.get_by_label("Screening sensitivity, at least (%)")).to_have_value("98")
    said = dialog.inner_text()
    cost = re.search(
        r"([\d,]+) of 7,390 checks are skipped, [\d,]+ are looked at \(workload ([\d.]+) %\)", said
    )
    assert cost is not None
    met, unmet = said.index("Met: Screening sensitivity of at least 98 %"), said.index("Cannot be had:")
    assert met < unmet  # what was met and what it costs comes first
    hands.press(button(dialog, "Export these…"))
    document = json.loads(hands.save(button(dialog, "Save the document (JSON)")))
    assert document["rule"]["tau_neg"]["value"] == float(thresholds(page)[0])
    skipped = next(one for one in document["estimates"] if one["metric"] == "gate.neg_rate")
    assert f"{skipped['numerator']:,}" == cost[1]
    assert hands.n <= 4


@pytest.mark.long
def test_a_point_is_opened_again_and_compared_with_another_in_four_actions(
    fresh_explorer: Page, dashboard: Dashboard
) -> None:
    page = fresh_explorer
    type_threshold(page, "neg", "0.004")
    wait_until_heard(page)
    hands = Hands(page)
    hands.press(page.get_by_test_id("action-export"))
    text = hands.save(button(page, "Save the document (JSON)"))
    open_address(page, dashboard, "/data")  # a session that knows nothing of it
    hands = Hands(page)
    hands.give("point.json", text, "application/json")
    hands.press(button(page, "Check and open"))
    expect_page(page, "Operating point")
    expect(page.get_by_test_id("tau-neg-box")).to_have_value("0.004")
    hands.press(button(page, "Compare…"))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Document skips 499 more; misses 7 more than Before.")
    expect(dialog).to_contain_text("What only Document misses lies in 7 posts (")
    assert hands.n <= 4


@pytest.mark.long
def test_pins_are_named_and_gone_back_to(fresh_explorer: Page) -> None:
    page = fresh_explorer
    first = thresholds(page)
    page.get_by_test_id("action-pin").click()
    type_threshold(page, "neg", "0.004")
    wait_until_heard(page)
    button(page, "Compare…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Now skips 499 more; misses 7 more than A.")
    dialog.get_by_text("Names of the pinned points").click()
    name = dialog.get_by_role("textbox")
    name.fill("careful")
    name.press("Enter")
    expect(dialog).to_contain_text("Now skips 499 more; misses 7 more than careful.")
    button(dialog, "Close").click()
    button(page, "careful").click()
    expect(page.get_by_test_id("tau-neg-box")).to_have_value(first[0])


@pytest.mark.long
def test_the_rule_of_the_document_is_saved_in_the_language_of_a_system(fresh_explorer: Page) -> None:
    page = fresh_explorer
    type_threshold(page, "neg", "0.004")
    wait_until_heard(page)
    hands = Hands(page)
    hands.press(page.get_by_test_id("action-export"))
    dialog = page.get_by_role("dialog")
    document = hands.save(button(dialog, "Save the document (JSON)"))
    wait_until_idle(page)
    hands.press(dialog.get_by_text("Rule for your system"))
    hands.choose("^Language", "^JavaScript$")
    text = hands.save(button(dialog, "Save the rule"))
    assert text == rule_file(OperatingPoint.from_bytes(document.encode()), "javascript")
    expect(dialog).to_contain_text("Saved rule_op-")
    assert hands.n <= 5
