"""The site names every page, and every link and picture of README.md and docs/ leads somewhere."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.site.pages import ROOT

PROJECT = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def named(entries: list[Any]) -> Iterator[str]:
    """The pages that the navigation names, in its order."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for inside in entry.values():
                yield from named([inside] if isinstance(inside, str) else inside)


def words(text: str) -> str:
    """A page without its blocks of code and without code in a line."""
    text = re.sub(r"^```.*?^```$|^(?: {4}.*\n)+", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> set[str]:
    """What a link may name of a page: its headings as addresses."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in headings}


def lost(page: Path) -> list[str]:
    """Links and pictures of a page that lead nowhere; addresses of other hosts are not looked at."""
    found = []
    for target in re.findall(r"\]\(([^()\s]+)\)", words(page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.is_file() or (anchor and anchor not in anchors(file)):
            found.append(target)
    return found


def outside(page: Path) -> list[str]:
    """Links of a page that leave the site for a file beside it: the site would not have it."""
    targets = re.findall(r"\]\(([^()\s:]+)\)", words(page.read_text()))
    files = [(page.parent / target.partition("#")[0]).resolve() for target in targets]
    return [str(file) for file in files if not file.is_relative_to(DOCS)]


def test_the_navigation_names_every_page_once() -> None:
    assert sorted(named(PROJECT["nav"])) == [str(page.relative_to(DOCS)) for page in PAGES]


def test_a_page_without_a_place_is_noticed() -> None:
    rest = [entry for entry in PROJECT["nav"] if "Tutorials" not in entry]
    missing = {str(page.relative_to(DOCS)) for page in PAGES} - set(named(rest))
    assert "tutorials/clinician.md" in missing


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    assert lost(page) == []
    if page.is_relative_to(DOCS):
        assert outside(page) == []


def test_a_lost_link_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Other\n\n## What is here: all\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\n[a](other.md) [b](other.md#what-is-here-all) [c](#page) [d](https://example.org) "
        "[e](nowhere.md) ![f](nowhere.png) [g](other.md#gone) `[h](code.md)`\n\n```\n[i](block.md)\n```\n"
    )
    assert lost(page) == ["nowhere.md", "nowhere.png", "other.md#gone"]
    assert len(outside(page)) == 6  # and "#page": this page lies outside too


def test_every_picture_and_file_of_the_site_is_used() -> None:
    text = "".join(page.read_text() for page in [ROOT / "README.md", *PAGES]) + str(PROJECT)
    files = [file for file in DOCS.rglob("*") if file.is_file() and file.suffix != ".md"]
    assert [file.name for file in files if file.name not in text] == []


def test_nothing_is_fetched_from_another_host() -> None:
    """Fonts and scripts are local; the built site was read in a browser without a network."""
    assert PROJECT["theme"]["font"] is False
    own = [*PROJECT["extra_css"], *PROJECT["extra"]["polyfills"]]
    assert all((DOCS / name).is_file() for name in own)
    assert all("iframe-worker" in name for name in PROJECT["extra"]["polyfills"])
    for file in DOCS.glob("site/*"):
        assert not re.search(r"https?:", file.read_text()), file.name
