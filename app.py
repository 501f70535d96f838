"""The dashboard: a run for each session, and the server that stands around all of them."""

from pathlib import Path

from streamlit.starlette import App

if __name__ == "__main__":  # a run for one session
    from pages.shared import frame

    frame.show()
else:  # `streamlit run app.py` finds the line with App, and imports this file once, before it serves
    from pages.server import serving

    app = App(Path(__file__), lifespan=serving.lifespan, middleware=serving.prepare())
