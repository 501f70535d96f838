"""Figures hold exactly the numbers of their curves, in a palette that a light and a dark page can show."""

import json
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import pytest

from evalcore.curves import (
    pr_points,
    reliability,
    roc_points,
    score_distribution,
    smoothed_reliability,
)
from evalcore.figures import DARK, LIGHT, pr_figure, reliability_figure, roc_figure
from evalcore.figures.drawing import diagrams, stacked
from evalcore.inference.binomial import wilson
from evalcore.tallies.scores import ScoredRows, ScoreTable
from evalcore.text.numerals import percent_of_share


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    p = np.round(rng.beta(0.5, 1.5, 300), 2)
    return ScoreTable.from_rows(ScoredRows(p, rng.random(300) < p, np.arange(300), 300))


def trace(figure, name):
    found = [one for one in figure.data if one.name == name]
    assert len(found) == 1, [one.name for one in figure.data]
    return found[0]


def assert_holds(drawn, x, y):
    np.testing.assert_array_equal(drawn.x, x)
    np.testing.assert_array_equal(drawn.y, y)


def test_roc_figure_holds_the_points_the_band_and_chance(table):
    roc = roc_points(table)
    band = SimpleNamespace(
        grid=np.array([0, 0.5, 1]), low=np.array([0, 0.6, 1]), high=np.array([0.1, 0.8, 1])
    )
    figure = roc_figure({"gnn": roc}, bands={"gnn": band})
    assert_holds(trace(figure, "gnn"), roc.fpr, roc.tpr)
    assert_holds(trace(figure, "lower limit"), band.grid, band.low)
    assert_holds(trace(figure, "upper limit"), band.grid, band.high)
    assert_holds(trace(figure, "chance"), [0, 1], [0, 1])
    calls = trace(figure, "gnn").customdata
    assert list(calls[0]) == ["nothing called positive", "0 %", "0 %"]
    assert list(calls[-1]) == [f"score ≥ {roc.threshold[-1]:.6g}", "100 %", "100 %"]


def test_pr_figure_has_its_baseline_at_the_prevalence(table):
    pr = pr_points(table)
    figure = pr_figure({"gnn": pr})
    assert_holds(trace(figure, "gnn"), pr.recall, pr.precision)
    assert trace(figure, "gnn").line.shape == "vh"
    baseline = trace(figure, f"call everything positive: {percent_of_share(float(pr.prevalence))}")
    assert_holds(baseline, [0, 1], [float(table.total_pos / table.total)] * 2)


def test_reliability_figure_holds_bins_counts_intervals_smooth_and_distribution(table):
    bins, smooth, bars = reliability(table), smoothed_reliability(table), score_distribution(table, 20)
    interval = wilson(bins.n_pos, bins.n)
    figure = reliability_figure(bins, interval=interval, smooth=smooth, distribution=bars)
    points = trace(figure, "observed rate, n beside it")
    assert_holds(points, bins.mean_probability, bins.observed_rate)
    assert list(points.text) == [f"{n:,}" for n in bins.n]
    assert [told for told, _, _ in points.customdata] == [
        f"{n_pos:,} of {n:,} with evidence" for n, n_pos in zip(bins.n, bins.n_pos, strict=True)
    ]
    lines = trace(figure, "interval")
    np.testing.assert_array_equal(lines.x[0::3], bins.mean_probability)
    np.testing.assert_array_equal(lines.y[0::3], interval.low)
    np.testing.assert_array_equal(lines.y[1::3], interval.high)
    assert_holds(trace(figure, "smoothed rate"), smooth.probability, smooth.rate)
    assert_holds(trace(figure, "with evidence"), bars.low, bars.n_pos)
    assert_holds(trace(figure, "without"), bars.low, bars.n_neg)


def test_counts_beside_the_bins_keep_clear_of_the_axis_and_of_their_neighbours(table):
    figure = reliability_figure(reliability(table))
    sides = trace(figure, "observed rate, n beside it").textposition
    assert all(one != other for one, other in pairwise(sides))
    assert figure.layout.yaxis.range[0] <= -0.1  # a line of text below a rate of 0


def test_reliability_figure_needs_the_bins_only(table):
    figure = reliability_figure(reliability(table, variant="equal_mass"))
    assert [one.name for one in figure.data] == ["as promised", "observed rate"]


def test_models_differ_in_colour_and_in_dash(table):
    roc = roc_points(table)
    figure = roc_figure({"a": roc, "b": roc})
    first, second = trace(figure, "a").line, trace(figure, "b").line
    assert first.color != second.color
    assert first.dash != second.dash


def test_a_model_name_is_text_and_no_markup(table):
    figure = roc_figure({"<b>x</b>": roc_points(table)})
    assert figure.data[0].name == "&lt;b&gt;x&lt;/b&gt;"


def every_figure(table, dark):
    return [
        roc_figure({"gnn": roc_points(table)}, dark=dark),
        pr_figure({"gnn": pr_points(table)}, dark=dark),
        reliability_figure(reliability(table), distribution=score_distribution(table), dark=dark),
    ]


@pytest.mark.parametrize(("dark", "palette"), [(False, LIGHT), (True, DARK)])
def test_every_figure_is_transparent_described_and_in_its_palette(table, dark, palette):
    for figure in every_figure(table, dark):
        assert isinstance(figure, go.Figure)
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
        assert figure.layout.font.color == palette.ink
        assert figure.layout.meta["description"].endswith(".")


def test_titles_of_axes_are_as_large_as_the_text_so_that_they_fit_a_phone(table):
    for figure in every_figure(table, dark=False):
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            assert not axis.title.text or axis.title.font.size == figure.layout.font.size


def luminance(colour):
    shares = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize(("palette", "page"), [(LIGHT, "#ffffff"), (DARK, "#12171d")])
def test_lines_stand_out_from_the_page(palette, page):
    for colour, least in [(palette.ink, 7), *((colour, 3) for colour in (*palette.series, palette.positive))]:
        low, high = sorted([luminance(colour), luminance(page)])
        assert (high + 0.05) / (low + 0.05) >= least, colour


def test_figures_are_strict_json(table):
    for figure in every_figure(table, False):
        json.loads(figure.to_json(), parse_constant=lambda constant: pytest.fail(f"{constant} in JSON"))


def test_diagrams_beneath_each_other_lie_as_plotly_arranges_them():
    ours = stacked(4, 1, 1, gap=0.03, shares_x=True)
    theirs = diagrams(3, row_heights=(4, 1, 1), vertical_spacing=0.03, shared_xaxes=True)
    for name, axis in theirs.items():
        assert ours[name].pop("domain") == pytest.approx(axis.pop("domain")), name
    assert ours == theirs
