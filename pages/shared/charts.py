"""Plotly figures on a page: own palette, text for people who do not see them, no tool bar."""

from collections.abc import Callable, Hashable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.shared.memo import remember

CONFIG = {"displaylogo": False, "displayModeBar": False, "scrollZoom": False}


def is_dark() -> bool:
    """Whether the page is dark."""
    return st.context.theme.type == "dark"


def chart(figure: go.Figure, key: str, *, height: int, **options: Any) -> Any:
    """Show a figure, described by its own description; returns what `st.plotly_chart` returns.

    Parameters
    ----------
    figure
        From `evalcore.figures`.
    key
        Unique on the page.
    height
        In pixels.
    options
        Further options of `st.plotly_chart`.
    """
    description = figure.layout.meta["description"]
    return st.plotly_chart(
        figure, theme=None, key=key, height=height, config=CONFIG, alt=description, **options
    )


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
