"""Who may see the pages: everybody or, when `EVALCORE_PASSCODE` is set, whoever knows the passcode."""

import math

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.server import passcode
from pages.shared.written import as_markdown


def is_passed() -> bool:
    """Whether this session may see the pages."""
    return not passcode.is_set() or "guard_pass" in st.session_state


def ask() -> None:
    """Show the passcode form instead of the page and let the session in when the passcode is right."""
    st.title("Passcode")
    with st.form("guard", border=False):
        guess = st.text_input("Passcode of this dashboard", type="password", width=360)
        is_sent = st.form_submit_button("Continue")
    if is_sent:
        _try(guess)


def _try(guess: str) -> None:
    """Compare a guess, unless too many were wrong."""
    address = st.context.ip_address
    wait = passcode.GUESSES.ask(address)
    if wait:
        when = _in_words(math.ceil(wait))
        st.error(f"Too many wrong passcodes: this one was not looked at. Try again in {as_markdown(when)}.")
    elif passcode.is_right(guess):
        passcode.GUESSES.right(address)
        context = get_script_run_ctx()
        st.session_state["guard_pass"] = passcode.let_in(context.session_id if context else "")
        st.rerun()
    else:
        st.error("This is not the passcode. Ask the person who runs this dashboard.")


def _in_words(seconds: int) -> str:
    if seconds > 90:
        return f"{math.ceil(seconds / 60)} minutes"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
