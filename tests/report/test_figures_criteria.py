"""Figures of criteria and of recalibration hold exactly the numbers they are given."""

import json

import numpy as np
import pytest

from evalcore.curves import reliability
from evalcore.figures import (
    DARK,
    LIGHT,
    cooccurrence_figure,
    criterion_bars,
    recalibration_figure,
    reliability_multiples,
)
from evalcore.figures.recommender.groups import pairs_figure
from evalcore.inference.binomial import Interval, wilson
from evalcore.tallies.cooccurrence import Cooccurrence
from evalcore.tallies.scores import ScoreTable

COUNTS = Cooccurrence(
    ("A.1", "A.2", "A.3"),
    np.array([[9, 5, 0], [5, 7, 1], [0, 1, 3]]),
    np.array([[20, 18, 20], [18, 18, 18], [20, 18, 20]]),
)


@pytest.fixture
def bins():
    table = ScoreTable(np.array([0.1, 0.4, 0.9]), np.array([1, 3, 8]), np.array([9, 3, 2]))
    return reliability(table, 3, "equal_mass")


def bars(**changes):
    options = {"title": "Sensitivity", **changes}
    return criterion_bars(["A.1", "A.2 <b>x</b>", "A.3"], np.array([0.5, 0.75, np.nan]), **options)


def test_bars_hold_the_values_and_their_limits():
    interval = Interval(np.array([0.25, 0.5, np.nan]), np.array([0.75, 0.875, np.nan]))
    (drawn,) = bars(interval=interval).data
    np.testing.assert_array_equal(drawn.x, [0.5, 0.75, np.nan])
    np.testing.assert_array_equal(drawn.error_x.array, [0.25, 0.125, np.nan])
    np.testing.assert_array_equal(drawn.error_x.arrayminus, [0.25, 0.25, np.nan])
    assert list(drawn.text) == ["50.0 %", "75.0 %", ""]


@pytest.mark.parametrize(("unit", "text"), [("share", "75.0 %"), ("index", "0.750"), ("count", "1")])
def test_bars_say_values_in_their_unit(unit, text):
    assert bars(unit=unit).data[0].text[1] == text


def test_selected_and_small_criteria_differ_by_more_than_colour():
    marker = bars(selected=1, is_small=np.array([True, False, False])).data[0].marker
    assert list(marker.color) == [LIGHT.negative, LIGHT.positive, LIGHT.negative]
    assert list(marker.line.width) == [0, 1.5, 0]
    assert list(marker.pattern.shape) == ["/", "", ""]


def test_names_of_criteria_are_text_and_no_markup():
    assert bars().layout.yaxis.ticktext[1] == "A.2 &lt;b&gt;x&lt;/b&gt;"


def test_grid_holds_every_count_and_leaves_the_diagonal_uncoloured():
    heat, text = cooccurrence_figure(COUNTS).data
    np.testing.assert_array_equal(heat.z, [[np.nan, 5, 0], [5, np.nan, 1], [0, 1, np.nan]])
    assert list(text.text) == ["<b>9</b>", "5", "0", "5", "<b>7</b>", "1", "0", "1", "<b>3</b>"]
    assert heat.customdata[0][1] == "A.1 and A.2: 5 of 18 posts that were judged on both"
    assert heat.customdata[2][2] == "A.3: 3 of 20 posts"


def luminance(colour: str) -> float:
    """Relative luminance by the definition of WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_words_can_be_read_on_every_field_of_a_grid(palette):
    for field in (palette.faint, palette.least, palette.most):
        low, high = sorted((luminance(field), luminance(palette.ink)))
        assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize(("dark", "palette"), [(False, LIGHT), (True, DARK)])
def test_a_grid_has_words_in_ink_over_fields_made_for_them(dark, palette):
    heat, text = cooccurrence_figure(COUNTS, dark=dark).data
    assert [colour for _, colour in heat.colorscale] == [palette.faint, palette.least]
    assert text.textfont.color == palette.ink
    pairs, text = pairs_figure(np.array([[0.5]]), ["u"], ["i"], title="BR", neutral=1, dark=dark).data
    assert [colour for _, colour in pairs.colorscale] == [palette.least, palette.faint, palette.most]
    assert text.textfont.color == palette.ink


def test_multiples_share_their_axes_and_hold_each_group(bins):
    interval = wilson(bins.n_pos, bins.n)
    figure = reliability_multiples({"A.1": (bins, interval), "A.2": (bins, interval)})
    points = [one for one in figure.data if one.name == "observed rate"]
    assert len(points) == 2
    for one in points:
        np.testing.assert_array_equal(one.y, bins.observed_rate)
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert [one.text for one in figure.layout.annotations] == ["A.1", "A.2"]


def test_recalibration_has_a_line_and_a_shape_for_each_method(bins):
    _, before, platt = recalibration_figure(bins, {"Platt": bins}).data
    np.testing.assert_array_equal(before.x, bins.mean_probability)
    assert (before.name, platt.name) == ("as it is", "Platt")
    assert before.line.dash != platt.line.dash
    assert before.marker.symbol != platt.marker.symbol


@pytest.mark.parametrize(("dark", "palette"), [(False, LIGHT), (True, DARK)])
def test_figures_are_described_in_their_palette_and_strict_json(bins, dark, palette):
    interval = wilson(bins.n_pos, bins.n)
    for figure in (
        bars(),
        cooccurrence_figure(COUNTS),
        reliability_multiples({"A.1": (bins, interval)}),
        recalibration_figure(bins, {}),
    ):
        assert figure.layout.meta["description"].endswith(".")
        json.loads(figure.to_json(), parse_constant=lambda constant: pytest.fail(f"{constant} in JSON"))
    assert bars(dark=dark).layout.font.color == palette.ink
    assert cooccurrence_figure(COUNTS, dark=dark).layout.font.color == palette.ink
