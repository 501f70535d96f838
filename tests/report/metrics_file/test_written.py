"""Columns of ``metrics.json`` are written as `json` writes each value by itself."""

import json
import math

import pytest

from evalcore.report.metrics_json.writing import _written


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0.0, -0.0, 0, 1e-300, 0.1 + 0.2, math.nan, None],
        ["a, b", 'é "%s"', "a, b"],
        ["x", None, math.nan],
    ],
)
def test_each_value_of_a_column_is_written_as_by_itself(values):
    alone = [None if value != value else value for value in values]
    assert _written(values) == [json.dumps(value, ensure_ascii=False) for value in alone]


def test_a_number_that_json_does_not_have_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        _written([1.0, math.inf])
