"""Annotations and scores as other tools export them, uploaded in a real browser: each value or refusal."""

import json

import pytest
from playwright.sync_api import Page, expect

from evalcore.problems import SHOWN
from tests.browser.dashboard import Dashboard, expect_page, open_address, wait_until_idle
from tests.rag.test_rag_feedback import FILES as TOOLS
from tests.rag.test_rag_feedback import RAGAS, REFUSED
from tests.readers.strangers.test_foreign_files import FILES
from tests.readers.strangers.test_same_layouts import ARGILLA

pytestmark = pytest.mark.long

TILES = {
    "langfuse.csv": ("Helpfulness rate", "50.0\N{NO-BREAK SPACE}%"),
    "pivot.csv": ("Helpfulness rate", "50.0\N{NO-BREAK SPACE}%"),
    "label_studio.json": ("Topical precision@", "1.000"),
    "argilla.json": ("Helpfulness rate", "50.0\N{NO-BREAK SPACE}%"),
}
TEXTS = {**{name: text for name, (text, *_) in TOOLS.items()}, "argilla.json": ARGILLA["by id, over lines"]}
OBSERVERS = {
    name: TEXTS[name].replace('"t1"', f'"{name} 1"').replace('"t2"', f'"{name} 2"')
    for name in ("mlflow_traces.jsonl", "opik.json", "langsmith.json")
}
"""Answers of their own in each, so that they can be given together."""

SCORES = {"RAGAS: faithfulness": "0.7502 of 3", "DeepEval: Faithfulness": "0.8001 of 2"}
POINT = json.dumps({"schema": "operating-point", "schema_version": "1.1", "content_sha256": "0" * 64})
METRICS = json.dumps({"evalcore": "1.0", "data_sha256": "0" * 64, "metrics": []})
NAMED = {
    **{name: (text, named) for name, (text, named) in REFUSED.items()},
    **{name: (content, f"found {kind}") for name, (content, kind, _) in FILES.items()},
    "POINT.json": (POINT, "expected a document after operating-point.schema.json. Export the document again"),
    "metrics.json": (METRICS, "check metrics.json holds it against itself"),
}


def give(page: Page, files: dict[str, str | bytes]) -> None:
    """Upload files in the place of those before them."""
    chips = page.get_by_test_id("stFileChip")
    if chips.count():
        page.reload()
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
    wait_until_idle(page)


def put_to_use(page: Page, files: dict[str, str | bytes]) -> None:
    """Upload files and open the RAG overview on them."""
    if page.get_by_role("heading", level=1).text_content() != "Data":
        page.get_by_role("link", name="Data", exact=True).first.click()
        expect_page(page, "Data")
    give(page, files)
    page.get_by_role("button", name="Use these data").click()
    wait_until_idle(page)
    page.get_by_role("link", name="RAG overview").first.click()
    expect_page(page, "RAG overview")


def test_labels_and_scores_are_shown_as_they_are(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    for name, (tile, value) in TILES.items():
        put_to_use(page, {name: TEXTS[name]})
        found = page.locator(".tile", has_text=tile).first.locator(".value")
        expect(found, message=name).to_have_text(value)
    put_to_use(page, dict(OBSERVERS))
    expect(page.locator(".tile", has_text="Helpfulness rate").locator(".value")).to_have_text(
        "50.0\N{NO-BREAK SPACE}%"
    )
    put_to_use(page, {"ragas.csv": RAGAS, "deepeval_long.csv": TEXTS["deepeval_long.csv"]})
    for score, shown in SCORES.items():
        row = page.get_by_test_id("stMain").locator("tr", has_text=score)
        expect(row).to_contain_text(shown)


def test_what_is_not_read_is_named_for_what_it_is(page: Page, dashboard: Dashboard) -> None:
    open_address(page, dashboard, "/data")
    for start in range(0, len(NAMED), SHOWN):
        given = dict(list(NAMED.items())[start : start + SHOWN])
        give(page, {name: content for name, (content, _) in given.items()})
        expect(page.get_by_text("These files cannot be used yet.")).to_be_visible()
        told = page.get_by_test_id("stMain").inner_text()
        for name, (_, named) in given.items():
            lines = [line for line in told.splitlines() if line.startswith(f"{name}: found")]
            assert any(named in line for line in lines), (name, named)
        assert "--encoding" not in told
        expect(page.get_by_role("button", name="Use these data")).to_have_count(0)
