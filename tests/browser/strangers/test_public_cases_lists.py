"""Files of other tools, uploaded in a real browser: each with its value, or refused by name."""

import io
import re

import pyarrow as pa
import pyarrow.parquet
import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.pages.test_data_page import pick

pytestmark = pytest.mark.long

HEAD = "post_id,criterion_id,gold_ids,ranked_ids\n"
COMMAS = HEAD + 'p1,A.1,s1,"s2, s1, s3"\np2,A.1,s4,"s4, s5, s6"\n'
BLANKS = HEAD + "p1,A.1,s1,s2 s1 s3\np2,A.1,s4,s4 s5 s6\n"
OPEN = HEAD + 'p1,A.1,s1,"s2, s3"\np2,A.1,s4,s4\n'
NUMBERS = HEAD + 'p1,A.1,[1],"[2, 1, 3]"\np2,A.1,[4.0],"[4, 5, 6]"\n'
OBJECTS = (
    '{"post_id": "p1", "gold_ids": ["s1"], "ranked_ids": [{"id": "s2", "score": 0.9}]}\n'
    '{"post_id": "p2", "gold_ids": ["s4"], "ranked_ids": [{"id": "s4", "score": 0.9}]}\n'
)
QRELS = "#vaccines 0 t1 1\n#vaccines 0 t2 0\nmasks 0 t3 1\n"
RUN = "#vaccines Q0 t2 1 2.0 r\n#vaccines Q0 t1 2 1.0 r\nmasks Q0 t3 1 2.0 r\n"
BARE = "0,0.1\n0,0.4\n1,0.35\n1,0.8\n"
LABEL_LAST = (
    "post_id\tcriterion_id\tprobability\thas_evidence\n"
    "p1\tA.1\t0.9\t1\np1\tA.2\t0.2\t0\np2\tA.1\t0.4\t1\np2\tA.2\t0.5\t0\n"
)


def structs() -> bytes:
    """Lists of objects in Parquet."""
    found = [[{"id": "s2", "score": 0.9}, {"id": "s1", "score": 0.8}], [{"id": "s4", "score": 0.9}]]
    table = pa.table({"post_id": ["p1", "p2"], "gold_ids": [["s1"], ["s4"]], "ranked_ids": found})
    sink = io.BytesIO()
    pa.parquet.write_table(table, sink)
    return sink.getvalue()


def give(page: Page, files: dict[str, str | bytes]) -> None:
    """Upload files in the place of those before them."""
    chips = page.get_by_test_id("stFileChip")
    while n := chips.count():
        chips.first.get_by_role("button").click()
        expect(chips).to_have_count(n - 1)
        wait_until_idle(page)
    page.locator("input[type=file]").set_input_files(
        [
            {
                "name": name,
                "mimeType": "application/octet-stream",
                "buffer": content.encode() if isinstance(content, str) else content,
            }
            for name, content in files.items()
        ]
    )
    expect(chips).to_have_count(len(files))
    expect(page.get_by_test_id("stDataFrame")).to_have_count(len(files))
    wait_until_idle(page)


def refused_with(page: Page, name: str, content: str | bytes, *texts: str) -> None:
    """Upload a file and find it refused in these words."""
    give(page, {name: content})
    expect(page.get_by_text("These files cannot be used yet.")).to_be_visible()
    for text in texts:
        expect(page.get_by_text(text).first).to_be_visible()
    expect(page.get_by_role("button", name="Use these data")).to_have_count(0)


def test_lists_that_are_no_ids_are_refused_in_words(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    named = "lists of objects with the fields id, score"
    refused_with(page, "objects.jsonl", OBJECTS, named, "RNK-003")
    refused_with(page, "structs.parquet", structs(), named, "RNK-003")
    refused_with(page, "open.csv", OPEN, "text that may be one id or several: s2, s3", "RNK-003")


def test_lists_between_commas_and_blanks_and_numbers_are_told(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    give(page, {"numbers.csv": NUMBERS})
    expect(page.get_by_text("“4.0” (gold of p2::A.1) and “4” (ranked_ids of p2::A.1)")).to_be_visible()
    give(page, {"blanks.csv": BLANKS})
    expect(page.get_by_text("ids between blanks, read as s2|s1|s3")).to_be_visible()
    give(page, {"commas.csv": COMMAS})
    expect(page.get_by_text("ids between commas, read as s2|s1|s3")).to_be_visible()
    expect(page.get_by_text("2 rows in = 2 used + 0 excluded")).to_be_visible()
    expect_mrr(page, "ranked_ids", "0.75")


def expect_mrr(page: Page, model: str, value: str) -> None:
    """Put what was uploaded to use and find its MRR on the Ranking page."""
    page.get_by_role("button", name="Use these data").click()
    page.get_by_role("link", name="Ranking").first.click()
    expect_page(page, "Ranking")
    row = page.get_by_test_id("stMain").locator("tr").filter(has_text="MRR").first
    expect(row).to_have_text(re.compile(f"^MRR{model}{re.escape(value)}"))


def test_topics_that_begin_with_a_hash_are_all_there(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    give(page, {"x.qrels": QRELS, "x.run": RUN})
    for name in ("x.qrels", "x.run"):
        expect(page.get_by_text(f"{name}: found topics that begin with #")).to_be_visible()
    expect(page.get_by_text("3 rows in = 3 used + 0 excluded")).to_have_count(2)
    expect_mrr(page, "r", "0.75")


def test_file_without_a_header_is_asked_about_and_read_by_position(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    refused_with(page, "bare.csv", BARE, "a first line that holds no names of columns: 0, 0.1", "FILE-030")
    page.get_by_text("No header line", exact=True).click()
    wait_until_idle(page)
    expect(page.get_by_text("FILE-030")).to_have_count(0)
    pick(page, "has_evidence (needed)", "1")
    pick(page, "probability (needed)", "2")
    expect(page.get_by_text("4 rows in = 4 used + 0 excluded")).to_be_visible()
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_test_id("data-bar")).to_contain_text("bare.csv")
    page.get_by_role("link", name="Calibration").first.click()
    expect_page(page, "Calibration")
    expect(page.get_by_test_id("data-bar")).to_contain_text("4 checks")
    expect(page.get_by_text("0.158")).to_be_visible()  # the Brier score of the four rows


def test_predictions_between_tabs_with_the_label_last_are_predictions(
    page: Page, dashboard: Dashboard
) -> None:
    open_address(page, dashboard, "/data")
    give(page, {"label_last.tsv": LABEL_LAST})
    expect(page.get_by_text("CSV, tab, UTF-8")).to_be_visible()
    expect(page.get_by_text("4 rows in = 4 used + 0 excluded")).to_be_visible()
    expect(page.get_by_role("button", name="Use these data")).to_be_visible()
