"""Tallies of sites on the pages: opened, and thresholds chosen from them; what needs rows says so."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.operating_point import choose_operating_point
from evalcore.operating_point.gridding import gridded
from evalcore.operating_point.test_rows.looks import LooksAtTest
from evalcore.operating_point.test_rows.row_marks import marks_of_other_rows, marks_of_test_rows
from evalcore.operating_point.test_rows.row_sets import row_set
from evalcore.sites import Tally, read_tallies, to_bytes
from pages.shared.point.looks import LookBook
from pages.shared.point.point import Aim, FirstLook, pair_of
from tests.pages.test_pages_data import codes, give, in_use, labels, texts
from tests.pages.test_pages_saved_report import page_of, said
from tests.sites.conftest import HEAD, rows_of

ROOT = Path(__file__).resolve().parents[2]
N_SITES = 3
NEED_ROWS = ("criteria", "calibration", "failures", "compare", "report", "pipeline_steps")
NEED_LISTS = ("ranking", "selection")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, bytes]]:
    """Name and content of the files of three sites."""
    folder, found = tmp_path_factory.mktemp("sites"), []
    for site in range(N_SITES):
        rows = [row for row in rows_of(600) if int(row[1 : row.index(",")]) // 6 % N_SITES == site]
        (folder / "rows.csv").write_text(HEAD + "".join(rows))
        scores = gridded(evalcore.load(folder / "rows.csv"), by=("criterion",)).scores
        found.append((f"site_{site}.tally", to_bytes(Tally(f"site_{site}", scores, len(rows)))))
    return found


@pytest.fixture
def opened(sites: list[tuple[str, bytes]]) -> AppTest:
    """A session that has put the tallies to use on the Data page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    page = give(page_of("data", app), *sites)
    assert "Tallies of sites" in texts(page)
    next(one for one in page.button if one.label == "Use these tallies").click().run()
    assert not page.exception
    return page


def test_tallies_are_what_the_bar_and_the_data_page_show(opened: AppTest) -> None:
    shown = texts(opened)
    assert in_use(opened).is_of_sites
    for told in ("tallies, no rows", "1,800 checks", "600 posts", "3 criteria", "tune rows: 900"):
        assert told in shown
    assert "They need the rows, which sites keep" in shown


def test_thresholds_are_chosen_from_tallies_as_from_their_files(
    opened: AppTest, sites: list[tuple[str, bytes]], tmp_path: Path
) -> None:
    page = page_of("operating_point", opened)
    assert "Tallies of sites hold no rows: counts are exact" in said(page)
    state, data = page.session_state["operating_point"], in_use(page).data
    for name, content in sites:
        (tmp_path / name).write_bytes(content)
    expected = read_tallies([tmp_path])
    assert data.digest == expected.digest
    rows = row_set(expected, "tune", split="tune", model=None)
    tradeoff = page.session_state["tradeoff"][1]
    assert tradeoff.data_id == rows.tradeoff().data_id
    assert tradeoff.is_grid
    aim = Aim(0.9, 0.8)
    found = pair_of(choose_operating_point(data, **aim.options, tune="tune"))
    state.take(found, aim)
    page.run()
    assert not page.exception
    assert page.session_state["operating_point"].pair == found
    for key in ("front_section", "folds_section", "limits_section"):
        page.session_state[key] = True
    page.run()
    assert not page.exception


def test_a_look_at_test_rows_of_tallies_is_counted(sites: list[tuple[str, bytes]], tmp_path: Path) -> None:
    for name, content in sites:
        (tmp_path / name).write_bytes(content)
    data, salt = read_tallies([tmp_path]), bytes(16)
    test, others = marks_of_test_rows(data, salt=salt), marks_of_other_rows(data, salt=salt)
    assert test is not None
    assert others is not None
    book = LookBook("server")
    book.note(others, test)
    assert book.record(test, "here").n_before == 0
    again = marks_of_test_rows(read_tallies(sorted(tmp_path.iterdir())[::-1]), salt=salt)
    assert again is not None
    assert book.known(again).n_before == 1
    (tmp_path / sites[0][0]).unlink()  # a part of them is not known again, as is said
    fewer = marks_of_test_rows(read_tallies([tmp_path]), salt=salt)
    assert fewer is not None
    assert book.known(fewer).n_before == 0


def test_what_test_said_stands_on_the_page(opened: AppTest) -> None:
    page = page_of("operating_point", opened)
    state = page.session_state["operating_point"]
    before = LooksAtTest(0, (), "server", "2026-01-31T12:00:00Z")
    state.look = FirstLook(state.pair, state.aim, state.chosen, before)
    page.run()
    assert not page.exception
    assert "Tune and test side by side…" in labels(page)


@pytest.mark.parametrize("name", NEED_ROWS)
def test_pages_that_need_rows_say_so(opened: AppTest, name: str) -> None:
    page = page_of(name, opened)
    assert "Tallies of sites hold no rows: there is nothing to " in said(page)
    assert not page.get("plotly_chart")


@pytest.mark.parametrize("name", NEED_LISTS)
def test_pages_that_need_lists_say_so(opened: AppTest, name: str) -> None:
    page = page_of(name, opened)
    assert "hold no ranked lists" in said(page)
    assert not page.get("plotly_chart")


def test_files_that_do_not_fit_together_are_not_used(sites: list[tuple[str, bytes]]) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    name, content = sites[0]
    for given, code in (
        ([(name, content), ("again.tally", content)], "SIT-006"),
        ([(name, content[:-40])], "SIT-002"),
        ([(name, content), ("rows.csv", HEAD.encode())], "SIT-001"),
    ):
        page = give(page_of("data", app), *given)
        assert code in codes(page)
        assert not [one for one in page.button if one.label == "Use these tallies"]
