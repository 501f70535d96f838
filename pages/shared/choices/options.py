"""Widgets of options and boxes to tick that begin with what the address says and keep it there."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.shared.choices.kept import (
    NO,
    YES,
    asked,
    is_unread,
    keep,
    keep_choice,
    last_shared,
    note_beginning,
    of_page,
    refuse,
    start,
)
from pages.shared.links import address
from pages.shared.written import NONE, told_apart


def selectbox(
    label: str,
    name: str,
    options: Sequence[str],
    otherwise: str,
    *,
    key: str,
    is_shared: bool = False,
    **shown: Any,
) -> str:
    """A select box that begins with the choice of the address and keeps it there.

    Parameters
    ----------
    label, shown
        As of `streamlit.selectbox`.
    name, options, otherwise, key, is_shared
        As in `start`.
    """
    key = of_page(key) if is_shared else key
    start(key, name, options, otherwise, is_shared=is_shared)
    chosen = st.selectbox(label, options, key=key, **shown)
    keep_choice(name, chosen, otherwise, is_shared=is_shared)
    return str(chosen)


def optional(
    label: str,
    name: str,
    options: Sequence[str],
    none: str,
    *,
    key: str,
    otherwise: str = NONE,
    format_func: Callable[[str], str] = str,
    **shown: Any,
) -> str | None:
    """A select box of what a file names, or none of it; no name of a file is taken for none.

    Parameters
    ----------
    label, name, otherwise, key, shown
        As of `selectbox`.
    options
        What the file names.
    none
        How the first option, none of them, is called. An option of the same words stands in quotation marks:
        the browser tells options apart by their words. In the address none of them is an empty value, or
        these words where no option has them.
    format_func
        How an option is called.
    """
    if asked(name) == [none] and none not in options:
        known = address.known()
        known.choices[known.page][name] = [NONE]
    words = told_apart(options, none, format_func)
    chosen = selectbox(
        label, name, [NONE, *options], otherwise, key=key, format_func=words.__getitem__, **shown
    )
    return None if chosen == NONE else chosen


def segmented(
    label: str,
    name: str,
    options: Sequence[str],
    otherwise: str,
    *,
    key: str,
    is_shared: bool = False,
    **shown: Any,
) -> str:
    """The same as buttons beside each other.

    Parameters
    ----------
    label, shown
        As of `streamlit.segmented_control`.
    name, options, otherwise, key, is_shared
        As in `start`.
    """
    key = of_page(key) if is_shared else key
    start(key, name, options, otherwise, is_shared=is_shared)
    chosen = st.segmented_control(label, options, key=key, required=True, wrap=True, **shown)
    if chosen is None:  # a browser may answer so for a page that it has only half received
        st.rerun()
    keep_choice(name, str(chosen), otherwise, is_shared=is_shared)
    return str(chosen)


def several(label: str, name: str, options: Sequence[str], *, key: str, **shown: Any) -> list[str]:
    """Any number of options, none at first, in the order of the options.

    Parameters
    ----------
    label, shown
        As of `streamlit.multiselect`.
    name, options, key
        As in `start`.
    """
    if key not in st.session_state:
        values = asked(name)
        if is_unread(name) and not set(values) <= set(options):
            refuse(name, ())
        st.session_state[key] = [value for value in values if value in options]
    else:
        st.session_state[key] = [value for value in st.session_state[key] if value in options]
    picked = st.multiselect(label, options, key=key, **shown)
    chosen = [option for option in options if option in picked]
    keep(name, chosen)
    return chosen


def checkbox(label: str, name: str, *, key: str, is_shared: bool = False, **shown: Any) -> bool:
    """A box that is ticked where the address says ``yes``, and is kept there.

    Parameters
    ----------
    label, shown
        As of `streamlit.checkbox`.
    name, key, is_shared
        As in `start`.
    """
    key = of_page(key) if is_shared else key
    _start_ticked(name, key, is_shared=is_shared)
    return _kept_ticked(name, st.checkbox(label, key=key, **shown), is_shared=is_shared)


def toggle(label: str, name: str, *, key: str, **shown: Any) -> bool:
    """The same as a switch."""
    _start_ticked(name, key)
    return _kept_ticked(name, st.toggle(label, key=key, **shown))


def _start_ticked(name: str, key: str, *, is_shared: bool = False) -> None:
    if key in st.session_state:
        return
    last = last_shared(name) if is_shared else None
    values = asked(name) if last is None else [YES] * (last == YES)
    is_legal = values in ([], [YES])
    if not is_legal:
        refuse(name, [YES])
    st.session_state[key] = values == [YES]
    if is_shared:
        note_beginning(name, YES if st.session_state[key] else NO, is_said=values == [YES])


def _kept_ticked(name: str, is_ticked: bool, *, is_shared: bool = False) -> bool:
    keep_choice(name, YES if is_ticked else NO, NO, is_shared=is_shared)
    return is_ticked
