"""Fields and sliders for numbers that begin with what the address says and keep it there."""

from math import inf, isfinite
from typing import Any

import streamlit as st

from pages.shared import widgets
from pages.shared.choices.kept import asked, is_unread, keep_choice, last_shared, note_beginning, of_page
from pages.shared.links import address
from pages.shared.links.strangers_text import quoted
from pages.shared.threshold_text import number_of

LONGEST_NUMBER = 30
WIDTH = 150


def whole_number(
    label: str,
    name: str,
    least: int,
    most: int,
    otherwise: int,
    *,
    key: str,
    is_shared: bool = False,
    **shown: Any,
) -> int:
    """A field for a whole number that begins with the one of the address and keeps it there.

    Parameters
    ----------
    label, shown
        As of `streamlit.number_input`.
    name, otherwise, key, is_shared
        As in `start`.
    least, most
        The range of the number.
    """
    key = of_page(key) if is_shared else key
    start_number(key, name, least, most, otherwise, is_whole=True, is_shared=is_shared)
    typed = st.number_input(label, step=1, key=key, **({"width": WIDTH} | shown))
    number = int(_legal(label, key, typed, least, most, otherwise))
    keep_choice(name, str(number), str(otherwise), is_shared=is_shared)
    return number


def number(
    label: str,
    name: str,
    least: float | None,
    most: float | None,
    otherwise: float,
    *,
    key: str,
    is_slider: bool = False,
    is_shared: bool = False,
    **shown: Any,
) -> float:
    """A field or a slider for a number that begins with the one of the address and keeps it there.

    Parameters
    ----------
    label, shown
        As of `streamlit.number_input` or `streamlit.slider`.
    name, otherwise, key, is_shared
        As in `start`.
    least, most
        The range of the number; None: no end.
    is_slider
        Whether it is a slider.
    """
    key = of_page(key) if is_shared else key
    start_number(key, name, least, most, otherwise, is_shared=is_shared)
    if is_slider:
        chosen = float(st.slider(label, least, most, key=key, **shown))
    else:
        chosen = _legal(label, key, st.number_input(label, key=key, **shown), least, most, otherwise)
    keep_choice(name, repr(chosen), repr(float(otherwise)), is_shared=is_shared)
    return chosen


def _legal(
    label: str, key: str, typed: float, least: float | None, most: float | None, otherwise: float
) -> float:
    """What was typed; where that is out of range the number before it, and the page says so.

    A field that knows its range drops such a number without a word.
    """
    low, high = -inf if least is None else least, inf if most is None else most
    slot = f"{key}_legal"
    if low <= typed <= high:
        st.session_state[slot] = typed
        return float(typed)
    used = st.session_state.get(slot, otherwise)
    kind = "a whole number" if isinstance(otherwise, int) else "a number"
    expected = f"{kind} from {low:,g} to {high:,g}" if isfinite(low) and isfinite(high) else kind
    widgets.plain(f"{label}: found {typed:,g}, expected {expected}; {used:,g} is used.")
    return float(used)


def start_number(
    key: str,
    name: str,
    least: float | None,
    most: float | None,
    otherwise: float,
    *,
    is_whole: bool = False,
    is_shared: bool = False,
) -> None:
    """Let the widget of a key begin with the number of the address; what is none, or out of range, is said.

    Parameters
    ----------
    key, name, otherwise, is_shared
        As in `start`.
    least, most
        The range; None: no end.
    is_whole
        Whether only a whole number is legal.
    """
    if key in st.session_state:
        return
    last = last_shared(name) if is_shared else None
    values = asked(name) if last is None else [last]
    text = values[0] if len(values) == 1 and len(values[0]) <= LONGEST_NUMBER else ""
    found = number_of(text) if not is_whole or (text.isascii() and text.isdigit()) else None
    low, high = -inf if least is None else least, inf if most is None else most
    is_legal = found is not None and isfinite(found) and low <= found <= high
    if not is_legal and is_unread(name):
        told = " and ".join(map(quoted, values))
        kind = "a whole number" if is_whole else "a number"
        expected = f"{kind} from {low:,g} to {high:,g}" if isfinite(low) and isfinite(high) else kind
        address.say(name, f"The link asks for {name} {told}, expected {expected}. It was not used.")
    legal = otherwise if found is None or not is_legal else found
    st.session_state[key] = int(legal) if is_whole else float(legal)
    if is_shared:
        note_beginning(name, str(st.session_state[key]), is_said=is_legal)
