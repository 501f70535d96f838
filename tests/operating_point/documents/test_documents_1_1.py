"""Documents of schema 1.1, made by the program of that time, still verify and apply."""

from pathlib import Path

import pytest

from evalcore.operating_point import decide
from tests.support.made import documents

FOLDER = Path(__file__).parents[2] / "documents_1_1"
ROWS = FOLDER / "queries.csv"
NAMES = ("by_author", "certified", "exploratory", "trivial")


@pytest.mark.parametrize("name", NAMES)
def test_every_number_and_text_of_such_a_document_is_found_again(name):
    result = documents.verified(FOLDER, name)
    assert result.differences == ()
    assert result.summary.startswith("Holds by the rules of 1.1: ")
    assert result.status_today is None
    assert result.n_compared > 250


@pytest.mark.parametrize("name", NAMES)
def test_such_a_document_decides_as_it_did(name):
    point = documents.kept(FOLDER, name)
    decided = decide(point, ROWS)
    for score, state in zip(decided.score, decided.states, strict=True):
        assert state == ("NEG" if score < point.tau_neg else "POS")


def test_the_unit_was_called_a_post_then():
    texts = [claim["text"] for claim in documents.kept(FOLDER, "by_author").document["claims"]]
    assert all(text.endswith("within posts).") for text in texts)
