"""Every page that is written as a file, as those meet it who do not see it: axe-core, headings, names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from evalcore.__main__ import main
from tests.browser.dashboard import ROOT
from tests.browser.pages.test_access import expect_access, expect_order

SAMPLE = ROOT / "sample_data"
REPORTS = {
    "evidence": [SAMPLE / "queries.csv", SAMPLE / "ranked_lists.csv", "--by", "criterion"],
    "annotations": [SAMPLE / "rag"],
    "recommendations": [SAMPLE / "recommender", "--by", "user_group"],
}
NAMELESS = """() => [...document.querySelectorAll("table, svg")]
    .filter((node) => node.closest("[aria-hidden=true]") === null)
    .filter((node) => !node.caption && !node.querySelector(":scope > title"))
    .filter((node) => !node.getAttribute("aria-label") && !node.getAttribute("aria-labelledby"))
    .map((node) => node.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files are written."""
    return tmp_path_factory.mktemp("written")


def report_of(task: str, folder: Path) -> Path:
    """The report of the sample of a task."""
    out = folder / task
    assert main(["evaluate", *map(str, REPORTS[task]), "--out", str(out)]) == 0
    return out / "report.html"


def point_page(folder: Path) -> Path:
    """The page of a point that was tested, with its groups."""
    point, page = folder / "point.json", folder / "point.html"
    queries = str(SAMPLE / "queries.csv")
    chosen = ["--model", "gnn_gate", "--tune", "tune", "--test", "test", "--by", "criterion"]
    aim = ["--screening-sensitivity", "0.95", "--alert-precision", "0.5"]
    assert main(["choose", queries, *aim, *chosen, "--out", str(point)]) < 2
    assert main(["show", str(point), queries, "--out", str(page)]) == 0
    return page


@pytest.fixture
def page_of_file(browser: Browser) -> Iterator[Page]:
    """A page for a file."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.long
@pytest.mark.parametrize("name", [*REPORTS, "point"])
def test_nothing_stands_in_the_way_in_a_written_page(page_of_file: Page, folder: Path, name: str) -> None:
    file = point_page(folder) if name == "point" else report_of(name, folder)
    page_of_file.goto(file.as_uri())
    schemes: tuple[Any, ...] = ("light", "dark")
    for scheme in schemes:
        page_of_file.emulate_media(color_scheme=scheme)
        assert expect_access(page_of_file) == set()
    expect_order(page_of_file)
    assert page_of_file.evaluate(NAMELESS) == []
