"""Plotly figures on a page: own palette, text for people who do not see them, no tool bar."""

from typing import Any

import plotly.graph_objects as go
import streamlit as st

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
