"""Intervals in the files of a report: shown, rounded outward, explained, and bands only where drawn."""

import math

import pytest

from evalcore import evaluate
from evalcore.report import as_text, drawings, report_files, report_html, report_md, tables_tex
from evalcore.report.layout import values
from evalcore.report.methods import methods
from evalcore.text.numerals import bound, number
from tests.support.made.evidence import make_data, make_queries


@pytest.fixture(scope="module")
def data():
    """60 queries of 20 posts."""
    labels = [int(row % 5 == 0 or row % 7 == 0) for row in range(60)]
    scores = [((row * 37) % 61) / 100 + 0.3 * label for row, label in enumerate(labels)]
    return make_data(make_queries(labels, scores, posts=[f"post-{row // 3}" for row in range(60)]))


@pytest.fixture(scope="module")
def report(data):
    return evaluate(data, bootstrap=100, seed=3)


@pytest.mark.parametrize(
    "value", [0.99544, 0.995449, 0.3, 0.00012347, 1e-9, 123.456, 0.9999999, -0.00001, 5.0]
)
def test_bounds_are_rounded_outward_by_less_than_a_digit(value):
    low, high = (
        float(bound(value, is_low=is_low).replace(",", "").replace("−", "-")) for is_low in (True, False)
    )
    assert low <= value <= high
    size = abs(value)
    width = 0.01 if size >= 100 else 1e-3 if size >= 0.1 else 1e-4 if size >= 1e-3 else 1e-2 * size
    assert high - low <= width * 1.0001


def test_a_bound_of_few_digits_stays_and_an_undefined_one_is_said():
    assert [bound(one, is_low=True) for one in (0.25, 0.0, math.nan)] == ["0.250", "0.000", "n/a"]
    assert number(0.25) == "0.250"


def test_every_file_for_reading_shows_the_interval_of_auroc(report):
    auroc = next(value for value in values(report) if value.metric == "auroc" and not value.group_by)
    expected = f"{bound(auroc.ci_low, is_low=True)} to {bound(auroc.ci_high, is_low=False)} (95 %)"
    assert auroc.interval == expected
    assert auroc.ci_low < auroc.value < auroc.ci_high
    for text in (report_html(report), report_md(report).replace("\\", ""), as_text(report)):
        assert expected in text
    assert expected.replace("%", "\\%") in tables_tex(report)


def test_methods_behind_the_intervals_are_told_once_each(report):
    told = methods(report)
    assert any("percentiles over 100 bootstrap replicates, which draw posts; seed 3." in one for one in told)
    assert any("Korn–Graubard" in one for one in told)
    for text in (report_html(report), report_md(report)):
        assert text.count("percentiles over 100 bootstrap replicates") == 1


def test_bands_are_drawn_with_a_bootstrap_only(data, report):
    drawn = {one.key: one for one in drawings(report)}
    assert drawn["roc"].title == "ROC curve, pointwise 95 % bands from 100 replicates"
    plain = {one.key: one for one in drawings(evaluate(data))}
    assert plain["roc"].title == "ROC curve"
    for key in ("roc", "pr"):
        assert len(drawn[key].draw(dark=False).traces) == len(plain[key].draw(dark=False).traces) + 2
        assert "pointwise bands" in drawn[key].draw(dark=False).layout["meta"]["description"]


def test_same_seed_makes_the_same_bytes_and_another_seed_others(data, report):
    assert report_files(evaluate(data, bootstrap=100, seed=3)) == report_files(report)
    other = report_files(evaluate(data, bootstrap=100, seed=4))
    assert all(other[name] != text for name, text in report_files(report).items())
