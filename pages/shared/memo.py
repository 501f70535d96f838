"""Results kept in the session: computed once for a key, forgotten with the session."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

Result = TypeVar("Result")
KEPT = 8
PREFIX = "memo_"


def remember(name: str, key: Hashable, make: Callable[[], Result]) -> Result:
    """The result of `make` for this key; the page shows a spinner while it is made.

    Parameters
    ----------
    name, key, make
        As in `kept`.
    """
    if key not in _kept(name):
        with st.spinner("Computing…", show_time=True):
            return kept(name, key, make)
    st.empty()  # in the spinner's place: what follows stays where it is, and is not drawn anew
    return kept(name, key, make)


def kept(name: str, key: Hashable, make: Callable[[], Result]) -> Result:
    """The result of `make` for this key, with nothing on the page; at most eight of a name are kept.

    Parameters
    ----------
    name
        What is kept.
    key
        Everything the result depends on: the key of the session's data, the model, options. Never a frame or
        an array, of which Streamlit and Python hash but a part.
    make
        Computes the result.
    """
    found = _kept(name)
    if key not in found:
        found[key] = make()
        while len(found) > KEPT:
            found.pop(next(iter(found)))
    result: Result = found[key]
    return result


def forget() -> None:
    """Let go of every result: other data are shown from now on, and these would stay in memory."""
    for name in [name for name in st.session_state if str(name).startswith(PREFIX)]:
        del st.session_state[name]


def _kept(name: str) -> dict[Hashable, Any]:
    found: dict[Hashable, Any] = st.session_state.setdefault(PREFIX + name, {})
    return found
