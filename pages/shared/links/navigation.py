"""How the pages are reached."""

import streamlit as st


def first_screen(target: st.Page) -> st.Page:
    """The hidden page at `/`: it opens `target` and passes the query on.

    A default page answers at `/` alone, so `target` itself could not be the default and keep its address.
    """

    def open_target() -> None:
        query = {name: st.query_params.get_all(name) for name in st.query_params}
        st.switch_page(target, query_params=query)

    return st.Page(open_target, title=target.title, url_path="start", default=True, visibility="hidden")
