"""Layouts of other tools, uploaded in a real browser: each with its value, or refused by name."""

import io

import pyarrow as pa
import pytest
from playwright.sync_api import Page, expect

from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.browser.pages.test_data_page import pick
from tests.browser.strangers.test_public_cases_lists import give, refused_with

pytestmark = pytest.mark.long

SCORES = (("a", 0, 0.1), ("b", 0, 0.4), ("c", 1, 0.35), ("d", 1, 0.8))
ARRAY = "[" + ",".join(f'{{"id":"{i}","label":{y},"score":{p}}}' for i, y, p in SCORES) + "]"
SPLIT = '{"columns": ["record", "y_true", "y_prob"], "data": [["a", 0, 0.1], ["b", 1, 0.8]]}'
VERTEX = "\n".join(
    f'{{"instance": {{"row_id": "{i}", "outcome": "{y}"}}, '
    f'"prediction": {{"classes": ["0", "1"], "scores": [{1 - p}, {p}]}}}}'
    for i, y, p in SCORES
)
VECTOR = "\n".join(f'{{"id": "{i}", "label": {y}, "probability": [{1 - p}, {p}]}}' for i, y, p in SCORES)
OF_R = '"y_true"\t"y_prob"\n' + "\n".join(f'"{n}"\t{y}\t{p}' for n, (_, y, p) in enumerate(SCORES, 1))
BLANKS = '"id" "y_prob" "y_true"\n' + "\n".join(
    f'"{n}" "{i}" {p} {y}' for n, (i, y, p) in enumerate(SCORES, 1)
)
COMMAS = "post_id,criterion_id,has_evidence,probability\n" + "\n".join(
    f'{i},A.1,{y},"{str(p).replace(".", ",")}"' for i, y, p in SCORES
)
TITLE = "Predictions exported 2025-01-01,,\n,,\nid,y_true,y_prob\n" + "\n".join(
    f"{i},{y},{p}" for i, y, p in SCORES
)
ABOVE_ONE = "y_true,y_prob\n0,0.2\n1,1.0000001192092896\n1,0.7\n"
THOUSANDS = "id;y_true;y_prob\na;0;1,234\nb;1;987\n"
USED = "4 rows in = 4 used + 0 excluded"


def stream() -> bytes:
    """The rows as an Arrow stream."""
    ids, labels, scores = (list(column) for column in zip(*SCORES, strict=True))
    table = pa.table({"id": ids, "label": labels, "prob": scores})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def read_with(page: Page, name: str, content: str | bytes, *texts: str) -> None:
    """Upload a file and find it read, with these words on the page."""
    give(page, {name: content})
    for text in texts:
        expect(page.get_by_text(text).first).to_be_visible()
    expect(page.get_by_role("button", name="Use these data")).to_be_visible()


def expect_brier(page: Page) -> None:
    """Put what was uploaded to use and find the Brier score of the four rows on the Calibration page."""
    page.get_by_role("button", name="Use these data").click()
    page.get_by_role("link", name="Calibration").first.click()
    expect_page(page, "Calibration")
    expect(page.get_by_test_id("data-bar")).to_contain_text("4 checks")
    expect(page.get_by_text("0.158")).to_be_visible()


def test_documents_streams_and_tables_of_r_are_read(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    read_with(page, "records.json", ARRAY, "JSON array", USED)
    read_with(page, "table.json", SPLIT, "JSON, columns and data", "2 rows in = 2 used + 0 excluded")
    read_with(page, "write_table.txt", OF_R, "as R writes them", USED)
    read_with(page, "write_table_space.txt", BLANKS, "CSV, blank", USED)
    read_with(page, "data-00000-of-00001.arrow", stream(), "Arrow stream", USED)
    expect_brier(page)


def test_commas_titles_and_rounding_are_told(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    refused_with(page, "above.csv", ABOVE_ONE, "It is 1 but for the rounding of float32", "QRY-003")
    refused_with(page, "open.csv", THOUSANDS, "found 1,234, which may be 1.234 or 1234", "QRY-003")
    read_with(page, "title.csv", TITLE, "It names no columns and was left out", USED)
    read_with(page, "commas.csv", COMMAS, "comma between fields and a decimal comma", USED)
    expect_brier(page)


def test_the_score_inside_of_a_cell_is_chosen(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    refused_with(page, "vertex.jsonl", VERTEX, "with values inside of their cells", "COL-101")
    pick(page, "has_evidence (needed)", "instance.outcome")
    pick(page, "probability (needed)", "prediction.1")
    expect(page.get_by_text(USED).first).to_be_visible()
    refused_with(page, "vector.jsonl", VECTOR, "several values in each cell", "COL-100")
    pick(page, "probability (needed)", "probability[1]")
    wait_until_idle(page)
    expect(page.get_by_text(USED).first).to_be_visible()
    expect_brier(page)
