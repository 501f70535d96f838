"""Parts of a plotly figure as plain values: plotly's own objects take long to look one up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

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


def parts_of(figure: go.Figure) -> tuple[list[Part], Part]:
    """The traces of a figure, and its layout."""
    # Not of the whole figure, whose numbers would come as text for a browser.
    traces = [Part(trace.to_plotly_json()) for trace in figure.data]
    return traces, Part({"xaxis": {}, "yaxis": {}} | figure.layout.to_plotly_json())
