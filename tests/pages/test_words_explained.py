"""A word of the glossary explains itself wherever a tile or a table has it, to mouse, keyboard and touch."""

import re

from evalcore.glossary import GLOSSARY, explained
from pages.shared.widgets import term

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


def test_no_two_terms_share_a_word_and_each_is_explained_without_itself() -> None:
    words = [word for one in GLOSSARY.values() for word in (one.name.lower(), *one.also)]
    assert len(words) == len({*words})
    for one in GLOSSARY.values():
        assert all(word == word.lower() for word in one.also)
        assert explained(one.name, GLOSSARY) is one
        assert one.plain.endswith((".", "?"))
        assert len(one.plain) < 180
