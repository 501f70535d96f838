"""Every figure of a page as PNG or SVG, made in the browser, on white whatever the page looks like."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from evalcore.figures.drawing import on_white

KEY = "figure_files"
STYLE = f"""<style>
:has(> .st-key-{KEY}) {{ position: absolute; width: 0; overflow: hidden; }}
[data-testid="stElementContainer"]:has([data-testid="stPlotlyChart"]) {{
  margin-bottom: 1.3rem; overflow: visible;
}}
[data-testid="stPlotlyChart"] {{ position: relative; }}
[data-testid="stPlotlyChart"] .modebar-container, body > .plotly-notifier {{ display: none; }}
.figure-files {{ position: absolute; right: 0; top: 100%; display: flex; }}
.figure-files button {{ min-height: 1.6rem; padding: 0 .5rem; border: 0; border-radius: .25rem; }}
.figure-files button {{ background: none; color: inherit; font: inherit; font-size: .8rem; opacity: .75; }}
.figure-files button:is(:hover, :focus-visible) {{ opacity: 1; text-decoration: underline; cursor: pointer; }}
@media (pointer: coarse), (max-width: 40rem) {{
  [data-testid="stElementContainer"]:has([data-testid="stPlotlyChart"]) {{ margin-bottom: 44px; }}
  .figure-files button {{ min-height: 44px; min-width: 44px; }}
}}
@media print {{ .figure-files {{ display: none; }} }}
</style>"""


def offer() -> None:
    """Offer both files beneath every figure of the page."""
    st.html(STYLE)
    with st.container(key=KEY):
        _component()(key=f"{KEY}_offered", data={"on_white": on_white()})


@cache
def _component() -> Any:
    """Register the component once in a process."""
    script = Path(__file__).with_name("files.js").read_text(encoding="utf-8")
    return st.components.v2.component("evalcore_figure_files", js=script)
