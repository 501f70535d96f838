"""The explorer and the tables inside a page such as a notebook's, in a real browser without a network."""

from pathlib import Path

from playwright.sync_api import Browser, expect

import evalcore
from evalcore.operating_point import point_from_thresholds

TEN_ROWS = Path(__file__).resolve().parents[3] / "sample_data" / "small" / "ten_rows.csv"


def test_the_explorer_runs_in_its_frame_and_cannot_reach_the_notebook(
    browser: Browser, tmp_path: Path
) -> None:
    explorer = evalcore.explore(evalcore.load(TEN_ROWS), tau_neg=0.1, tau_pos=0.7)
    page_file = tmp_path / "notebook.html"
    page_file.write_text(f"<!doctype html><p id=cell>cell</p>{explorer._repr_html_()}", encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_file.as_uri())
    frame = page.frame_locator("iframe")
    expect(frame.get_by_test_id("zone-skip")).to_contain_text("%")
    box = frame.get_by_test_id("tau-neg-box")
    assert box.input_value() == "0.1"
    box.fill("0.05")
    box.press("Enter")
    expect(box).to_have_value("0.05")
    (inner,) = [one for one in page.frames if one != page.main_frame]
    reached = "() => { try { return parent.document.title !== undefined } catch { return 'kept out' } }"
    assert inner.evaluate(reached) == "kept out"
    assert page.locator("#cell").inner_text() == "cell"
    assert [one for one in asked if not one.startswith(("file:", "about:"))] == []
    context.close()


def test_a_table_can_be_read_on_a_dark_and_a_light_page(browser: Browser, tmp_path: Path) -> None:
    point = point_from_thresholds(evalcore.load(TEN_ROWS), 0.1, 0.7)
    context = browser.new_context(offline=True)
    page = context.new_page()
    for ink, ground in (("rgb(230, 230, 230)", "rgb(17, 17, 17)"), ("rgb(20, 20, 20)", "rgb(255, 255, 255)")):
        file = tmp_path / "notebook.html"
        look = f"color:{ink};background:{ground}"
        file.write_text(f'<!doctype html><body style="{look}">{point._repr_html_()}', encoding="utf-8")
        page.goto(file.as_uri())
        looks = page.locator("td, th, strong").evaluate_all(
            "(all) => all.map((one) => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor])"
        )
        assert {tuple(look) for look in looks} == {(ink, "rgba(0, 0, 0, 0)")}
    context.close()
