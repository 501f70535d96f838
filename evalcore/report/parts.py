"""Parts of a figure, looked up as in plotly, whose own objects take long to look one up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalcore.figures.drawing import Plain

HOLD_OTHERS = {"error_x", "error_y", "font", "line", "marker", "pattern", "title"}
"""Parts that are there, empty, where a figure has none."""


class Part:
    """A part of a figure; what it does not have is None, as in plotly.

    Parameters
    ----------
    values : as plotly.js reads them.

    Examples
    --------
    >>> trace = Part({"name": "gate", "line": {"width": 2}})
    >>> trace.name, trace["line"].width, trace.marker.color, trace.text
    ('gate', 2, None, None)
    """

    __slots__ = ("_values",)
    __iter__ = None  # by the look of `__getitem__` it would have values without end

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def __getitem__(self, name: str) -> Any:
        found = self._values.get(name)
        if found is None and name in HOLD_OTHERS:
            found = {}
        return Part(found) if isinstance(found, dict) else found


def parts_of(figure: Plain) -> tuple[list[Part], Part]:
    """The traces of a figure, and its layout."""
    return [Part(trace) for trace in figure.traces], Part({"xaxis": {}, "yaxis": {}} | figure.layout)
