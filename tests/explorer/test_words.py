"""The explorer's words explain themselves, out of the glossary that the Reference page shows."""

import re

import numpy as np
import pytest

from evalcore.explorer import markup
from evalcore.explorer.payload import Review, browser_payload
from evalcore.explorer.sources import terms
from evalcore.glossary import GLOSSARY
from evalcore.operating_point.tradeoff.table import compute_tradeoff
from evalcore.tallies.scores import ScoredRows

PLAIN = {"What happened to each check", "By …, at these thresholds"}
"""Headings of plain words."""


def test_every_word_that_is_underlined_has_an_entry_and_goes_to_the_browser() -> None:
    used = set(re.findall(r'data-term="(\w+)"', markup()))
    assert used == terms().keys() <= GLOSSARY.keys()
    rows = ScoredRows(np.array([0.1, 0.4, 0.9]), np.array([False, True, True]), np.arange(3), 3)
    payload = browser_payload(
        compute_tradeoff(rows),
        key="k",
        groups=(),
        score_kind="probability",
        review=Review(),
        actions=[],
        method="",
    )
    assert payload["terms"] == {key: GLOSSARY[key].plain for key in used}


@pytest.mark.parametrize("tag", ["h2", 'th scope="col"', "dt"])
def test_every_tile_and_heading_of_a_table_explains_itself(tag: str) -> None:
    heads = re.findall(rf"<{tag}>(.*?)</{tag.split()[0]}>", markup(), re.DOTALL)
    assert heads
    for head in heads:
        text = re.sub(r"<span.*", "", re.sub(r"<select.*</select>", "…", head), flags=re.DOTALL)
        assert 'class="term"' in head or text in PLAIN or text.startswith("Of those with"), text


def test_words_are_shown_under_the_name_that_the_glossary_has() -> None:
    shown = re.findall(r'data-term="(\w+)">(.*?)</button>', markup())
    for key, word in shown:
        assert word.lower() in (GLOSSARY[key].name.lower(), *GLOSSARY[key].also), word
