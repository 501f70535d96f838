"""Names of a file stand in a figure as they are written, and axes of shares keep to shares."""

import numpy as np
import pandas as pd

from evalcore.figures.ablation import threshold_grid_figure
from evalcore.figures.comparison import LONGEST_METRIC, comparison_figure, difference_title
from evalcore.figures.criteria import cooccurrence_figure
from evalcore.figures.drawing import (
    LONGEST_IN_LINE,
    LONGEST_NAME,
    Ends,
    as_written,
    curve,
    named_lines,
    shortened,
)
from evalcore.figures.workload import workload_figure
from evalcore.inference.binomial import Interval
from evalcore.tallies.cooccurrence import Cooccurrence
from evalcore.tallies.decisions import StateCounts

HOSTILE = "<b>100%{x}</b>"
WRITTEN = "&lt;b&gt;100%&#123;x}&lt;/b&gt;"


def test_a_name_is_neither_markup_nor_a_template() -> None:
    assert as_written(HOSTILE) == WRITTEN
    assert as_written("100 % of {x}") == "100 % of {x}"
    assert curve(HOSTILE, [0.0], [0.0], {})["name"] == WRITTEN
    assert named_lines([HOSTILE])["ticktext"] == [WRITTEN]


def test_the_names_of_two_models_are_written_in_legend_hover_and_title() -> None:
    limits = Interval(np.array([0.1]), np.array([0.3]))
    figure = comparison_figure(
        [HOSTILE], np.array([0.2]), limits, ["second"], first="old", second=HOSTILE, title=HOSTILE
    )
    (points,) = figure.data
    assert points.name == f"{WRITTEN} is better"
    assert points.customdata[0].startswith(f"{WRITTEN}: ")
    assert figure.layout.xaxis.title.text == WRITTEN
    assert "%{" not in str(figure.layout.xaxis) + str(figure.layout.yaxis)
    assert HOSTILE in figure.layout.meta["description"]


def test_signs_that_turn_the_direction_turn_nothing_in_a_figure() -> None:
    assert as_written("gate\u202egnp") == "gate\ufffdgnp"
    assert as_written("\u05d0\u05d1 12") == "\u2068\u05d0\u05d1\u2069 12"


def test_names_over_the_columns_of_the_grid_stand_where_they_would_run_into_each_other() -> None:
    n_both = np.array([[3, 1], [1, 2]])
    for names, angle in ((("A.1", "A.10"), 0), (("A.1", "a long name of a criterion"), -90)):
        layout = cooccurrence_figure(Cooccurrence(names, n_both, n_both)).layout
        assert layout.xaxis.tickangle == angle
        assert list(layout.yaxis.ticktext) == list(names)
        assert max(map(len, layout.xaxis.ticktext)) <= 14


def test_equal_shares_do_not_stretch_their_axis_beyond_shares() -> None:
    grid = pd.DataFrame(
        {
            "tau_neg": [0.1, 0.2],
            "tau_pos": [0.8, 0.9],
            "workload": [0.5, 0.5],
            "screening_sensitivity": [1.0, 1.0],
            "alerts_per_1000": [20.0, 10.0],
            "alert_precision": [0.5, 0.5],
        }
    )
    layout = threshold_grid_figure(grid).layout
    for axis in (layout.xaxis, layout.yaxis, layout.yaxis2):
        assert (axis.autorangeoptions.clipmin, axis.autorangeoptions.clipmax) == (-0.02, 1.02)
    assert layout.xaxis2.autorangeoptions.clipmax is None


def test_long_names_leave_room_and_stay_apart() -> None:
    first, second = (f"{'a gate that was trained for long, ' * 3}seed {seed}" for seed in (1, 2))
    assert shortened(first) != shortened(second)
    assert len(shortened(first)) == LONGEST_NAME
    assert named_lines([first])["ticktext"] == [shortened(first)]
    limits = Interval(np.array([0.1]), np.array([0.3]))
    figure = comparison_figure(
        ["AUROC"],
        np.array([0.2]),
        limits,
        ["second"],
        first=first,
        second=second,
        title=difference_title(first, second),
    )
    assert figure.data[0].name == f"{shortened(second, LONGEST_IN_LINE)} is better"
    assert second in figure.layout.meta["description"]
    start, *sides = figure.layout.xaxis.title.text.split("<br>")
    assert start == "difference,"
    assert sides == [shortened(second, LONGEST_IN_LINE), f"− {shortened(first, LONGEST_IN_LINE)}"]


def test_the_shares_of_a_workload_are_not_crossed_out_by_lines_of_their_own_colour() -> None:
    for dark in (False, True):
        figure = workload_figure({"all": StateCounts(50, 1, 40, 2, 5, 3)}, dark=dark)
        for trace in figure.data:
            assert trace.insidetextfont.color != trace.marker.pattern.fgcolor
            # Without it plotly.js draws the lines on nothing: neither colour nor percentage is seen.
            assert trace.marker.pattern.fillmode == "overlay"
        assert figure.layout.uniformtext.mode == "hide"  # never smaller than can be read


def test_the_names_of_compared_metrics_leave_a_phone_room_for_the_differences() -> None:
    name = "F1 over posts and criteria, screened in"
    labels = named_lines([name], LONGEST_METRIC)["ticktext"]
    assert labels == ["F1 over posts …, screened in"]
    drawn = comparison_figure(
        [name], np.zeros(1), Ends(np.zeros(1), np.zeros(1)), ["open"], first="a", second="b", title="t"
    )
    assert list(drawn.layout.yaxis.ticktext) == labels
