"""Plotly figures on a page: own palette, text for people who do not see them, a name as a file."""

import re
from collections.abc import Callable, Hashable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.shared.links import address
from pages.shared.memo import remember

CONFIG = {"displaylogo": False, "displayModeBar": True, "modeBarButtons": [["toImage"]], "scrollZoom": False}
"""The one button is not shown: `pages.shared.charts.files` uses it."""
LONGEST_NAME = 80
"""Characters of a file's name without its ending."""


def is_dark() -> bool:
    """Whether the page is dark."""
    return st.context.theme.type == "dark"


def chart(figure: go.Figure, key: str, *, height: int, file: str = "", **options: Any) -> Any:
    """Show a figure, described by its own description; returns what `st.plotly_chart` returns.

    Parameters
    ----------
    figure
        From `evalcore.figures`.
    key
        Unique on the page.
    height
        In pixels.
    file
        What the figure is called as a file, after the page; the key where that says it.
    options
        Further options of `st.plotly_chart`.
    """
    description = figure.layout.meta["description"]
    config = {**CONFIG, "toImageButtonOptions": {"filename": file_name(address.known().page, file or key)}}
    return st.plotly_chart(
        figure, theme=None, key=key, height=height, config=config, alt=description, **options
    )


def file_name(*parts: str) -> str:
    """A name that every system takes, of parts that may hold anything.

    Examples
    --------
    >>> file_name("ranking", "over_k"), file_name("calibration", "A.9 “Suicid/al”")
    ('ranking-over-k', 'calibration-a.9-suicid-al')
    """
    return re.sub(r"[^\w.]+|_", "-", "-".join(parts).lower())[:LONGEST_NAME].strip("-.")


def kept_chart(
    name: str, key: tuple[Hashable, ...], draw: Callable[[bool], go.Figure], *, height: int, **options: Any
) -> Any:
    """Show a figure that is drawn once for a key and theme: drawing takes longer than what it draws.

    Parameters
    ----------
    name
        Unique on the page.
    key
        Everything the figure depends on but the theme; as in `remember`.
    draw
        Makes the figure, told whether the page is dark.
    height, options
        As in `chart`.
    """
    dark = is_dark()
    figure = remember(f"figure_{name}", (*key, dark), lambda: draw(dark))
    return chart(figure, name, height=height, **options)
