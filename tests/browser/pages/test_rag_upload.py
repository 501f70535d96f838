"""Annotations by drag and drop: the export folder, and files of other tools, loaded or refused in words."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evalcore import inspect
from evalcore.readers import Upload
from pages.shared.page_words import on_page
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.support.inputs import ANNOTATION_EXPORT, OTHER_TOOLS


def test_an_export_is_put_to_use_and_shown_with_its_numbers(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    files = [ANNOTATION_EXPORT / f"{name}.csv" for name in ("retrieval", "grounding", "generation")]
    page.locator("input[type=file]").set_input_files(files)
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_role("heading", name="Annotations in use")).to_be_visible()
    page.get_by_role("link", name="RAG overview").last.click()
    expect_page(page, "RAG overview")
    expect(page.get_by_test_id("data-bar")).to_contain_text("retrieval.csv")
    tile = page.locator(".tile", has_text="Topical precision@5")
    expect(tile.locator(".value")).to_have_text("0.533")
    expect(tile).to_contain_text("3 of 4 used")
    expect(page.locator(".tile", has_text="Helpfulness rate").locator(".value")).to_have_text(
        "66.7\N{NO-BREAK SPACE}%"
    )


@pytest.mark.long
def test_every_file_of_other_tools_is_loaded_or_refused_as_the_core_does(
    page: Page, dashboard: Dashboard
) -> None:
    for path in sorted(OTHER_TOOLS.iterdir()):
        found = inspect([Upload(path.name, path.read_bytes())])
        open_address(page, dashboard, "/data")
        page.locator("input[type=file]").set_input_files(path)
        expect(page.get_by_text(path.name).first).to_be_visible()
        wait_until_idle(page)
        button = page.get_by_role("button", name="Use these data")
        if found.data is not None:
            expect(button, path.name).to_be_visible()
        else:
            expect(button, path.name).to_have_count(0)
            expect(page.get_by_text("These files cannot be used yet.")).to_be_visible()
            for one in found.problems[:2]:
                expect(page.get_by_text(str(on_page(one)), exact=False).first, path.name).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.long
def test_a_second_export_is_dropped_and_compared_by_record(
    page: Page, dashboard: Dashboard, tmp_path: Path
) -> None:
    header = "record_uuid,annotator_id,helpful\n"
    first, second = tmp_path / "old.csv", tmp_path / "new.csv"
    first.write_text(header + "".join(f"q{at},a,{at % 2}\n" for at in range(30)))
    second.write_text(header + "".join(f"q{at},a,{int(at % 4 > 0)}\n" for at in range(2, 32)))
    open_address(page, dashboard, "/data")
    page.locator("input[type=file]").set_input_files(first)
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_role("heading", name="Annotations in use")).to_be_visible()
    page.get_by_role("link", name="Compare systems").click()
    expect_page(page, "Compare systems")
    expect(page.get_by_text("These data hold one system: a comparison needs two.")).to_be_visible()
    page.locator("input[type=file]").set_input_files(second)
    page.get_by_role("button", name="Compare with these").click()
    expect(page.get_by_text("Compared with the second export: new.csv.")).to_be_visible()
    fell_out = "Generation: 28 queries compared; 2 only in old.csv, 2 only in new.csv fell out."
    expect(page.get_by_text(fell_out)).to_be_visible()
    expect(page.get_by_text("new.csv is better: Helpfulness rate +25.0 points", exact=False)).to_be_visible()
    page.get_by_role("link", name="RAG overview").click()
    expect_page(page, "RAG overview")
    page.get_by_role("link", name="Compare systems").click()
    expect(page.get_by_text("Compared with the second export: new.csv.")).to_be_visible()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("These data hold one system: a comparison needs two.")).to_be_visible()
