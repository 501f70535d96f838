"""Documents of schema 1.0, made by the program of that time, still verify and apply."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore.__main__ import main
from evalcore.operating_point import OperatingPoint, decide
from evalcore.operating_point.choosing.choice import Choice
from evalcore.operating_point.choosing.request import constraints_of, row_sets_of, targets_of
from evalcore.operating_point.constraints import find_thresholds
from evalcore.operating_point.document.build import build_document
from evalcore.operating_point.document.canonical import content_sha256, json_text
from evalcore.operating_point.typed import Particulars
from tests.support.made import documents
from tests.support.made.scored_data import data_of, scored

FOLDER = Path(__file__).parents[2] / "documents_1_0"
ROWS = FOLDER / "queries.csv"
NAMES = ("at_50_percent", "by_hand", "certified", "exploratory", "folds")


@pytest.mark.parametrize("name", NAMES)
def test_every_number_and_text_of_an_old_document_is_found_again(name):
    result = documents.verified(FOLDER, name)
    assert result.differences == ()
    assert result.n_compared > 400


@pytest.mark.parametrize("name", NAMES)
def test_an_old_document_decides_as_it_did(name):
    point = documents.kept(FOLDER, name)
    low, high = point.tau_neg, point.tau_pos
    for score, state in zip(*(lambda d: (d.score, d.states))(decide(point, ROWS)), strict=True):
        assert state == ("NEG" if score < low else "POS" if score >= high else "UNCERTAIN")


def test_what_an_old_document_says_and_none_would_say_today_is_told():
    assert documents.verified(FOLDER, "by_hand").refused_today == ()
    assert "τ_neg = 0.08087; it would be 0.080869." in documents.verified(FOLDER, "certified").refused_today
    said = documents.verified(FOLDER, "at_50_percent").refused_today
    assert said[0].startswith("certified; it would be tuned. Not certified: 50 % confidence in screening ")
    assert f"Would not be said today: {said[0]}" in documents.verified(FOLDER, "at_50_percent").summary


def test_the_command_tells_it_and_holds(capsys):
    assert main(["verify", str(FOLDER / "at_50_percent.json"), str(ROWS)]) == 0
    first, second, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("Holds by the rules of 1.0: ")
    assert second == "Status by the rules of today: tuned."
    assert any(line.startswith("Would not be said today: certified; it would be tuned.") for line in others)


def test_a_certificate_of_then_that_is_exploratory_today_is_told_first():
    """Built today by the rules of 1.0, its test repeats itself: it holds by those and says what it is."""
    rng = np.random.default_rng(3)
    drawn = [(np.round(rng.beta(4, 1.2, 300), 6), np.round(rng.beta(1, 7, 700), 6)) for _ in range(2)]
    parts = (
        scored(np.tile(drawn[at][0], 2), np.tile(drawn[at][1], 2), split=name, first_post=9000 * at)
        for at, name in enumerate(("tune", "test"))
    )
    data = data_of([row for part in parts for row in part])
    chosen, test = (
        replace(rows, rules="1.0")
        for rows in row_sets_of(data, "tune", "test", None, None)
        if rows is not None
    )
    constraints = constraints_of(0.8, 0.5, 0.95)
    thresholds = find_thresholds(chosen.table, *targets_of(constraints), posts=chosen.posts, rules="1.0")
    choice = Choice(chosen, test, constraints, thresholds, is_manual=False)
    document = build_document(choice, Particulars(), is_synthetic=False)
    assert document["status"] == "certified"
    result = OperatingPoint.from_bytes(json_text(document).encode()).verify(data)
    assert (result.holds, result.status_today) == (True, "exploratory")
    first, second = result.summary.splitlines()[:2]
    assert first.startswith("Holds by the rules of 1.0: ")
    assert second == "Status by the rules of today: exploratory."


def test_an_old_document_of_the_same_status_today_says_no_other():
    assert documents.verified(FOLDER, "by_hand").status_today is None
    assert "Status by" not in documents.verified(FOLDER, "by_hand").summary


def test_a_text_changed_in_an_old_document_is_found(tmp_path):
    document = json.loads((FOLDER / "certified.json").read_text(encoding="utf-8"))
    document["limits"] = document["limits"][1:]
    document["provenance"]["tool_version"] = "0.0.9"
    path = tmp_path / "point.json"
    path.write_text(json_text(document | {"content_sha256": content_sha256(document)}), encoding="utf-8")
    assert main(["verify", str(path), str(ROWS)]) == 1


def test_an_old_document_called_of_today_is_refused():
    document = json.loads((FOLDER / "certified.json").read_text(encoding="utf-8")) | {"schema_version": "1.1"}
    raw = json_text(document | {"content_sha256": content_sha256(document)}).encode()
    with pytest.raises(evalcore.InputError, match="looks_at_test"):
        OperatingPoint.from_bytes(raw)
