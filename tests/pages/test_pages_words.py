"""Counts in words and long names, wherever a page shows them."""

import re

from streamlit.testing.v1 import AppTest

import evalcore
from evalcore.readers import Upload
from pages.shared.data import session
from tests.support.opened import give, session_on, shown


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
