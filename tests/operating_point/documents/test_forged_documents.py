"""Documents that someone wrote to mislead or to break what reads them, each with the right hash."""

import copy

import pytest

from evalcore.operating_point import OperatingPoint, reopened
from evalcore.operating_point.document.canonical import json_text
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
