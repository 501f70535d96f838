"""A page that stayed open while the server lost its session: in a restart, or without a connection."""

from datetime import timedelta

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def is_of_a_lost_session() -> bool:
    """Whether the page in the browser belonged to a session that the server does not know.

    A browser that connects again names the session it had, as the third part of the protocol it asks for; the
    server gives it another one where it has no such session.
    """
    asked = st.context.headers.get("Sec-Websocket-Protocol") or ""
    parts = [part.strip() for part in asked.split(",")]
    context = get_script_run_ctx()
    return context is not None and len(parts) > 2 and parts[2] not in ("", context.session_id)


@st.fragment(run_every=timedelta(days=1))
def run_again_after_a_restart() -> None:
    """Let the browser run the page when it connects again.

    Streamlit leaves a page at rest as it is then, with numbers of data that the server no longer has. It runs
    one that is to be refreshed from time to time; once a day is as seldom as it may be.
    """
    st.empty()
