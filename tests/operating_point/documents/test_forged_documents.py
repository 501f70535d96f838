"""Documents that someone wrote to mislead or to break what reads them, each with the right hash."""

import copy
import time

import pytest

from evalcore.operating_point import OperatingPoint, reopened
from evalcore.operating_point.choosing.claims.notes import BY_EXACT_BOUND
from evalcore.operating_point.choosing.without_model import BEGINNING
from evalcore.operating_point.document.canonical import json_text
from evalcore.operating_point.document.integrity import check_schema
from evalcore.operating_point.wording import at_most
from evalcore.problems import InputError
from tests.support.made.documents import certified, codes, rehashed


@pytest.fixture(scope="module")
def original():
    return certified().document


def forged(document, change):
    document = copy.deepcopy(document)
    change(document)
    return json_text(rehashed(document)).encode()


def interval_of(document, metric):
    return next(one["ci"] for one in document["estimates"] if one["metric"] == f"gate.{metric}")


@pytest.mark.parametrize(
    ("metric", "ends"),
    [
        ("neg_rate", {"high": 1.5}),
        ("neg_rate", {"high": 1e308}),
        ("neg_rate", {"low": -0.1}),
        ("neg_rate", {"low": 0.9, "high": 0.1}),
        ("alerts_per_1000", {"high": 1000.1}),
        ("reviews_per_true_alert", {"high": 1e308}),
    ],
)
def test_an_interval_beyond_what_its_metric_can_be_is_refused(original, metric, ends):
    raw = forged(original, lambda document: interval_of(document, metric).update(ends))
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(raw)
    assert codes(caught) == ["DOC-030"]
    assert "two bounds in their order from 0 to " in str(caught.value)
    assert [one.code for one in reopened(OperatingPoint.from_bytes(raw, strict=False)).problems] == [
        "DOC-030"
    ]


def test_no_number_is_too_large_to_be_rounded():
    assert at_most(1e308) == "1" + "0" * 308


@pytest.mark.parametrize("model", [{}, {"a": 1}, {"name": None}, {"name": 1}, {"name": "m", "level": 1}])
def test_a_model_without_a_name_is_refused(original, model):
    raw = forged(original, lambda document: document["input"].update(model=model))
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(raw, strict=False)
    assert codes(caught) == ["DOC-002"]
    assert "input.model" in str(caught.value)


def marked(n):
    return [{"column": "hospital", "level": str(at)} for at in range(n)]


def test_a_group_marked_twice_is_refused_by_name(original):
    twice = [*marked(2), *marked(1)]
    raw = forged(original, lambda document: document["selection"].update(must_not_miss=twice))
    with pytest.raises(InputError, match=r"found 'hospital = 0' 2 times at selection\.must_not_miss"):
        OperatingPoint.from_bytes(raw, strict=False)
    raw = forged(original, lambda document: document["selection"].update(groups_by=["a", "b", "a"]))
    with pytest.raises(InputError, match=r"found 'a' 2 times at selection\.groups_by"):
        OperatingPoint.from_bytes(raw, strict=False)


def test_thousands_of_marks_are_checked_at_once(original):
    change = {"must_not_miss": marked(4000)}
    document = {**original, "selection": {**original["selection"], **change}}
    start = time.process_time()
    check_schema(document)
    assert time.process_time() - start < 3  # each held against each other would take half a minute


def test_a_note_that_repeats_itself_is_refused_at_once(original):
    before, after = BY_EXACT_BOUND.split("{several}")
    note = f"{before}values of " + f"x{after} {BEGINNING}a." * 8000 + "!"
    raw = forged(original, lambda document: document["claims"][0].update(note=note))
    start = time.process_time()
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(raw)
    assert "claims[0].note" in str(caught.value)
    assert time.process_time() - start < 4  # each beginning held against all that follows would take longer


@pytest.mark.parametrize("name", ["claims", "estimates", "data", "self_test", "limits", "subgroups"])
def test_a_list_that_no_document_holds_is_refused_by_its_length(original, name):
    with pytest.raises(InputError) as caught:
        check_schema({**original, name: [1] * 100_000})
    assert codes(caught) == ["DOC-002"]
    assert f"found 100,000 entries, of at most {MOST[name]:,}, at {name}" in str(caught.value)


MOST = {"claims": 200, "estimates": 200, "data": 10, "self_test": 1000, "limits": 1000, "subgroups": 20_000}


def test_departures_are_told_up_to_a_number(original):
    with pytest.raises(InputError) as caught:
        check_schema({**original, "claims": [1] * 150})
    assert len(caught.value.problems) == 101
    assert caught.value.problems[-1].found.startswith("perhaps more, not looked for")


@pytest.mark.parametrize("text", ["x" * 5_000_000, "," * 500_001])
def test_a_document_of_many_bytes_is_not_parsed(original, text):
    with pytest.raises(InputError) as caught:
        OperatingPoint.from_bytes(forged(original, lambda document: document.update(limits=[text])))
    assert codes(caught) == ["DOC-306"]
