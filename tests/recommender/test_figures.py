"""Figures of recommendation lists: what they hold, described and in the colours of the page."""

import json

import numpy as np
import pytest

from evalcore.evaluation.recommender.tradeoff import front_of
from evalcore.figures.drawing import DARK, LIGHT, Ends
from evalcore.figures.recommender.over_k import OverK, over_k_figure
from evalcore.figures.recommender.tradeoff import Values, tradeoff_figure

NAN = float("nan")
KS = (1, 5, 10)
NAMES = ("a", "b", "<b>c</b>")


def over_k(**how):
    low = OverK(np.array([0.1, 0.2, 0.3]), Ends(np.array([0.05, 0.1, NAN]), np.array([0.2, 0.3, NAN])))
    none = OverK(np.array([0.2, NAN, 0.4]), Ends(np.full(3, NAN), np.full(3, NAN)))
    return over_k_figure(KS, {"a": low, "<b>c</b>": none}, title="Recall", **how)


def tradeoff(better=("higher", "higher"), **how):
    across = Values(
        "Gini", np.array([0.5, 0.4, NAN]), Ends(np.array([0.4, NAN, NAN]), np.array([0.6, NAN, NAN]))
    )
    up = Values(
        "Recall", np.array([0.3, 0.2, 0.9]), Ends(np.array([0.2, 0.1, 0.8]), np.array([0.4, 0.3, 1.0]))
    )
    front = front_of(NAMES, (across.value, up.value), better)
    return tradeoff_figure(NAMES, across, up, front, **how)


def named(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_lines_stand_where_k_is_with_a_band_where_intervals_are_known():
    figure = over_k()
    assert list(named(figure, "a").y) == [0.1, 0.2, 0.3]
    assert list(named(figure, "a").x) == [1, 5, 10]
    assert figure.layout.xaxis.type == "log"
    near = over_k_figure((4, 5, 10), {}, title="Recall", has_legend=False)
    assert (near.layout.xaxis.type, near.layout.showlegend) == ("linear", False)
    assert figure.layout.xaxis.ticktext == ("1", "5", "10")
    bands = [trace for trace in figure.data if trace.name == "interval"]
    assert len(bands) == 1
    assert list(bands[0].y) == [0.05, 0.1, 0.3, 0.2]
    assert tuple(named(figure, "a").customdata) == (
        "0.100 [0.0500 to 0.200] at K = 1",
        "0.200 [0.100 to 0.300] at K = 5",
        "0.300 at K = 10",
    )


def test_points_have_crosses_of_their_intervals_and_those_that_are_beaten_are_open():
    figure = tradeoff()
    first, second = named(figure, "a"), named(figure, "b")
    assert (first.x, first.y) == ((0.5,), (0.3,))
    assert first.error_y.array[0] == pytest.approx(0.1)
    assert first.error_x.visible
    assert not second.error_x.visible
    assert first.marker.symbol == "circle"
    assert second.marker.symbol == "diamond-open"
    assert not [trace for trace in figure.data if "c" in trace.name and trace.name != "Pareto front"]


def test_the_front_joins_its_systems_and_is_absent_where_no_direction_is_better():
    assert list(named(tradeoff(("lower", "higher")), "Pareto front").x) == [0.4, 0.5]
    assert "Pareto front" not in [trace.name for trace in tradeoff().data]
    plain = tradeoff(("neither", "higher"))
    assert [trace.marker.symbol for trace in plain.data] == ["circle", "diamond"]
    assert "without a front" in plain.layout.meta["description"]


@pytest.mark.parametrize(("dark", "palette"), [(False, LIGHT), (True, DARK)])
def test_figures_describe_themselves_in_the_colours_of_the_page(dark, palette):
    for figure in (over_k(dark=dark), tradeoff(dark=dark)):
        assert figure.layout.font.color == palette.ink
        assert figure.layout.meta["description"]
        json.loads(json.dumps(figure.to_plotly_json(), default=lambda one: one.tolist()))


def test_a_name_is_text_and_no_markup():
    assert "&lt;b&gt;c&lt;/b&gt;" in [trace.name for trace in over_k().data]
