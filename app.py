"""The dashboard: a run for each session, and the server that stands around all of them."""

import sys
from pathlib import Path

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

if __name__ == "__main__":  # a run for one session
    if get_script_run_ctx(suppress_warning=True) is None:
        sys.exit("Start it with: streamlit run app.py")
    from pages.shared import frame

    frame.show()
else:  # `streamlit run app.py` finds the line with App, and imports this file once, before it serves
    from pages.server import serving

    app = App(Path(__file__), lifespan=serving.lifespan, middleware=serving.prepare())
