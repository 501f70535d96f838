"""Who may see the pages: everybody or, when `EVALCORE_PASSCODE` is set, whoever knows the passcode."""

import hmac
import os
import time

import streamlit as st

PASSCODE_VARIABLE = "EVALCORE_PASSCODE"
SECONDS_AFTER_A_WRONG_PASSCODE = 1.0


def is_passed() -> bool:
    """Whether this session may see the pages."""
    return not os.environ.get(PASSCODE_VARIABLE) or st.session_state.get("guard_is_passed", False)


def ask() -> None:
    """Show the passcode form instead of the page and let the session in when the passcode is right."""
    st.title("Passcode")
    with st.form("guard", border=False):
        passcode = st.text_input("Passcode of this dashboard", type="password", width=360)
        is_sent = st.form_submit_button("Continue")
    if not is_sent:
        return
    if hmac.compare_digest(passcode.encode(), os.environ[PASSCODE_VARIABLE].encode()):
        st.session_state["guard_is_passed"] = True
        st.rerun()
    time.sleep(SECONDS_AFTER_A_WRONG_PASSCODE)
    st.error("This is not the passcode. Ask the person who runs this dashboard.")
