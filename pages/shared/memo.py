"""Results kept in the session: computed once for a key, forgotten with the session."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

Result = TypeVar("Result")
KEPT = 8


def remember(name: str, key: Hashable, make: Callable[[], Result]) -> Result:
    """The result of `make` for this key; at most eight results of a name are kept.

    Parameters
    ----------
    name
        What is kept.
    key
        Everything the result depends on: the key of the session's data, the model, options. Never a frame or
        an array, of which Streamlit and Python hash but a part.
    make
        Computes the result; the page shows a spinner when it takes long.
    """
    kept: dict[Hashable, Any] = st.session_state.setdefault(f"memo_{name}", {})
    if key not in kept:
        with st.spinner("Computing…", show_time=True):
            kept[key] = make()
        while len(kept) > KEPT:
            kept.pop(next(iter(kept)))
    else:
        st.empty()  # in the spinner's place: what follows stays where it is, and is not drawn anew
    result: Result = kept[key]
    return result
