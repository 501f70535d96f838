"""Every command and every line of Python of the tutorials prints what the page says."""

import shutil
from pathlib import Path

import pytest

from tests.site import pages
from tests.site.pages import ROOT, TUTORIALS

NOT_RUN = ("pip install ", "evalcore dashboard", "dask ", "evalcore evaluate /shared/")
"""How the lines of `sh` blocks begin: what installs, serves until it is ended, or asks a server."""

LONG = {"clinician", "cluster", "many-files"}
"""Those that take about ten seconds each; README's examples and the tests of parts and sites are shorter."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in. The sample, whose bytes other tests hold, is copied and not made again."""
    made = pages.printed

    def printed(command: str) -> str:
        if command != "evalcore sample --out sample_data":
            return made(command)
        shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
        return "sample_data/queries.csv\n"

    monkeypatch.setattr(pages, "printed", printed)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "page",
    [pytest.param(one, marks=pytest.mark.long if one.stem in LONG else ()) for one in TUTORIALS],
    ids=lambda page: page.stem,
)
def test_the_tutorial_prints_what_it_says(page: Path) -> None:
    assert "\n".join(pages.differences(page)) == ""


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_what_is_not_run_installs_or_serves(page: Path) -> None:
    blocks = list(pages.blocks(page.read_text()))
    assert {block.language for block in blocks} <= {"console", "pycon", "sh"}
    for block in blocks:
        if block.language == "sh":
            assert all(line.startswith(NOT_RUN) for line in block.text.splitlines()), block
    assert "console" in {block.language for block in blocks}


@pytest.mark.usefixtures("folder")
def test_a_page_that_says_something_else_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    command = "$ evalcore check sample_data/small/ten_rows.csv\n"
    page.write_text(
        "```console\n$ evalcore sample --out sample_data\n…\n"
        f"{command}ten_rows.csv: 10 rows in, 10 used\n…\n"
        f"{command}ten_rows.csv: 10 rows in, 9 used\n…\n"
        "$ evalcore check nowhere.csv\n…\n```\n\n```pycon\n>>> 2 + 2\n5\n```\n"
    )
    found = pages.differences(page)
    assert len(found) == 2
    assert found[0].startswith("page.md:7: evalcore check")
    assert "Expected:\n    5" in found[1]


@pytest.mark.parametrize(
    ("shown", "real", "agree"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\n…\nd", "a\nb\nc\nd\n", True),
        ("a\n…\nb", "a\nb\n", True),
        ("p = …, q", "p = 0.05, q\n", True),
        ("p = …, q", "p = 0.05\n, q\n", False),
        ("a", "a\nb\n", False),
        ("a\nb", "a\n", False),
        ("", "", True),
        ("", "a\n", False),
    ],
)
def test_an_ellipsis_stands_for_any_text(shown: str, real: str, agree: bool) -> None:
    assert pages.agrees(shown, real) is agree
