"""Under which licence the project and the files of others in it are handed over."""

import tomllib
from hashlib import sha256
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
"""Digest of the licence's text as the Apache Software Foundation publishes it."""


def test_licence_is_the_official_text_and_the_package_names_it() -> None:
    assert sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE_2
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    assert project["license-files"] == ["LICENSE", "NOTICE"]


def test_notice_names_every_folder_of_published_values_with_its_licence() -> None:
    entries = (ROOT / "NOTICE").read_text().split("\n\n")
    folders = [folder for folder in (ROOT / "tests" / "golden").iterdir() if folder.is_dir()]
    assert folders
    for folder in folders:
        (entry,) = [one for one in entries if one.startswith(f"tests/golden/{folder.name}/\n")]
        licence = entry.split("Licence: ")[1].split()[0].rstrip(",.")
        assert (ROOT / licence).is_file()


def test_folders_of_our_own_inventions_hold_no_licence_of_others() -> None:
    """What is copied lies in `tests/golden`, where NOTICE and a README name it."""
    files = [*(ROOT / "tests" / "cases").rglob("*"), *(ROOT / "sample_data").rglob("*")]
    assert [file for file in files if "licen" in file.name.lower() or "copying" in file.name.lower()] == []


def test_citation_names_what_a_reader_needs_and_no_second_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["license"] == "Apache-2.0"
    assert "version" not in citation
