"""What a figure says to people who do not see it: what it shows, in numbers."""

import numpy as np
import pytest

from evalcore.figures.drawing import LIGHT, drawn
from evalcore.figures.finding import finding

LINE = {"type": "scatter", "x": [1, 5, 10], "y": [0.2, 0.9, 0.7], "name": "gate"}
NAMED = {"tickvals": [0, 1, 2], "ticktext": ["A.9", "A.1 &lt;b&gt;", "A.2"]}


def test_a_line_says_where_it_begins_and_ends_and_its_peak_between() -> None:
    assert finding([LINE], {}) == "gate: from 0.2 at 1 to 0.7 at 10, highest 0.9 at 5."
    rising = {**LINE, "y": [0.2, 0.5, 0.7]}
    assert finding([rising], {"yaxis": {"tickformat": ".0%"}}) == "gate: from 20.0 % at 1 to 70.0 % at 10."


@pytest.mark.parametrize("kind", [{"type": "bar", "orientation": "h"}, {"type": "scatter"}])
def test_what_has_names_says_the_highest_and_the_lowest(kind: dict[str, str]) -> None:
    trace = {**kind, "x": np.array([0.5, np.nan, 0.25]), "y": [0, 1, 2], "name": "AUROC"}
    assert finding([trace], {"yaxis": NAMED}) == "AUROC: highest 0.5 at A.9, lowest 0.25 at A.2."
    trace["x"] = np.array([0.5, 0.75, 0.6])
    assert "highest 0.75 at A.1 <b>" in finding([trace], {"yaxis": NAMED})


def test_cells_say_the_highest_and_the_lowest_pair() -> None:
    cells = {"type": "heatmap", "z": [[1.0, 2.0], [np.nan, 4.0]], "x": [0, 1], "y": [0, 1]}
    axes = {"xaxis": NAMED, "yaxis": NAMED}
    assert finding([cells], axes) == "highest 4 at A.1 <b> and A.1 <b>, lowest 1 at A.9 and A.9."


def test_what_nobody_points_at_and_what_has_no_value_is_left_out() -> None:
    limits = {**LINE, "hoverinfo": "skip"}
    unknown = {**LINE, "y": [np.nan, None, np.nan]}
    assert finding([limits, unknown], {}) == ""
    alone = {**LINE, "y": [None, 0.5, None]}
    assert finding([alone], {}) == "gate: 0.5 at 5."


def test_many_series_are_counted() -> None:
    many = [{**LINE, "name": f"model {at}"} for at in range(7)]
    assert finding(many, {}).endswith("highest 0.9 at 5; and 2 more.")


def test_every_figure_says_what_it_shows_after_what_it_is() -> None:
    figure = drawn([{**LINE, "yaxis": "y2"}], LIGHT, "nDCG over K.", {"yaxis2": {"tickformat": ".0%"}})
    assert figure.layout["meta"]["description"] == (
        "nDCG over K. gate: from 20.0 % at 1 to 70.0 % at 10, highest 90.0 % at 5."
    )


def test_series_that_stand_beside_a_rank_are_told_at_it_and_other_places_as_they_are() -> None:
    beside = {**LINE, "x": [0.92, 4.92, 9.92]}
    assert finding([beside], {"xaxis": {"tickvals": [1, 5, 10]}}).startswith(
        "gate: from 0.2 at 1 to 0.7 at 10"
    )
    between = {**LINE, "x": [0.1, 0.3, 0.45]}
    shares = {"tickvals": [0, 0.5, 1], "tickformat": ".0%"}
    assert finding([between], {"xaxis": shares}).startswith("gate: from 0.2 at 10.0 % to 0.7 at 45.0 %")
