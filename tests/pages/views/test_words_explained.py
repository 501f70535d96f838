"""A word of the glossary explains itself wherever a tile or a table has it, to mouse, keyboard and touch."""

import re
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.catalog import METRICS
from evalcore.glossary import GLOSSARY, explained
from pages.shared import widgets
from pages.shared.recommended.recommended import meanings
from pages.shared.widgets import term

ROOT = Path(__file__).resolve().parents[3]
PLAIN = re.compile(
    "column|what it holds|also read as|what is checked|what holds where it passes|looked at|outcome|rows|"
    "rows with evidence|posts with a row|posts without|"  # of data
    "difference|left out|change|step|pooled|mean ± sd over folds|model|task|what|stated|from the responses|"
    "label|annotators|shared|judged twice|pairs that agree|95 % interval, or why not|units|share by|remark|"
    "both labels|sensitivity|specificity|F1|accuracy|precision|record|retrieved|judged|only discarded|"
    "rule|kind|"
    "responses|K = .*|users|items|n users|n items|user group|how far the groups lie apart|to the head|"
    "recommendations, K = .*|items never recommended|"
    "gnn_gate|baseline|dense|hybrid|popularity|two_towers|"  # systems of the sample
    "All|ann_.*"
)
"""Heads that need no explanation, or none that fits them all."""
PAGES = sorted(
    one.relative_to(ROOT).as_posix()
    for family in ("common", "evidence", "rag", "recommender")
    for one in (ROOT / "pages" / family).glob("[!_]*.py")
)
WORD = re.compile(
    r'<span class="term"><button type="button" aria-describedby="(\S+)">(.*?)</button>'
    r'<span class="said" role="tooltip" id="(\S+)">(.*?)</span></span>'
)


def test_a_word_of_the_glossary_says_what_it_means_and_any_other_text_stands_as_it_is() -> None:
    found = WORD.fullmatch(term("Workload", of="a table"))
    assert found is not None
    named, shown, key, said = found.groups()
    assert (named, shown, said) == (key, "Workload", GLOSSARY["workload"].plain)
    assert term("<b>", of="a table") == "&lt;b&gt;"


def test_the_same_word_in_two_places_has_two_names() -> None:
    assert term("p", of="one table") != term("p", of="another table")


def test_a_row_of_a_metric_explains_it_and_a_row_of_a_model_of_its_name_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(widgets, "html", drawn.append)
    # Rankings have a Recall too: what a table is about decides.
    of_lists = METRICS["recommender.recall"]
    for means in (meanings([of_lists], 10), None):
        widgets.table(["", "n"], [["Recall@10", "5"]], name="a table", meanings=means)
    says = widgets.meaning(of_lists)
    assert says != widgets.meaning(METRICS["ranking.recall"])
    assert [says in unescape(one) for one in drawn] == [True, False]


def test_no_two_terms_share_a_word_and_each_is_explained_without_itself() -> None:
    words = [word for one in GLOSSARY.values() for word in (one.name.lower(), *one.also)]
    assert len(words) == len({*words})
    for one in GLOSSARY.values():
        assert all(word == word.lower() for word in one.also)
        assert explained(one.name, GLOSSARY) is one
        assert one.plain.endswith((".", "?"))
        assert len(one.plain) < 180


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES)
def test_every_head_of_a_table_explains_itself_or_is_a_plain_word(page: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page(page).run()
    body = " ".join(one.value for one in app.get("html"))
    heads = [unescape(head) for head in re.findall(r"<th[^>]*>([^<]*)</th>", body)]
    assert [head for head in heads if not PLAIN.fullmatch(head)] == []
    for tile in re.findall(r'<p class="name">(.*?)</p><div class="value">.*?</div><p>(.*?)</p>', body):
        assert len(tile[1]) > 10, "a tile says in plain words what its number is"
