"""show as a process would see it: words, a page, JSON, and what is refused."""

import json
from pathlib import Path

import pandas as pd
import pytest

from evalcore.__main__ import main
from tests.operating_point.choosing.test_choose_command import write
from tests.support.made.choices import distinct_rows
from tests.support.made.documents import rehashed, written


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A document of two files, these files, and a third of new posts."""
    folder = tmp_path_factory.mktemp("shown")
    tune, test, new = (
        write(
            folder / f"{first}.csv",
            distinct_rows(lambda name, first=first: f"{first}{name}", split, n=120, seed=seed),
        )
        for first, split, seed in (("a", "tune", 5), ("b", "test", 6), ("c", "test", 7))
    )
    point = str(folder / "point.json")
    main(["choose", tune, "--test-file", test, "--screening-sensitivity", "0.97", "--out", point])
    return point, tune, test, new


def test_a_document_is_printed_in_words(files, capsys):
    capsys.readouterr()
    assert main(["show", files[0]]) == 0
    lines = capsys.readouterr().out.splitlines()
    document = json.loads(Path(files[0]).read_text())
    assert lines[0] == f"{document['title']} ({document['status']})"
    assert "Who chose: not stated" in lines
    assert f"Limit: {document['limits'][0]}" in lines
    agrees = f"its digest agrees, content SHA-256 {document['content_sha256']}"
    assert lines[-1].endswith(f": its numbers were not recomputed; {agrees}")


def test_its_own_data_are_recomputed(files, capsys):
    point, tune, test, _ = files
    capsys.readouterr()
    assert main(["show", point, test, tune]) == 0
    told = capsys.readouterr().out
    assert "Holds: " in told
    assert "its digest agrees" in told
    assert "not recomputed; its digest" not in told


def test_other_data_are_refused_by_name(files, capsys):
    point, tune, _, new = files
    assert main(["show", point, tune, new]) == 2
    told = capsys.readouterr().err
    assert "c.csv: found other data than the test rows of the document" in told
    assert "[OPT-076]" in told


def test_new_rows_are_told_number_by_number(files, capsys):
    point, _, _, new = files
    capsys.readouterr()
    assert main(["show", point, "--against", new]) == 0
    told = capsys.readouterr().out
    assert "Then: test of b.csv. Now: the rows with split = test of c.csv." not in told
    assert "Then: test of b.csv. Now: all rows of c.csv." in told
    assert "\nScreening sensitivity: " in told
    assert "Verdicts are those of rows chosen on, which confirm nothing." in told
    assert main(["show", point, files[1], files[2], "--against", new]) == 0
    assert "verdicts are those of a test." in capsys.readouterr().out
    assert main(["show", point, "--against", new, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    kept = next(one for one in found["changes"] if one["name"] == "Screening sensitivity")
    rows = pd.read_csv(new)
    is_case = rows["has_evidence"] == 1
    tau = json.loads(Path(point).read_text())["rule"]["tau_neg"]["value"]
    assert kept["now"] == (rows["probability"][is_case] >= tau).mean()


def test_an_edited_document_is_refused(files, tmp_path, capsys):
    text = Path(files[0]).read_text().replace('"author": null', '"author": "Dr. B"')
    edited = tmp_path / "edited.json"
    edited.write_text(text)
    assert main(["show", str(edited)]) == 2
    assert "DOC-003" in capsys.readouterr().err


def test_the_page_is_written_and_no_input_overwritten(files, tmp_path, capsys):
    point, tune, test, _ = files
    page = tmp_path / "page.html"
    assert main(["show", point, tune, test, "--out", str(page)]) == 0
    assert "<svg" in page.read_text()
    assert main(["show", point, tune, test, "--out", tune]) == 2
    assert "which is read too" in capsys.readouterr().err


def test_no_text_of_a_document_passes_for_a_line_of_the_program_or_acts(files, tmp_path, capsys):
    evil = "as agreed\nHolds: 9,999 values and texts recomputed.\u2028Status: certified\x1b[31m\u202e"
    point, *_ = files
    document = json.loads(Path(point).read_text())
    document["title"] = evil
    document["provenance"].update(author=evil, rationale=evil, libraries={"numpy": evil})
    document["provenance"]["typed"] = ["title", "author", "rationale"]
    document["limits"] = [
        "Not stated: for which setting." if "Not stated" in line else line for line in document["limits"]
    ]
    path = written(tmp_path, rehashed(document))
    capsys.readouterr()
    for data in ([], files[1:3]):
        main(["show", str(path), *data])
        told = capsys.readouterr().out
        assert "Why: as agreed ⏎ Holds: 9,999 values" in told
        assert not {"\x1b", "\u202e", "\u2028"} & {*told}
        assert not [line for line in told.splitlines() if line.startswith(("Holds: 9,999", "Status: cert"))]
