"""Documents of schema 1.2, made by the program of that time, still verify, apply and open again."""

from pathlib import Path

import pytest

import evalcore
from evalcore.operating_point import OperatingPoint, decide, reopened

TESTS = Path(__file__).parents[2]
ROWS = TESTS / "documents_1_1" / "queries.csv"
NAMES = ("by_author", "by_hand", "certified")


def point_of(name):
    return OperatingPoint.load(TESTS / "documents_1_2" / f"{name}.json")


@pytest.mark.parametrize("name", NAMES)
def test_every_number_and_text_of_such_a_document_is_found_again(name):
    point = point_of(name)
    found = reopened(point, [evalcore.load(ROWS, **point.reading)])
    assert found.verified.differences == ()
    assert found.verified.summary.startswith("Holds by the rules of 1.2: ")
    assert (found.verified.status_today, found.verified.refused_today) == (None, ())
    assert found.must_not_miss == ()
    assert found.changed == ()


@pytest.mark.parametrize("name", NAMES)
def test_such_a_document_decides_as_it_did(name):
    point = point_of(name)
    decided = decide(point, ROWS)
    assert decided.warnings == ()
    for score, state in zip(decided.score, decided.states, strict=True):
        assert state == ("NEG" if score < point.tau_neg else "POS" if score >= point.tau_pos else "UNCERTAIN")
