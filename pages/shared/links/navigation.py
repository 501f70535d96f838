"""How the pages are reached."""

import json
from urllib.parse import urlsplit

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def first_screen(target: st.Page) -> st.Page:
    """The hidden page at `/`: it opens `target` and passes the query on.

    A default page answers at `/` alone, so `target` itself could not be the default and keep its address.
    """

    def open_target() -> None:
        query = {name: st.query_params.get_all(name) for name in st.query_params}
        st.switch_page(target, query_params=query)

    return st.Page(open_target, title=target.title, url_path="start", default=True, visibility="hidden")


def open_again_where_streamlit_lost_it() -> None:
    """Let the browser ask once more for the first deep link after `streamlit run app.py`.

    Streamlit takes the folder `pages/` for pages of its own until `st.navigation` has run, and has said by
    now that there is none at this address. From here on it knows better; `pages.shared.launch` tells it
    before it serves.
    """
    if not PagesManager.uses_pages_directory:
        return
    PagesManager.uses_pages_directory = False
    path = urlsplit(st.context.url or "").path.strip("/")
    if path:  # the address has become / by now, with the query of the link
        again = json.dumps(f"/{path}").replace("<", "\\u003c")
        script = f"<script>window.location.replace({again} + window.location.search)</script>"
        st.html(script, unsafe_allow_javascript=True)
        st.stop()
