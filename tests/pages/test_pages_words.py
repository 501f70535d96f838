"""Counts in words, long names and the name of the dashboard, wherever a page shows them."""

import re
import tomllib

import pytest
from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.readers import Upload
from pages.shared import widgets
from pages.shared.data import session
from tests.conftest import ROOT
from tests.support.opened import give, session_on, shown

THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]


def test_one_of_a_thing_is_not_several_in_the_bar_of_the_data() -> None:
    told = shown(give(session_on("pages/evidence/ranking.py"), "post_id,criterion_id,y,p\np1,A.1,1,0.7\n"))
    assert "1 check · 1 post · 100 % with evidence" in told


def test_one_annotated_answer_is_one_query_with_one_response() -> None:
    app = session_on("pages/rag/rag_violations.py")
    data = evalcore.load([Upload("generation.csv", b"record_uuid,annotator_id,helpful\nr1,a,1\n")])
    app.session_state["annotations_in_use"] = session.SessionData(data, "one", is_sample=False, key="one")
    app.run()
    assert not app.exception
    assert "1 query · 1 generation response<" in shown(app)


def drawn_table(*names: str) -> str:
    """A table whose head and first cells are these names."""

    def page(names: tuple[str, ...]) -> None:
        from pages.shared import widgets

        widgets.table(names, [names], name="names")

    app = AppTest.from_function(page, args=(names,)).run()
    assert not app.exception
    (found,) = app.get("html")
    return re.sub(r"<style>.*</style>", "", found.value, flags=re.DOTALL)


def test_names_too_long_for_a_line_break_in_tables_and_others_do_not() -> None:
    long = "W" * 60
    assert drawn_table("step", long).count(f'class="long">{long}<') == 2
    words = "a name of several words, in all too long for one line"
    assert f'<td class="long">{words}</td><td>{words}</td>' in drawn_table(words, words)
    assert 'class="long"' not in drawn_table("step", "gate v2")


def luminance(colour: str) -> float:
    """Relative luminance by the definition of WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """How well two colours are told apart; 4.5 for small words."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("at", "theme"), [(0, "light"), (1, "dark")])
def test_the_name_of_the_dashboard_can_be_read_above_the_menu_and_the_page(at, theme):
    drawn = (ROOT / "pages" / "shared" / "name.svg").read_text(encoding="utf-8")
    colours = re.findall("#[0-9a-f]{6}", drawn)
    assert len(colours) == 2
    assert "prefers-color-scheme: dark" in drawn
    for ground in (THEME[theme]["backgroundColor"], THEME[theme]["sidebar"]["backgroundColor"]):
        assert contrast(colours[at], ground) >= 4.5


def test_a_percent_sign_stays_with_its_number_where_a_line_ends():
    assert widgets.unbroken("268 (36.27 %), 95 % of %d") == "268 (36.27\xa0%), 95\xa0% of %d"
