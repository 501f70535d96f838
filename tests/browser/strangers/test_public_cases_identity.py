"""Files of strangers whose rows or scores may be taken two ways, by upload: asked, answered, and the "
"right value."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.pages.test_data_page import pick
from tests.compare.test_compare_fairly import QRELS, RUN_A, RUN_B
from tests.readers.evidence.test_row_identity import A_SHUFFLED, A_SHUFFLED_ANYHOW, PARTS, A
from tests.readers.test_predicted_class import HUGGING_FACE, PYCARET

pytestmark = pytest.mark.long

USE = "Use these data"
CANNOT = "These files cannot be used yet."


def give(page: Page, **texts: str) -> None:
    """Upload files, named by their keywords with the first underscore as the point."""
    payload = [
        {"name": name.replace("_", ".", 1), "mimeType": "text/plain", "buffer": text.encode()}
        for name, text in texts.items()
    ]
    page.locator("input[type=file]").set_input_files(payload)
    expect(page.get_by_test_id("stDataFrame")).to_have_count(len(texts))
    wait_until_idle(page)


def use(page: Page) -> None:
    """Put the upload to use."""
    page.get_by_role("button", name=USE).click()
    expect(page.get_by_test_id("data-bar")).to_contain_text("checks")
    wait_until_idle(page)


def go(page: Page, name: str) -> None:
    """Another page of the same session."""
    page.get_by_role("link", name=name, exact=True).last.click()
    expect_page(page, name)
    wait_until_idle(page)


def expect_auroc(page: Page, auroc: str) -> None:
    """The report of the data in use has this AUROC."""
    go(page, "Report")
    page.get_by_role("button", name="Make the report").click()
    cell = page.get_by_role("gridcell", name=auroc, include_hidden=True)
    expect(cell.first).to_be_attached(
        timeout=120_000
    )  # a grid is drawn: its cells are there for readers only


@pytest.fixture
def data_page(page: Page, dashboard: Dashboard) -> Page:
    """The Data page of a new session."""
    open_address(page, dashboard, "/data")
    return page


def test_part_files_without_ids_are_one_table_once_that_is_said(data_page: Page) -> None:
    give(data_page, **{"part-0_csv": PARTS[0], "part-1_csv": PARTS[1]})
    expect(data_page.get_by_text(CANNOT)).to_be_visible()
    expect(
        data_page.get_by_text("several files without ids: part-0.csv (2 rows) and part-1.csv")
    ).to_be_visible()
    pick(data_page, "The files are", "parts of one table")
    expect(
        data_page.get_by_text(re.compile("parts of one table, one after the other, as you said"))
    ).to_be_visible()
    use(data_page)
    expect(data_page.get_by_test_id("data-bar")).to_contain_text("4 checks")
    expect_auroc(data_page, "0.750")
    go(data_page, "Compare")
    expect(data_page.get_by_text("These data hold one model only")).to_be_visible()
    expect(data_page.get_by_text(re.compile("If they are models of the same rows, say so"))).to_be_visible()


def test_the_same_predictions_in_another_order_differ_by_nothing(data_page: Page) -> None:
    give(data_page, A_csv=A, B_csv=A_SHUFFLED)
    pick(data_page, "The files are", "models of the same rows")
    use(data_page)
    go(data_page, "Compare")
    said = "models over the same rows, paired by row number, as you said"
    expect(data_page.get_by_text(re.compile(said))).to_be_visible()
    row = data_page.locator("table.facts tr", has_text=re.compile(r"^AUROC\D"))
    expect(row.first).to_contain_text(re.compile(r"0\.938\s*0\.938\s*0\.0000"))
    go(data_page, "Data")
    give(data_page, A_csv=A, B_csv=A_SHUFFLED_ANYHOW)
    pick(data_page, "The files are", "models of the same rows")
    expect(data_page.get_by_text(re.compile("another label than in A.csv in 2 of 8 rows"))).to_be_visible()


def test_the_score_of_the_predicted_class_is_asked_about_and_converted(data_page: Page) -> None:
    give(data_page, hf_csv=HUGGING_FACE)
    expect(data_page.get_by_text(CANNOT)).to_be_visible()
    expect(
        data_page.get_by_text(re.compile("p = score where pred_label is LABEL_1, otherwise 1 − score"))
    ).to_be_visible()
    pick(data_page, "The score is that of", "the predicted class")
    expect(
        data_page.get_by_text(
            "hf.csv: p = score where pred_label is LABEL_1, otherwise 1 − score, as you said."
        )
    ).to_be_visible()
    use(data_page)
    expect_auroc(data_page, "0.938")


def test_a_prediction_called_label_is_not_the_gold(data_page: Page) -> None:
    give(data_page, pycaret_csv=PYCARET)
    expect(
        data_page.get_by_text(re.compile("two columns that could be the label: 'Label', which may be"))
    ).to_be_visible()
    pick(data_page, "has_evidence (needed)", "outcome")
    expect(data_page.get_by_text(re.compile("COL-030"))).to_have_count(0)
    pick(data_page, "The score is that of", "the predicted class")
    expect(
        data_page.get_by_text(re.compile("p = Score where Label is 1, otherwise 1 − Score, as you said"))
    ).to_be_visible()
    use(data_page)
    expect_auroc(data_page, "0.938")


def test_a_topic_that_one_run_lacks_counts_until_it_is_left_out(data_page: Page) -> None:
    give(data_page, x_qrels=QRELS, a_run=RUN_A, b_run=RUN_B)
    data_page.get_by_role("button", name=USE).click()
    wait_until_idle(data_page)
    go(data_page, "Compare")
    expect(
        data_page.get_by_text(re.compile("3 queries with gold compared; none fell out. B has no list for 1"))
    ).to_be_visible()
    row = data_page.locator("table.facts tr", has_text=re.compile(r"^MRR"))
    expect(row.first).to_contain_text(re.compile(r"0\.833\s*0\.667\s*−0\.1667"))
    data_page.get_by_text("Only queries that both rank").click()
    expect(data_page.get_by_text(re.compile("2 queries with gold compared; 1 fell out"))).to_be_visible()
    expect(row.first).to_contain_text(re.compile(r"0\.750\s*1\.000\s*\+0\.2500"))
