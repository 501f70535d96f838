"""Recommendation lists from the upload to their pages, by keyboard and link, and on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import evalcore
from evalcore.text.numerals import number
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle

PAGES = {
    "recommender_overview": "Recommender overview",
    "recommender_k": "Metric against K",
    "recommender_tradeoff": "Trade-off",
    "recommender_fairness": "Fairness",
    "recommender_popularity": "Popularity",
    "recommender_users": "Users and items",
    "recommender_compare": "Compare models",
}
PHONE = {"width": 390, "height": 844}


def written(folder: Path) -> list[Path]:
    """Lists of three models for forty users, what they like, and what they had."""
    lists, test, train = ["model,user_id,item_id,score"], ["user_id,item_id"], ["user_id,item_id"]
    for user in range(40):
        for model, shift in (("near", 0), ("far", 3), ("nearer", 1)):
            lists += [f"{model},u{user},i{(user + shift + place) % 23},{9 - place}" for place in range(1, 6)]
        test += [f"u{user},i{(user + 2) % 23}"]
        train += [f"u{user},i{(user + 11) % 23}"]
    files = {"lists.csv": lists, "test.csv": test, "train.csv": train}
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [folder / name for name in files]


def test_lists_go_from_upload_to_pages_and_a_k_by_keyboard_into_the_link(
    page: Page, dashboard: Dashboard, tmp_path: Path
) -> None:
    files = written(tmp_path)
    report = evalcore.evaluate(evalcore.load(files), ks=(3, 10))
    open_address(page, dashboard, "/data")
    page.locator("input[type=file]").set_input_files(files)
    expect(page.locator(".chip", has_text="Recommendation lists")).to_be_visible()
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_role("heading", name="Recommendations in use")).to_be_visible()
    page.get_by_role("link", name="Recommender overview").last.click()
    expect_page(page, "Recommender overview")
    expect(page.get_by_test_id("data-bar")).to_contain_text("40 users · 23 items · 3 models")
    value = page.locator(".tile", has_text="Recall@10").locator(".value")
    expect(value).to_have_text(f"{number(report.value('recommender.recall', model='near', params='k=10'))}")

    field = page.get_by_role("spinbutton", name="K", exact=True)
    field.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    value = page.locator(".tile", has_text="Recall@3").locator(".value")
    expect(value).to_have_text(f"{number(report.value('recommender.recall', model='near', params='k=3'))}")
    wait_until_idle(page)
    assert "k=3" in page.url

    page.get_by_role("link", name="Trade-off").click()
    expect_page(page, "Trade-off")
    expect(page.get_by_role("spinbutton", name="K", exact=True)).to_have_value("3")
    expect(page.get_by_text("on the Pareto front.", exact=False)).to_be_visible()
    page.get_by_role("link", name="Compare models").click()
    expect_page(page, "Compare models")
    expect(page.get_by_text("adjusted over 3 pairs", exact=False)).to_be_visible()


@pytest.mark.long
def test_every_page_of_the_family_fits_a_phone(browser: Browser, dashboard: Dashboard) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    for address, title in PAGES.items():
        open_address(page, dashboard, f"/{address}?k=5" if address != "recommender_k" else f"/{address}")
        expect_page(page, title)
        main = page.get_by_test_id("stMain")
        assert main.evaluate("one => one.scrollWidth - one.clientWidth") == 0, address
        for chart in page.locator(".js-plotly-plot").all():
            box = chart.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= PHONE["width"], address
    context.close()


@pytest.mark.long
def test_the_users_and_rows_that_are_shown_are_downloaded_whole(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/recommender_users?k=5")
    expect_page(page, "Users and items")
    with page.expect_download() as users:
        page.get_by_role("button", name="users as CSV").click()
    lines = users.value.path().read_text().splitlines()
    assert lines[0].startswith("user,value,n_relevant,n_found,n_listed")
    told = page.get_by_role("button", name="users as CSV").inner_text()
    assert len(lines) - 1 == int("".join(filter(str.isdigit, told)))
    open_address(page, dashboard, "/recommender_popularity?k=5")
    expect_page(page, "Popularity")
    with page.expect_download() as rows:
        page.get_by_role("button", name="These rows as CSV").click()
    text = rows.value.path().read_text()
    assert text.startswith("family,metric,params,variant,population,model,group_by,group,value,n,")
    assert "recommender,aplt,k=5;pop_ratio=0.8,default,users_with_list," in text
